package desk

import (
	"testing"

	"homeplace/core"
	"homeplace/core/pgtest"
)

func TestInboxIsForStaff(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	about := w.sent(t, ada, "one")
	for name, c := range map[string]struct {
		v    core.Viewer
		kind core.Kind
		code string
	}{"nobody": {core.Nobody(), core.Unauthenticated, "unauthenticated"}, "a member": {ada, core.Forbidden, "not_allowed"}} {
		_, err := w.Inbox(t.Context(), c.v, Filter{})
		wantError(t, name+" at the inbox", err, c.kind, c.code)
		_, err = w.Open(t.Context(), c.v, about)
		wantError(t, name+" opening", err, c.kind, c.code)
		_, err = w.Decide(t.Context(), c.v, Decision{Targets: []core.Target{about}, Action: core.ActionApprove})
		wantError(t, name+" deciding", err, c.kind, c.code)
		_, err = w.Undo(t.Context(), c.v, about.ID)
		wantError(t, name+" undoing", err, c.kind, c.code)
		wantError(t, name+" claiming", w.Claim(t.Context(), c.v, about), c.kind, c.code)
		wantError(t, name+" releasing", w.Release(t.Context(), c.v, about), c.kind, c.code)
		wantError(t, name+" noting", w.Note(t.Context(), c.v, about, "hm"), c.kind, c.code)
		_, err = w.Replies(t.Context(), c.v, "")
		wantError(t, name+" reading replies", err, c.kind, c.code)
		wantError(t, name+" saving a reply", w.AddReply(t.Context(), c.v, Reply{Body: "No."}), c.kind, c.code)
		wantError(t, name+" removing a reply", w.RemoveReply(t.Context(), c.v, about.ID), c.kind, c.code)
	}
}

func TestInboxIsOldestFirstAndLeavesOutOnesOwn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	w.sent(t, ada, "first")
	w.sent(t, mod, "own")
	last := w.sent(t, ada, "second")
	if got := w.titles(t, mod, Filter{}); got != "first second" {
		t.Errorf("waiting: %s", got)
	}
	in, err := w.Inbox(t.Context(), mod, Filter{Type: "saying", Page: core.Page{Limit: 1, Offset: 1}})
	if err != nil || in.Total != 2 || in.All != 2 || in.Others != 1 || in.Counts["saying"] != 2 || len(in.Items) != 1 || in.Items[0].Target != last || *in.Items[0].Sender != "ada" {
		t.Errorf("%+v, %v", in, err)
	}
	if n, err := w.Waiting(t.Context(), ada); n != 0 || err != nil {
		t.Errorf("%d wait for a member, %v", n, err)
	}
	_, err = w.Inbox(t.Context(), mod, Filter{Type: "weather"})
	wantError(t, "an unknown queue", err, core.Invalid, "validation_failed")
	if err := w.database.Write(t.Context(), core.TheSystem(), leave(t, w, ada.ID)); err != nil {
		t.Fatal(err)
	}
	in, err = w.Inbox(t.Context(), mod, Filter{})
	if err != nil || in.Items[0].Sender != nil {
		t.Errorf("who left is named: %+v, %v", in.Items, err)
	}
}

func TestFileTellsWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	for i, action := range []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive, core.ActionApprove} {
		about := w.sent(t, ada, string(rune('a'+i)))
		if _, err := w.Decide(t.Context(), other, Decision{Targets: []core.Target{about}, Action: action, Reason: "why"}); err != nil {
			t.Fatal(err)
		}
	}
	about := w.sent(t, ada, "open")
	if err := w.Note(t.Context(), other, about, " They asked us by mail. "); err != nil {
		t.Fatal(err)
	}
	f, err := w.Open(t.Context(), mod, about)
	if err != nil || f.Verdict == nil || f.Verdict.Score != 0.6 || len(f.Notes) != 1 || f.Notes[0].Body != "They asked us by mail." || *f.Notes[0].Author != "other" {
		t.Fatalf("%+v, %v", f, err)
	}
	if h := f.History; h == nil || h.Username != "ada" || h.Approved != 2 || h.Refused != 1 || h.Abusive != 1 || h.Waiting != 1 || len(h.Latest) != 4 || h.Latest[0].Title != "d" {
		t.Errorf("history %+v", f.History)
	}
	_, err = w.Open(t.Context(), mod, core.Target{Type: "saying", ID: ada.ID})
	wantError(t, "an unknown case", err, core.NotFound, "not_found")
	_, err = w.Open(t.Context(), mod, core.Target{Type: "weather", ID: about.ID})
	wantError(t, "an unknown queue", err, core.NotFound, "not_found")
	wantError(t, "an empty note", w.Note(t.Context(), mod, about, " "), core.Invalid, "validation_failed")
}

