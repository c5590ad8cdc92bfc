package sayings

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
)

func TestDeskLaysOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	sent, err := w.Submit(t.Context(), ada, Input{Words: Words{Text: "A hard head", Meaning: "Listen.", Region: "US South", Category: "caution"},
		SubmitterName: "Ada B.", SubmitterEmail: "ada@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	want := core.Case{Target: core.Target{Type: "saying", ID: sent.ID}, Heading: "A saying", Title: "A hard head", Text: "A hard head",
		Edit: "/moderation/sayings/" + sent.ID + "/amend", SenderID: ada.ID, Sender: "ada", SentAt: sent.CreatedAt, State: "waiting", Waiting: true,
		Facts: []core.Fact{{Label: "Meaning", Text: "Listen."}, {Label: "Region", Text: "US South"}, {Label: "Category", Text: "Caution and trouble"},
			{Label: "Name as given", Text: "Ada B."}, {Label: "E-mail as given", Text: "ada@example.org"}},
		Actions: []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}}
	if diff := cmp.Diff(want, w.laidOut(t, mod, sent.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	own := w.submit(t, mod, "The moderator's own")
	if c := w.laidOut(t, mod, own.ID); c.Actions != nil || c.Edit != "" || !c.Waiting {
		t.Errorf("their own: %+v", c)
	}
	for _, id := range []string{"x", pg.NewID()} {
		err := w.database.Read(t.Context(), mod, func(q pg.Querier) error {
			_, err := w.Desk().CaseTx(t.Context(), q, mod, id)
			return err
		})
		wantError(t, "no such saying", err, core.NotFound, "not_found")
	}
}

func TestDeskDecidesAndUndoes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	sent := w.submit(t, ada, "Once and again")
	w.wantQueue(t, "sent", "Once and again")
	for _, tt := range []struct {
		action                    core.Action
		reason, ruling, state, in string // in: what the public finds
		payments, takenBack       int
	}{
		{core.ActionApprove, "", "saying_approved", "published", "once-and-again", 1, 1},
		{core.ActionReject, "We know it.", "saying_refused", "refused", "", 1, 1},
		{core.ActionAbusive, "", "saying_abusive", "marked as spam", "", 1, 1},
		{core.ActionApprove, "", "saying_approved", "published", "once-and-again", 2, 2},
	} {
		done := w.decided(t, mod, sent.ID, tt.action, tt.reason)
		if want := (core.Ruling{Kind: tt.ruling, About: core.Target{Type: "saying", ID: sent.ID}, Title: "Once and again", Reason: tt.reason}); done.Ruling != want {
			t.Errorf("%s rules %+v", tt.action, done.Ruling)
		}
		c := w.laidOut(t, mod, sent.ID)
		if c.State != tt.state || c.Waiting || c.DecidedBy != mod.ID || c.Reason != tt.reason || c.Appealable != (tt.in == "") || w.found(t, Filter{}) != tt.in {
			t.Errorf("%s leaves %+v", tt.action, c)
		}
		w.wantQueue(t, string(tt.action), "")
		if _, err := w.decideAt(t, w.database.DB, w.Desk(), mod, sent.ID, core.ActionApprove, ""); err == nil || core.AsError(err).Code != "already_decided" {
			t.Errorf("deciding again: %v", err)
		}
		if err := w.undo(t, mod, sent.ID, done); err != nil {
			t.Fatal(err)
		}
		c = w.laidOut(t, mod, sent.ID)
		if !c.Waiting || c.DecidedBy != "" || c.Reason != "" || w.found(t, Filter{}) != "" || len(w.till.paid) != tt.payments || len(w.till.revoked) != tt.takenBack {
			t.Errorf("undone, %s leaves %+v, paid %d times and back %d times", tt.action, c, len(w.till.paid), len(w.till.revoked))
		}
		w.wantQueue(t, "undone", "Once and again")
		wantError(t, "undoing twice", w.undo(t, mod, sent.ID, done), core.Conflict, "cannot_undo")
	}
}

