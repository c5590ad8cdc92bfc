package contributions

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func (w world) wantQueue(t *testing.T, what, want string) {
	t.Helper()
	got := pgtest.Value[string](t, w.database, core.TheSystem(),
		`select coalesce(string_agg(title, ' | ' order by since), '') from desk_queue where target_type = 'contribution'`)
	if got != want {
		t.Errorf("%s: %q waits, want %q", what, got, want)
	}
}

func (w world) public(t *testing.T, slug string) bool {
	t.Helper()
	_, err := w.directory.Get(t.Context(), directory.KindBusiness, slug)
	if err != nil && core.KindOf(err) != core.NotFound {
		t.Fatal(err)
	}
	return err == nil
}

func (w world) stillOpen(t *testing.T, v core.Viewer, open bool) Contribution {
	t.Helper()
	c, err := w.StillOpen(t.Context(), v, directory.KindBusiness, "blue-heron", open, "I was there.")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDeskLaysOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	offered, err := w.Offer(t.Context(), ada, directory.Input{Kind: directory.KindBusiness, Name: "Blue Heron Bakery", Description: "Bread.", Category: "bakery",
		Address: "1 Main St", City: "Atlanta", Region: "GA", Zip: "30303", Website: "heron.example"})
	if err != nil {
		t.Fatal(err)
	}
	actions := []core.Action{core.ActionApprove, core.ActionReject}
	c := w.laidOut(t, mod, offered.ID)
	want := core.Case{Target: core.Target{Type: "contribution", ID: offered.ID}, Heading: "A new listing", Title: "Blue Heron Bakery", Text: "Bread.",
		Edit: "/moderation/listings/" + offered.ID + "/amend", SenderID: ada.ID, Sender: "ada", SentAt: offered.CreatedAt, State: "waiting", Waiting: true,
		Facts: []core.Fact{{Label: "Kind", Text: "business"}, {Label: "Category", Text: "Bakeries"}, {Label: "Where", Text: "1 Main St, Atlanta, GA 30303"},
			{Label: "Website", Text: "https://heron.example", Href: "https://heron.example"},
			{Label: "Perhaps the same", Text: "Blue Heron Bakery, Atlanta", Href: "/directory/businesses/blue-heron"},
			{Label: "On the map", Text: "No exact point is given: this is the middle of ZIP 30303."}},
		Point: c.Point, Actions: actions}
	if diff := cmp.Diff(want, c); diff != "" || c.Point == nil || int(c.Point.Lat) != 33 || int(c.Point.Lng) != -84 {
		t.Errorf("at %v (-want +got):\n%s", c.Point, diff)
	}
	edit := w.suggested(t, ada, "404-555-0199")
	c = w.laidOut(t, mod, edit.ID)
	if diff := cmp.Diff([]core.Change{{Label: "Phone", Before: "404-555-0100", After: "404-555-0199"}}, c.Changes); diff != "" ||
		c.Path != "/directory/businesses/blue-heron" || c.Heading != "A change of a listing" || c.Edit == "" {
		t.Errorf("%+v:\n%s", c, diff)
	}
	closed := w.stillOpen(t, ada, false)
	if c = w.laidOut(t, mod, closed.ID); c.Heading != "A place that has closed" || c.Edit != "" || !cmp.Equal(c.Actions, actions) ||
		c.Facts[0] != (core.Fact{Label: "Message", Text: "I was there."}) || c.Changes[0].After != "archived" {
		t.Errorf("%+v", c)
	}
	own := w.offered(t, mod, "Mod's Mill")
	if c = w.laidOut(t, mod, own.ID); c.Actions != nil || c.Edit != "" {
		t.Errorf("one's own: %+v", c)
	}
}

func TestListingAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	sent := w.offered(t, ada, "Ada's Oven")
	w.wantQueue(t, "sent", "Ada's Oven")
	const slug = "adas-oven-atlanta"
	for range 2 { // the same entry, under the same address
		done := w.decided(t, mod, sent.ID, core.ActionApprove, "")
		if want := (core.Ruling{Kind: "listing_approved", About: core.Target{Type: "directory_contribution", ID: sent.ID}, Title: "Ada's Oven"}); done.Ruling != want {
			t.Errorf("it rules %+v", done.Ruling)
		}
		if c := w.laidOut(t, mod, sent.ID); !w.public(t, slug) || c.State != "published" || c.DecidedBy != mod.ID || c.Path == "" {
			t.Errorf("approved: %+v", c)
		}
		w.wantPoints(t, ada, 10)
		w.wantQueue(t, "approved", "")
		_, err := decideAt(t, w.database.DB, w.Desk(), mod, sent.ID, core.ActionReject, "Again")
		wantError(t, "deciding again", err, core.Conflict, "already_decided")
		if err := w.undo(t, mod, sent.ID, done); err != nil {
			t.Fatal(err)
		}
		if c := w.laidOut(t, mod, sent.ID); w.public(t, slug) || !c.Waiting || c.DecidedBy != "" || len(c.Facts) != 3 {
			t.Errorf("undone: %+v", c)
		}
		w.wantPoints(t, ada, 0)
		w.wantQueue(t, "undone", "Ada's Oven")
		wantError(t, "undoing twice", w.undo(t, mod, sent.ID, done), core.Conflict, "cannot_undo")
		w.wantSound(t)
	}
	if n := w.count(t, `select count(*) from directory_entries`); n != 1 {
		t.Errorf("%d entries", n)
	}
	refused := w.decided(t, mod, sent.ID, core.ActionReject, "There is none.")
	if want := (core.Ruling{Kind: "listing_refused", About: core.Target{Type: "directory_contribution", ID: sent.ID}, Title: "Ada's Oven", Reason: "There is none."}); refused.Ruling != want {
		t.Errorf("it rules %+v", refused.Ruling)
	}
	if c := w.laidOut(t, other, sent.ID); c.State != "refused" || !c.Appealable || !cmp.Equal(c.Actions, []core.Action{core.ActionRestore}) {
		t.Errorf("refused: %+v", c)
	}
	restored := w.decided(t, other, sent.ID, core.ActionRestore, "")
	w.wantPoints(t, ada, 10)
	if !w.public(t, slug) {
		t.Error("restored, and not there")
	}
	if err := w.undo(t, other, sent.ID, restored); err != nil {
		t.Fatal(err)
	}
	if c := w.laidOut(t, mod, sent.ID); w.public(t, slug) || c.State != "refused" || c.Reason != "There is none." || c.DecidedBy != mod.ID {
		t.Errorf("the restoring undone: %+v", c)
	}
	w.wantPoints(t, ada, 0)
	restored = w.decided(t, other, sent.ID, core.ActionRestore, "")
	e, err := w.directory.Get(t.Context(), directory.KindBusiness, slug)
	if err != nil {
		t.Fatal(err)
	}
	in := directory.FormOf(e)
	in.Phone = "404-555-0111"
	if _, err := w.directory.Update(t.Context(), ada, e.ID, in, e.UpdatedAt); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what its owner has changed since", w.undo(t, other, sent.ID, restored), core.Conflict, "cannot_undo")
	w.wantPoints(t, ada, 10)
	if !w.public(t, slug) {
		t.Error("a failed undoing took it away")
	}
}

func TestEditAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	before := w.form(t)
	in := w.form(t)
	in.Phone, in.Tags, in.Hours, in.Summary = "", []string{"cake"}, nil, "Bread and cake."
	sent, err := w.SuggestEdit(t.Context(), ada, directory.KindBusiness, "blue-heron", in, "")
	if err != nil {
		t.Fatal(err)
	}
	done := w.decided(t, mod, sent.ID, core.ActionApprove, "")
	if got := w.form(t); got.Phone != "" || got.Summary != "Bread and cake." || done.Ruling.Kind != "edit_approved" {
		t.Errorf("%+v, %+v", got, done.Ruling)
	}
	if c := w.laidOut(t, mod, sent.ID); c.Changes != nil || len(c.Facts) != 2 {
		t.Errorf("decided, it shows %+v", c)
	}
	if err := w.undo(t, mod, sent.ID, done); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.form(t)); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
	w.wantQueue(t, "undone", "Blue Heron Bakery")
	w.wantSound(t)
	done = w.decided(t, mod, sent.ID, core.ActionApprove, "")
	w.decided(t, mod, w.suggested(t, ben, "404-555-0177").ID, core.ActionApprove, "")
	wantError(t, "what has changed since", w.undo(t, mod, sent.ID, done), core.Conflict, "cannot_undo")
	if got := w.form(t); got.Phone != "404-555-0177" || got.Summary != "Bread and cake." {
		t.Errorf("a failed undoing left %+v", got)
	}
}

func TestWordAboutAPlaceAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	open := w.stillOpen(t, ada, true)
	done := w.decided(t, mod, open.ID, core.ActionApprove, "")
	if !w.heron(t).Verified || done.Ruling.Kind != "still_open_approved" {
		t.Errorf("%+v", done.Ruling)
	}
	if err := w.undo(t, mod, open.ID, done); err != nil || w.heron(t).Verified {
		t.Errorf("undone: %v", err)
	}
	refused := w.decided(t, mod, open.ID, core.ActionReject, "We called.")
	closed := w.stillOpen(t, ada, false)
	wantError(t, "while another word waits", w.undo(t, mod, open.ID, refused), core.Conflict, "cannot_undo")
	done = w.decided(t, mod, closed.ID, core.ActionApprove, "")
	if w.public(t, "blue-heron") {
		t.Error("a closed place is there")
	}
	if err := w.undo(t, mod, closed.ID, done); err != nil || !w.public(t, "blue-heron") {
		t.Errorf("undone: %v", err)
	}
	done = w.decided(t, mod, closed.ID, core.ActionApprove, "")
	if err := w.directory.Hide(t.Context(), mod, w.heron(t).ID); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what was hidden since", w.undo(t, mod, closed.ID, done), core.Conflict, "cannot_undo")
	w.wantSound(t)
}

func TestWhoDecidesAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	own := w.offered(t, mod, "Mod's Mill")
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
		{"who sent it", mod, own.ID, core.ActionApprove, "", core.Forbidden, "not_allowed"},
		{"without a reason", other, own.ID, core.ActionReject, "", core.Invalid, "validation_failed"},
		{"too long a reason", other, own.ID, core.ActionReject, strings.Repeat("é", 501), core.Invalid, "validation_failed"},
		{"another action", other, own.ID, core.ActionHide, "x", core.Invalid, "validation_failed"},
		{"restoring what waits", other, own.ID, core.ActionRestore, "", core.Invalid, "validation_failed"},
		{"nothing", other, pg.NewID(), core.ActionApprove, "", core.NotFound, "not_found"},
		{"no id", other, "x", core.ActionApprove, "", core.NotFound, "not_found"},
	} {
		_, err := decideAt(t, w.database.DB, w.Desk(), tt.v, tt.id, tt.action, tt.reason)
		wantError(t, tt.what, err, tt.kind, tt.code)
	}
	done := w.decided(t, other, own.ID, core.ActionApprove, "")
	wantError(t, "who sent it undoes", w.undo(t, mod, own.ID, done), core.Forbidden, "not_allowed")
	wantError(t, "a member undoes", w.undo(t, ada, own.ID, done), core.Forbidden, "not_allowed")
	if n := w.count(t, `select count(*) from audit_log`); n != 0 {
		t.Errorf("the desk records, and %d stand there already", n)
	}
}

func TestQueueFollows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	first := w.offered(t, ada, "Ada's Oven")
	w.offered(t, ada, "Ada's Mill")
	w.offered(t, ben, "Ben's Mill")
	if err := w.Withdraw(t.Context(), ada, first.ID); err != nil {
		t.Fatal(err)
	}
	w.wantQueue(t, "withdrawn", "Ada's Mill | Ben's Mill")
	leave := func(v core.Viewer, remove bool) {
		t.Helper()
		if err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, v.ID, remove) }); err != nil {
			t.Fatal(err)
		}
	}
	leave(ada, false)
	leave(ben, true)
	w.wantQueue(t, "left", "Ada's Mill")
	if n := w.count(t, `select count(*) from desk_queue where sender_id is not null`); n != 0 {
		t.Errorf("%d with a name", n)
	}
	for _, sql := range []string{`delete from desk_queue`, `select desk_waits('contribution', gen_random_uuid(), true, 'x', null, now())`} {
		if _, err := w.database.Exec(t, ada, sql); !pg.Denied(err) {
			t.Errorf("a member: %s: %v", sql, err)
		}
	}
}

func TestCorrectDecidesNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	listing, edit, word, own := w.offered(t, ada, "Adas Oven"), w.suggested(t, ada, "404-555-0199"), w.stillOpen(t, ada, true), w.offered(t, mod, "Mine")
	name := Patch{Fields: []string{"name", "phone"}, Input: directory.Input{Name: " Ada's Oven ", Phone: "404-555-0123"}}
	if err := w.Correct(t.Context(), mod, listing.ID, name); err != nil {
		t.Fatal(err)
	}
	w.wantQueue(t, "corrected", "Ada's Oven | Blue Heron Bakery | Blue Heron Bakery | Mine")
	if c := w.laidOut(t, mod, listing.ID); !c.Waiting || c.Title != "Ada's Oven" || c.DecidedBy != "" {
		t.Errorf("%+v", c)
	}
	if err := w.Correct(t.Context(), mod, edit.ID, Patch{Fields: []string{"summary"}, Input: directory.Input{Summary: "Bread."}}); err != nil {
		t.Fatal(err)
	}
	if c := w.laidOut(t, mod, edit.ID); len(c.Changes) != 2 || c.Changes[0].After != "Bread." || c.Changes[1].After != "404-555-0199" {
		t.Errorf("%+v", c.Changes)
	}
	back := Patch{Fields: []string{"summary", "phone"}, Input: directory.Input{Phone: "404-555-0100"}}
	wantError(t, "into nothing", w.Correct(t.Context(), mod, edit.ID, back), core.Invalid, "validation_failed")
	wantError(t, "into what is wrong", w.Correct(t.Context(), mod, edit.ID, Patch{Fields: []string{"website"}, Input: directory.Input{Website: "javascript:x"}}), core.Invalid, "validation_failed")
	wantError(t, "a word", w.Correct(t.Context(), mod, word.ID, name), core.Invalid, "validation_failed")
	wantError(t, "one's own", w.Correct(t.Context(), mod, own.ID, name), core.Forbidden, "not_allowed")
	wantError(t, "a member", w.Correct(t.Context(), ada, listing.ID, name), core.Forbidden, "not_allowed")
	w.decided(t, mod, listing.ID, core.ActionApprove, "")
	w.decided(t, mod, edit.ID, core.ActionApprove, "")
	if e := w.heron(t); e.Summary.Summary != "Bread." || *e.Phone != "404-555-0199" || !w.public(t, "adas-oven-atlanta") {
		t.Errorf("%+v", e)
	}
	wantError(t, "once decided", w.Correct(t.Context(), mod, listing.ID, name), core.Conflict, "already_decided")
}

func TestOneDecisionAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.database.Instance(t)
	dbs := []*pg.DB{w.database.DB, other}
	desks := []Desk{w.Desk(), w.newInstance(other).Desk()}
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "mona")}
	ada := w.member(t, "ada")
	sent := w.offered(t, ada, "Ada's Oven")
	var took atomic.Int32
	var approved core.Done
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			done, err := decideAt(t, dbs[i%2], desks[i%2], mods[i/2%2], sent.ID, core.ActionApprove, "")
			switch {
			case err == nil:
				took.Add(1)
				approved = done
			case core.AsError(err).Code != "already_decided":
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w.wantPoints(t, ada, 10)
	w.wantQueue(t, "approved", "")
	for i := range 16 {
		wg.Go(func() {
			err := dbs[i%2].Write(t.Context(), mods[0], func(tx *pg.Tx) error {
				return desks[i%2].UndoTx(t.Context(), tx, mods[0], sent.ID, approved.Memo)
			})
			switch {
			case err == nil:
				took.Add(1)
			case core.AsError(err).Code != "cannot_undo":
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if took.Load() != 2 {
		t.Errorf("%d decisions and undoings", took.Load())
	}
	w.wantPoints(t, ada, 0)
	w.wantQueue(t, "undone", "Ada's Oven")
	w.wantSound(t)
}
