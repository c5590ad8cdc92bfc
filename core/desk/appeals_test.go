package desk

import (
	"context"
	"strings"
	"testing"

	"homeplace/core"
)

const plea = "My grandmother said it every day."

// refused is a thing of v that mod has refused.
func (w world) refused(t testing.TB, v, mod core.Viewer, text string) core.Target {
	t.Helper()
	about := w.sent(t, v, text)
	if _, err := w.Decide(t.Context(), mod, Decision{Targets: []core.Target{about}, Action: core.ActionReject, Reason: "We have it."}); err != nil {
		t.Fatal(err)
	}
	return about
}

func (w world) appeal(t testing.TB, v core.Viewer, about core.Target) core.Target {
	t.Helper()
	if err := w.Appeal(t.Context(), v, about, plea); err != nil {
		t.Fatal(err)
	}
	list, err := w.Appeals(t.Context(), v, core.Page{})
	if err != nil || len(list.Items) == 0 || list.Items[0].Status != AppealOpen {
		t.Fatalf("%+v, %v", list, err)
	}
	return core.Target{Type: AppealType, ID: list.Items[0].ID}
}

func TestAppealsGoToAnotherModerator(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod, other := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod"), w.moderator(t, "other")
	about := w.refused(t, ada, mod, "one")
	wantError(t, "nobody's appeal", w.Appeal(t.Context(), core.Nobody(), about, plea), core.Unauthenticated, "unauthenticated")
	wantError(t, "another's appeal", w.Appeal(t.Context(), ben, about, plea), core.NotFound, "not_found")
	wantError(t, "two words", w.Appeal(t.Context(), ada, about, "Oh no"), core.Invalid, "validation_failed")
	appeal := w.appeal(t, ada, about)
	wantError(t, "a second appeal", w.Appeal(t.Context(), ada, about, plea), core.Conflict, "already_appealed")

	if got := w.titles(t, mod, Filter{}); got != "" {
		t.Errorf("it comes to who decided before: %s", got)
	}
	if got := w.titles(t, other, Filter{Type: AppealType}); got != "one" {
		t.Errorf("it does not come to the other: %s", got)
	}
	_, err := w.Decide(t.Context(), mod, Decision{Targets: []core.Target{appeal}, Action: core.ActionApprove})
	wantError(t, "who decided before", err, core.Forbidden, "not_allowed")
	f, err := w.Open(t.Context(), mod, appeal)
	if err != nil || len(f.Actions) != 0 {
		t.Errorf("they are offered %v, %v", f.Actions, err)
	}
	f, err = w.Open(t.Context(), other, appeal)
	if err != nil || f.Heading != "An appeal: a saying" || f.Text != plea || len(f.Actions) != 2 || f.History == nil {
		t.Errorf("%+v, %v", f, err)
	}
	out, err := w.Decide(t.Context(), other, Decision{Targets: []core.Target{appeal}, Action: core.ActionApprove, Reason: "You are right."})
	if err != nil || w.status(t, about) != "draft" {
		t.Fatalf("%+v, %v", out, err)
	}
	if list, err := w.Appeals(t.Context(), ada, core.Page{}); err != nil || list.Items[0].Status != AppealGranted || list.Items[0].Reason != "You are right." {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := w.Undo(t.Context(), other, out.Batch); err != nil || w.status(t, about) != "refused" {
		t.Errorf("undone: %s, %v", w.status(t, about), err)
	}
	_, err = w.Decide(t.Context(), other, Decision{Targets: []core.Target{appeal}, Action: core.ActionReject})
	wantError(t, "declining without a reason", err, core.Invalid, "validation_failed")
	if _, err := w.Decide(t.Context(), other, Decision{Targets: []core.Target{appeal}, Action: core.ActionReject, Reason: "It stands."}); err != nil || w.status(t, about) != "refused" {
		t.Errorf("declined: %v", err)
	}
	if got := strings.Join(w.guards.kinds, ", "); got != "thing_refused: We have it., appeal_granted: You are right., decision_undone: approve, appeal_declined: It stands." {
		t.Errorf("written down: %s", got)
	}
}

func TestWhatCannotBeAppealed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	waits := w.sent(t, ada, "waits")
	wantError(t, "what waits", w.Appeal(t.Context(), ada, waits, plea), core.Conflict, "not_appealable")
	appeal := w.appeal(t, ada, w.refused(t, ada, mod, "one"))
	wantError(t, "an appeal", w.Appeal(t.Context(), ada, appeal, plea), core.NotFound, "not_found")
	wantError(t, "an unknown thing", w.Appeal(t.Context(), ada, core.Target{Type: "saying", ID: ada.ID}, plea), core.NotFound, "not_found")
}

func TestAppealsOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	about := w.refused(t, ada, mod, "one")
	services := []*Service{w.Service, w.over(w.database.Instance(t))}
	if n := crowd(func(i int) bool { return services[i%2].Appeal(context.Background(), ada, about, plea) == nil }); n != 1 {
		t.Errorf("%d appeals were taken", n)
	}
}

// What only row-level security stops.
func TestAppealsAreTheirMembers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	w.appeal(t, ada, w.refused(t, ada, mod, "one"))
	for what, c := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"another reads it":                     {ben, `select id from desk_appeals`},
		"nobody reads it":                      {core.Nobody(), `select id from desk_appeals`},
		"its member reads against whom":        {ada, `select against_id from desk_appeals`},
		"its member grants it":                 {ada, `update desk_appeals set status = 'granted', decided_at = now()`},
		"who decided before grants it":         {mod, `update desk_appeals set status = 'granted', decided_at = now(), decided_by = '` + mod.ID + `'`},
		"a member appeals in another's name":   {ben, `insert into desk_appeals (id, target_type, target_id, title, account_id, body, created_at) values (gen_random_uuid(), 'saying', gen_random_uuid(), 'x', '` + ada.ID + `', 'x', now())`},
		"another sees it by a blank condition": {ben, `select body from desk_appeals where true`},
	} {
		if n, err := w.database.Exec(t, c.v, c.sql); err == nil && n > 0 {
			t.Errorf("%s: %d rows", what, n)
		}
	}
}
