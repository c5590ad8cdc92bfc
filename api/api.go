// Package api is the JSON surface of the services: one flat list of routes,
// and beside each area's handlers the shapes that it answers with. A handler
// decodes, calls one service method and encodes; it holds no rule.
package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/blocks"
	"homeplace/core/directory"
	"homeplace/core/fakereports"
	"homeplace/core/geo"
	"homeplace/core/points"
	"homeplace/core/polls"
	"homeplace/core/recent"
	"homeplace/core/reports"
	"homeplace/core/reviews"
	"homeplace/core/sayings"
	"homeplace/core/search"
	"homeplace/core/sessions"
	"homeplace/core/shoutouts"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
)

// authenticator turns a bearer credential into its viewer. Errors:
// Unauthenticated.
type authenticator interface {
	Authenticate(ctx context.Context, credential string) (core.Viewer, error)
}

// Services are what the handlers call.
type Services struct {
	Accounts    *accounts.Service
	Blocks      *blocks.Service
	Apps        *apps.Service
	Bearer      authenticator
	Programs    *sessions.Programs
	Points      *points.Service
	Polls       *polls.Service
	Reports     *reports.Service
	FakeReports *fakereports.Service
	Reviews     *reviews.Service
	Sayings     *sayings.Service
	ShoutOuts   *shoutouts.Service
	Recent      *recent.Service
	Directory   *directory.Service
	Search      *search.Service
	Places      func() *geo.Gazetteer // the gazetteer in use at the moment
}

// Surface is what the API knows of its surroundings.
type Surface struct {
	Addresses httpx.Addresses
	Cache     *httpx.Cache
	SiteName  func() string // a setting
	// Observe is the outermost middleware: request id, access log, metrics.
	Observe func(http.Handler) http.Handler
	Writes  Writes
	Ballots *ballot.Box // tells voters apart
	// Cookie finds the viewer behind the session cookie of a page of this very
	// site, so that the pages' script can call the API; nobody without one.
	Cookie func(r *http.Request) (core.Viewer, error)
	// Browser is Cookie with the id of the session.
	Browser func(r *http.Request) (v core.Viewer, sessionID string, err error)
}

// Writes is what stands before every write.
type Writes struct {
	Limiter     httpx.Limiter
	PerHour     func() int         // writes that a member has at each endpoint: a setting
	Anonymous   func() int         // writes an hour from one address without signing in: a setting
	Votes       func() int         // votes an hour from one address: a setting
	Idempotency *httpx.Idempotency // all but the caller
}

// requestTimeout ends the work on a request past the cache; a page of any list
// takes a fraction.
const requestTimeout = 15 * time.Second

type handlers struct {
	Services
	Surface
}

// New makes the handler of everything below /api.
func New(services Services, surface Surface) http.Handler {
	h := &handlers{Services: services, Surface: surface}
	return h.router(h.routes())
}

func (h *handlers) router(routes []route) http.Handler {
	r := chi.NewRouter()
	r.Use(
		h.Observe,
		httpx.AllowHeaders("Range", "If-Range"),
		httpx.APIHeaders(h.Addresses),
		httpx.Recover(httpx.ErrorAnswer),
		httpx.HeadAsGet,
		plainPath,
	)
	r.NotFound(httpx.NotFound(httpx.ErrorAnswer))
	r.MethodNotAllowed(httpx.MethodNotAllowed(httpx.ErrorAnswer))
	for _, route := range routes {
		handler := httpx.LimitBody(httpx.MaxFileBody, route.render())(httpx.Adapt(h.guarded(route), route.render()))
		if route.areas == nil || route.guard == anyone { // the cache bounds the making of its answers itself
			handler = httpx.Timeout(requestTimeout, nil)(handler)
		}
		r.Method(route.method, route.pattern, handler)
	}
	return r
}

// plainPath routes by the decoded path, so that every spelling of an address is
// one address, to handlers and to the cache. No name holds a slash: what spells
// one as %2F is nobody's address.
func plainPath(next http.Handler) http.Handler {
	unknown := httpx.NotFound(httpx.ErrorAnswer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch address := r.URL; {
		case address.RawPath == "":
			next.ServeHTTP(w, r)
		case strings.Count(address.RawPath, "/") != strings.Count(address.Path, "/"):
			unknown(w, r)
		default:
			plain, decoded := *r, *address
			decoded.RawPath = ""
			plain.URL = &decoded
			next.ServeHTTP(w, &plain)
		}
	})
}

// guard says who may call a route.
type guard int

const (
	open   guard = iota // everybody; a credential is not looked at, and the answer is cached
	bearer              // needs a valid bearer token
	anyone              // everybody; a credential counts, and a bad one is refused
)

// route is one line of the list.
type route struct {
	method, pattern string
	guard           guard
	handle          httpx.Handler
	member          memberHandler // instead of handle, for guards bearer and anyone
	refuse          httpx.Render  // draws the errors of a route whose form differs; nil = as everywhere

	// limit counts writes by address instead of by member; nil = as everywhere.
	limit func() httpx.Limit

	// For what nobody in particular reads: which areas the answer is made from, which parameters
	// it depends on, and how long it may be kept. Without areas it is not cached.
	areas, params []string
	maxAge        time.Duration
}

