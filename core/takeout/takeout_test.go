package takeout

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/points"
	"homeplace/core/ratelimit"
	"homeplace/core/sessions"
	"homeplace/core/settings"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type world struct {
	db            *pgtest.Database
	accounts      *accounts.Service
	sessions      *sessions.Service
	directory     *directory.Service
	contributions *contributions.Service
	points        *points.Service
	apps          *apps.Service
}

var now = time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC)

func clock() time.Time { return now }

func setup(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{db: d, accounts: accounts.New(d.DB, clock), sessions: sessions.New(d.DB, clock), directory: directory.New(d.DB, clock, geo.Builtin)}
	w.points = points.New(d.DB, clock, settings.New(d.DB))
	w.apps = apps.New(d.DB, clock, apps.Needs{Settings: settings.New(d.DB), Awards: w.points})
	w.contributions = contributions.New(d.DB, clock, w.directory, w.points)
	if err := w.directory.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// service packs what the program packs, and the further sections.
func (w world) service(more ...Section) *Service {
	return New(ratelimit.New(w.db.DB), clock, append([]Section{Profile(w.accounts), Tokens(w.accounts), Sessions(w.sessions),
		Contributions(w.contributions), Entries(w.directory),
		Apps(w.apps), Submissions(w.apps), Points(w.points)}, more...)...)
}

// account makes one who has something of everything.
func (w world) account(t *testing.T, name string, role accounts.Role) core.Viewer {
	t.Helper()
	a, err := w.accounts.Create(t.Context(), core.TheSystem(), accounts.Input{Email: name + "@example.org", Username: name, Password: "correct horse", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	v := a.Viewer()
	bio := "I am " + name + " <script>alert(1)</script>"
	if _, err := w.accounts.UpdateProfile(t.Context(), v, accounts.ProfilePatch{Bio: &bio}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.points.Correct(t.Context(), core.TheSystem(), name, 30, "for a good start"); err != nil {
		t.Fatal(err)
	}
	w.app(t, v)
	if _, _, err := w.accounts.CreateToken(t.Context(), v, accounts.TokenInput{Label: name + "'s laptop"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.sessions.Open(t.Context(), sessions.Opening{TokenHash: name + strings.Repeat("-", 43-len(name)), AccountID: v.ID,
		Data: []byte{}, ExpiresAt: now.Add(time.Hour), UserAgent: "Browser of " + name, AddressKey: "192.0.2.1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.contributions.Offer(t.Context(), v, directory.Input{Kind: directory.KindBusiness, Name: name + "'s Oven", City: "Atlanta", Region: "GA"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Exec(t, core.TheSystem(), `insert into directory_entries (id, slug, kind, name, owner_id, status) values ($1, $2 || '-mill', 'business', $2 || ' Mill', $3, 'draft')`,
		pg.NewID(), name, v.ID); err != nil {
		t.Fatal(err)
	}
	return v
}

// unpacked are the files of a viewer's package by name.
func unpacked(t *testing.T, s *Service, v core.Viewer) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(t.Context(), v, &b); err != nil {
		t.Fatalf("the package of %s: %v", v.Username, err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := files[f.Name]; twice || f.NonUTF8 || !f.Modified.Equal(now) {
			t.Errorf("%s: twice %t, not UTF-8 %t, of %s", f.Name, twice, f.NonUTF8, f.Modified)
		}
		files[f.Name] = string(text)
	}
	return files
}

// app makes an app with a file and its schema, and a file that waits for its
// owner's decision.
func (w world) app(t *testing.T, v core.Viewer) {
	t.Helper()
	slug := v.Username + "-map"
	_, err := w.apps.Create(t.Context(), v, apps.Input{Slug: slug, Name: v.Username + "'s map"})
	if err == nil {
		_, err = w.apps.Upload(t.Context(), v, slug, apps.UploadInput{Filename: "stops.json", Content: []byte(`{"stops":  [1.0]}`)})
	}
	if err == nil {
		err = w.apps.SetSchema(t.Context(), v, slug, "stops.json", []byte(`{"type": "object"}`))
	}
	if err == nil {
		_, err = w.apps.Submit(t.Context(), v, slug, apps.SubmitInput{Filename: "stops.json", Content: []byte(`{"by":  "` + v.Username + `"}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sent is where the viewer's submission is in their package.
func (w world) sent(t *testing.T, v core.Viewer) string {
	t.Helper()
	list, err := w.apps.MySubmissions(t.Context(), v, core.Page{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d submissions, %v", len(list.Items), err)
	}
	return "submissions/" + list.Items[0].ID + "/stops.json"
}

func TestPackage(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", accounts.RoleMember)
	w.account(t, "bea", accounts.RoleMember)
	s := w.service()
	if got := s.FileName(ada); got != "homeplace-ada-2026-11-21.zip" {
		t.Errorf("the package is called %s", got)
	}
	files := unpacked(t, s, ada)
	sent := w.sent(t, ada)
	want := []string{"README.txt", "apps/ada-map/app.json", "apps/ada-map/files/stops.json", "apps/ada-map/schemas/stops.json", "contributions.json",
		"entries.json", "points.json", "profile.json", "sessions.json", "submissions.json", sent, "tokens.json"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Fatalf("the files are %v, want %v", got, want)
	}
	for name, text := range files {
		if strings.Contains(name, "/") || name == "README.txt" { // bytes of others' making, and words
			continue
		}
		if !json.Valid([]byte(text)) || !strings.Contains(text, "\n  ") {
			t.Errorf("%s is no indented JSON: %s", name, text)
		}
		if !strings.Contains(files["README.txt"], "  "+name+"\n") {
			t.Errorf("README.txt does not explain %s: %s", name, files["README.txt"])
		}
	}
	for name, part := range map[string]string{
		"profile.json":       `"bio": "I am ada <script>alert(1)</script>"`,
		"tokens.json":        `"label": "ada's laptop"`,
		"sessions.json":      `"created_at": "2026-11-21T23:30:00Z"`,
		"contributions.json": `"name": "ada's Oven"`,
		"entries.json":       `"status": "draft"`,
		"points.json":        `"delta": 30`,
		"submissions.json":   `"content": "` + sent + `"`,
		sent:                 `{"by":  "ada"}`,

		"apps/ada-map/app.json":         `"name": "ada's map"`,
		"apps/ada-map/files/stops.json": `{"stops":  [1.0]}`,

		"README.txt": "made for ada on 2026-11-21T23:30:00Z",
	} {
		if !strings.Contains(files[name], part) {
			t.Errorf("%s lacks %s: %s", name, part, files[name])
		}
	}
	for name, text := range files {
		for _, secret := range []string{"bea", "argon2", "tok_", "hash"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q: %s", name, secret, text)
			}
		}
	}
}

func TestPackageOfManyContributions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", accounts.RoleMember)
	if _, err := w.db.Exec(t, core.TheSystem(), `
		insert into directory_contributions (id, kind, entry_name, account_id, proposal, status, reason, decided_at)
		select gen_random_uuid(), 'listing', 'Oven ' || n, $1, '{}', 'refused', 'no', now() from generate_series(1, 249) n`, ada.ID); err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(unpacked(t, w.service(), ada)["contributions.json"]), &list); err != nil || len(list) != 250 {
		t.Errorf("%d contributions, %v, want 250", len(list), err)
	}
}

// forgetful asks for every row that the viewer can see of what is somebody's.
func forgetful(db *pg.DB) Section {
	return Section{Name: "Forgetful", Files: func(ctx context.Context, v core.Viewer, add func(string, io.Reader) error) error {
		return db.Read(ctx, v, func(tx pg.Querier) error {
			for _, of := range []string{"select id as whose from accounts", "select account_id from personal_tokens",
				"select account_id from web_sessions", "select account_id from directory_contributions",
				"select owner_id from directory_entries where status = 'draft'"} {
				var whose []string
				if err := tx.QueryRow(ctx, `select coalesce(array_agg(distinct r.whose::text), '{}') from (`+of+`) r (whose)`).Scan(&whose); err != nil {
					return err
				}
				if err := addJSON(add, "whose.json", whose); err != nil {
					return err
				}
			}
			return nil
		})
	}}
}

// A section that forgets the owner's condition still finds the owner's alone:
// also for staff, who see more on other pages.
func TestForgottenConditionsDoNotLeak(t *testing.T) {
	t.Parallel()
	w := setup(t)
	s := w.service(forgetful(w.db.DB))
	viewers := []core.Viewer{w.account(t, "ada", accounts.RoleMember), w.account(t, "mod", accounts.RoleModerator), w.account(t, "boss", accounts.RoleAdmin)}
	for _, v := range viewers {
		files := unpacked(t, s, v)
		for _, name := range []string{"whose.json", "whose (2).json", "whose (3).json", "whose (4).json", "whose (5).json"} {
			var whose []string
			if err := json.Unmarshal([]byte(files[name]), &whose); err != nil || !slices.Equal(whose, []string{v.ID}) {
				t.Errorf("%s finds in %s what belongs to %v, %v; want %s", v.Username, name, whose, err, v.ID)
			}
		}
	}
}

func TestWhoGetsAPackage(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for who, v := range map[string]core.Viewer{"nobody": core.Nobody(), "the zero viewer": {}, "the system": core.TheSystem()} {
		var b bytes.Buffer
		if err := w.service().Write(t.Context(), v, &b); core.KindOf(err) != core.Unauthenticated || b.Len() > 0 {
			t.Errorf("%s: %v with %d bytes", who, err, b.Len())
		}
	}
	ada, bea := w.account(t, "ada", accounts.RoleMember), w.account(t, "bea", accounts.RoleMember)
	for range PerHour {
		unpacked(t, w.service(), ada)
	}
	err := w.service().Write(t.Context(), ada, io.Discard)
	if e := core.AsError(err); core.KindOf(err) != core.RateLimited || e.RetryAfter < 59*time.Minute || e.RetryAfter > time.Hour {
		t.Errorf("one more: %v", err)
	}
	unpacked(t, w.service(), bea)
}

func TestDangerousNames(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", accounts.RoleMember)
	wild := Section{Name: "Wild", About: "Names.", Files: func(_ context.Context, _ core.Viewer, add func(string, io.Reader) error) error {
		for _, name := range []string{"../../evil.sh", `..\evil.sh`, "/etc/passwd", "README.txt", "profile.json", "a\nb", "Ẹ̀kọ́.json"} {
			if err := add(name, strings.NewReader("x")); err != nil {
				return err
			}
		}
		return nil
	}}
	files := unpacked(t, w.service(wild), ada)
	for _, name := range []string{"_/_/evil.sh", "_/evil.sh", "etc/passwd", "README (2).txt", "profile (2).json", "a_b", "Ẹ̀kọ́.json"} {
		if files[name] != "x" || !strings.Contains(files["README.txt"], "  "+name+"\n") {
			t.Errorf("%q is missing among %q", name, slices.Sorted(maps.Keys(files)))
		}
	}
}

func TestFailuresAndBounds(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", accounts.RoleMember)
	stuck := Section{Name: "Stuck", Files: func(context.Context, core.Viewer, func(string, io.Reader) error) error {
		return errors.New("the lid is stuck")
	}}
	if err := w.service(stuck).Write(t.Context(), ada, io.Discard); err == nil || !strings.Contains(err.Error(), "take out Stuck: the lid is stuck") {
		t.Errorf("a section that fails: %v", err)
	}
	big := Section{Name: "Big", Files: func(_ context.Context, _ core.Viewer, add func(string, io.Reader) error) error {
		return add("big", io.LimitReader(zeros{}, 1<<20))
	}}
	s := w.service(big)
	s.maxBytes = 1 << 20 // the profile has come before
	if err := s.Write(t.Context(), ada, io.Discard); core.KindOf(err) != core.TooLarge {
		t.Errorf("a package over the bound: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