func TestClaimsKeepOthersAway(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	about := w.sent(t, ada, "one")
	if err := w.Claim(t.Context(), mod, about); err != nil {
		t.Fatal(err)
	}
	if err := w.Claim(t.Context(), mod, about); err != nil {
		t.Errorf("claiming again: %v", err)
	}
	wantError(t, "another's claim", w.Claim(t.Context(), other, about), core.Conflict, "claimed")
	approve := Decision{Targets: []core.Target{about}, Action: core.ActionApprove}
	_, err := w.Decide(t.Context(), other, approve)
	wantError(t, "deciding what another has claimed", err, core.Conflict, "claimed")
	if err := w.Release(t.Context(), other, about); err != nil {
		t.Fatal(err)
	}
	if got := w.titles(t, mod, Filter{Mine: true}); got != "one" {
		t.Errorf("mine: %s", got)
	}
	if got := w.titles(t, other, Filter{Mine: true}); got != "" {
		t.Errorf("the other's: %s", got)
	}
	f, err := w.Open(t.Context(), mod, about)
	if err != nil || !f.Claimed || *f.ClaimedBy != "mod" {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := w.database.Exec(t, core.TheSystem(), `update desk_queue set claimed_until = claimed_until - interval '30 minutes'`); err != nil {
		t.Fatal(err)
	}
	if err := w.Claim(t.Context(), other, about); err != nil {
		t.Errorf("after half an hour: %v", err)
	}
	if err := w.Release(t.Context(), other, about); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Decide(t.Context(), mod, approve); err != nil {
		t.Errorf("after it was given back: %v", err)
	}
	wantError(t, "claiming what is decided", w.Claim(t.Context(), mod, about), core.NotFound, "not_found")
}

// What only row-level security stops: a statement without any condition.
func TestTheDeskIsStaffsAlone(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	about := w.sent(t, ada, "one")
	if err := w.Claim(t.Context(), mod, about); err != nil {
		t.Fatal(err)
	}
	if err := w.Note(t.Context(), mod, about, "hm"); err != nil {
		t.Fatal(err)
	}
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		for _, table := range []string{"desk_queue", "desk_notes", "desk_decisions", "desk_replies"} {
			if n, err := w.database.Exec(t, v, `select from `+table); err == nil && n > 0 {
				t.Errorf("%s reads %d rows of %s", v.DatabaseRole(), n, table)
			}
		}
	}
	for what, sql := range map[string]string{
		"taking a claim":          `update desk_queue set claimed_by = '` + other.ID + `', claimed_until = now()`,
		"changing another's note": `update desk_notes set body = 'x'`,
		"a note in their name":    `insert into desk_notes (id, target_type, target_id, author_id, body, created_at) values (gen_random_uuid(), 'saying', gen_random_uuid(), '` + mod.ID + `', 'x', now())`,
		"a decision in their name": `insert into desk_decisions (id, batch_id, target_type, target_id, title, action, decided_by, decided_at)
			values (gen_random_uuid(), gen_random_uuid(), 'saying', gen_random_uuid(), 'x', 'approve', '` + mod.ID + `', now())`,
		"emptying the queue": `delete from desk_queue`,
	} {
		if n, err := w.database.Exec(t, other, sql); err == nil && n > 0 {
			t.Errorf("%s is done to %d rows", what, n)
		}
	}
	if pgtest.Value[string](t, w.database, core.TheSystem(), `select claimed_by::text from desk_queue`) != mod.ID {
		t.Error("the claim has gone")
	}
}
