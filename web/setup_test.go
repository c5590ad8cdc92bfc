package web_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

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
	"homeplace/core/llm"
	"homeplace/core/mail"
	"homeplace/core/moderation"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/points"
	"homeplace/core/polls"
	"homeplace/core/ratelimit"
	"homeplace/core/recent"
	"homeplace/core/reports"
	"homeplace/core/reviews"
	"homeplace/core/rowfile"
	"homeplace/core/sayings"
	"homeplace/core/search"
	"homeplace/core/secret"
	"homeplace/core/sessions"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/core/takeout"
	"homeplace/web"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	base     = "https://homeplace.test"
	password = "a long enough secret"
)

// world is the site over a database of its own, wired as cmd/homeplace does.
type world struct {
	web.Services
	handler http.Handler
	surface web.Surface
	db      *pgtest.Database
	mails   string        // folder of the mails that were sent
	asleep  *atomic.Bool  // what /readyz hears
	clock   *atomic.Int64 // how far ahead of the wall clock the site lives, in nanoseconds
}

func newWorld(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	w := world{db: d, mails: filepath.Join(t.TempDir(), "mail"), asleep: new(atomic.Bool), clock: new(atomic.Int64)}
	now := func() time.Time { return core.Now().Add(time.Duration(w.clock.Load())) }
	w.Services = wire(t, d.DB, now, addresses, w.mails)
	if err := errors.Join(w.Directory.Seed(t.Context()), w.Settings.Load(t.Context())); err != nil {
		t.Fatal(err)
	}
	w.surface = web.Surface{
		Addresses: addresses, Cache: newCache(t, d.DB), Now: now, Contract: contract(t),
		Sessions: session.New(session.Options{Sessions: w.Services.Sessions, Accounts: w.Accounts, Addresses: addresses}),
		Observe:  httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)}),
		Ready: func(context.Context) error {
			if w.asleep.Load() {
				return errors.New("migration 7 is missing in search_documents")
			}
			return nil
		},
	}
	w.surface.Ballots, w.surface.Limiter = ballot.New(installation(t), addresses), counter{ratelimit.New(d.DB)}
	w.handler = web.New(w.Services, w.surface)
	return w
}

