// Package web is the surface for people: pages on the same services that the
// API calls.
package web

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"homeplace/core/directory"
	"homeplace/web/httpx"
)

// Services are what the pages call.
type Services struct {
	Directory *directory.Service
}

// Surface is what the pages know of their surroundings.
type Surface struct {
	Addresses httpx.Addresses
	Cache     *httpx.Cache
	SiteName  func() string // a setting
	Contract  []byte        // the OpenAPI document, as YAML
	// Ready tells whether the database can be asked.
	Ready func(context.Context) error
	// Observe is the outermost middleware: request id, access log, metrics.
	Observe func(http.Handler) http.Handler
}

// New makes the handler of everything that is not below /api.
func New(services Services, surface Surface) http.Handler {
	r := chi.NewRouter()
	r.Use(surface.Observe, httpx.PageHeaders(surface.Addresses, httpx.PageSources{}), httpx.HeadAsGet)
	r.Method(http.MethodGet, "/healthz", httpx.API(healthz))
	r.Method(http.MethodGet, "/readyz", httpx.API(readyz(surface.Ready)))
	return r
}