// render draws the errors of the route.
func (rt route) render() httpx.Render {
	if rt.refuse != nil {
		return rt.refuse
	}
	return httpx.ErrorAnswer
}

// memberHandler is a handler that knows who calls.
type memberHandler func(r *http.Request, v core.Viewer) (*httpx.Answer, error)

// guarded puts what its guard asks for before a route's handler. A blocked
// address writes nothing; that is looked up first, because it costs less than
// counting the write, and because no Idempotency-Key may keep the refusal.
func (h *handlers) guarded(rt route) httpx.Handler {
	if rt.method == http.MethodGet {
		return h.admitted(rt)
	}
	return httpx.Unblocked(func(ctx context.Context, key string) error { return h.Blocks.Ensure(ctx, key) }, h.admitted(rt))
}

func (h *handlers) admitted(rt route) httpx.Handler {
	switch {
	case rt.guard == bearer:
		return h.personal(rt, h.caller, nil)
	case rt.guard == anyone && rt.areas == nil:
		return h.personal(rt, h.visitor, nil)
	case rt.guard == anyone:
		rt.handle = func(r *http.Request) (*httpx.Answer, error) { return rt.member(r, core.Nobody()) }
		return h.personal(rt, h.visitor, h.shared(rt))
	case rt.areas == nil:
		return rt.handle
	}
	return h.shared(rt)
}

// personal answers whom find finds; nobody gets what shared makes, where there
// is that.
func (h *handlers) personal(rt route, find func(*http.Request) (core.Viewer, error), shared httpx.Handler) httpx.Handler {
	return func(r *http.Request) (*httpx.Answer, error) {
		v, err := find(r)
		if err != nil {
			return nil, err
		}
		if shared != nil && !v.SignedIn() {
			return shared(r)
		}
		a, err := h.asMember(rt, v)(r)
		if err == nil {
			a.Cache = httpx.Private()
		}
		return a, err
	}
}

// shared answers nobody in particular, from the cache where it can.
func (h *handlers) shared(rt route) httpx.Handler {
	return h.Cache.Handler(rt.areas, rt.params, func(r *http.Request) (*httpx.Answer, error) {
		a, err := rt.handle(r)
		if err == nil && a.Status == http.StatusOK {
			a.Cache = httpx.Public(rt.maxAge)
		}
		return a, err
	})
}

// asMember binds a route to its viewer. A write is counted per member and
// endpoint, or by address where nobody is signed in, and done once however often
// it is sent with one Idempotency-Key; a repetition is not counted.
func (h *handlers) asMember(rt route, v core.Viewer) httpx.Handler {
	handle := func(r *http.Request) (*httpx.Answer, error) { return rt.member(r, v) }
	if rt.method == http.MethodGet {
		return handle
	}
	once := *h.Writes.Idempotency
	once.Caller = func(r *http.Request) string {
		if v.SignedIn() {
			return v.ID
		}
		return addressKey(r)
	}
	once.Render = rt.render()
	limit := rt.limit
	if limit == nil && !v.SignedIn() {
		limit = func() httpx.Limit { return httpx.AnonymousLimit(h.Writes.Anonymous()) }
	}
	if limit != nil {
		return once.Handler(httpx.MaxFileBody, httpx.Limited(h.Writes.Limiter, limit, addressKey, handle))
	}
	return once.Handler(httpx.MaxFileBody, h.counted(v, rt.method+" "+rt.pattern, handle))
}

func addressKey(r *http.Request) string { return httpx.AddrKey(httpx.ClientAddr(r)) }

// counted gives a member the setting's writes an hour at one endpoint.
func (h *handlers) counted(v core.Viewer, endpoint string, handle httpx.Handler) httpx.Handler {
	limit := func() httpx.Limit { return httpx.MemberLimit(h.Writes.PerHour()) }
	return httpx.Limited(h.Writes.Limiter, limit, func(*http.Request) string { return httpx.MemberKey(v, endpoint) }, handle)
}

// visitor is caller for routes that need nobody signed in: without a credential
// it is nobody. Errors: Unauthenticated.
func (h *handlers) visitor(r *http.Request) (core.Viewer, error) {
	if len(r.Header["Authorization"]) > 0 {
		return h.caller(r)
	}
	if h.Cookie != nil {
		return h.Cookie(r)
	}
	return core.Nobody(), nil
}

// caller finds the viewer behind the bearer token or, without one, behind the
// session cookie of the site's own pages. Errors: Unauthenticated.
func (h *handlers) caller(r *http.Request) (core.Viewer, error) {
	if h.Cookie != nil && len(r.Header["Authorization"]) == 0 {
		if v, err := h.Cookie(r); err != nil || v.SignedIn() {
			return v, err
		}
	}
	token, err := httpx.BearerToken(r)
	if err != nil {
		return core.Viewer{}, err
	}
	return h.Bearer.Authenticate(r.Context(), token)
}

// Patterns lists the method and path of every route, for the contract test.
func Patterns() [][2]string {
	var list [][2]string
	for _, rt := range (&handlers{}).routes() {
		list = append(list, [2]string{rt.method, rt.pattern})
	}
	return list
}