func wire(t testing.TB, db *pg.DB, now core.Clock, addresses httpx.Addresses, mails string) web.Services {
	t.Helper()
	audit := auditlog.New(db, now)
	s := web.Services{Accounts: accounts.New(db, now).WithAudit(audit), Sessions: sessions.New(db, now).WithAudit(audit),
		Directory: directory.New(db, now, geo.Builtin), Settings: settings.New(db).WithAudit(audit), Places: geo.Builtin, AuditLog: audit}
	s.Points = points.New(db, now, s.Settings).WithAudit(audit)
	s.Apps = apps.New(db, now, apps.Needs{Settings: s.Settings, Awards: s.Points, Audit: s.AuditLog})
	s.Contributions = contributions.New(db, now, s.Directory, s.Points)
	s.Blocks = blocks.New(db, now, blocks.Needs{Settings: s.Settings, Audit: s.AuditLog})
	s.Moderation = moderation.New(db, now, moderation.Needs{Settings: s.Settings, Model: llm.New(func() llm.Options { return llm.Options{} }, now),
		Blocks: s.Blocks, Audit: s.AuditLog, QueueCreated: accounts.QueueCreated, Log: slog.New(slog.DiscardHandler)})
	s.Reports = reports.New(db, now, reports.Needs{Audit: s.AuditLog,
		Targets: map[reports.Type]reports.Targets{reports.TypeEntry: s.Directory, reports.TypeApp: s.Apps}})
	s.Sayings = sayings.New(db, now, sayings.Needs{Awards: s.Points})
	s.ShoutOuts = shoutouts.New(db, now, shoutouts.Needs{Settings: s.Settings, Secret: installation(t), Awards: s.Points, Drafts: s.Contributions})
	s.Reviews = reviews.New(db, now, reviews.Needs{})
	s.Polls = polls.New(db, now, polls.Needs{Settings: s.Settings, Secret: installation(t), Awards: s.Points})
	s.FakeReports = fakereports.New(db, now, fakereports.Needs{Awards: s.Points})
	s.Recent = recent.New(slog.New(slog.DiscardHandler), recent.Source{Key: "saying", Read: s.Sayings.Recent}, recent.Source{Key: "app", Read: s.Apps.Recent})
	s.Desk = desk.New(db, now, desk.Needs{Audit: s.AuditLog, Blocks: s.Blocks, Queues: []desk.Queue{
		{Type: "contribution", Label: "Listings", Cases: s.Contributions.Desk()}, {Type: "app", Label: "Apps", Cases: s.Apps.Desk()},
		{Type: "saying", Label: "Sayings", Cases: s.Sayings.Desk()}, {Type: "poll", Label: "Polls", Cases: s.Polls.Desk()},
		{Type: "poll_comment", Label: "Comments", Cases: s.Polls.CommentDesk()}, {Type: "report", Label: "Reports", Cases: s.Reports.Desk()}}})
	s.Search = search.New(db, s.Directory, geo.Builtin)
	limits := ratelimit.New(db)
	s.Takeout = takeout.New(limits, now, takeout.Profile(s.Accounts), takeout.Tokens(s.Accounts), takeout.Sessions(s.Sessions),
		takeout.Contributions(s.Contributions), takeout.Reports(s.Reports), takeout.Appeals(s.Desk), takeout.Entries(s.Directory))
	post, err := mail.New(mail.Options{From: "homeplace@localhost", Dir: mails, Log: slog.New(slog.DiscardHandler),
		SiteName: func() string { return s.Settings.Text(settings.SiteName) }})
	if err != nil {
		t.Fatal(err)
	}
	s.Access = accounts.NewAccess(db, now, accounts.Needs{Mail: post, Limits: limits, Sessions: s.Sessions,
		Settings: s.Settings, Page: addresses.Page, Log: slog.New(slog.DiscardHandler), Leavers: []accounts.Leaver{s.Contributions, s.Reports, s.FakeReports, s.Desk}})
	t.Cleanup(func() {
		if err := s.Access.Wait(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func installation(t testing.TB) secret.Secret {
	t.Helper()
	s, err := secret.Parse(strings.Repeat("a", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type counter struct{ *ratelimit.Service }

func (c counter) Take(ctx context.Context, key string, l httpx.Limit) (httpx.Decision, error) {
	d, err := c.Service.Take(ctx, key, l.Max, l.Per)
	return httpx.Decision{Allowed: d.Allowed, Limit: d.Limit, Remaining: d.Remaining, Reset: d.Reset}, err
}

func newCache(t testing.TB, db *pg.DB) *httpx.Cache {
	t.Helper()
	cache, err := httpx.NewCache(16<<20, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	db.OnChange(func(area string) {
		if area == pg.Everything {
			cache.InvalidateAll()
		} else {
			cache.Invalidate(area)
		}
	})
	return cache
}

// contract is the contract of the API as the program hands it in.
func contract(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (w world) load(t testing.TB, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Directory.Import(t.Context(), core.TheSystem(), rows, directory.ImportOptions{Strict: true}); err != nil {
		t.Fatal(err)
	}
}

// account makes a member whose password is password.
func (w world) account(t testing.TB, name string) accounts.Account {
	t.Helper()
	return w.appointed(t, name, accounts.RoleMember)
}

// appointed makes an account with a role, which is no decision of anybody.
func (w world) appointed(t testing.TB, name string, role accounts.Role) accounts.Account {
	t.Helper()
	a, err := w.Accounts.Create(t.Context(), core.TheSystem(),
		accounts.Input{Email: name + "@example.org", Username: name, Password: password, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w world) moderator(t testing.TB, name string) accounts.Account {
	t.Helper()
	return w.appointed(t, name, accounts.RoleModerator)
}

// decided decides about a case of the desk, such as "app:" and its id.
func (w world) decided(t testing.TB, mod accounts.Account, target string, action core.Action, reason string) {
	t.Helper()
	kind, id, _ := strings.Cut(target, ":")
	_, err := w.Desk.Decide(t.Context(), mod.Viewer(), desk.Decision{Targets: []core.Target{{Type: kind, ID: id}}, Action: action, Reason: reason})
	if err != nil {
		t.Fatalf("%s %s: %v", action, target, err)
	}
}

// letters are the mails that were sent, oldest first, once all are written.
func (w world) letters(t testing.TB) []string {
	t.Helper()
	if err := w.Access.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(w.mails, "*.eml"))
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(files))
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts
}

// do asks as nobody and without cookies.
func (w world) do(method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, base+target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	return recorder
}

// page reads a page that must have the status.
func (w world) page(t testing.TB, target string, status int) *html.Node {
	t.Helper()
	return parsed(t, target, w.do(http.MethodGet, target), status)
}

func parsed(t testing.TB, target string, a *httptest.ResponseRecorder, status int) *html.Node {
	t.Helper()
	if a.Code != status || a.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%s gives %d, %s; want a page with %d: %.300s", target, a.Code, a.Header().Get("Content-Type"), status, a.Body)
	}
	tree, err := html.Parse(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// browser keeps cookies from one request to the next, as a person's does.
type browser struct {
	t   testing.TB
	w   world
	url *url.URL
	jar *cookiejar.Jar
}

func (w world) browser(t testing.TB) *browser {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, w, at, jar}
}

// as is a browser in which the account is signed in.
func (w world) as(t testing.TB, a accounts.Account) *browser {
	t.Helper()
	b := w.browser(t)
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	// A door of its own, so that pages do not wait for the page to sign in.
	manager := session.New(session.Options{Sessions: w.Services.Sessions, Accounts: w.Accounts, Addresses: addresses})
	observe := httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)})
	door := observe(manager.Load(httpx.ErrorAnswer)(httpx.API(func(r *http.Request) (*httpx.Answer, error) {
		return httpx.NoContent(), session.SignIn(r, a)
	})))
	answer := httptest.NewRecorder()
	door.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, base+"/", nil))
	if answer.Code != http.StatusNoContent {
		t.Fatalf("sign %s in: %d %s", a.Username, answer.Code, answer.Body)
	}
	b.jar.SetCookies(b.url, answer.Result().Cookies())
	return b
}

// get asks for a page.
func (b *browser) get(target string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.send(httptest.NewRequestWithContext(b.t.Context(), http.MethodGet, base+target, nil))
}

// post sends a form of name, value pairs from a page of the site.
func (b *browser) post(target string, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Add(fields[i], fields[i+1])
	}
	r := httptest.NewRequestWithContext(b.t.Context(), http.MethodPost, base+target, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(r)
}

func (b *browser) send(r *http.Request) *httptest.ResponseRecorder {
	b.t.Helper()
	for _, c := range b.jar.Cookies(b.url) {
		r.AddCookie(c)
	}
	answer := httptest.NewRecorder()
	b.w.handler.ServeHTTP(answer, r)
	b.jar.SetCookies(b.url, answer.Result().Cookies())
	return answer
}

// page reads a page that must have the status.
func (b *browser) page(target string, status int) *html.Node {
	b.t.Helper()
	return parsed(b.t, target, b.get(target), status)
}

// decide decides about a case as a moderator's browser does.
func (b *browser) decide(target, action string, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.post("/moderation/decide", append([]string{"target", target, "action", action}, fields...)...)
}
