package contributions

import (
	"context"

	"homeplace/core"
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
	return s.decide(ctx, v, id, choice{action: core.ActionApprove, amended: amended})
}

// Refuse declines what was proposed; the member reads the reason. For staff but
// the sender. Errors: as of Approve.
func (s *Service) Refuse(ctx context.Context, v core.Viewer, id, reason string) (Contribution, error) {
	return s.decide(ctx, v, id, choice{action: core.ActionReject, reason: reason})
}

// decide also writes down what the decision was.
func (s *Service) decide(ctx context.Context, v core.Viewer, id string, d choice) (decided Contribution, err error) {
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		c, _, err := s.decideTx(ctx, tx, v, id, d)
		if err != nil {
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

// choice is a decision on its way in.
type choice struct {
	action  core.Action
	reason  string
	amended *Patch // of an approval; nil for as it was sent
}

// check cleans the reason and tells what cannot be decided.
func (d *choice) check(c Contribution) error {
	least := 0
	switch d.action {
	case core.ActionApprove, core.ActionReject:
		if c.Status != Pending {
			return errDecided(c.Status)
		}
		if d.action == core.ActionReject {
			least = 1
		}
	case core.ActionRestore:
		if c.Status == Pending {
			return core.InvalidField("action", "must be approve or reject while the contribution waits")
		}
		if c.Status != Refused {
			return errDecided(c.Status)
		}
	default:
		return core.InvalidField("action", "must be approve, reject or restore")
	}
	var p core.Problems
	p.Text("reason", &d.reason, least, maxReason)
	return p.Err()
}

// decideTx locks the contribution, carries the decision out, and stores it.
func (s *Service) decideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, d choice) (c Contribution, m memo, err error) {
	if c, err = lockForDecision(ctx, tx, v, id); err != nil {
		return c, m, err
	}
	if err := d.check(c); err != nil {
		return c, m, err
	}
	if m.Before, err = stateOf(ctx, tx, id); err != nil {
		return c, m, err
	}
	now, waited := s.now(), c.Status == Pending
	c.DecidedAt, c.Reason, c.Status = &now, d.reason, Refused
	if d.action != core.ActionReject {
		c.Status = Approved
		if d.amended != nil {
			c.Patch = c.Patch.with(*d.amended)
		}
		if m.Entry, err = s.carryOut(ctx, tx, &c); err != nil {
			return c, m, err
		}
	}
	store := func(tx *pg.Tx) error { return storeDecision(ctx, tx, c, v.ID) }
	if waited {
		err = store(tx)
	} else { // staff may write to what waits alone
		err = tx.AsSystem(ctx, store)
	}
	if err != nil {
		return c, m, err
	}
	m.After, err = stateOf(ctx, tx, id)
	return c, m, err
}

// lockForDecision reads a contribution once nobody else decides about it, for
// staff but the sender. It locks as the system: staff may lock what waits alone.
func lockForDecision(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (c Contribution, err error) {
	if err := requireStaff(v); err != nil {
		return c, err
	}
	if !core.ValidID(id) {
		return c, errNone()
	}
	if err := tx.AsSystem(ctx, func(tx *pg.Tx) error { return lock(ctx, tx, id) }); err != nil {
		return c, err
	}
	c, err = byID(ctx, tx, id) // once it is locked: the member may just have left
	if err == nil && sentBy(c, v) {
		err = core.Forbiddenf("Nobody decides their own contribution. Another moderator will.")
	}
	return c, err
}
