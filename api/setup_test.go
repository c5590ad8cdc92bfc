package api_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeplace/api"
	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/auditlog"
	credentials "homeplace/core/bearer"
	"homeplace/core/blocks"
	"homeplace/core/desk"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/fakereports"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/points"
	"homeplace/core/polls"
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
	"homeplace/core/signing"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const base = "https://homeplace.test"

// instance is one running copy of the service: its own pools, caches and
// handler.
type instance struct {
	*client
	accounts  *accounts.Service
	apps      *apps.Service
	directory *directory.Service
	sessions  *sessions.Service
	programs  *sessions.Programs
	cookies   *session.Manager
	points    *points.Service
	sayings   *sayings.Service
	shoutOuts *shoutouts.Service
	polls     *polls.Service
	settings  *settings.Service
	blocks    *blocks.Service
	reports   *reports.Service
	fakes     *fakereports.Service
	reviews   *reviews.Service
	recent    *recent.Service
	desk      *desk.Service
}

// world is a database with one instance over it.
type world struct {
	instance
	database *pgtest.Database
}

// setup makes an empty directory with the curated categories.
func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{instance: newInstance(t, d.DB), database: d}
	if err := w.directory.Seed(t.Context()); err != nil {
		t.Fatalf("seed: %v", err)
	}
	return w
}

func newInstance(t testing.TB, db *pg.DB) instance {
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
	db.OnChange(func(area string) {
		if area == pg.Everything {
			cache.InvalidateAll()
		} else {
			cache.Invalidate(area)
		}
	})
	in := instance{accounts: accounts.New(db, core.Now), directory: directory.New(db, core.Now, geo.Builtin), sessions: sessions.New(db, core.Now),
		settings: settings.New(db)}
	in.points = points.New(db, core.Now, in.settings)
	audit := auditlog.New(db, core.Now)
	in.apps = apps.New(db, core.Now, apps.Needs{Settings: in.settings, Awards: in.points, Audit: audit})
	in.blocks = blocks.New(db, core.Now, blocks.Needs{Settings: in.settings, Audit: audit})
	in.reports = reports.New(db, core.Now, reports.Needs{Audit: audit,
		Targets: map[reports.Type]reports.Targets{reports.TypeEntry: in.directory, reports.TypeApp: in.apps}})
	in.desk = desk.New(db, core.Now, desk.Needs{Audit: audit, Blocks: in.blocks,
		Queues: []desk.Queue{{Type: "app", Cases: in.apps.Desk()}, {Type: "report", Cases: in.reports.Desk()}}})
	in.sayings = sayings.New(db, core.Now, sayings.Needs{Awards: in.points, Moderator: pipeline{}})
	in.fakes = fakereports.New(db, core.Now, fakereports.Needs{Awards: in.points, Moderator: pipeline{}})
	in.shoutOuts = shoutouts.New(db, core.Now, shoutouts.Needs{Settings: in.settings, Secret: installation(t), Awards: in.points, Moderator: pipeline{},
		Drafts: contributions.New(db, core.Now, in.directory, in.points)})
	in.reviews = reviews.New(db, core.Now, reviews.Needs{Moderator: pipeline{}})
	in.programs = newPrograms(t, db)
	in.polls = polls.New(db, core.Now, polls.Needs{Settings: in.settings, Secret: installation(t), Awards: in.points})
	in.recent = recent.New(slog.New(slog.DiscardHandler),
		recent.Source{Key: "app_file", Read: in.apps.RecentFiles},
		recent.Source{Key: "app", Read: in.apps.Recent},
		recent.Source{Key: "directory_entry", Read: contributions.New(db, core.Now, in.directory, in.points).Recent},
		recent.Source{Key: "saying", Read: in.sayings.Recent},
		recent.Source{Key: "poll", Read: in.polls.Recent},
		recent.Source{Key: "poll_comment", Read: in.polls.RecentComments},
		recent.Source{Key: "report", Read: in.reports.Recent})
	in.cookies = session.New(session.Options{Sessions: in.sessions, Accounts: in.accounts, Addresses: addresses})
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	in.client = &client{handler: api.New(
		api.Services{Accounts: in.accounts, Bearer: credentials.New(in.accounts, in.programs, nil), Programs: in.programs, Apps: in.apps, Blocks: in.blocks, Reports: in.reports, FakeReports: in.fakes, Reviews: in.reviews, Recent: in.recent,
			Points: in.points, Polls: in.polls, Sayings: in.sayings, ShoutOuts: in.shoutOuts, Directory: in.directory, Search: search.New(db, in.directory, geo.Builtin), Places: geo.Builtin},
		api.Surface{Addresses: addresses, Cache: cache, SiteName: func() string { return "Test Porch" },
			Observe: httpx.Observe(httpx.Observation{Log: quiet}), Cookie: in.cookies.FromCookie, Browser: in.cookies.Browser,
			Ballots: ballot.New(installation(t), addresses), Writes: writes(db, in.settings)})}
	return in
}

func installation(t testing.TB) secret.Secret {
	t.Helper()
	s, err := secret.Parse(strings.Repeat("a", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newPrograms(t testing.TB, db *pg.DB) *sessions.Programs {
	t.Helper()
	installation := installation(t)
	keys := signing.New(db, installation, core.Now)
	if err := keys.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sessions.NewPrograms(db, core.Now, sessions.ProgramNeeds{Keys: keys, Secret: installation, Settings: settings.New(db), Issuer: base + "/auth/v1"})
}

// load imports JSON Lines, all or nothing.
func (in instance) load(t testing.TB, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	_, err = in.directory.Import(context.WithoutCancel(t.Context()), core.TheSystem(), rows, directory.ImportOptions{
		Strict: true, Problem: func(line int, err error) { t.Errorf("import line %d: %v", line, err) }})
	if err != nil {
		t.Fatalf("import: %v", err)
	}
}

// account makes an account that is called name, and a token for it.
func (w world) account(t testing.TB, name string, role accounts.Role, expires *time.Time) (v core.Viewer, token string, id string) {
	t.Helper()
	a, err := w.accounts.Create(t.Context(), core.TheSystem(),
		accounts.Input{Email: name + "@homeplace.test", Username: name, Password: "correct horse battery", Role: role})
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	token, stored, err := w.accounts.CreateToken(t.Context(), a.Viewer(), accounts.TokenInput{Label: "test", ExpiresAt: expires})
	if err != nil {
		t.Fatalf("token of %s: %v", name, err)
	}
	return a.Viewer(), token, stored.ID
}

// decided decides about a case of the desk.
func (in instance) decided(t testing.TB, mod core.Viewer, about core.Target, action core.Action, reason string) desk.Outcome {
	t.Helper()
	out, err := in.desk.Decide(t.Context(), mod, desk.Decision{Targets: []core.Target{about}, Action: action, Reason: reason})
	if err != nil {
		t.Fatalf("%s %s: %v", action, about.Type, err)
	}
	return out
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// pgEmpty is an instance over a database that nobody has seeded.
func pgEmpty(t testing.TB) instance { return newInstance(t, pgtest.New(t).DB) }
