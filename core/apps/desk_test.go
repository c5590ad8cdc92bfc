package apps

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// queue are the names that wait at the desk, by time.
func (w world) queue(t testing.TB) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(),
		`select coalesce(string_agg(title, ' | ' order by since), '') from desk_queue where target_type = 'app'`)
}

func TestDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	a, err := w.Create(t.Context(), ada, Input{Slug: "maps", Name: "Maps", Summary: "Shows blocks.", Description: "All of *them*.", HomepageURL: "https://maps.example"})
	if err != nil {
		t.Fatal(err)
	}
	want := core.Case{Target: core.Target{Type: "app", ID: a.ID}, Heading: "An app", Title: "Maps", Text: "All of *them*.", Path: "/apps/maps",
		Facts: []core.Fact{{Label: "In short", Text: "Shows blocks."}, {Label: "Website", Text: "https://maps.example", Href: "https://maps.example"},
			{Label: "Files", Text: "0 files", Href: "/apps/maps#files"}},
		SenderID: ada.ID, Sender: "ada", SentAt: a.CreatedAt, State: "waiting", Waiting: true, Actions: []core.Action{core.ActionApprove, core.ActionReject}}
	if diff := cmp.Diff(want, w.laidOut(t, mod, a.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		action                 core.Action
		reason, ruling, became string
	}{
		{core.ActionApprove, "", "app_published", "published"},
		{core.ActionReject, "It does nothing.", "app_refused", "refused"},
	} {
		if got := w.queue(t); got != "Maps" {
			t.Errorf("%q waits", got)
		}
		done := w.decided(t, mod, a.ID, tt.action, tt.reason)
		if ruling := (core.Ruling{Kind: tt.ruling, About: core.Target{Type: "app", ID: a.ID}, Title: "Maps", Reason: tt.reason}); done.Ruling != ruling {
			t.Errorf("%s rules %+v", tt.action, done.Ruling)
		}
		if c := w.laidOut(t, mod, a.ID); c.State != tt.became || c.Waiting || c.Reason != tt.reason || c.DecidedBy != mod.ID || w.queue(t) != "" {
			t.Errorf("%s leaves %+v, %q waits", tt.action, c, w.queue(t))
		}
		_, err := decideAt(t, w.database.DB, w.Desk(), mod, a.ID, core.ActionApprove, "")
		wantError(t, "deciding again", err, core.Conflict, "already_decided")
		if err := w.undo(t, mod, a.ID, done); err != nil {
			t.Fatal(err)
		}
		if c := w.laidOut(t, mod, a.ID); !c.Waiting || c.DecidedBy != "" || c.Reason != "" {
			t.Errorf("undone, %s leaves %+v", tt.action, c)
		}
		wantError(t, "undoing twice", w.undo(t, mod, a.ID, done), core.Conflict, "cannot_undo")
	}
	refused := w.decided(t, mod, a.ID, core.ActionReject, "No.")
	name := "Better maps"
	if _, err := w.Update(t.Context(), ada, "maps", Patch{Name: &name}); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what was sent in again", w.undo(t, mod, a.ID, refused), core.Conflict, "cannot_undo")
	if got := w.queue(t); got != "Better maps" {
		t.Errorf("sent in again, %q waits", got)
	}
}

