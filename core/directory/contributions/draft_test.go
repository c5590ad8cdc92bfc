package contributions

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// draft runs DraftTx in a transaction of its own, which goes on after a refusal.
func (in instance) draft(ctx context.Context, v core.Viewer, name, city string) (id, slug string, refusal error) {
	err := in.db.Write(ctx, v, func(tx *pg.Tx) error {
		id, slug, refusal = in.DraftTx(ctx, tx, v, name, city)
		_, err := tx.Exec(ctx, `select 1`)
		return err
	})
	if err != nil && refusal == nil {
		refusal = err
	}
	return id, slug, refusal
}

func TestDraftBecomesAListing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	w.load(t, `{"kind":"business","slug":"porch-swing-macon","name":"Another Porch Swing"}`)
	id, slug, err := w.draft(t.Context(), ada, " Porch Swing", "Macon")
	if err != nil || slug != "porch-swing-macon-2" {
		t.Fatalf("%q, %v", slug, err)
	}
	if again, _, err := w.draft(t.Context(), ada, "porch swing", "MACON"); err != nil || again != id {
		t.Errorf("the same again is %s, %v", again, err)
	}
	if other, _, err := w.draft(t.Context(), w.member(t, "ben"), "Porch Swing", "Macon"); err != nil || other == id {
		t.Errorf("another's is %s, %v", other, err)
	}
	c, err := w.Get(t.Context(), mod, id)
	if err != nil || c.Kind != KindListing || c.Status != Pending || c.EntryName != "Porch Swing" || c.Patch.Input.City != "Macon" {
		t.Fatalf("%+v, %v", c, err)
	}
	w.decided(t, mod, id, core.ActionApprove, "")
	if c = w.read(t, mod, id); *c.EntrySlug != slug {
		t.Errorf("%+v", c)
	}
	bare, _, err := w.draft(t.Context(), ada, "Without a City", "")
	if err != nil {
		t.Fatal(err)
	}
	err = w.decide(t, mod, bare, core.ActionApprove)
	if core.KindOf(err) != core.Invalid || core.AsError(err).Fields["city"] == "" {
		t.Errorf("approved as it is: %v", err)
	}
	if err := w.Correct(t.Context(), mod, bare, Patch{Fields: []string{"city"}, Input: directory.Input{City: "Macon"}}); err != nil {
		t.Fatal(err)
	}
	w.decided(t, mod, bare, core.ActionApprove, "")
	if c = w.read(t, mod, bare); *c.EntrySlug != "without-a-city-macon" {
		t.Errorf("completed: %+v", c)
	}
}

func TestDraftsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	if _, _, err := w.draft(t.Context(), core.Nobody(), "Porch Swing", ""); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("nobody: %v", err)
	}
	if _, _, err := w.draft(t.Context(), ada, strings.Repeat("x", 161), ""); core.KindOf(err) != core.Invalid {
		t.Errorf("a long name: %v", err)
	}
	instances := []instance{w.instance, w.second(t)}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if _, _, err := instances[i%2].draft(t.Context(), ada, fmt.Sprintf("Place %d", i), "Macon"); err != nil && core.AsError(err).Code != "too_many_pending" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || list.Total != MaxPending {
		t.Errorf("%d wait, %v; want %d", list.Total, err, MaxPending)
	}
}
