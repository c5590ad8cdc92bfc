// Package web is the pages: one list of routes, and for each area its handlers,
// which turn a form into an input, call one service method and draw one view.
// It holds no rule and no SQL.
package web

import (
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/auditlog"
	"homeplace/core/blocks"
	"homeplace/core/desk"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/fakereports"
	"homeplace/core/geo"
	"homeplace/core/moderation"
	"homeplace/core/points"
	"homeplace/core/polls"
	"homeplace/core/provider"
	"homeplace/core/recent"
	"homeplace/core/reports"
	"homeplace/core/reviews"
	"homeplace/core/sayings"
	"homeplace/core/search"
	"homeplace/core/secret"
	"homeplace/core/sessions"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/core/takeout"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// Services are what the handlers call.
type Services struct {
	Accounts      *accounts.Service
	Access        *accounts.Access
	Sessions      *sessions.Service
	Points        *points.Service
	Polls         *polls.Service
	Directory     *directory.Service
	Contributions *contributions.Service
	Takeout       *takeout.Service
	Search        *search.Service
	Apps          *apps.Service
	Sayings       *sayings.Service
	ShoutOuts     *shoutouts.Service
	Reports       *reports.Service
	FakeReports   *fakereports.Service
	Reviews       *reviews.Service
	Blocks        *blocks.Service
	Desk          *desk.Service
	AuditLog      *auditlog.Service
	Moderation    *moderation.Service
	Settings      *settings.Service
	Recent        *recent.Service
	Provider      *provider.SignIn      // nil where people sign in here only
	Places        func() *geo.Gazetteer // the gazetteer in use at the moment
}

// Surface is what the pages know of their surroundings.
type Surface struct {
	Addresses httpx.Addresses
	Cache     *httpx.Cache
	Sessions  *session.Manager
	Now       core.Clock
	Secret    secret.Secret // seals what a browser carries to the provider and back
	Contract  []byte        // the OpenAPI document in YAML, which /docs/api shows
	Sources   httpx.PageSources
	Ballots   *ballot.Box   // tells voters apart
	Limiter   httpx.Limiter // counts votes and reports of fakes, with those of the API
	Dev       bool          // adds /kit, which shows every part of the pages
	// Proxies tells which peers forward for others without being trusted; nil knows of none.
	Proxies *httpx.Proxies
	// Ready is nil where requests can be served, else it says why not.
	Ready func(ctx context.Context) error
	// Observe is the outermost middleware: request id, access log, metrics.
	Observe func(http.Handler) http.Handler
}

const (
	// requestTimeout ends the work on a page.
	requestTimeout = 15 * time.Second
	// uploadTimeout leaves a slow line time to send a file: the body is read
	// while the work goes on.
	uploadTimeout = 45 * time.Second
	// formBody in bytes: the longest description, in a script that takes nine
	// bytes a letter in a form, and every other field beside it.
	formBody = 512 << 10
	// fileBody in bytes: a data file that was pasted, so that its lines end in
	// two bytes, beside the other fields of its form.
	fileBody = 2 * apps.MaxFileBytes
	// uploadBody in bytes: as many files as are stored at once. No page takes
	// more.
	uploadBody = (maxUploads + 1) * apps.MaxFileBytes
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
		httpx.LimitBody(uploadBody, h.problem),
	)
	r.NotFound(httpx.NotFound(h.problem))
	r.MethodNotAllowed(httpx.MethodNotAllowed(h.problem))
	r.Get("/healthz", httpx.API(healthy).ServeHTTP)
	r.Get("/readyz", httpx.API(h.ready).ServeHTTP)
	r.Get("/sw.js", serveWorker)
	r.Group(func(r chi.Router) {
		r.Use(httpx.LimitBody(formBody, h.problem))
		MountLook(r, surface.Dev)
	})
	for _, rt := range h.routes() {
		r.Method(rt.method, rt.pattern, h.mounted(rt))
	}
	return r
}

// guard says who may see a page.
type guard int

const (
	open   guard = iota // everybody; what nobody in particular sees is cached
	member              // who is signed in; others are led to the sign-in first
	staff               // moderators and administrators
	admin               // administrators alone
)

// pageHandler draws a page for a viewer.
type pageHandler func(r *http.Request, v core.Viewer) (*httpx.Answer, error)