func TestDeskRestores(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	a := w.pendingApp(t, ada, "maps")
	_, err := decideAt(t, w.database.DB, w.Desk(), mod, a.ID, core.ActionRestore, "")
	wantError(t, "restoring what waits", err, core.Invalid, "validation_failed")
	w.decided(t, mod, a.ID, core.ActionReject, "No.")
	restored := w.decided(t, other, a.ID, core.ActionRestore, "")
	if _, err := w.Get(t.Context(), core.Nobody(), "maps"); err != nil || restored.Ruling.Kind != "app_published" {
		t.Errorf("restored: %v, %+v", err, restored.Ruling)
	}
	if err := w.undo(t, other, a.ID, restored); err != nil {
		t.Fatal(err)
	}
	if c := w.laidOut(t, mod, a.ID); c.State != "refused" || c.Reason != "No." || c.DecidedBy != mod.ID || !c.Appealable {
		t.Errorf("undone: %+v", c)
	}
	restored = w.decided(t, other, a.ID, core.ActionRestore, "")
	if err := w.Hide(t.Context(), mod, "maps"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what was hidden since", w.undo(t, other, a.ID, restored), core.Conflict, "cannot_undo")
	if c := w.laidOut(t, mod, a.ID); c.State != "hidden" || !cmp.Equal(c.Actions, []core.Action{core.ActionRestore}) {
		t.Errorf("hidden: %+v", c)
	}
	shown := w.decided(t, mod, a.ID, core.ActionRestore, "")
	if shown.Ruling.Kind != "app_shown" {
		t.Errorf("%+v", shown.Ruling)
	}
	if err := w.undo(t, mod, a.ID, shown); err != nil || w.laidOut(t, mod, a.ID).State != "hidden" {
		t.Errorf("hidden again: %v", err)
	}
}

func TestWhoDecidesAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	own := w.pendingApp(t, mod, "own-app")
	for _, tt := range []struct {
		what   string
		v      core.Viewer
		id     string
		action core.Action
		reason string
		kind   core.Kind
		code   string
	}{
		{"nobody", core.Nobody(), own.ID, core.ActionApprove, "", core.Unauthenticated, "unauthenticated"},
		{"a member", ada, own.ID, core.ActionApprove, "", core.Forbidden, "not_allowed"},
		{"the owner", mod, own.ID, core.ActionApprove, "", core.Forbidden, "not_allowed"},
		{"without a reason", other, own.ID, core.ActionReject, "", core.Invalid, "validation_failed"},
		{"too long a reason", other, own.ID, core.ActionReject, strings.Repeat("é", 501), core.Invalid, "validation_failed"},
		{"another action", other, own.ID, core.ActionAbusive, "", core.Invalid, "validation_failed"},
		{"nothing", other, pg.NewID(), core.ActionApprove, "", core.NotFound, "not_found"},
		{"no id", other, "x", core.ActionApprove, "", core.NotFound, "not_found"},
	} {
		_, err := decideAt(t, w.database.DB, w.Desk(), tt.v, tt.id, tt.action, tt.reason)
		wantError(t, tt.what, err, tt.kind, tt.code)
	}
	if c := w.laidOut(t, mod, own.ID); c.Actions != nil {
		t.Errorf("the owner may %v", c.Actions)
	}
	done := w.decided(t, other, own.ID, core.ActionApprove, "")
	wantError(t, "the owner undoes", w.undo(t, mod, own.ID, done), core.Forbidden, "not_allowed")
	wantError(t, "a member undoes", w.undo(t, ada, own.ID, done), core.Forbidden, "not_allowed")
}

func TestQueueFollows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.pendingApp(t, ada, "maps")
	w.pendingApp(t, ada, "charts")
	w.pendingApp(t, ben, "lists")
	if err := w.Delete(t.Context(), ada, "charts"); err != nil {
		t.Fatal(err)
	}
	leave := func(v core.Viewer, remove bool) {
		t.Helper()
		if err := w.database.Write(t.Context(), v, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, v.ID, remove) }); err != nil {
			t.Fatal(err)
		}
	}
	leave(ada, false)
	leave(ben, true)
	if n := w.count(t, `select count(*) from desk_queue where sender_id is not null`); n != 0 || w.queue(t) != "Maps" {
		t.Errorf("%q waits, %d with a name", w.queue(t), n)
	}
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		if _, err := w.database.Exec(t, v, `delete from desk_queue`); !pg.Denied(err) {
			t.Errorf("%s empties the queue: %v", v.DatabaseRole(), err)
		}
	}
}

func TestOneDecisionAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.database.Instance(t)
	dbs := []*pg.DB{w.database.DB, other}
	desks := []Desk{w.Desk(), New(other, w.clock.read, Needs{Settings: w.settings}).Desk()}
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "mona")}
	a := w.pendingApp(t, w.member(t, "ada"), "maps")
	var took atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			_, err := decideAt(t, dbs[i%2], desks[i%2], mods[i/2%2], a.ID, []core.Action{core.ActionApprove, core.ActionReject}[i/4%2], "Because")
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
}
