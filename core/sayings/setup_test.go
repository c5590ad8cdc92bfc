package sayings

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
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

func (c *clock) sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// till notes what would be paid and taken back.
type till struct {
	mu      sync.Mutex
	paid    []core.Award
	revoked []core.Award
}

func (p *till) RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked = append(p.revoked, a)
	return nil
}

func (p *till) AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (int, error) {
	var role string
	if err := tx.QueryRow(ctx, `select current_user`).Scan(&role); err != nil || role != "system" {
		return 0, core.Forbiddenf("paid as %s: %v", role, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paid = append(p.paid, a)
	return 5, nil
}

// pipeline rejects what has "buy now" in it, approves what has "amen", and
// fails on "outage".
type pipeline struct {
	mu   sync.Mutex
	seen []core.Text
}

func (p *pipeline) Judge(_ context.Context, _ core.Viewer, t core.Text) (core.Verdict, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, t)
	switch {
	case strings.Contains(t.Body, "outage"):
		return core.Verdict{}, errors.New("the model does not answer")
	case strings.Contains(t.Body, "buy now"):
		return core.Verdict{Decision: core.DecisionReject, Score: 0.97, Reasons: []core.Reason{{Code: "denied_word", Detail: "buy now"}}}, nil
	case strings.Contains(t.Body, "amen"):
		return core.Verdict{Decision: core.DecisionApprove, Score: 0.01}, nil
	}
	return core.Verdict{Decision: core.DecisionReview, Score: 0.4, Reasons: []core.Reason{{Code: "borderline"}}}, nil
}

type world struct {
	*Service
	database *pgtest.Database
	clock    *clock
	till     *till
	pipeline *pipeline
}

func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, till: &till{}, pipeline: &pipeline{}}
	w.Service = New(d.DB, w.clock.read, Needs{Awards: w.till, Moderator: w.pipeline})
	return w
}

// second is another instance over the same database.
func (w world) second(t testing.TB) *Service {
	t.Helper()
	return New(w.database.Instance(t), w.clock.read, Needs{Awards: w.till, Moderator: w.pipeline})
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

func (w world) submit(t testing.TB, v core.Viewer, text string) Sent {
	t.Helper()
	sent, err := w.Submit(t.Context(), v, Input{Words: Words{Text: text}})
	if err != nil {
		t.Fatalf("submit %q: %v", text, err)
	}
	return sent
}

func (w world) load(t testing.TB, lines ...string) {
	t.Helper()
	if _, err := w.Import(t.Context(), core.TheSystem(), rows(t, lines...), rowfile.Options{Strict: true,
		Problem: func(line int, err error) { t.Errorf("line %d: %v", line, err) }}); err != nil {
		t.Fatal(err)
	}
}

func rows(t testing.TB, lines ...string) *rowfile.Reader {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found are the slugs that a filter finds, in order.
func (w world) found(t testing.TB, f Filter) string {
	t.Helper()
	list, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatalf("list %+v: %v", f, err)
	}
	var slugs []string
	for _, s := range list.Items {
		slugs = append(slugs, s.Slug)
	}
	return strings.Join(slugs, " ")
}

// count is a number as the database really holds it.
func (w world) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	return pgtest.Value[int](t, w.database, core.TheSystem(), sql, args...)
}

func (w world) decideAt(t testing.TB, db *pg.DB, desk Desk, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = db.Write(t.Context(), v, func(tx *pg.Tx) error {
		done, err = desk.DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) decided(t testing.TB, v core.Viewer, id string, action core.Action, reason string) core.Done {
	t.Helper()
	done, err := w.decideAt(t, w.database.DB, w.Desk(), v, id, action, reason)
	if err != nil {
		t.Fatalf("%s %s: %v", action, id, err)
	}
	return done
}

// approved is a saying that v approves, as it is then.
func (w world) approved(t testing.TB, v core.Viewer, id string) Case {
	t.Helper()
	w.decided(t, v, id, core.ActionApprove, "")
	c, err := w.Case(t.Context(), v, id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w world) undo(t testing.TB, v core.Viewer, id string, done core.Done) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, done.Memo) })
}

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

// queue are the titles that wait at the desk, by time.
func (w world) queue(t testing.TB) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(),
		`select coalesce(string_agg(title, ' | ' order by since), '') from desk_queue where target_type = 'saying'`)
}

func (w world) wantQueue(t testing.TB, what, want string) {
	t.Helper()
	if got := w.queue(t); got != want {
		t.Errorf("%s: %q waits, want %q", what, got, want)
	}
}

func wantError(t testing.TB, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
