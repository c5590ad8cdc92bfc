package desk

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
)

func TestMain(m *testing.M) { pgtest.Main(m) }

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

// things are an area of the tests, with the sayings' tables for its own: what is
// decided about one is its status.
type things struct{}

const statusOf = `select y.status, y.text, coalesce(s.submitted_by::text, ''), s.reason, coalesce(s.decided_by::text, '')
	from sayings y join saying_submissions s on s.saying_id = y.id where y.id = $1`

func (things) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	c := core.Case{Target: core.Target{Type: "saying", ID: id}, Heading: "A saying"}
	if err := q.QueryRow(ctx, statusOf, id).Scan(&c.State, &c.Title, &c.SenderID, &c.Reason, &c.DecidedBy); err != nil {
		return c, core.NotFoundf("no such thing")
	}
	c.Text, c.Waiting = c.Title, c.State == "pending"
	c.Appealable = c.State == "refused" || c.State == "spam"
	return c, nil
}

var outcomes = map[core.Action]string{core.ActionApprove: "draft", core.ActionReject: "refused", core.ActionAbusive: "spam", core.ActionRestore: "draft"}

func (things) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	var was string
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if err := tx.QueryRow(ctx, `select status from sayings where id = $1 for update`, id).Scan(&was); err != nil {
			return err
		}
		switch {
		case (was == "pending") == (action == core.ActionRestore):
			return core.Conflictf("already_decided", "it is %s", was)
		case action == core.ActionReject && reason == "":
			return core.InvalidField("reason", "is required")
		}
		if _, err := tx.Exec(ctx, `update sayings set status = $2 where id = $1`, id, outcomes[action]); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update saying_submissions set reason = $2, decided_by = $3 where saying_id = $1`, id, reason, v.ID)
		return err
	})
	memo, _ := json.Marshal(was)
	return core.Done{Ruling: core.Ruling{Kind: "thing_" + outcomes[action], About: core.Target{Type: "saying", ID: id}, Title: "A thing"}, Memo: memo}, err
}

func (things) UndoTx(ctx context.Context, tx *pg.Tx, _ core.Viewer, id string, memo json.RawMessage) error {
	var was string
	if err := json.Unmarshal(memo, &was); err != nil {
		return err
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update sayings set status = $2 where id = $1`, id, was)
		return err
	})
}

// guards stand for the services that the desk calls; what they did is noted.
type guards struct {
	mu             sync.Mutex
	kinds, blocked []string
	lifted         []core.Target
}

func (g *guards) RecordTx(_ context.Context, _ *pg.Tx, _ core.Viewer, r core.Ruling) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kinds = append(g.kinds, strings.TrimSuffix(r.Kind+": "+r.Reason, ": "))
	return nil
}

func (g *guards) VerdictTx(_ context.Context, _ pg.Querier, about core.Target) (core.Verdict, core.Origin, bool, error) {
	return core.Verdict{Decision: core.DecisionReview, Score: 0.6}, core.Origin{AddressKey: "192.0.2.7"}, about.Type == "saying", nil
}

func (g *guards) BlockTx(_ context.Context, _ *pg.Tx, _ core.Viewer, a core.Abuse) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blocked = append(g.blocked, a.From.AddressKey)
	return true, nil
}

func (g *guards) LiftAboutTx(_ context.Context, _ *pg.Tx, _ core.Viewer, about core.Target, _ string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lifted = append(g.lifted, about)
	return nil
}

type world struct {
	*Service
	database *pgtest.Database
	clock    *clock
	guards   *guards
}

func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, guards: &guards{}}
	w.Service = w.over(d.DB)
	return w
}

func (w world) over(db *pg.DB) *Service {
	return New(db, w.clock.read, Needs{Audit: w.guards, Blocks: w.guards, Judge: w.guards, Queues: []Queue{{"saying", "Things", things{}}}})
}

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

// sent is a thing that v sends and that waits.
func (w world) sent(t testing.TB, v core.Viewer, text string) core.Target {
	t.Helper()
	id := pg.NewID()
	err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		if _, err := tx.Exec(t.Context(), `insert into saying_submissions (saying_id, submitted_by) values ($1, $2)`, id, v.ID); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `
			insert into sayings (id, text, text_key, words, created_at)
			values ($1, $2, sha256(convert_to($2, 'UTF8')), $2, $3)`, id, text, w.clock.read())
		return err
	})
	if err != nil {
		t.Fatalf("send %q: %v", text, err)
	}
	return core.Target{Type: "saying", ID: id}
}

func (w world) status(t testing.TB, about core.Target) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(), `select status from sayings where id = $1`, about.ID)
}

func (w world) titles(t testing.TB, v core.Viewer, f Filter) string {
	t.Helper()
	in, err := w.Inbox(t.Context(), v, f)
	if err != nil {
		t.Fatalf("inbox %+v: %v", f, err)
	}
	var list []string
	for _, item := range in.Items {
		list = append(list, item.Title)
	}
	return strings.Join(list, " ")
}

func wantError(t testing.TB, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
