package httpx

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
)

// usualMethods are offered where a path belongs to no route.
var usualMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodOptions}

// AllowedMethods lists the methods of the route that the request's path
// belongs to, or nil where there is none. A GET route answers HEAD too, and
// every route OPTIONS.
func AllowedMethods(r *http.Request) []string {
	rc := chi.RouteContext(r.Context())
	if rc == nil || rc.Routes == nil {
		return nil
	}
	path := r.URL.Path
	if r.URL.RawPath != "" {
		path = r.URL.RawPath
	}
	matches := func(method string) bool { return rc.Routes.Match(chi.NewRouteContext(), method, path) }
	var methods []string
	for _, method := range usualMethods {
		switch method {
		case http.MethodOptions:
			if methods != nil {
				methods = append(methods, method)
			}
		case http.MethodHead:
			if matches(method) || matches(http.MethodGet) {
				methods = append(methods, method)
			}
		default:
			if matches(method) {
				methods = append(methods, method)
			}
		}
	}
	return methods
}

// NotFound answers an address that belongs to no route.
func NotFound(render Render) http.HandlerFunc {
	return Adapt(func(*http.Request) (*Answer, error) {
		return nil, core.NotFoundf("There is nothing at this address.")
	}, render).ServeHTTP
}

// MethodNotAllowed answers a method that the route does not take, with the
// ones it takes in Allow; OPTIONS is always answered.
func MethodNotAllowed(render Render) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		methods := AllowedMethods(r)
		if methods == nil {
			// chi cannot look up a method that it does not know.
			NotFound(render)(w, r)
			return
		}
		w.Header()["Allow"] = []string{strings.Join(methods, ", ")}
		if r.Method == http.MethodOptions {
			Send(w, r, NoContent())
			return
		}
		Send(w, r, render(r, &core.Error{Kind: core.MethodNotAllowed, Code: "method_not_allowed",
			Msg: "This address does not take " + r.Method + "; it takes " + strings.Join(methods, ", ") + "."}))
	}
}

// HeadAsGet routes HEAD to the GET handler; Send leaves the body out. It is
// mounted with chi's Use.
func HeadAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			if rc := chi.RouteContext(r.Context()); rc != nil {
				rc.RouteMethod = http.MethodGet
			}
		}
		next.ServeHTTP(w, r)
	})
}
