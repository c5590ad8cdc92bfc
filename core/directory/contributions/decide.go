package contributions

import (
	"context"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// Approve carries out what was proposed, in the transaction of the decision: a
// listing is published, and belongs to its member and pays them if they are
// still here, an edit changes the entry as it is now, a place that is open is
// marked as verified, a closed one is archived. amended holds the fields that
// the moderator words otherwise or adds, nil for none; it has no meaning for
// KindStillOpen. However many decide at once, one does. For staff but the sender. Errors: Unauthenticated,
// Forbidden, NotFound, Invalid where the entry would not be right any more,
// Conflict with already_decided.
func (s *Service) Approve(ctx context.Context, v core.Viewer, id string, amended *Patch) (Contribution, error) {
	return s.decide(ctx, v, id, func(tx *pg.Tx, c *Contribution) error {
		c.Status = Approved
		if amended != nil {
			c.Patch = c.Patch.with(*amended)
		}
		switch c.Kind {
		case KindListing:
			return s.publish(ctx, tx, c)
		case KindEdit:
			return s.change(ctx, tx, *c)
		}
		if *c.Open {
			return s.directory.ConfirmTx(ctx, tx, *c.EntryID)
		}
		return s.directory.ArchiveTx(ctx, tx, *c.EntryID)
	})
}

// Refuse declines what was proposed; the member reads the reason. For staff but
// the sender. Errors: as of Approve.
func (s *Service) Refuse(ctx context.Context, v core.Viewer, id, reason string) (Contribution, error) {
	if err := requireStaff(v); err != nil {
		return Contribution{}, err
	}
	var p core.Problems
	p.Text("reason", &reason, 1, maxReason)
	if err := p.Err(); err != nil {
		return Contribution{}, err
	}
	return s.decide(ctx, v, id, func(_ *pg.Tx, c *Contribution) error {
		c.Status, c.Reason = Refused, reason
		return nil
	})
}

// decide locks the contribution while it waits, lets effect carry out and note
// the decision in it, and stores that.
func (s *Service) decide(ctx context.Context, v core.Viewer, id string, effect func(tx *pg.Tx, c *Contribution) error) (Contribution, error) {
	if err := requireStaff(v); err != nil {
		return Contribution{}, err
	}
	if !core.ValidID(id) {
		return Contribution{}, errNone()
	}
	var decided Contribution
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		still, err := lockPending(ctx, tx, id)
		if err != nil {
			return err
		}
		c, err := byID(ctx, tx, id) // once it is locked: the member may just have left
		switch {
		case err != nil:
			return err
		case sentBy(c, v):
			return core.Forbiddenf("Nobody decides their own contribution. Another moderator will.")
		case !still:
			return errDecided(c.Status)
		}
		now := s.now()
		c.DecidedAt = &now
		if err := effect(tx, &c); err != nil {
			return err
		}
		if err := storeDecision(ctx, tx, c, v.ID); err != nil {
			return err
		}
		if err := s.audit.RecordTx(ctx, tx, v, rulingOn(c)); err != nil {
			return err
		}
		decided, err = byID(ctx, tx, id)
		return err
	})
	return decided, explained("decide contribution", err)
}

// rulingOn is what the log keeps of a decision, such as "listing_approved".
func rulingOn(c Contribution) core.Ruling {
	return core.Ruling{Kind: string(c.Kind) + "_" + string(c.Status), About: core.Target{Type: "directory_contribution", ID: c.ID},
		Title: c.EntryName, Reason: c.Reason}
}

func (s *Service) publish(ctx context.Context, tx *pg.Tx, c *Contribution) error {
	in, err := s.checkListing(ctx, c.Patch.Input)
	if err != nil {
		return err
	}
	in.OwnerID = c.AccountID
	e, err := s.directory.CreateTx(ctx, tx, in)
	if err != nil {
		return err
	}
	c.EntryID = &e.ID
	if c.AccountID == "" { // who sent it has left
		return nil
	}
	_, err = s.points.AwardTx(ctx, tx, core.Award{AccountID: c.AccountID, Reason: core.AwardListing, Detail: e.Name,
		RefType: "directory_entry", RefID: e.ID})
	return err
}

func (s *Service) change(ctx context.Context, tx *pg.Tx, c Contribution) error {
	e, err := s.directory.LockTx(ctx, tx, *c.EntryID)
	if err != nil {
		return err
	}
	in := directory.FormOf(e)
	c.Patch.Apply(&in)
	in.Kind = e.Kind
	var p core.Problems
	if err := s.directory.Check(ctx, &in, &p); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return err
	}
	return s.directory.ChangeTx(ctx, tx, e, in)
}
