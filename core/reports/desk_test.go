package reports

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func (w world) caseOf(t *testing.T, target string) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(), `select id::text from report_cases where target_id = $1`, target)
}

// queue are the titles that wait at the desk, each with whether its time is that
// of the oldest open report.
func (w world) queue(t *testing.T) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(), `
		select coalesce(string_agg(q.title || case when q.sender_id is null and q.since = (
			select min(r.created_at) from reports r join report_cases c using (target_type, target_id) where c.id = q.target_id and r.status = 'open')
			then '' else ' wrong' end, ' | ' order by q.since), '')
		from desk_queue q where q.target_type = 'report'`)
}

func TestDeskLaysOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.needs.Pages = map[Type]func(core.Reportable) string{TypeEntry: func(t core.Reportable) string { return "/entries/" + t.Title }}
	m := w.members(t, "ann", "ben", "cam", "owner")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", m[3])
	w.send(t, m[0], id)
	w.send(t, m[1], id)
	c := w.laidOut(t, mod, w.caseOf(t, id))
	want := core.Case{Target: core.Target{Type: "report", ID: w.caseOf(t, id)}, Heading: "A reported listing", Title: "oven", Path: "/entries/oven",
		Facts: []core.Fact{{Label: "What it is", Text: "listing", Href: "/entries/oven"}}, SenderID: m[3].ID, Sender: "owner", State: "published", Waiting: true,
		SentAt: c.Remarks[1].At, Actions: []core.Action{core.ActionHide, core.ActionKeep},
		Remarks: []core.Remark{{By: "ben", Category: "misleading", Text: "It moved.", State: "open", At: c.Remarks[0].At},
			{By: "ann", Category: "misleading", Text: "It moved.", State: "open", At: c.Remarks[1].At}}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.send(t, m[2], id)
	if c = w.laidOut(t, mod, c.ID); c.State != "hidden" || !c.Appealable || c.DecidedBy != "" || len(c.Facts) != 2 || len(c.Remarks) != 3 {
		t.Errorf("hidden by reports: %+v", c)
	}
}

