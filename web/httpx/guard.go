package httpx

import (
	"context"
	"net/http"
	"time"
)

// LimitBody refuses bodies over maxBytes whatever a handler would take, and
// closes the connection of a client that goes on sending.
func LimitBody(maxBytes int64, render Render) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > maxBytes {
				w.Header().Set("Connection", "close")
				Send(w, r, render(r, tooLarge(maxBytes)))
				return
			}
			if r.Body != nil && r.Body != http.NoBody {
				r.Body = http.MaxBytesReader(innermost(w), r.Body, maxBytes)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// innermost finds the server's own writer, which alone can close the
// connection.
func innermost(w http.ResponseWriter) http.ResponseWriter {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = wrapper.Unwrap()
	}
}

// Timeout ends the work on a request after d. Requests that isStream picks
// are left alone, since they last as long as they must; nil picks none.
func Timeout(d time.Duration, isStream func(*http.Request) bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isStream != nil && isStream(r) {
				next.ServeHTTP(w, r)
				return
			}
			ctx, cancel := context.WithTimeout(r.Context(), d)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}
