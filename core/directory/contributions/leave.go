package contributions

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Given is what a member gave to the directory and staff approved.
type Given struct {
	Listings int
	Edits    int
}

// Given counts for everybody to see. It is nothing for an account that is not
// there, and for one that stays out of the leaderboard.
func (s *Service) Given(ctx context.Context, accountID string) (g Given, err error) {
	if !core.ValidID(accountID) {
		return g, nil
	}
	// As the system: people may see how many there are, and none of them.
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		g, err = given(ctx, tx, accountID)
		return err
	})
	if err != nil {
		return Given{}, fmt.Errorf("count contributions: %w", err)
	}
	return g, nil
}

// LeaveTx removes what an account sent, or takes the name from it: staff still
// decide what waits then. Entries that were made of it stay in any case. Part
// of deleting the account.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	settle := forgetSender
	if remove {
		settle = deleteOf
	}
	if err := settle(ctx, tx, accountID); err != nil {
		return fmt.Errorf("settle contributions: %w", err)
	}
	return nil
}