func TestDeskHidesKeepsAndUndoes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "cam", "owner")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", m[3])
	w.send(t, m[0], id)
	w.send(t, m[1], id)
	desk := w.caseOf(t, id)
	_, err := decideAt(t, w.database.DB, w.Desk(), mod, desk, core.ActionHide, " ")
	wantCode(t, "without a reason", err, "validation_failed")
	_, err = decideAt(t, w.database.DB, w.Desk(), mod, desk, core.ActionRestore, "")
	wantCode(t, "restoring what waits", err, "validation_failed")
	for _, third := range []bool{false, true} {
		if third { // reports hide it
			w.send(t, m[2], id)
		}
		for _, tt := range []struct {
			action         core.Action
			reason, ruling string
			hidden         bool
			status         string
		}{
			{core.ActionHide, "It is wrong.", "report_upheld", true, "upheld"},
			{core.ActionKeep, "", "report_dismissed", false, "dismissed"},
		} {
			done := w.decided(t, mod, desk, tt.action, tt.reason)
			if want := (core.Ruling{Kind: tt.ruling, About: core.Target{Type: "directory_entry", ID: id}, Title: "oven", Reason: tt.reason}); done.Ruling != want {
				t.Errorf("%s rules %+v", tt.action, done.Ruling)
			}
			w.wantHidden(t, string(tt.action), id, tt.hidden)
			c := w.laidOut(t, mod, desk)
			if c.Waiting || c.Remarks[0].State != tt.status || c.DecidedBy != mod.ID || c.Reason != tt.reason || w.queue(t) != "" {
				t.Errorf("%s leaves %+v, %q waits", tt.action, c, w.queue(t))
			}
			_, err := decideAt(t, w.database.DB, w.Desk(), mod, desk, core.ActionKeep, "")
			wantCode(t, "deciding again", err, "already_decided")
			if err := w.undo(t, mod, desk, done); err != nil {
				t.Fatal(err)
			}
			w.wantHidden(t, "undone", id, third)
			if c := w.laidOut(t, mod, desk); !c.Waiting || c.Remarks[0].State != "open" || w.queue(t) != "oven" {
				t.Errorf("undone, %s leaves %+v, %q waits", tt.action, c, w.queue(t))
			}
			wantCode(t, "undoing twice", w.undo(t, mod, desk, done), "cannot_undo")
		}
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from audit_log where account_id is not null`); n != 0 {
		t.Errorf("the desk records, and %d stand there already", n)
	}
}

func TestDeskRestores(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "owner")
	mod, other := w.account(t, "mod", core.Staff), w.account(t, "other", core.Staff)
	id := w.entry(t, "oven", m[2])
	w.send(t, m[0], id)
	desk := w.caseOf(t, id)
	w.decided(t, mod, desk, core.ActionHide, "It is wrong.")
	if c := w.laidOut(t, other, desk); !c.Appealable || c.State != "hidden" || !cmp.Equal(c.Actions, []core.Action{core.ActionRestore}) {
		t.Errorf("%+v", c)
	}
	done := w.decided(t, other, desk, core.ActionRestore, "")
	w.wantHidden(t, "restored", id, false)
	if done.Ruling.Kind != "restored_after_reports" {
		t.Errorf("%+v", done.Ruling)
	}
	if err := w.undo(t, other, desk, done); err != nil {
		t.Fatal(err)
	}
	w.wantHidden(t, "undone", id, true)
	done = w.decided(t, other, desk, core.ActionRestore, "")
	w.send(t, m[1], id)
	wantCode(t, "reported again", w.undo(t, other, desk, done), "cannot_undo")
	_, err := decideAt(t, w.database.DB, w.Desk(), other, pg.NewID(), core.ActionKeep, "")
	wantCode(t, "no case", err, "not_found")
}

func TestGoneTargetAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", core.Nobody())
	w.send(t, m[0], id)
	if _, err := w.database.Exec(t, core.TheSystem(), `update directory_entries set status = 'archived' where id = $1`, id); err != nil {
		t.Fatal(err)
	}
	desk := w.caseOf(t, id)
	if c := w.laidOut(t, mod, desk); c.State != "gone" || c.Title != "oven" || !cmp.Equal(c.Actions, []core.Action{core.ActionHide}) {
		t.Errorf("%+v", c)
	}
	done := w.decided(t, mod, desk, core.ActionHide, "It has gone.")
	if done.Ruling.Kind != "report_closed" || w.queue(t) != "" {
		t.Errorf("%+v, %q waits", done.Ruling, w.queue(t))
	}
	if err := w.undo(t, mod, desk, done); err != nil || w.queue(t) != "oven" {
		t.Errorf("undone: %v, %q waits", err, w.queue(t))
	}
}

func TestWhoDecidesAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann")
	mod := w.account(t, "mod", core.Staff)
	id := w.entry(t, "oven", mod)
	w.send(t, m[0], id)
	desk := w.caseOf(t, id)
	for _, tt := range []struct {
		what string
		v    core.Viewer
		id   string
		code string
	}{
		{"nobody", core.Nobody(), desk, "unauthenticated"},
		{"a member", m[0], desk, "not_allowed"},
		{"the owner of the target", mod, desk, "not_allowed"},
		{"no id", mod, "x", "not_found"},
		{"another action", w.account(t, "other", core.Staff), desk, "validation_failed"},
	} {
		_, err := decideAt(t, w.database.DB, w.Desk(), tt.v, tt.id, core.ActionApprove, "")
		wantCode(t, tt.what, err, tt.code)
	}
	if c := w.laidOut(t, mod, desk); c.Actions != nil {
		t.Errorf("the owner may %v", c.Actions)
	}
	if _, err := w.database.Exec(t, m[0], `select id from report_cases`); !pg.Denied(err) {
		t.Errorf("a member reads cases: %v", err)
	}
	if _, err := w.database.Exec(t, m[0], `update desk_queue set title = 'x'`); !pg.Denied(err) {
		t.Errorf("a member writes the queue: %v", err)
	}
}

func TestQueueFollows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	m := w.members(t, "ann", "ben", "cam")
	id := w.entry(t, "oven", core.Nobody())
	for _, v := range m[:2] {
		w.send(t, v, id)
	}
	mine, err := w.Mine(t.Context(), m[0], core.Page{})
	if err != nil || w.queue(t) != "oven" {
		t.Fatalf("%v, %q waits", err, w.queue(t))
	}
	wantCode(t, "withdrawing", w.Withdraw(t.Context(), m[0], mine.Items[0].ID), "")
	if got := w.queue(t); got != "oven" {
		t.Errorf("one is left, and %q waits", got)
	}
	leave := func(v core.Viewer, remove bool) {
		t.Helper()
		if err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, v.ID, remove) }); err != nil {
			t.Fatal(err)
		}
	}
	leave(m[1], false)
	if got := w.queue(t); got != "oven" {
		t.Errorf("one without a name is left, and %q waits", got)
	}
	w.decided(t, w.account(t, "mod", core.Staff), w.caseOf(t, id), core.ActionKeep, "")
	w.send(t, m[2], id)
	leave(m[2], true)
	if got := w.queue(t); got != "" {
		t.Errorf("%q waits", got)
	}
}

// Members take back what they reported while moderators decide, on two
// instances: the queue ends as the reports do.
func TestManyAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.database.Instance(t)
	services := []*Service{w.Service, newService(other)}
	dbs := []*pg.DB{w.database.DB, other}
	mods := []core.Viewer{w.account(t, "mod", core.Staff), w.account(t, "mona", core.Staff)}
	id := w.entry(t, "oven", core.Nobody())
	m := w.members(t, "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8")
	w.send(t, m[0], id)
	desk := w.caseOf(t, id)
	var took atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			action := []core.Action{core.ActionHide, core.ActionKeep}[i/4%2]
			_, err := decideAt(t, dbs[i%2], services[i%2].Desk(), mods[i/2%2], desk, action, "Because")
			switch {
			case err == nil:
				took.Add(1)
			case core.AsError(err).Code != "already_decided":
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if took.Load() != 1 || w.queue(t) != "" {
		t.Errorf("%d decisions, %q waits", took.Load(), w.queue(t))
	}
	id = w.entry(t, "mill", core.Nobody())
	for i, v := range m {
		wg.Go(func() {
			s := services[i%2]
			if _, err := s.Send(t.Context(), v, about(id)); err != nil && core.KindOf(err) != core.NotFound {
				t.Error(err)
			}
			mine, err := s.Mine(t.Context(), v, core.Page{})
			if err != nil {
				t.Error(err)
			}
			for _, r := range mine.Items {
				if err := s.Withdraw(t.Context(), v, r.ID); err != nil && core.AsError(err).Code != "already_decided" {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if w.queue(t) != "" {
		t.Errorf("all are taken back, and %q waits", w.queue(t))
	}
}
