package gotrue_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeplace/api/gotrue"
	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/auditlog"
	"homeplace/core/blocks"
	"homeplace/core/pgtest"
	"homeplace/core/ratelimit"
	"homeplace/core/secret"
	"homeplace/core/sessions"
	"homeplace/core/settings"
	"homeplace/core/signing"
	"homeplace/web/httpx"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	base     = "https://homeplace.test"
	password = "a lamp in every window"
)

// post is a mail server that takes everything and keeps nothing.
type post struct{ configured bool }

func (p post) Configured() bool                                           { return p.configured }
func (p post) Send(_ context.Context, _ string, _ string, _ string) error { return nil }

// limiter counts in the database, as the running service does.
type limiter struct{ limits *ratelimit.Service }

func (l limiter) Take(ctx context.Context, key string, limit httpx.Limit) (httpx.Decision, error) {
	d, err := l.limits.Take(ctx, key, limit.Max, limit.Per)
	return httpx.Decision{Allowed: d.Allowed, Limit: d.Limit, Remaining: d.Remaining, Reset: d.Reset}, err
}

// world is the surface over a database of its own.
type world struct {
	http.Handler
	t        *testing.T
	accounts *accounts.Service
	settings *settings.Service
	blocks   *blocks.Service
	database *pgtest.Database
}

// setup makes one; mail says whether a mail server is configured.
func setup(t *testing.T, mail bool) world {
	t.Helper()
	d := pgtest.New(t)
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := secret.Open("", strings.Repeat("k", 32))
	if err != nil {
		t.Fatal(err)
	}
	w := world{t: t, accounts: accounts.New(d.DB, core.Now), settings: settings.New(d.DB), database: d}
	w.blocks = blocks.New(d.DB, core.Now, blocks.Needs{Settings: w.settings, Audit: auditlog.New(d.DB, core.Now)})
	keys, browsers := signing.New(d.DB, hidden, core.Now), sessions.New(d.DB, core.Now)
	if err := keys.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	limits := ratelimit.New(d.DB)
	quiet := slog.New(slog.DiscardHandler)
	access := accounts.NewAccess(d.DB, core.Now, accounts.Needs{Mail: post{mail}, Limits: limits, Sessions: browsers,
		Settings: w.settings, Page: addresses.Page, Log: quiet})
	t.Cleanup(func() { _ = access.Wait(context.Background()) })
	w.Handler = gotrue.New(
		gotrue.Services{Accounts: w.accounts, Access: access, Sessions: browsers, Blocks: w.blocks,
			Programs: sessions.NewPrograms(d.DB, core.Now, sessions.ProgramNeeds{Keys: keys, Secret: hidden,
				Settings: w.settings, Issuer: base + gotrue.Prefix})},
		gotrue.Surface{Addresses: addresses, Observe: httpx.Observe(httpx.Observation{Log: quiet}), Limiter: limiter{limits},
			Refreshes: func() int { return w.settings.Number(settings.RefreshesPerHour) }})
	return w
}

// member makes an account that is called name.
func (w world) member(name string) accounts.Account {
	w.t.Helper()
	a, err := w.accounts.Create(w.t.Context(), core.TheSystem(),
		accounts.Input{Email: name + "@homeplace.test", Username: name, Password: password})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   map[string]any
}

// code is the client's word for an error.
func (a answer) code() string { s, _ := a.body["code"].(string); return s }

func (a answer) text(name string) string { s, _ := a.body[name].(string); return s }

// ask sends a request as the client does; token may be empty.
func (w world) ask(method, path, token, body string) answer {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, base+gotrue.Prefix+path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.7:40000"
	r.Header.Set("Content-Type", "application/json;charset=UTF-8")
	r.Header.Set("X-Supabase-Api-Version", "2024-01-01")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	a := answer{status: recorder.Code, header: recorder.Header()}
	if recorder.Body.Len() > 0 {
		if err := json.Unmarshal(recorder.Body.Bytes(), &a.body); err != nil {
			w.t.Fatalf("%s %s answered %.200s", method, path, recorder.Body)
		}
	}
	if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("X-Supabase-Api-Version") != "2024-01-01" {
		w.t.Errorf("%s %s: the headers that the client needs are missing: %v", method, path, a.header)
	}
	return a
}

// signIn gives the tokens of a fresh session.
func (w world) signIn(name string) (access, refresh string) {
	w.t.Helper()
	a := w.ask("POST", "/token?grant_type=password", "", `{"email":"`+name+`@homeplace.test","password":"`+password+`"}`)
	if a.status != http.StatusOK {
		w.t.Fatalf("sign in: %d %v", a.status, a.body)
	}
	return a.text("access_token"), a.text("refresh_token")
}
