package contributions

import (
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/points"
	"homeplace/core/rowfile"
	"homeplace/core/search"
	"homeplace/core/settings"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// clock is a time that goes on by a second whenever it is read.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

// instance is one running copy of the service.
type instance struct {
	*Service
	directory *directory.Service
	search    *search.Service
	points    *points.Service
}

type world struct {
	instance
	database *pgtest.Database
	clock    *clock
}

func setup(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	w.instance = w.newInstance(d.DB)
	if err := w.directory.Seed(t.Context()); err != nil {
		t.Fatalf("seed: %v", err)
	}
	return w
}

func (w world) newInstance(db *pg.DB) instance {
	dir := directory.New(db, w.clock.read, geo.Builtin)
	ledger := points.New(db, w.clock.read, settings.New(db))
	return instance{Service: New(db, w.clock.read, dir, ledger), directory: dir, points: ledger, search: search.New(db, dir, geo.Builtin)}
}

// second is another instance over the same database.
func (w world) second(t *testing.T) instance {
	t.Helper()
	return w.newInstance(w.database.Instance(t))
}

func (w world) load(t *testing.T, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.directory.Import(t.Context(), core.TheSystem(), rows, directory.ImportOptions{
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

func (w world) member(t *testing.T, name string) core.Viewer { return w.account(t, name, core.Member) }
func (w world) moderator(t *testing.T, name string) core.Viewer {
	return w.account(t, name, core.Staff)
}

// count is a number as the database really holds it.
func (w world) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	return pgtest.Value[int](t, w.database, core.TheSystem(), sql, args...)
}

// offered makes a listing that waits.
func (w world) offered(t *testing.T, v core.Viewer, name string) Contribution {
	t.Helper()
	c, err := w.Offer(t.Context(), v, directory.Input{Kind: directory.KindBusiness, Name: name, City: "Atlanta", Region: "Georgia", Category: "bakery"})
	if err != nil {
		t.Fatalf("offer %s: %v", name, err)
	}
	return c
}

const heron = `{"kind":"business","name":"Blue Heron Bakery","slug":"blue-heron","city":"Atlanta","region":"GA","category":"bakery",` +
	`"phone":"404-555-0100","tags":["bread"],"hours":{"timezone":"America/New_York","mon":[["09:00","17:00"]]}}`

// form is the form of the entry that heron makes.
func (w world) form(t *testing.T) directory.Input {
	t.Helper()
	return directory.FormOf(w.heron(t))
}

func (w world) heron(t *testing.T) directory.Entry {
	t.Helper()
	e, err := w.directory.GetFor(t.Context(), core.TheSystem(), directory.KindBusiness, "blue-heron")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// suggested makes an edit of heron's phone that waits.
func (w world) suggested(t *testing.T, v core.Viewer, phone string) Contribution {
	t.Helper()
	in := w.form(t)
	in.Phone = phone
	c, err := w.SuggestEdit(t.Context(), v, directory.KindBusiness, "blue-heron", in, "")
	if err != nil {
		t.Fatalf("suggest: %v", err)
	}
	return c
}

// wantSound fails when entries, documents and counts disagree.
func (w world) wantSound(t *testing.T) {
	t.Helper()
	state, err := w.directory.CheckIndex(t.Context(), core.TheSystem())
	if err != nil || state.Stray != 0 || state.Miscount != 0 || state.Public != state.Documents {
		t.Errorf("the index is %+v, %v", state, err)
	}
}

// decideAt decides in a transaction of its own, as the desk does.
func decideAt(t *testing.T, db *pg.DB, d Desk, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = db.Write(t.Context(), v, func(tx *pg.Tx) error {
		done, err = d.DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) decided(t *testing.T, v core.Viewer, id string, action core.Action, reason string) core.Done {
	t.Helper()
	done, err := decideAt(t, w.database.DB, w.Desk(), v, id, action, reason)
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	return done
}

func (w world) undo(t *testing.T, v core.Viewer, id string, done core.Done) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, done.Memo) })
}

// decide is decideAt on an instance, with a reason that fits.
func (in instance) decide(t *testing.T, v core.Viewer, id string, action core.Action) error {
	t.Helper()
	_, err := decideAt(t, in.db, in.Desk(), v, id, action, "no")
	return err
}

// read is a contribution as the viewer reads it.
func (w world) read(t *testing.T, v core.Viewer, id string) Contribution {
	t.Helper()
	c, err := w.Get(t.Context(), v, id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// laidOut is a case as the desk shows it.
func (w world) laidOut(t *testing.T, v core.Viewer, id string) (c core.Case) {
	t.Helper()
	err := w.database.Read(t.Context(), v, func(q pg.Querier) (err error) {
		c, err = w.Desk().CaseTx(t.Context(), q, v, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wantError(t *testing.T, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
