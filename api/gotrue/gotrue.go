// Package gotrue is the identity surface for programs: the subset of the
// GoTrue HTTP interface that its own JavaScript client (@supabase/auth-js)
// speaks, below /auth/v1 (CONTRACT.md §2). It differs from the JSON API in how
// errors look, and in nothing that the services decide.
package gotrue

import (
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/blocks"
	"homeplace/core/sessions"
	"homeplace/web/httpx"
)

// Prefix is the path below which all routes lie.
const Prefix = "/auth/v1"

// requestTimeout ends the work on a request; most of one is hashing a password.
const requestTimeout = 15 * time.Second

// Services are what the handlers call.
type Services struct {
	Accounts *accounts.Service
	Access   *accounts.Access
	Sessions *sessions.Service
	Programs *sessions.Programs
	Blocks   *blocks.Service
}

// Surface is what the routes know of their surroundings.
type Surface struct {
	Addresses httpx.Addresses
	// Observe is the outermost middleware: request id, access log, metrics.
	Observe func(http.Handler) http.Handler
	Limiter httpx.Limiter
	// Refreshes is how many refreshes an hour one address may ask for: a setting.
	Refreshes func() int
}

type handlers struct {
	Services
	Surface
}

// New makes the handler of everything below Prefix.
func New(services Services, surface Surface) http.Handler {
	h := &handlers{Services: services, Surface: surface}
	r := chi.NewRouter()
	r.Use(
		h.Observe,
		httpx.AllowHeaders("X-Client-Info", versionHeader, "Apikey"),
		version,
		httpx.APIHeaders(h.Addresses),
		httpx.Recover(problem),
		httpx.HeadAsGet,
		httpx.LimitBody(httpx.DefaultBody, problem),
		httpx.Timeout(requestTimeout, nil),
	)
	r.NotFound(httpx.NotFound(problem))
	r.MethodNotAllowed(httpx.MethodNotAllowed(problem))
	for _, rt := range h.routes() {
		handle := rt.handle
		if rt.writes {
			handle = httpx.Unblocked(h.ensure, handle)
		}
		r.Method(rt.method, Prefix+rt.path, httpx.Adapt(handle, problem))
	}
	return r
}

// route is one line of the list.
type route struct {
	method, path string
	handle       httpx.Handler
	writes       bool // a blocked address may not: signing in, out and on is not writing
}

func (h *handlers) ensure(ctx context.Context, addressKey string) error {
	return h.Blocks.Ensure(ctx, addressKey)
}

// routes is the whole surface.
func (h *handlers) routes() []route {
	return []route{
		{method: http.MethodPost, path: "/signup", handle: h.signUp, writes: true},
		{method: http.MethodPost, path: "/token", handle: h.token},
		{method: http.MethodPost, path: "/recover", handle: h.recover, writes: true},
		{method: http.MethodPost, path: "/logout", handle: h.signedIn(h.signOut)},
		{method: http.MethodGet, path: "/user", handle: h.signedIn(h.user)},
		{method: http.MethodPut, path: "/user", handle: h.signedIn(h.update), writes: true},
		{method: http.MethodGet, path: "/.well-known/jwks.json", handle: h.keySet},
	}
}

// caller is who holds an access token, and the session it belongs to.
type caller struct {
	core.Viewer
	session string
}

// signedIn finds the caller behind the access token. Personal tokens and those
// of other providers have no session here, so nothing to refresh or to end.
func (h *handlers) signedIn(handle func(r *http.Request, c caller) (*httpx.Answer, error)) httpx.Handler {
	return func(r *http.Request) (*httpx.Answer, error) {
		token, err := httpx.BearerToken(r)
		if err != nil {
			return nil, core.AsError(err).Wrap(errNoToken)
		}
		proof, err := h.Programs.Authenticate(r.Context(), token)
		if err != nil {
			return nil, err
		}
		v, err := h.Accounts.ViewerByID(r.Context(), proof.AccountID)
		if err != nil {
			return nil, err
		}
		a, err := handle(r, caller{v, proof.SessionID})
		return private(a), err
	}
}

// keySet publishes the keys that access tokens are signed with.
func (h *handlers) keySet(r *http.Request) (*httpx.Answer, error) {
	keys, err := h.Programs.Keys.KeySet(r.Context())
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "application/json", Body: keys, Cache: httpx.Public(keysAge)}, nil
}

// keysAge is short of the time by which a new key is published before it signs.
const keysAge = 5 * time.Minute

// private marks what belongs to the caller: it is stored nowhere, and never
// compressed beside what a caller can choose.
func private(a *httpx.Answer) *httpx.Answer {
	if a != nil {
		a.Cache, a.Plain = httpx.Private(), true
	}
	return a
}
