package desk

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// leave is the desk's part in deleting an account.
func leave(t testing.TB, w world, account string) func(*pg.Tx) error {
	return func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, account, true) }
}

func TestDecisionsAreCarriedOutAndWrittenDown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	about := w.sent(t, ada, "one")
	_, err := w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionReject})
	wantError(t, "rejecting without a reason", err, core.Invalid, "validation_failed")
	out, err := w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about, about}, Action: core.ActionReject, Reason: " We have it. "})
	if err != nil || out.Done != 1 || w.status(t, about) != "refused" {
		t.Fatalf("%+v, %v", out, err)
	}
	if got := strings.Join(w.guards.kinds, ", "); got != "thing_refused: We have it." {
		t.Errorf("written down: %s", got)
	}
	_, err = w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionApprove})
	wantError(t, "deciding twice", err, core.Conflict, "already_decided")
	_, err = w.Decide(t.Context(), mod, Decision{Action: core.ActionApprove})
	wantError(t, "deciding about nothing", err, core.Invalid, "validation_failed")
	own := w.sent(t, mod, "own")
	_, err = w.Decide(t.Context(), mod, Decision{Targets: []core.Target{own}, Action: core.ActionApprove})
	wantError(t, "deciding about one's own", err, core.Forbidden, "not_allowed")
	if w.status(t, own) != "pending" {
		t.Error("it was decided")
	}
}

func TestSeveralAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	list := []core.Target{w.sent(t, ada, "one"), w.sent(t, mod, "own"), w.sent(t, ada, "held"), w.sent(t, ada, "four")}
	if err := w.Claim(t.Context(), other, list[2]); err != nil {
		t.Fatal(err)
	}
	out, err := w.Decide(t.Context(), mod, Decision{Targets: list, Action: core.ActionApprove})
	if err != nil || out.Done != 2 || len(out.Failed) != 2 || out.Failed[0].Target != list[1] || core.AsError(out.Failed[1].Err).Code != "claimed" {
		t.Fatalf("%+v, %v", out, err)
	}
	undone, err := w.Undo(t.Context(), mod, out.Batch)
	if err != nil || undone.Done != 2 || w.status(t, list[0]) != "pending" || w.status(t, list[3]) != "pending" {
		t.Errorf("%+v, %v", undone, err)
	}
	if got := w.titles(t, mod, Filter{}); got != "one held four" {
		t.Errorf("waiting again: %s", got)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	about := w.sent(t, ada, "one")
	out, err := w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionAbusive})
	if err != nil || strings.Join(w.guards.blocked, " ") != "192.0.2.7" {
		t.Fatalf("blocked %v, %v", w.guards.blocked, err)
	}
	if f, err := w.Open(t.Context(), mod, about); err != nil || f.Undo != out.Batch {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := w.Open(t.Context(), other, about); err != nil || f.Undo != "" {
		t.Errorf("another could undo: %+v, %v", f, err)
	}
	_, err = w.Undo(t.Context(), other, out.Batch)
	wantError(t, "undoing another's", err, core.NotFound, "not_found")
	if _, err = w.Undo(t.Context(), mod, out.Batch); err != nil || w.status(t, about) != "pending" || len(w.guards.lifted) != 1 || w.guards.lifted[0] != about {
		t.Errorf("lifted %v, %v", w.guards.lifted, err)
	}
	_, err = w.Undo(t.Context(), mod, out.Batch)
	wantError(t, "undoing twice", err, core.NotFound, "not_found")
	out, err = w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionApprove})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.sleep(UndoFor)
	_, err = w.Undo(t.Context(), mod, out.Batch)
	wantError(t, "undoing after a quarter of an hour", err, core.NotFound, "not_found")
	if got := strings.Join(w.guards.kinds, ", "); got != "thing_spam, decision_undone: abusive, thing_draft" {
		t.Errorf("written down: %s", got)
	}
}

// What was decided again since is not undone under it.
func TestUndoOfAnEarlierDecision(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	about := w.sent(t, ada, "one")
	first, err := w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionReject, Reason: "no"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Decide(t.Context(), other, Decision{Targets: []core.Target{about}, Action: core.ActionRestore}); err != nil {
		t.Fatal(err)
	}
	_, err = w.Undo(t.Context(), mod, first.Batch)
	wantError(t, "undoing what was decided again", err, core.Conflict, "cannot_undo")
	if w.status(t, about) != "draft" {
		t.Errorf("it is %s", w.status(t, about))
	}
}

// Of sixteen on two instances one decides; of sixteen undoings one undoes.
func TestOneDecidesAndOneUndoes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	about := w.sent(t, ada, "one")
	services := []*Service{w.Service, w.over(w.database.Instance(t))}
	batch := ""
	done := crowd(func(i int) bool {
		out, err := services[i%2].Decide(context.Background(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionApprove})
		if err == nil {
			batch = out.Batch
		}
		return err == nil
	})
	if done != 1 || pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from desk_decisions`) != 1 {
		t.Fatalf("%d decided", done)
	}
	if done = crowd(func(i int) bool { _, err := services[i%2].Undo(context.Background(), mod, batch); return err == nil }); done != 1 || w.status(t, about) != "pending" {
		t.Errorf("%d undid it", done)
	}
	mods := make([]core.Viewer, 16)
	for i := range mods {
		mods[i] = w.moderator(t, "mod"+string(rune('a'+i)))
	}
	if done = crowd(func(i int) bool { return services[i%2].Claim(context.Background(), mods[i], about) == nil }); done != 1 {
		t.Errorf("%d claimed it", done)
	}
}

// crowd runs sixteen at once and counts those that come through.
func crowd(do func(i int) bool) (n int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 16 {
		wg.Go(func() {
			if do(i) {
				mu.Lock()
				defer mu.Unlock()
				n++
			}
		})
	}
	wg.Wait()
	return n
}

func TestSavedReplies(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod := w.moderator(t, "mod")
	notYet := func(r Reply) bool { return r.Body == "Not yet." }
	before, err := w.Replies(t.Context(), mod, "saying")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // saved twice, it is there once
		if err := w.AddReply(t.Context(), mod, Reply{TargetType: "saying", Body: " Not yet. "}); err != nil {
			t.Fatal(err)
		}
	}
	after, err := w.Replies(t.Context(), mod, "saying")
	if err != nil || len(after) != len(before)+1 || !slices.ContainsFunc(after, notYet) {
		t.Fatalf("%+v, %v", after, err)
	}
	if other, err := w.Replies(t.Context(), mod, "appeal"); err != nil || slices.ContainsFunc(other, notYet) {
		t.Errorf("%+v, %v", other, err)
	}
	if err := w.RemoveReply(t.Context(), mod, after[slices.IndexFunc(after, notYet)].ID); err != nil {
		t.Fatal(err)
	}
	if now, err := w.Replies(t.Context(), mod, "saying"); err != nil || len(now) != len(before) {
		t.Errorf("%+v, %v", now, err)
	}
	wantError(t, "an unknown queue", w.AddReply(t.Context(), mod, Reply{TargetType: "weather", Body: "x"}), core.Invalid, "validation_failed")
	wantError(t, "an empty one", w.AddReply(t.Context(), mod, Reply{}), core.Invalid, "validation_failed")
}
