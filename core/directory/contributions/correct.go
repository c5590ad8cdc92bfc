package contributions

import (
	"context"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// Correct gives what waits the fields of the patch, and decides nothing. For
// staff but the sender. Errors: Unauthenticated, Forbidden, NotFound, Invalid,
// also where nothing would differ from the entry any more and for
// KindStillOpen, Conflict with already_decided.
func (s *Service) Correct(ctx context.Context, v core.Viewer, id string, patch Patch) error {
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		c, err := lockForDecision(ctx, tx, v, id)
		switch {
		case err != nil:
			return err
		case c.Status != Pending:
			return errDecided(c.Status)
		}
		if err := s.correct(ctx, tx, &c, patch); err != nil {
			return err
		}
		// Staff may write no proposal.
		return tx.AsSystem(ctx, func(tx *pg.Tx) error { return storeProposal(ctx, tx, c) })
	})
	return explained("correct contribution", err)
}

func (s *Service) correct(ctx context.Context, tx *pg.Tx, c *Contribution, patch Patch) error {
	proposed := c.Patch.with(patch)
	switch c.Kind {
	case KindListing:
		in, err := s.checkListing(ctx, proposed.Input)
		c.Patch, c.EntryName = Changed(directory.Input{}, in), in.Name
		return err
	case KindEdit:
		e, err := s.directory.EntryTx(ctx, tx, *c.EntryID)
		if err != nil {
			return err
		}
		in, err := s.edited(ctx, e, proposed)
		if err != nil {
			return err
		}
		c.Patch, c.BaseUpdatedAt = Changed(directory.FormOf(e), in), &e.UpdatedAt
		if len(c.Patch.Fields) == 0 {
			return errNothing()
		}
		return nil
	}
	return &core.Error{Kind: core.Invalid, Code: "validation_failed", Msg: "There is nothing to word otherwise here."}
}
