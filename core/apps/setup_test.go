package apps

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
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

// till notes what would be paid.
type till struct {
	mu   sync.Mutex
	paid []core.Award
}

func (p *till) AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (int, error) {
	var role string
	if err := tx.QueryRow(ctx, `select current_user`).Scan(&role); err != nil || role != "system" {
		return 0, core.Forbiddenf("paid as %s: %v", role, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paid = append(p.paid, a)
	return 10, nil
}

type world struct {
	*Service
	database *pgtest.Database
	clock    *clock
	till     *till
	settings *settings.Service
}

func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, till: &till{}, settings: settings.New(d.DB)}
	w.Service = New(d.DB, w.clock.read, Needs{Settings: w.settings, Awards: w.till})
	return w
}

// second is another instance over the same database.
func (w world) second(t testing.TB) *Service {
	t.Helper()
	db := w.database.Instance(t)
	return New(db, w.clock.read, Needs{Settings: settings.New(db), Awards: w.till})
}

// account makes an account by hand: that is another area's business.
func (w world) account(t testing.TB, name string, role core.Role) core.Viewer {
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

func (w world) member(t testing.TB, name string) core.Viewer { return w.account(t, name, core.Member) }
func (w world) moderator(t testing.TB, name string) core.Viewer {
	return w.account(t, name, core.Staff)
}

// app makes a published app of the owner.
func (w world) app(t testing.TB, owner core.Viewer, slug string) App {
	t.Helper()
	w.decided(t, core.TheSystem(), w.pendingApp(t, owner, slug).ID, core.ActionApprove, "")
	a, err := w.Get(t.Context(), core.Nobody(), slug)
	if err != nil {
		t.Fatalf("get %s: %v", slug, err)
	}
	return a
}

func (w world) pendingApp(t testing.TB, owner core.Viewer, slug string) App {
	t.Helper()
	a, err := w.Create(t.Context(), owner, Input{Slug: slug, Name: strings.ToUpper(slug[:1]) + slug[1:]})
	if err != nil {
		t.Fatalf("create %s: %v", slug, err)
	}
	return a
}

func (w world) upload(t testing.TB, owner core.Viewer, slug, filename, content string) File {
	t.Helper()
	stored, err := w.Upload(t.Context(), owner, slug, UploadInput{Filename: filename, Content: []byte(content)})
	if err != nil {
		t.Fatalf("upload %s: %v", filename, err)
	}
	return stored.File
}

func (w world) submit(t testing.TB, v core.Viewer, slug, filename, content string) Submission {
	t.Helper()
	sent, err := w.Submit(t.Context(), v, slug, SubmitInput{Filename: filename, Content: json.RawMessage(content)})
	if err != nil {
		t.Fatalf("submit %s: %v", filename, err)
	}
	return sent
}

// data is the file as the public gets it; "" where it gets none.
func (w world) data(t testing.TB, slug, filename string) string {
	t.Helper()
	d, err := w.Data(t.Context(), slug, filename, 0)
	if err != nil && core.KindOf(err) != core.NotFound {
		t.Fatal(err)
	}
	return string(d.Content)
}

// count is a number as the database really holds it.
func (w world) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	return pgtest.Value[int](t, w.database, core.TheSystem(), sql, args...)
}

func rows(t testing.TB, lines ...string) *rowfile.Reader {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// decideAt decides in a transaction of its own, as the desk does.
func decideAt(t testing.TB, db *pg.DB, d Desk, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = db.Write(t.Context(), v, func(tx *pg.Tx) error {
		done, err = d.DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) decided(t testing.TB, v core.Viewer, id string, action core.Action, reason string) core.Done {
	t.Helper()
	done, err := decideAt(t, w.database.DB, w.Desk(), v, id, action, reason)
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	return done
}

func (w world) undo(t testing.TB, v core.Viewer, id string, done core.Done) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, done.Memo) })
}

// laidOut is a case as the desk shows it.
func (w world) laidOut(t testing.TB, v core.Viewer, id string) (c core.Case) {
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

func wantError(t testing.TB, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
