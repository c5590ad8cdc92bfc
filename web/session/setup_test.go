package session_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/sessions"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// site is one instance with a few pages.
type site struct {
	http.Handler
	manager  *session.Manager
	accounts *accounts.Service
	sessions *sessions.Service
}

type world struct {
	site
	db   *pgtest.Database
	base string
}

func setup(t *testing.T, base string) world {
	t.Helper()
	d := pgtest.New(t)
	return world{site: newSite(t, d.DB, base), db: d, base: base}
}

// second is another instance over the same database.
func (w world) second(t *testing.T) site {
	t.Helper()
	return newSite(t, w.db.Instance(t), w.base)
}

func newSite(t *testing.T, db *pg.DB, base string) site {
	t.Helper()
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := httpx.NewCache(16<<20, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	s := site{accounts: accounts.New(db, core.Now), sessions: sessions.New(db, core.Now)}
	s.manager = session.New(session.Options{Sessions: s.sessions, Accounts: s.accounts, Addresses: addresses})
	mux := http.NewServeMux()
	page := func(pattern string, h httpx.Handler) { mux.Handle(pattern, httpx.API(h)) }
	page("GET /whoami", s.whoami)
	page("GET /cached", cache.Handler(nil, nil, func(r *http.Request) (*httpx.Answer, error) {
		a, err := s.whoami(r)
		if err == nil {
			a.Cache = httpx.Public(time.Minute)
		}
		return a, err
	}))
	page("POST /sign-in/{name}", func(r *http.Request) (*httpx.Answer, error) {
		a, err := s.accounts.ByUsername(r.Context(), core.TheSystem(), r.PathValue("name"))
		if err != nil {
			return nil, err
		}
		return httpx.Redirect(http.StatusSeeOther, "/whoami"), session.SignIn(r, a)
	})
	page("POST /sign-out", then(session.SignOut))
	page("POST /renew", then(session.Renew))
	page("POST /notice/{text}", then(func(r *http.Request) error { return session.SetNotice(r, r.PathValue("text")) }))
	page("POST /take", func(r *http.Request) (*httpx.Answer, error) {
		notice, err := session.TakeNotice(r)
		if err != nil {
			return nil, err
		}
		return httpx.JSON(http.StatusOK, notice)
	})
	observe := httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)})
	s.Handler = observe(session.Protect(addresses, httpx.ErrorAnswer)(s.manager.Load(httpx.ErrorAnswer)(mux)))
	return s
}

// seen is what a page knows of who asks.
type seen struct {
	Username  string `json:"username"`
	Admin     bool   `json:"admin"`
	SessionID string `json:"session_id"`
	Present   bool   `json:"present"`
}

func (s site) whoami(r *http.Request) (*httpx.Answer, error) {
	v := session.Viewer(r)
	return httpx.JSON(http.StatusOK, seen{v.Username, v.Admin, session.ID(r), session.Present(r)})
}

func then(do func(*http.Request) error) httpx.Handler {
	return func(r *http.Request) (*httpx.Answer, error) {
		return httpx.NoContent(), do(r)
	}
}

// browser keeps cookies from one request to the next.
type browser struct {
	t    *testing.T
	base *url.URL
	jar  *cookiejar.Jar
}

func (w world) browser(t *testing.T) *browser {
	t.Helper()
	base, err := url.Parse(w.base)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, base, jar}
}

func (b *browser) send(s site, method, path string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, b.base.String()+path, nil)
	r.Header.Set("User-Agent", "Test Browser")
	for _, c := range b.jar.Cookies(b.base) {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	b.jar.SetCookies(b.base, w.Result().Cookies())
	return w
}

func (b *browser) post(s site, path string) *httptest.ResponseRecorder {
	b.t.Helper()
	w := b.send(s, http.MethodPost, path)
	if w.Code >= 400 {
		b.t.Fatalf("POST %s: %d %s", path, w.Code, w.Body)
	}
	return w
}

func (b *browser) whoami(s site) string {
	b.t.Helper()
	w := b.send(s, http.MethodGet, "/whoami")
	if w.Code != http.StatusOK {
		b.t.Fatalf("GET /whoami: %d %s", w.Code, w.Body)
	}
	_, rest, _ := strings.Cut(w.Body.String(), `"username":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// token is what the browser's cookie holds.
func (b *browser) token() string {
	for _, c := range b.jar.Cookies(b.base) {
		return c.Value
	}
	return ""
}

func (w world) account(t *testing.T, name string) accounts.Account {
	t.Helper()
	a, err := w.accounts.Create(context.WithoutCancel(t.Context()), core.TheSystem(),
		accounts.Input{Email: name + "@example.org", Username: name, Password: "a long enough secret"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
