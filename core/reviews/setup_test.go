package reviews

import (
	"context"
	"encoding/json"
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
	pipeline *pipeline
}

// setup makes two products, shea and coffee.
func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, pipeline: &pipeline{}}
	w.Service = New(d.DB, w.clock.read, Needs{Moderator: w.pipeline})
	w.products(t, `{"slug":"shea","name":"Shea Butter","maker":"Nia’s Kitchen","summary":"Whipped by hand.","category":"Skin care","image_url":"https://example.org/shea.png"}`,
		`{"slug":"coffee","name":"Porch Coffee","maker":"Élan Roasters","category":"Coffee"}`)
	return w
}

// second is another instance over the same database.
func (w world) second(t testing.TB) *Service {
	t.Helper()
	return New(w.database.Instance(t), w.clock.read, Needs{Moderator: w.pipeline})
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

func (w world) write(t testing.TB, v core.Viewer, product string, rating int, body string) Sent {
	t.Helper()
	sent, err := w.Write(t.Context(), v, product, Input{Rating: rating, Body: body})
	if err != nil {
		t.Fatalf("write %q: %v", body, err)
	}
	return sent
}

// decide runs a decision as the desk does.
func (w world) decide(t testing.TB, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	t.Helper()
	return decide(t, w.Service, v, id, action, reason)
}

func decide(t testing.TB, s *Service, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	t.Helper()
	err = s.db.Write(t.Context(), v, func(tx *pg.Tx) (err error) {
		done, err = s.Desk().DecideTx(t.Context(), tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) undo(t testing.TB, v core.Viewer, id string, memo json.RawMessage) error {
	t.Helper()
	return w.db.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, memo) })
}

func (w world) deskCase(t testing.TB, v core.Viewer, id string) (c core.Case, err error) {
	t.Helper()
	err = w.db.Read(t.Context(), v, func(q pg.Querier) (err error) {
		c, err = w.Desk().CaseTx(t.Context(), q, v, id)
		return err
	})
	return c, err
}

// approved writes a review and has it approved.
func (w world) approved(t testing.TB, v, mod core.Viewer, product string, rating int, body string) Sent {
	t.Helper()
	sent := w.write(t, v, product, rating, body)
	if _, err := w.decide(t, mod, sent.ID, core.ActionApprove, ""); err != nil {
		t.Fatalf("approve %q: %v", body, err)
	}
	return sent
}

func (w world) products(t testing.TB, lines ...string) {
	t.Helper()
	if _, err := w.ImportProducts(t.Context(), core.TheSystem(), rows(t, lines...), strictly(t)); err != nil {
		t.Fatal(err)
	}
}

func (w world) load(t testing.TB, lines ...string) {
	t.Helper()
	if _, err := w.ImportReviews(t.Context(), core.TheSystem(), rows(t, lines...), strictly(t)); err != nil {
		t.Fatal(err)
	}
}

func strictly(t testing.TB) rowfile.Options {
	return rowfile.Options{Strict: true, Problem: func(line int, err error) { t.Errorf("line %d: %v", line, err) }}
}

func rows(t testing.TB, lines ...string) *rowfile.Reader {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found are the authors of the reviews that a filter finds, in order.
func (w world) found(t testing.TB, f Filter) string {
	t.Helper()
	list, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatalf("list %+v: %v", f, err)
	}
	var authors []string
	for _, r := range list.Items {
		authors = append(authors, r.Author)
	}
	return strings.Join(authors, " ")
}

// count is a number as the database really holds it.
func (w world) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	return pgtest.Value[int](t, w.database, core.TheSystem(), sql, args...)
}

func wantError(t testing.TB, what string, err error, kind core.Kind, code string) {
	t.Helper()
	if err == nil || core.KindOf(err) != kind || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want an error of kind %d and code %s", what, err, kind, code)
	}
}
