package shoutouts

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Mine lists what the viewer sent, or adopted, latest first. Errors:
// Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Sent], error) {
	list := core.List[Sent]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = sentByAccount(ctx, q, v.ID, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list own shout-outs: %w", err)
	}
	return list, nil
}

// Withdraw takes back what waits, and forgets it; the draft of a listing that
// came with it stays. Errors: Unauthenticated, NotFound, also for what others
// sent, Conflict with already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := deletePending(ctx, tx, v.ID, id)
		if err != nil || done {
			return err
		}
		sent, err := sentByID(ctx, tx, v.ID, id)
		if err == nil {
			return errDecided(sent.Status)
		}
		return err
	})
	return explained("withdraw shout-out", err)
}

// Adopt makes the viewer's what was sent without an account from the browser of
// the mark, and pays for what of it is public. A shout-out has one account at
// most, however often and wherever this is called; whose name it shows does not
// change. It returns how many it adopted. Errors: Unauthenticated.
func (s *Service) Adopt(ctx context.Context, v core.Viewer, mark string) (int, error) {
	if err := requireMember(v); err != nil || mark == "" {
		return 0, err
	}
	adopted := 0
	err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		// Decisions lock the same rows, so that either sees what the other did.
		if err := lockOfBrowser(ctx, tx, s.hash(mark)); err != nil {
			return err
		}
		list, err := adopt(ctx, tx, v.ID, s.hash(mark))
		if err != nil {
			return err
		}
		for _, one := range list {
			if one.Status != Approved || one.Hidden {
				continue
			}
			if err := s.award(ctx, tx, &v.ID, one.ID, one.BusinessName); err != nil {
				return err
			}
		}
		adopted = len(list)
		return nil
	})
	if breaks(err, "shoutout_senders_account_id_fkey") {
		return 0, core.Unauthenticatedf("This account no longer exists.")
	}
	if err != nil {
		return 0, fmt.Errorf("adopt shout-outs: %w", err)
	}
	return adopted, nil
}

// LeaveTx readies the area for an account's deletion. With remove what it sent
// goes, but for what was approved; that, and all of it without remove, stays
// without its name.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	tx.Touch(Area)
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if remove {
			if err := deleteUnapproved(ctx, tx, accountID); err != nil {
				return err
			}
		}
		return forgetSender(ctx, tx, accountID)
	})
	if err != nil {
		return fmt.Errorf("leave shout-outs: %w", err)
	}
	return nil
}
