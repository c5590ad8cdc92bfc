package httpx

import (
	"net/http"
	"strings"
)

// CORS opens the API to every origin, errors included, and answers every
// OPTIONS request with the methods of its route. Credentials are never
// allowed. It is mounted with chi's Use, before anything that can fail.
func CORS(next http.Handler) http.Handler { return AllowHeaders()(next) }

// AllowHeaders is CORS for routes whose clients send further request headers.
func AllowHeaders(further ...string) func(http.Handler) http.Handler {
	allowed := append([]string{"Authorization", "Content-Type", "If-None-Match", "Idempotency-Key"}, further...)
	return func(next http.Handler) http.Handler { return cors(next, strings.Join(allowed, ", ")) }
}

func cors(next http.Handler, allowed string) http.Handler {
	var answer, preflight fixedHeaders
	answer.add("Access-Control-Allow-Origin", "*")
	answer.add("Access-Control-Expose-Headers", "ETag, Link, Retry-After, RateLimit-Limit, RateLimit-Remaining, "+
		"RateLimit-Reset, Idempotent-Replayed, X-Request-Id, Accept-Ranges, Content-Range")
	preflight.add("Access-Control-Allow-Headers", allowed)
	preflight.add("Access-Control-Max-Age", "86400")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		answer.set(h)
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		methods := AllowedMethods(r)
		if methods == nil {
			methods = usualMethods
		}
		list := strings.Join(methods, ", ")
		preflight.set(h)
		h.Set("Access-Control-Allow-Methods", list)
		h.Set("Allow", list)
		Send(w, r, NoContent())
	})
}
