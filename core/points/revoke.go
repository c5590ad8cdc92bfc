package points

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// RevokeTx takes back what AwardTx paid the account for this reason and thing:
// the amount of then, whatever the setting says now. After that the same cause
// pays again. Nothing happens where it has not paid, was taken back before, or
// where the account is gone.
//
// Of a member who has spent the points, it takes what is there and forgives the
// rest. Where nothing is there, nothing is taken back: the cause stays paid.
func (s *Service) RevokeTx(ctx context.Context, tx *pg.Tx, a core.Award) error {
	if _, known := awards[a.Reason]; !known || a.RefType == "" || a.RefID == "" {
		return fmt.Errorf("revoke points: %q for %q %q is not a cause", a.Reason, a.RefType, a.RefID)
	}
	if a.AccountID == "" {
		return nil
	}
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		wallet, found, err := memberWallet(ctx, tx, a.AccountID, s.now())
		if err != nil || !found {
			return err
		}
		balance, err := lockBalance(ctx, tx, wallet)
		if err != nil || balance == 0 {
			return err
		}
		paid, err := openRound(ctx, tx, wallet, a)
		if pg.NoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		t := transaction{ID: pg.NewID(), Kind: KindReversal, WalletID: wallet, Reason: string(a.Reason), Detail: paid.Detail,
			RefType: optional(a.RefType), RefID: optional(a.RefID), Round: paid.Round, CreatedAt: s.now()}
		if _, err := insertTransaction(ctx, tx, t); err != nil {
			return err
		}
		tx.Touch(Area)
		amount := min(paid.Amount, balance)
		return insertEntries(ctx, tx, t.ID, movement{wallet, -amount}, movement{issued, amount})
	})
	if err != nil {
		return fmt.Errorf("revoke points: %w", err)
	}
	return nil
}
