package contributions

import (
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/points"
)

// wantPoints compares what a member has earned with what is shown of it.
func (w world) wantPoints(t *testing.T, v core.Viewer, want int) {
	t.Helper()
	got, err := w.points.Balance(t.Context(), v)
	if err != nil || got != (points.Balance{Balance: want, Lifetime: want}) {
		t.Errorf("%s has %+v, %v; want %d", v.Username, got, err, want)
	}
	if proof, err := w.points.Check(t.Context(), core.TheSystem()); err != nil || len(proof.Faults) > 0 {
		t.Errorf("the ledger: %v, %v", proof.Faults, err)
	}
}

func TestApprovedListingPaysItsMember(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	c := w.offered(t, ada, "Ada's Oven")
	w.wantPoints(t, ada, 0)
	w.decided(t, mod, c.ID, core.ActionApprove, "")
	w.wantPoints(t, ada, 10)
	w.wantPoints(t, mod, 0)
	log, err := w.points.Events(t.Context(), ada, core.Page{})
	if err != nil || len(log.Items) != 1 || log.Items[0].Reason != "listing_approved" || log.Items[0].Detail != "Ada's Oven" ||
		*log.Items[0].RefType != "directory_entry" || *log.Items[0].RefID != *w.read(t, mod, c.ID).EntryID {
		t.Errorf("the log has %+v, %v", log.Items, err)
	}
	wantError(t, "approving again", w.decide(t, mod, c.ID, core.ActionApprove), core.Conflict, "already_decided")
	w.wantPoints(t, ada, 10)

	refused := w.offered(t, ada, "Ada's Other Oven")
	w.decided(t, mod, refused.ID, core.ActionReject, "There is none.")
	w.wantPoints(t, ada, 10)
}

func TestOtherContributionsPayNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	edit := w.suggested(t, ada, "404-555-0199")
	open, err := w.StillOpen(t.Context(), ada, directory.KindBusiness, "blue-heron", true, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Contribution{edit, open} {
		w.decided(t, mod, c.ID, core.ActionApprove, "")
	}
	w.wantPoints(t, ada, 0)
}

// What fails after the entry is written takes entry and points back with it.
func TestFailedApprovalPaysNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	c := w.offered(t, ada, "Ada's Oven")
	if _, err := w.database.Owner(t).Exec(t.Context(),
		`alter table directory_contributions add constraint never check (status <> 'approved')`); err != nil {
		t.Fatal(err)
	}
	if err := w.decide(t, mod, c.ID, core.ActionApprove); err == nil {
		t.Error("the decision was stored")
	}
	w.wantPoints(t, ada, 0)
	if n := w.count(t, `select count(*) from directory_entries`); n != 0 {
		t.Errorf("%d entries", n)
	}
}
