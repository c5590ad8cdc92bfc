package shoutouts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/secret"
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

// till notes what is paid, each thing once, and takes it back.
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
	if slices.Contains(p.paid, a) {
		return 0, nil
	}
	p.paid = append(p.paid, a)
	return 3, nil
}

func (p *till) RevokeTx(_ context.Context, _ *pg.Tx, a core.Award) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paid = slices.DeleteFunc(p.paid, func(other core.Award) bool { return other == a })
	return nil
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
		return core.Verdict{Decision: core.DecisionReject}, nil
	case strings.Contains(t.Body, "amen"):
		return core.Verdict{Decision: core.DecisionApprove}, nil
	}
	return core.Verdict{Decision: core.DecisionReview}, nil
}

// drafts stores drafts as a contribution has them.
type drafts struct{ full bool }

func (d *drafts) DraftTx(ctx context.Context, tx *pg.Tx, v core.Viewer, name, city string) (id, slug string, err error) {
	if d.full {
		return "", "", core.Conflictf("too_many_pending", "Too many wait.")
	}
	id = pg.NewID()
	_, err = tx.Exec(ctx, `
		insert into directory_contributions (id, kind, entry_name, account_id, proposal)
		values ($1, 'listing', $2, $3, jsonb_build_object('name', $2::text, 'city', $4::text))`, id, name, v.ID, city)
	return id, strings.ToLower(strings.ReplaceAll(name, " ", "-")), err
}

// values are settings in a map: what is missing is on.
type values map[string]bool

func (s values) Switch(settings.Switch) bool { return !s["open"] }

type world struct {
	*Service
	database *pgtest.Database
	clock    *clock
	till     *till
	pipeline *pipeline
	drafts   *drafts
	settings values
}

func setup(t testing.TB) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{database: d, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, till: &till{}, pipeline: &pipeline{},
		drafts: &drafts{}, settings: values{}}
	w.Service = w.over(t, d.DB)
	return w
}

func (w world) over(t testing.TB, db *pg.DB) *Service {
	t.Helper()
	installation, err := secret.Parse(strings.Repeat("a", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	return New(db, w.clock.read, Needs{Settings: w.settings, Secret: installation, Awards: w.till, Moderator: w.pipeline, Drafts: w.drafts})
}

// second is another instance over the same database.
func (w world) second(t testing.TB) *Service { return w.over(t, w.database.Instance(t)) }

// account makes an account by hand: that is another area's business.
func (w world) account(t testing.TB, name string, role core.Role) core.Viewer {
	t.Helper()
	v := core.Viewer{ID: pg.NewID(), Username: name, Role: role, Moderator: role == core.Staff}
	for _, sql := range []string{
		`insert into accounts (id, email) values ($1, $2 || '@homeplace.test')`,
		`insert into profiles (account_id, username) values ($1, $2)`,
	} {
		w.exec(t, sql, v.ID, name)
	}
	return v
}

func (w world) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := w.database.Exec(t, core.TheSystem(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (w world) member(t testing.TB, name string) core.Viewer { return w.account(t, name, core.Member) }
func (w world) moderator(t testing.TB, name string) core.Viewer {
	return w.account(t, name, core.Staff)
}

// business puts a public business into the directory by hand, found by its name
// and city in lower case, and gives its id.
func (w world) business(t testing.TB, slug, name, city string) string {
	t.Helper()
	id := pg.NewID()
	w.exec(t, `insert into directory_entries (id, slug, kind, name, city) values ($1, $2, 'business', $3, $4)`, id, slug, name, city)
	w.exec(t, `insert into search_documents (entry_id, kind, category, initial, sort_name, name_key, city_key, region, zip, haystack, words)
		values ($1, 'business', '', 'x', lower($2), lower($2), lower($3), '', '', '', '')`, id, name, city)
	return id
}

func (w world) post(t testing.TB, v core.Viewer, in Input) Posted {
	t.Helper()
	if in.Rating == 0 {
		in.Rating = 4.5
	}
	posted, err := w.Post(t.Context(), v, in)
	if err != nil {
		t.Fatalf("post %q: %v", in.BusinessName, err)
	}
	return posted
}

// decide runs a decision in a transaction as the desk does.
func (s *Service) decide(ctx context.Context, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	err = s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		done, err = s.Desk().DecideTx(ctx, tx, v, id, action, reason)
		return err
	})
	return done, err
}

func (w world) undo(t testing.TB, v core.Viewer, id string, memo json.RawMessage) error {
	t.Helper()
	return w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.Desk().UndoTx(t.Context(), tx, v, id, memo) })
}

func (w world) mustDecide(t testing.TB, v core.Viewer, id string, action core.Action, reason string) core.Done {
	t.Helper()
	done, err := w.decide(t.Context(), v, id, action, reason)
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	return done
}

// laidOut is the case of a shout-out as the viewer has it on the desk.
func (w world) laidOut(t testing.TB, v core.Viewer, id string) core.Case {
	t.Helper()
	var c core.Case
	err := w.database.Read(t.Context(), v, func(q pg.Querier) (err error) {
		c, err = w.Desk().CaseTx(t.Context(), q, v, id)
		return err
	})
	if err != nil {
		t.Fatalf("lay out %s: %v", id, err)
	}
	return c
}

// feed are the names of the businesses in the public list.
func (w world) feed(t testing.TB, f Filter) string {
	t.Helper()
	list, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range list.Items {
		names = append(names, s.BusinessName)
	}
	return strings.Join(names, ", ")
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
