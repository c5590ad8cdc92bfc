package apps

import (
	"context"
	"fmt"

	"homeplace/core/pg"
)

// LeaveTx readies the area for an account's deletion. With remove its apps and
// submissions go; else they stay without its name. Approved versions stay either
// way, without the name.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	tx.Touch(Area)
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if remove {
			return removeAccount(ctx, tx, accountID)
		}
		return forgetAccount(ctx, tx, accountID)
	})
	if err != nil {
		return fmt.Errorf("leave apps: %w", err)
	}
	return nil
}
