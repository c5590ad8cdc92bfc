package directory

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type world struct {
	*Service
	database *pgtest.Database
	clock    *clock
}

// setup makes an empty directory with the curated categories, at noon of
// 1 March 2026.
func setup(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	c := &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w := world{Service: New(d.DB, c.read, geo.Builtin), database: d, clock: c}
	if err := w.Seed(t.Context()); err != nil {
		t.Fatalf("seed: %v", err)
	}
	return w
}

// load imports JSON Lines, all or nothing.
func (w world) load(t *testing.T, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Import(t.Context(), core.TheSystem(), rows, ImportOptions{
		Strict: true, Problem: func(line int, err error) { t.Errorf("import line %d: %v", line, err) }})
	if err != nil {
		t.Fatalf("import: %v", err)
	}
}

// account makes an account by hand: that is another area's business.
func (w world) account(t *testing.T, name string, role core.Role) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: role, Moderator: role == core.Staff}
	for _, sql := range []string{
		`insert into accounts (id, email) values ($1, $2 || '@homeplace.test')`,
		`insert into profiles (account_id, username) values ($1, $2)`,
	} {
		if _, err := w.database.Exec(t, core.TheSystem(), sql, v.ID, name); err != nil {
			t.Fatalf("make %s: %v", name, err)
		}
	}
	return v
}

// own gives an entry an owner.
func (w world) own(t *testing.T, slug string, v core.Viewer) {
	t.Helper()
	if _, err := w.database.Exec(t, core.TheSystem(), `update directory_entries set owner_id = $2 where slug = $1`, slug, v.ID); err != nil {
		t.Fatal(err)
	}
}

func (w world) entry(t *testing.T, slug string) Entry {
	t.Helper()
	var e Entry
	err := w.database.Read(t.Context(), core.TheSystem(), func(tx pg.Querier) error {
		var id string
		err := tx.QueryRow(t.Context(), `select id from directory_entries where slug = $1`, slug).Scan(&id)
		if err == nil {
			e, err = w.EntryTx(t.Context(), tx, id)
		}
		return err
	})
	if err != nil {
		t.Fatalf("read %s: %v", slug, err)
	}
	return e
}

// wantSound fails when entries, documents and counts disagree.
func (w world) wantSound(t *testing.T) {
	t.Helper()
	state, err := w.CheckIndex(t.Context(), core.TheSystem())
	if err != nil || state.Stray != 0 || state.Miscount != 0 || state.Public != state.Documents {
		t.Errorf("the index is %+v, %v", state, err)
	}
}

func wantError(t *testing.T, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}

func slugsOf[T any](list []T, of func(T) string) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = of(e)
	}
	return strings.Join(words, " ")
}

func summarySlug(s Summary) string { return s.Slug }

// event is a line of an import. Empty times are left out.
func event(slug, starts, ends string) string {
	line := fmt.Sprintf(`{"slug":%q,"kind":"event","name":"Event %s","city":"Atlanta","region":"GA"`, slug, slug)
	if starts != "" {
		line += fmt.Sprintf(`,"starts_at":%q`, starts)
	}
	if ends != "" {
		line += fmt.Sprintf(`,"ends_at":%q`, ends)
	}
	return line + "}"
}
