// Package session knows who sits behind a browser: an opaque token in a cookie
// names a session in the database, and the session an account. Requests
// without the cookie cost nothing and their answers stay as they are, so that
// anonymous pages can be cached.
//
// Handlers use the functions that take a request; the Manager is for whoever
// mounts the middleware.
package session

import (
	"context"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"homeplace/core"
	"homeplace/core/sessions"
	"homeplace/web/httpx"
)

// Lifetime is how long a session lasts from sign-in on.
const Lifetime = 30 * 24 * time.Hour

// Names of the cookie. Browsers take the prefixed name only with Secure, for
// the whole host and from that host alone (RFC 6265bis §4.1.3.2).
const (
	secureCookie = "__Host-session"
	plainCookie  = "session"
)

// people turns an account into its viewer.
type people interface {
	ViewerByID(ctx context.Context, accountID string) (core.Viewer, error)
}

// Options says what a Manager works with.
type Options struct {
	Sessions  *sessions.Service
	Accounts  people
	Addresses httpx.Addresses // the base address: cookies are Secure under https
}

// Manager reads and writes session cookies. Its methods are safe for
// concurrent use.
type Manager struct {
	tokens   *scs.SessionManager
	sessions *sessions.Service
	accounts people
	origin   *http.CrossOriginProtection
}

// New makes the manager.
func New(o Options) *Manager {
	tokens := scs.New()
	tokens.Store = store{o.Sessions}
	tokens.Lifetime = Lifetime
	tokens.HashTokenInStore = true
	tokens.Cookie.Name = plainCookie
	if o.Addresses.Secure() {
		tokens.Cookie.Name, tokens.Cookie.Secure = secureCookie, true
	}
	return &Manager{tokens: tokens, sessions: o.Sessions, accounts: o.Accounts, origin: protection(o.Addresses)}
}

// visit is what one request knows of its session.
type visit struct {
	manager *Manager
	w       http.ResponseWriter // nil where no cookie can be set
	ctx     context.Context     // holds what scs has loaded

	hash     string      // of the stored token, empty while no session is stored
	id       string      // of the stored session
	account  string      // whose it is, empty for a visitor
	viewer   core.Viewer // who sent the request
	renewing bool        // see store.DeleteCtx
	browser  browser
}

// browser is what a session tells its owner of where it began.
type browser struct{ userAgent, addressKey string }

type visitKey struct{}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// Load is the middleware of the pages. It asks the database only when the
// request carries the cookie; render shows the failure where that cannot be
// asked.
func (m *Manager) Load(render httpx.Render) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			v, err := m.load(w, r)
			if err != nil {
				httpx.Send(w, r, render(r, err))
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
		})
	}
}

// load finds session and account afresh for each request, so that a session
// that was ended, a role and a deletion count at once.
func (m *Manager) load(w http.ResponseWriter, r *http.Request) (*visit, error) {
	v := &visit{manager: m, w: w, viewer: core.Nobody(),
		browser: browser{userAgent: r.UserAgent(), addressKey: httpx.AddrKey(httpx.ClientAddr(r))}}
	ctx, err := m.tokens.Load(context.WithValue(r.Context(), visitKey{}, v), m.token(r))
	if err != nil {
		return nil, err
	}
	v.ctx = ctx
	if v.account == "" {
		return v, nil
	}
	viewer, err := m.accounts.ViewerByID(ctx, v.account)
	switch {
	case err == nil:
		v.viewer = viewer
	case core.KindOf(err) != core.NotFound:
		return nil, err
	}
	return v, nil
}

// Carried tells, without asking anybody, whether a request brings the session
// cookie.
func (m *Manager) Carried(r *http.Request) bool { return m.token(r) != "" }

func (m *Manager) token(r *http.Request) string {
	c, err := r.Cookie(m.tokens.Cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// current is the visit of a request that carries the cookie. What fills a
// cache sees requests without cookies, so it can never learn who asked first.
func current(r *http.Request) *visit {
	v := visitOf(r.Context())
	if v == nil || v.manager.token(r) == "" {
		return nil
	}
	return v
}

// Present tells whether the request carries a session cookie, live or not:
// then its answer must be httpx.Private and come from no cache.
func Present(r *http.Request) bool { return current(r) != nil }

// Viewer is who is signed in. It is nobody where Load is not mounted.
func Viewer(r *http.Request) core.Viewer {
	if v := current(r); v != nil {
		return v.viewer
	}
	return core.Nobody()
}

// ID is the id of the live session that the request came with, or empty: what
// sessions.Service calls it.
func ID(r *http.Request) string {
	if v := current(r); v != nil {
		return v.id
	}
	return ""
}
