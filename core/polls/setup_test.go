package polls

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
	"homeplace/core/points"
	"homeplace/core/secret"
	"homeplace/core/settings"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// clock stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// judge says of a text what it was told to; without a word it approves.
type judge struct {
	mu     sync.Mutex
	says   core.Decision
	fails  error
	judged []core.Text
}

func (j *judge) Judge(_ context.Context, _ core.Viewer, text core.Text) (core.Verdict, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.judged = append(j.judged, text)
	decision := j.says
	if decision == "" {
		decision = core.DecisionApprove
	}
	return core.Verdict{Decision: decision, Score: 0.5, Reasons: []core.Reason{{Code: "denied_word", Detail: "drat"}}}, j.fails
}

type world struct {
	*Service
	database *pgtest.Database
	clock    *clock
	judge    *judge
	settings *settings.Service
	points   *points.Service
}

func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, judge: &judge{}}
	w.Service, w.settings, w.points = w.instance(t, d.DB)
	return w
}

func (w world) instance(t testing.TB, db *pg.DB) (*Service, *settings.Service, *points.Service) {
	t.Helper()
	installation, err := secret.Parse(strings.Repeat("s", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	values := settings.New(db)
	ledger := points.New(db, w.clock.read, values)
	return New(db, w.clock.read, Needs{Settings: values, Secret: installation, Awards: ledger, Moderator: w.judge}), values, ledger
}

// second is another instance over the same database.
func (w world) second(t testing.TB) *Service {
	t.Helper()
	s, _, _ := w.instance(t, w.database.Instance(t))
	return s
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

// poll makes a published poll with the answers Tea and Coffee.
func (w world) poll(t testing.TB, author core.Viewer, question string) Poll {
	t.Helper()
	p, err := w.Create(t.Context(), author, Input{Question: question, Options: []string{"Tea", "Coffee"}, AllowComments: true})
	if err != nil || p.State != Open {
		t.Fatalf("create %s: %+v, %v", question, p, err)
	}
	return p
}

func (w world) set(t testing.TB, key, value string) {
	t.Helper()
	if err := w.settings.Set(t.Context(), core.TheSystem(), key, value); err != nil {
		t.Fatal(err)
	}
}

// count is a number as the database really holds it.
func (w world) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	return pgtest.Value[int](t, w.database, core.TheSystem(), sql, args...)
}

// votes are the tallies as everybody reads them.
func (w world) votes(t testing.TB, slug string) (list []int) {
	t.Helper()
	p, err := w.Get(t.Context(), core.Nobody(), slug)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range p.Options {
		list = append(list, o.Votes)
	}
	return list
}

// browser is a voter at an address of its own.
func browser(mark string) Voter { return Voter{Mark: mark, From: core.Origin{AddressKey: "192.0.2.7"}} }

// desk is either of the two.
type desk interface {
	CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error)
	DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error)
	UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, memo json.RawMessage) error
}

func decideAt(t testing.TB, db *pg.DB, d desk, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = db.Write(t.Context(), v, func(tx *pg.Tx) error {
		done, err = d.DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) decided(t testing.TB, d desk, v core.Viewer, id string, action core.Action, reason string) core.Done {
	t.Helper()
	done, err := decideAt(t, w.database.DB, d, v, id, action, reason)
	if err != nil {
		t.Fatalf("%s %s: %v", action, id, err)
	}
	return done
}

func (w world) undo(t testing.TB, d desk, v core.Viewer, id string, done core.Done) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return d.UndoTx(t.Context(), tx, v, id, done.Memo) })
}

func (w world) laidOut(t testing.TB, d desk, v core.Viewer, id string) (c core.Case, err error) {
	t.Helper()
	err = w.database.Read(t.Context(), v, func(q pg.Querier) error {
		c, err = d.CaseTx(t.Context(), q, v, id)
		return err
	})
	return c, err
}

// queue are the titles that wait at the desk, by type and time.
func (w world) queue(t testing.TB) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(),
		`select coalesce(string_agg(target_type || ' ' || title, ' | ' order by target_type, since), '') from desk_queue`)
}

func wantError(t testing.TB, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