// route is one line of the list of pages.
type route struct {
	method, pattern string
	guard           guard
	page            pageHandler
	body            int64 // most bytes of a form with files in it; 0 = formBody
	always          bool  // a blocked address may send it, too

	// For open GET pages: which areas the page is made from, which parameters
	// it depends on, and how long it may be kept. Without areas it is not cached.
	areas, params []string
	maxAge        time.Duration
}

// routes is every page.
func (h *handlers) routes() []route {
	const get = http.MethodGet
	list := []route{
		{method: get, pattern: guidePath, page: h.docs, areas: []string{settings.Area}, maxAge: settingsAge},
		{method: get, pattern: offlinePath, page: h.offline, areas: []string{settings.Area}, maxAge: settingsAge},
		{method: get, pattern: "/credits", page: h.credits, areas: []string{settings.Area}, maxAge: settingsAge},
	}
	list = append(list, h.directoryRoutes()...)
	list = append(list, h.accountRoutes()...)
	list = append(list, h.providerRoutes()...)
	list = append(list, h.pointsRoutes()...)
	list = append(list, h.appRoutes()...)
	list = append(list, h.manageRoutes()...)
	list = append(list, h.pollRoutes()...)
	list = append(list, h.sayingRoutes()...)
	list = append(list, h.fakeReportRoutes()...)
	list = append(list, h.shoutOutRoutes()...)
	list = append(list, h.reviewRoutes()...)
	list = append(list, h.contributionRoutes()...)
	list = append(list, h.wordRoutes()...)
	list = append(list, h.adminRoutes()...)
	list = append(list, h.moderationRoutes()...)
	list = append(list, h.deskRoutes()...)
	return append(list, h.appealRoutes()...)
}

// mounted puts before a page what its guard asks for. Who brings no session
// cookie gets a cached page at once; everybody else is looked up first.
func (h *handlers) mounted(rt route) http.Handler {
	personal := h.personal(rt)
	if rt.method != http.MethodGet && rt.guard < staff && !rt.always {
		personal = httpx.Unblocked(func(ctx context.Context, key string) error { return h.Blocks.Ensure(ctx, key) }, personal)
	}
	limit, timeout := int64(formBody), requestTimeout
	if rt.body > 0 {
		limit, timeout = rt.body, uploadTimeout
	}
	behind := chi.Chain(
		httpx.LimitBody(limit, h.problem),
		httpx.Timeout(timeout, nil),
		session.Protect(h.Addresses, h.problem),
		h.Surface.Sessions.Load(h.problem),
	)
	if rt.guard != open || rt.areas == nil {
		return behind.Handler(httpx.Adapt(personal, h.problem))
	}
	shared := h.shared(rt)
	known := behind.Handler(httpx.Adapt(func(r *http.Request) (*httpx.Answer, error) {
		if session.Present(r) { // signed in, or a notice waits: the page is theirs alone
			return personal(r)
		}
		return shared(r)
	}, h.problem))
	unknown := httpx.Adapt(shared, h.problem)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.Surface.Sessions.Carried(r) {
			known.ServeHTTP(w, r)
			return
		}
		unknown.ServeHTTP(w, r)
	})
}

// personal draws a page for whoever asks.
func (h *handlers) personal(rt route) httpx.Handler {
	return func(r *http.Request) (*httpx.Answer, error) {
		v := session.Viewer(r)
		if err := admit(rt.guard, v); err != nil {
			if !v.SignedIn() && rt.method == http.MethodGet {
				return httpx.Redirect(http.StatusSeeOther, signInFirst(r)), nil
			}
			return nil, err
		}
		a, err := rt.page(r, v)
		if err == nil && a.Cache == (httpx.Policy{}) {
			a.Cache = httpx.Private()
		}
		return a, err
	}
}

// shared draws a page for nobody in particular, or takes it from the cache.
func (h *handlers) shared(rt route) httpx.Handler {
	return h.Cache.Handler(rt.areas, rt.params, func(r *http.Request) (*httpx.Answer, error) {
		a, err := rt.page(r, core.Nobody())
		if err == nil && a.Status == http.StatusOK {
			a.Cache = httpx.Public(rt.maxAge)
		}
		return a, err
	})
}

func admit(g guard, v core.Viewer) error {
	switch {
	case g == open:
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in first, then try again.")
	case g == staff && !v.IsStaff():
		return core.Forbiddenf("This page is for moderators.")
	case g == admin && !v.Admin:
		return core.Forbiddenf("This page is for administrators.")
	}
	return nil
}