func TestDeskRestores(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	sent := w.submit(t, ada, "Give me back")
	_, err := w.decideAt(t, w.database.DB, w.Desk(), mod, sent.ID, core.ActionRestore, "")
	wantError(t, "restoring what waits", err, core.Invalid, "validation_failed")
	w.decided(t, mod, sent.ID, core.ActionReject, "No.")
	if c := w.laidOut(t, other, sent.ID); !cmp.Equal(c.Actions, []core.Action{core.ActionRestore}) {
		t.Errorf("a refused one offers %v", c.Actions)
	}
	restored := w.decided(t, other, sent.ID, core.ActionRestore, "It is fine.")
	if restored.Ruling.Kind != "saying_restored" || w.found(t, Filter{}) != "give-me-back" || len(w.till.paid) != 1 {
		t.Errorf("%+v, found %q", restored.Ruling, w.found(t, Filter{}))
	}
	if err := w.undo(t, other, sent.ID, restored); err != nil {
		t.Fatal(err)
	}
	if c := w.laidOut(t, mod, sent.ID); c.State != "refused" || c.Reason != "No." || c.DecidedBy != mod.ID || len(w.till.revoked) != 1 {
		t.Errorf("undone: %+v", c)
	}
	restored = w.decided(t, other, sent.ID, core.ActionRestore, "")
	if err := w.Hide(t.Context(), mod, "give-me-back"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what was hidden since", w.undo(t, other, sent.ID, restored), core.Conflict, "cannot_undo")
	if c := w.laidOut(t, mod, sent.ID); c.State != "hidden" || !c.Appealable || c.Path != "/sayings/give-me-back" {
		t.Errorf("hidden: %+v", c)
	}
	shown := w.decided(t, mod, sent.ID, core.ActionRestore, "")
	if w.found(t, Filter{}) != "give-me-back" || len(w.till.paid) != 2 {
		t.Errorf("found %q, paid %d times", w.found(t, Filter{}), len(w.till.paid))
	}
	if err := w.undo(t, mod, sent.ID, shown); err != nil || w.found(t, Filter{}) != "" || len(w.till.revoked) != 1 {
		t.Errorf("hidden again: %v, found %q, taken back %d times", err, w.found(t, Filter{}), len(w.till.revoked))
	}
}

// A refusal cannot be undone where the same saying has come in again.
func TestUndoMeetsANewSaying(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	first := w.submit(t, ada, "Twice told")
	refused := w.decided(t, mod, first.ID, core.ActionReject, "No.")
	w.submit(t, ada, "Twice told")
	wantError(t, "undoing", w.undo(t, mod, first.ID, refused), core.Conflict, "cannot_undo")
	_, err := w.decideAt(t, w.database.DB, w.Desk(), mod, first.ID, core.ActionRestore, "")
	wantError(t, "restoring", err, core.Conflict, "already_here")
}

func TestWhoDecidesAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	own := w.submit(t, mod, "Mine")
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
		{"without a reason", other, own.ID, core.ActionReject, " ", core.Invalid, "validation_failed"},
		{"too long a reason", other, own.ID, core.ActionReject, strings.Repeat("é", 501), core.Invalid, "validation_failed"},
		{"another area's action", other, own.ID, core.ActionKeep, "", core.Invalid, "validation_failed"},
		{"no action", other, own.ID, "", "", core.Invalid, "validation_failed"},
		{"nothing", other, pg.NewID(), core.ActionApprove, "", core.NotFound, "not_found"},
		{"no id", other, "x", core.ActionApprove, "", core.NotFound, "not_found"},
	} {
		_, err := w.decideAt(t, w.database.DB, w.Desk(), tt.v, tt.id, tt.action, tt.reason)
		wantError(t, tt.what, err, tt.kind, tt.code)
	}
	done := w.decided(t, other, own.ID, core.ActionApprove, "")
	wantError(t, "a member undoes", w.undo(t, ada, own.ID, done), core.Forbidden, "not_allowed")
	wantError(t, "who sent it undoes", w.undo(t, mod, own.ID, done), core.Forbidden, "not_allowed")
}

