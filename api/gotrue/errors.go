package gotrue

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"homeplace/core"
	"homeplace/web/httpx"
)

// versionHeader tells the client in which form errors come: since the version
// below as {code, message}.
const (
	versionHeader = "X-Supabase-Api-Version"
	apiVersion    = "2024-01-01"
)

// version names the form of the interface, and lets pages of other sites read
// it.
func version(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(versionHeader, apiVersion)
		w.Header().Add("Access-Control-Expose-Headers", versionHeader)
		next.ServeHTTP(w, r)
	})
}

// errNoToken marks a request that brought no access token at all.
var errNoToken = errors.New("no access token")

// failure is an error in the client's form.
type failure struct {
	Code         string        `json:"code"`
	Message      string        `json:"message"`
	WeakPassword *weakPassword `json:"weak_password,omitempty"`
}

type weakPassword struct {
	Reasons []string `json:"reasons"`
}

// known are the failures that the client tells apart, by the code of the
// service: its own word for each, and the status that it expects with it.
var known = map[string]struct {
	code   string
	status int
}{
	"invalid_credentials":        {"invalid_credentials", http.StatusBadRequest},
	"email_unverified":           {"email_not_confirmed", http.StatusBadRequest},
	"email_taken":                {"user_already_exists", http.StatusUnprocessableEntity},
	"username_taken":             {"validation_failed", http.StatusUnprocessableEntity},
	"bad_jwt":                    {"bad_jwt", http.StatusForbidden},
	"refresh_token_not_found":    {"refresh_token_not_found", http.StatusBadRequest},
	"refresh_token_already_used": {"refresh_token_already_used", http.StatusBadRequest},
	"malformed_json":             {"bad_json", http.StatusBadRequest},
	"rate_limited":               {"over_request_rate_limit", http.StatusTooManyRequests},
	"internal":                   {"unexpected_failure", http.StatusInternalServerError},
}

// problem renders an error for the client, and logs its cause.
func problem(r *http.Request, err error) *httpx.Answer {
	e := httpx.Report(r, err)
	status := httpx.Status(e.Kind)
	f := failure{Code: e.Code, Message: e.Error()}
	if e.Err != nil {
		f.Message = e.Msg
	}
	if k, ok := known[e.Code]; ok {
		f.Code, status = k.code, k.status
	}
	switch {
	case errors.Is(err, errNoToken):
		f.Code = "no_authorization"
	case e.Kind == core.Unauthenticated && e.Code == "session_not_found":
		status = http.StatusForbidden
	case e.Fields["password"] != "":
		f.Code, status = "weak_password", http.StatusUnprocessableEntity
		f.Message = "The password " + e.Fields["password"] + "."
		f.WeakPassword = &weakPassword{Reasons: []string{e.Fields["password"]}}
	}
	a, encodeErr := httpx.JSON(status, f)
	if encodeErr != nil { // strings alone are always encoded
		return httpx.ErrorAnswer(r, encodeErr)
	}
	a.Header = httpx.ErrorHeader(r, e)
	return a
}

// later turns "too often" into "not now". The client takes any 4xx for the end
// of its session, and a 503 for a reason to try again.
func later(err error) error {
	e := core.AsError(err)
	if e == nil || e.Kind != core.RateLimited {
		return err
	}
	return &core.Error{Kind: core.Unavailable, Code: "over_request_rate_limit", RetryAfter: max(e.RetryAfter, time.Second),
		Msg: "Too many refreshes came from this address. Please try again in " + strconv.Itoa(int(e.RetryAfter/time.Second)+1) + " seconds."}
}
