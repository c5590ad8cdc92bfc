package httpx

import (
	"net/http"
	"strings"

	"homeplace/core"
)

// BearerToken takes the token out of the Authorization header. It is
// Unauthenticated where the header is missing or malformed.
func BearerToken(r *http.Request) (string, error) {
	headers := r.Header["Authorization"]
	if len(headers) == 0 {
		return "", core.Unauthenticatedf("This needs a bearer token: send the header \"Authorization: Bearer <token>\".")
	}
	scheme, token, found := strings.Cut(strings.TrimSpace(headers[0]), " ")
	token = strings.TrimSpace(token)
	if len(headers) > 1 || !found || !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " \t,") {
		return "", core.Unauthenticatedf("The Authorization header is malformed: it must read \"Bearer <token>\", once.")
	}
	return token, nil
}
