package polls

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// LeaveTx readies the area for an account's deletion. With remove its polls and
// comments go; else they stay without its name, but for polls that nobody has
// seen. What it voted stays counted either way, as a vote of nobody's.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	tx.Touch(Area)
	tx.Touch(Tallies)
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if remove {
			if err := removeOf(ctx, tx, accountID); err != nil {
				return err
			}
		}
		return forget(ctx, tx, accountID)
	})
	if err != nil {
		return fmt.Errorf("leave polls: %w", err)
	}
	return nil
}

// MyComments lists what the viewer said with their votes, the latest first.
// Errors: Unauthenticated.
func (s *Service) MyComments(ctx context.Context, v core.Viewer, page core.Page) (core.List[Comment], error) {
	list := core.List[Comment]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = commentsOfAccount(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own comments: %w", err)
	}
	return list, nil
}
