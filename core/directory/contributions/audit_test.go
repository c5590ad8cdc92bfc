package contributions

import (
	"testing"

	"homeplace/core"
	"homeplace/core/pgtest"
)

// Every decision is written down, and none that failed.
func TestDecisionsAreLogged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	first, second := w.offered(t, ada, "Ada's Oven"), w.offered(t, ada, "Ada's Mill")
	if _, err := w.Approve(t.Context(), mod, first.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Refuse(t.Context(), mod, second.ID, "We have it."); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Refuse(t.Context(), mod, second.ID, "Again."); err == nil {
		t.Error("it is decided twice")
	}
	got := pgtest.Value[string](t, w.database, core.TheSystem(), `
		select string_agg(p.username || ' ' || l.kind || ' ' || l.title || ' ' || l.reason, ', ' order by l.created_at)
		from audit_log l join profiles p on p.account_id = l.account_id`)
	if want := "mod listing_approved Ada's Oven , mod listing_refused Ada's Mill We have it."; got != want {
		t.Errorf("the log holds %q, want %q", got, want)
	}
}
