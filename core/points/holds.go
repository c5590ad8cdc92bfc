package points

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// HoldTx sets points aside until PostTx or VoidTx, and returns the id that
// those take. The balance drops at once. Where nothing is asked for, the id is
// empty. Errors: Insufficient.
func (s *Service) HoldTx(ctx context.Context, tx *pg.Tx, sp Spending) (id string, err error) {
	if sp.Amount == 0 {
		return "", nil
	}
	id = pg.NewID()
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		wallet, err := s.payer(ctx, tx, sp)
		if err != nil {
			return err
		}
		held, err := heldWallet(ctx, tx, sp.AccountID, s.now())
		if err != nil {
			return err
		}
		h := hold{ID: id, WalletID: wallet, HeldID: held, Amount: sp.Amount}
		if err := insertHold(ctx, tx, h, s.now()); err != nil {
			return err
		}
		t := s.spending(KindHold, wallet, sp)
		t.HoldID = &id
		if _, err := insertTransaction(ctx, tx, t); err != nil {
			return err
		}
		return insertEntries(ctx, tx, t.ID, movement{wallet, -sp.Amount}, movement{held, sp.Amount})
	})
	if err != nil {
		return "", fmt.Errorf("hold points: %w", err)
	}
	return id, nil
}

// PostTx spends what was set aside. Errors: NotFound; Conflict with
// hold_settled where it was posted or voided before.
func (s *Service) PostTx(ctx context.Context, tx *pg.Tx, holdID string) error {
	return s.settle(ctx, tx, holdID, HoldPosted)
}

// VoidTx gives back what was set aside. Errors: as of PostTx.
func (s *Service) VoidTx(ctx context.Context, tx *pg.Tx, holdID string) error {
	return s.settle(ctx, tx, holdID, HoldVoided)
}

// settle ends a hold: however many try at once, one does. It keeps the words
// with which the points were set aside.
func (s *Service) settle(ctx context.Context, tx *pg.Tx, holdID string, state HoldState) error {
	if holdID == "" { // of a hold of 0 points
		return nil
	}
	if !core.ValidID(holdID) {
		return errNoHold()
	}
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		h, t, err := lockHold(ctx, tx, holdID)
		if pg.NoRows(err) {
			return errNoHold()
		}
		if err != nil {
			return err
		}
		if h.State != HoldOpen {
			return core.Conflictf("hold_settled", "These points are not set aside any more: they were %s.", stateWords[h.State])
		}
		if err := settleHold(ctx, tx, holdID, state, s.now()); err != nil {
			return err
		}
		t.ID, t.CreatedAt, t.Kind = pg.NewID(), s.now(), KindPost
		to := movement{spent, h.Amount}
		if state == HoldVoided {
			t.Kind, to.walletID = KindVoid, h.WalletID
		}
		if _, err := insertTransaction(ctx, tx, t); err != nil {
			return err
		}
		// The member's wallet first, as everywhere, so that no two wait for each other.
		return insertEntries(ctx, tx, t.ID, to, movement{h.HeldID, -h.Amount})
	})
	if err != nil {
		return fmt.Errorf("settle hold %s: %w", holdID, err)
	}
	return nil
}

var stateWords = map[HoldState]string{HoldPosted: "spent", HoldVoided: "given back"}

func errNoHold() *core.Error { return core.NotFoundf("There are no such points set aside.") }