func TestQueueFollows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	first := w.submit(t, ada, "First")
	w.submit(t, ben, "Second\nline")
	w.submit(t, ada, "buy now, third")
	w.wantQueue(t, "spam does not wait", "First | Second line")
	if err := w.Withdraw(t.Context(), ada, first.ID); err != nil {
		t.Fatal(err)
	}
	w.wantQueue(t, "withdrawn", "Second line")
	if err := w.database.Write(t.Context(), ben, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ben.ID, true) }); err != nil {
		t.Fatal(err)
	}
	w.wantQueue(t, "left", "")
	own := w.submit(t, mod, "Fourth")
	for _, v := range []core.Viewer{core.Nobody(), ada, mod} {
		for _, sql := range []string{`delete from desk_queue`, `update desk_queue set title = 'x'`,
			`insert into desk_queue (target_type, target_id, title, since) values ('saying', gen_random_uuid(), 'x', now())`} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s: %v", v.DatabaseRole(), sql, err)
			}
		}
	}
	for _, v := range []core.Viewer{core.Nobody(), ada, mod} {
		if _, err := w.database.Exec(t, v, `select desk_waits('saying', $1, false, '', null, null)`, own.ID); !pg.Denied(err) {
			t.Errorf("%s moves the queue: %v", v.DatabaseRole(), err)
		}
	}
	w.wantQueue(t, "tried", "Fourth")
}

func TestCorrectDecidesNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	sent, own := w.submit(t, ada, "Teh word"), w.submit(t, mod, "Mine")
	right := Words{Text: " The word ", Meaning: "It is written."}
	if err := w.Correct(t.Context(), mod, sent.ID, right); err != nil {
		t.Fatal(err)
	}
	w.wantQueue(t, "corrected", "The word | Mine")
	if c := w.laidOut(t, mod, sent.ID); !c.Waiting || c.Text != "The word" || c.Facts[0].Text != "It is written." || c.DecidedBy != "" {
		t.Errorf("%+v", c)
	}
	wantError(t, "a member", w.Correct(t.Context(), ada, sent.ID, right), core.Forbidden, "not_allowed")
	wantError(t, "who sent it", w.Correct(t.Context(), mod, own.ID, Words{Text: "Yours"}), core.Forbidden, "not_allowed")
	wantError(t, "into nothing", w.Correct(t.Context(), mod, sent.ID, Words{}), core.Invalid, "validation_failed")
	wantError(t, "into another", w.Correct(t.Context(), other, own.ID, Words{Text: "the word"}), core.Conflict, "already_here")
	w.decided(t, other, sent.ID, core.ActionApprove, "")
	if w.found(t, Filter{}) != "the-word" {
		t.Errorf("published as %q", w.found(t, Filter{}))
	}
	wantError(t, "once decided", w.Correct(t.Context(), other, sent.ID, right), core.Conflict, "already_decided")
}

func TestOneDecisionAtTheDesk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.database.Instance(t)
	dbs := []*pg.DB{w.database.DB, second}
	desks := []Desk{w.Desk(), New(second, w.clock.read, Needs{Awards: w.till, Moderator: w.pipeline}).Desk()}
	sent := w.submit(t, w.member(t, "ada"), "All at once")
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "other")}
	var took atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			action := []core.Action{core.ActionApprove, core.ActionReject}[i/4%2]
			_, err := w.decideAt(t, dbs[i%2], desks[i%2], mods[i/2%2], sent.ID, action, "Because")
			switch {
			case err == nil:
				took.Add(1)
			case core.AsError(err).Code != "already_decided":
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if took.Load() != 1 || len(w.till.paid) > 1 {
		t.Errorf("%d decisions, %d payments", took.Load(), len(w.till.paid))
	}
	w.wantQueue(t, "decided", "")
}
