// Package web is the pages: one flat list of routes, and for each area its
// handlers, which call one service method and draw one view. It holds no rule
// and no SQL.
package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core/directory"
	"homeplace/core/settings"
	"homeplace/static"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

// Services are what the handlers call.
type Services struct {
	Directory *directory.Service
	// Newest lists the public entries that were added last, newest first.
	Newest func(ctx context.Context, limit int) ([]directory.Summary, error)
}

// Surface is what the pages know of their surroundings.
type Surface struct {
	Addresses httpx.Addresses
	Cache     *httpx.Cache
	SiteName  func() string // a setting
	Contract  []byte        // the OpenAPI document in YAML, which /docs/api shows
	Sources   httpx.PageSources
	// Ready is nil where requests can be served, else it says why not.
	Ready func(ctx context.Context) error
	// Observe is the outermost middleware: request id, access log, metrics.
	Observe func(http.Handler) http.Handler
}

const (
	// requestTimeout ends the work on a page.
	requestTimeout = 15 * time.Second
	// settingsAge is how long pages may be kept that only settings change.
	settingsAge = 10 * time.Minute
)

type handlers struct {
	Services
	Surface
	guide func() (guide, error)
}

// New makes the handler of the pages, of what they load, and of the health
// checks.
func New(services Services, surface Surface) http.Handler {
	h := &handlers{Services: services, Surface: surface, guide: readOnce(surface.Contract)}
	r := chi.NewRouter()
	r.Use(
		surface.Observe,
		httpx.PageHeaders(surface.Addresses, surface.Sources),
		httpx.Recover(h.problem),
		httpx.HeadAsGet,
		httpx.LimitBody(httpx.DefaultBody, h.problem),
		httpx.Timeout(requestTimeout, nil),
	)
	r.NotFound(httpx.NotFound(h.problem))
	r.MethodNotAllowed(httpx.MethodNotAllowed(h.problem))
	for _, rt := range h.routes() {
		r.Method(rt.method, rt.pattern, httpx.Adapt(h.cached(rt), h.problem))
	}
	r.Get("/healthz", httpx.API(healthy).ServeHTTP)
	r.Get("/readyz", httpx.API(h.ready).ServeHTTP)
	r.Get(static.Prefix+"*", h.asset)
	return r
}

// route is one line of the list of pages.
type route struct {
	method, pattern string
	handle          httpx.Handler
	areas, params   []string // what the page is made from and depends on
	maxAge          time.Duration
}

// routes is every page, all of them open to everybody. Each is cached by its
// path and the named parameters, and dropped when one of its areas changes.
func (h *handlers) routes() []route {
	const get = http.MethodGet
	return []route{
		{method: get, pattern: "/", handle: h.home, areas: []string{directory.Area, settings.Area}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: guidePath, handle: h.docs, areas: []string{settings.Area}, maxAge: settingsAge},
	}
}

func (h *handlers) cached(rt route) httpx.Handler {
	return h.Cache.Handler(rt.areas, rt.params, func(r *http.Request) (*httpx.Answer, error) {
		a, err := rt.handle(r)
		if err == nil && a.Status == http.StatusOK {
			a.Cache = httpx.Public(rt.maxAge)
		}
		return a, err
	})
}

// show draws a page.
func show(r *http.Request, status int, page templ.Component) (*httpx.Answer, error) {
	return httpx.HTML(status, func(w io.Writer) error { return page.Render(r.Context(), w) })
}

// frame is what surrounds the page at a path.
func (h *handlers) frame(path, title, description string) layout.Frame {
	canonical := h.Addresses.Page()
	if path != "/" {
		canonical = h.Addresses.Base() + path
	}
	return layout.Frame{Title: title, Description: description, SiteName: h.SiteName(), Current: path, Canonical: canonical}
}

// problem is the page of an error.
func (h *handlers) problem(r *http.Request, err error) *httpx.Answer {
	e := httpx.Report(r, err)
	props := views.NewErrorProps(h.SiteName(), httpx.Status(e.Kind), e.Msg, httpx.RequestID(r))
	a, err := show(r, props.Status, views.Error(props))
	if err != nil { // the error page itself is broken: the plain answer of the API is not
		return httpx.ErrorAnswer(r, err)
	}
	a.Header = httpx.ErrorHeader(r, e)
	return a
}

func (h *handlers) asset(w http.ResponseWriter, r *http.Request) {
	if !static.Serve(w, r) {
		httpx.NotFound(h.problem)(w, r)
	}
}
