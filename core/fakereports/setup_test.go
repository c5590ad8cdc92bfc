package fakereports

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

// till notes what would be paid, and what taken back.
type till struct {
	mu            sync.Mutex
	paid, revoked []core.Award
}

func (p *till) AwardTx(ctx context.Context, tx *pg.Tx, a core.Award) (int, error) {
	return 5, p.note(ctx, tx, &p.paid, a)
}

func (p *till) RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error {
	return p.note(ctx, tx, &p.revoked, a)
}

func (p *till) note(ctx context.Context, tx *pg.Tx, list *[]core.Award, a core.Award) error {
	var role string
	if err := tx.QueryRow(ctx, `select current_user`).Scan(&role); err != nil || role != "system" {
		return core.Forbiddenf("as %s: %v", role, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, a)
	return nil
}

// pipeline rejects what has "buy now" in it, and fails on "outage".
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
		return core.Verdict{Decision: core.DecisionReject, Score: 0.97}, nil
	}
	return core.Verdict{Decision: core.DecisionApprove, Score: 0.01}, nil
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

// send sends a scam that is described so.
func (w world) send(t testing.TB, v core.Viewer, description string) Sent {
	t.Helper()
	sent, err := w.Send(t.Context(), v, Input{Category: "scam", Description: description})
	if err != nil {
		t.Fatalf("send %q: %v", description, err)
	}
	return sent
}

func (w world) decide(t testing.TB, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	return done, w.database.Write(t.Context(), v, func(tx *pg.Tx) error {
		done, err = w.Desk().DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
}

func (w world) undo(t testing.TB, v core.Viewer, id string, done core.Done) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, done.Memo) })
}

func (w world) confirm(t testing.TB, v core.Viewer, id string) core.Done {
	t.Helper()
	done, err := w.decide(t, v, id, core.ActionApprove, "")
	if err != nil {
		t.Fatalf("confirm %s: %v", id, err)
	}
	return done
}

func (w world) caseOf(t testing.TB, v core.Viewer, id string) (c core.Case, err error) {
	t.Helper()
	return c, w.database.Read(t.Context(), v, func(q pg.Querier) error {
		c, err = w.Desk().CaseTx(t.Context(), q, v, id)
		return err
	})
}

// found are the descriptions that a filter finds, in order.
func (w world) found(t testing.TB, f Filter) string {
	t.Helper()
	list, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatalf("list %+v: %v", f, err)
	}
	var texts []string
	for _, r := range list.Items {
		texts = append(texts, r.Description)
	}
	return strings.Join(texts, ", ")
}

// waiting are the titles in the queue of the desk, the oldest first.
func (w world) waiting(t testing.TB) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(), `
		select coalesce(string_agg(title || ' by ' || coalesce(sender_id::text, 'nobody'), ', ' order by since), '')
		from desk_queue where target_type = 'fake_report'`)
}

func wantError(t testing.TB, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
