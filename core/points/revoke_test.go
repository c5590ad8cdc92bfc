package points

import (
	"context"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func (w world) revoke(t *testing.T, s *Service, v core.Viewer, reason core.AwardReason, ref string) error {
	t.Helper()
	return in(t, s.db, core.Viewer{ID: pg.NewID(), Role: core.Staff}, func(ctx context.Context, tx *pg.Tx) error {
		return s.RevokeTx(ctx, tx, core.Award{AccountID: v.ID, Reason: reason, RefType: "thing", RefID: ref})
	})
}

func TestWhatIsTakenBackPaysAgain(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	revoke := func(ref string) {
		t.Helper()
		if err := w.revoke(t, w.Service, ada, core.AwardFile, ref); err != nil {
			t.Fatal(err)
		}
	}
	revoke("a")
	w.wantBalance(t, ada, Balance{})
	w.award(t, ada, core.AwardFile, "a")
	w.award(t, ada, core.AwardFile, "b")
	if err := w.settings.Set(t.Context(), core.TheSystem(), "award_file", "3"); err != nil {
		t.Fatal(err)
	}
	revoke("a") // what it paid then, which was 10
	revoke("a")
	w.wantBalance(t, ada, Balance{Balance: 10, Lifetime: 10})
	log, err := w.Events(t.Context(), ada, core.Page{})
	if err != nil || log.Total != 3 {
		t.Fatalf("%+v, %v", log, err)
	}
	if e := log.Items[0]; e.Kind != KindReversal || e.Delta != -10 || e.Reason != "file_approved" || e.Detail != "for a" || *e.RefID != "a" || e.BalanceAfter != 10 {
		t.Errorf("the log shows %+v", e)
	}
	if paid := w.award(t, ada, core.AwardFile, "a"); paid != 3 {
		t.Errorf("it pays %d again, want 3", paid)
	}
	if paid := w.award(t, ada, core.AwardFile, "a"); paid != 0 {
		t.Errorf("it pays %d twice", paid)
	}
	revoke("a")
	w.wantBalance(t, ada, Balance{Balance: 10, Lifetime: 10})
	w.wantSound(t)
}

func TestTakingBackWhatWasSpent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	w.award(t, ada, core.AwardFile, "a")
	if err := w.spend(t, ada, 7); err != nil {
		t.Fatal(err)
	}
	if err := w.revoke(t, w.Service, ada, core.AwardFile, "a"); err != nil {
		t.Fatal(err)
	}
	w.wantBalance(t, ada, Balance{Lifetime: 7})
	w.award(t, ben, core.AwardFile, "a")
	if err := w.spend(t, ben, 10); err != nil {
		t.Fatal(err)
	}
	if err := w.revoke(t, w.Service, ben, core.AwardFile, "a"); err != nil {
		t.Fatal(err)
	}
	w.wantBalance(t, ben, Balance{Lifetime: 10})
	if paid := w.award(t, ben, core.AwardFile, "a"); paid != 0 {
		t.Errorf("what could not be taken back pays %d again", paid)
	}
	w.wantSound(t)
	if err := w.revoke(t, w.Service, core.Viewer{ID: pg.NewID()}, core.AwardFile, "a"); err != nil {
		t.Errorf("of an account that is gone: %v", err)
	}
	if err := w.revoke(t, w.Service, core.Viewer{}, core.AwardFile, "a"); err != nil {
		t.Errorf("of nobody: %v", err)
	}
	if err := w.revoke(t, w.Service, ada, "nonsense", "a"); err == nil {
		t.Error("no cause was taken back")
	}
}

// Many pay and take back at once on two instances: each round pays once.
func TestRoundsUnderACrowd(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.db.Instance(t)
	services := []*Service{w.Service, New(second, w.clock.read, w.settings)}
	ada := w.member(t, "ada")
	for round := 1; round <= 3; round++ {
		for _, act := range []func(s *Service) error{
			func(s *Service) error {
				return in(t, s.db, ada, func(ctx context.Context, tx *pg.Tx) error {
					_, err := s.AwardTx(ctx, tx, core.Award{AccountID: ada.ID, Reason: core.AwardFile, RefType: "thing", RefID: "a"})
					return err
				})
			},
			func(s *Service) error { return w.revoke(t, s, ada, core.AwardFile, "a") },
		} {
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					if err := act(services[i%2]); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from points_transactions`); n != 2*round {
			t.Errorf("after round %d there are %d transactions, want %d", round, n, 2*round)
		}
	}
	w.wantBalance(t, ada, Balance{})
	w.wantSound(t)
}

// Nobody but the program reverses anything.
func TestReversalsAreTheSystems(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	w.award(t, ada, core.AwardFile, "a")
	const sql = `insert into points_transactions (id, kind, wallet_id, reason, ref_type, ref_id, created_at)
		select gen_random_uuid(), 'reversal', id, 'file_approved', 'thing', 'a', now() from points_wallets where kind = 'member'`
	for _, v := range []core.Viewer{core.Nobody(), ada, {ID: pg.NewID(), Role: core.Staff}} {
		if _, err := w.db.Exec(t, v, sql); !pg.Denied(err) {
			t.Errorf("%s writes a reversal: %v", v.DatabaseRole(), err)
		}
	}
	if _, err := w.db.Exec(t, core.TheSystem(), sql); err == nil {
		t.Error("a reversal without entries is stored")
	}
}
