package points

import (
	"context"
	"flag"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/settings"
)

// TestMain keeps the property test to as many rounds as fit between two changes;
// -rapid.checks asks for more.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "15") //nolint:errcheck // the flag is there
	pgtest.Main(m)
}

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

type world struct {
	*Service
	db       *pgtest.Database
	clock    *clock
	settings *settings.Service
}

func setup(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{db: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, settings: settings.New(d.DB)}
	w.Service = New(d.DB, w.clock.read, w.settings)
	return w
}

// account makes an account by hand: that is another area's business.
func (w world) account(t *testing.T, name string, role core.Role) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: role, Moderator: role == core.Staff}
	w.system(t, `insert into accounts (id, email) values ($1, $2 || '@homeplace.test')`, v.ID, name)
	w.system(t, `insert into profiles (account_id, username) values ($1, $2)`, v.ID, name)
	return v
}

func (w world) member(t *testing.T, name string) core.Viewer { return w.account(t, name, core.Member) }

// system runs a statement that must work.
func (w world) system(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := w.db.Exec(t, core.TheSystem(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// in runs one step in a transaction of a viewer.
func in(t *testing.T, db *pg.DB, v core.Viewer, step func(ctx context.Context, tx *pg.Tx) error) error {
	t.Helper()
	return db.Write(t.Context(), v, func(tx *pg.Tx) error { return step(t.Context(), tx) })
}

func (w world) award(t *testing.T, v core.Viewer, reason core.AwardReason, ref string) int {
	t.Helper()
	var paid int
	err := in(t, w.db.DB, v, func(ctx context.Context, tx *pg.Tx) (err error) {
		paid, err = w.AwardTx(ctx, tx, core.Award{AccountID: v.ID, Reason: reason, Detail: "for " + ref, RefType: "thing", RefID: ref})
		return err
	})
	if err != nil {
		t.Fatalf("award %s for %s: %v", reason, ref, err)
	}
	return paid
}

func yard(v core.Viewer, amount int) Spending {
	return Spending{AccountID: v.ID, Amount: amount, Reason: "yard_submission", Detail: "Rain barrel", RefType: "yard_item", RefID: "barrel"}
}

func (w world) hold(t *testing.T, v core.Viewer, amount int) string {
	t.Helper()
	var id string
	if err := in(t, w.db.DB, v, func(ctx context.Context, tx *pg.Tx) (err error) {
		id, err = w.HoldTx(ctx, tx, yard(v, amount))
		return err
	}); err != nil {
		t.Fatalf("hold %d: %v", amount, err)
	}
	return id
}

func (w world) post(t *testing.T, v core.Viewer, id string) error {
	t.Helper()
	return in(t, w.db.DB, v, func(ctx context.Context, tx *pg.Tx) error { return w.PostTx(ctx, tx, id) })
}

func (w world) void(t *testing.T, v core.Viewer, id string) error {
	t.Helper()
	return in(t, w.db.DB, v, func(ctx context.Context, tx *pg.Tx) error { return w.VoidTx(ctx, tx, id) })
}

func (w world) spend(t *testing.T, v core.Viewer, amount int) error {
	t.Helper()
	return in(t, w.db.DB, v, func(ctx context.Context, tx *pg.Tx) error { return w.SpendTx(ctx, tx, yard(v, amount)) })
}

// give corrects an account by hand.
func (w world) give(t *testing.T, v core.Viewer, delta int) {
	t.Helper()
	if _, err := w.Correct(t.Context(), core.TheSystem(), v.Username, delta, "by hand"); err != nil {
		t.Fatalf("correct %s by %d: %v", v.Username, delta, err)
	}
}

func (w world) wantBalance(t *testing.T, v core.Viewer, want Balance) {
	t.Helper()
	if got, err := w.Balance(t.Context(), v); err != nil || got != want {
		t.Errorf("%s has %+v, %v; want %+v", v.Username, got, err, want)
	}
}

func (w world) wantSound(t *testing.T) {
	t.Helper()
	if proof, err := w.Check(t.Context(), core.TheSystem()); err != nil || len(proof.Faults) > 0 {
		t.Errorf("the ledger: %s, %v", strings.Join(proof.Faults, "; "), err)
	}
}

func wantError(t *testing.T, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
