package contributions

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
)

// check cleans the reason and tells what cannot be decided.
func check(c Contribution, action core.Action, reason *string) error {
	least := 0
	switch action {
	case core.ActionApprove, core.ActionReject:
		if c.Status != Pending {
			return errDecided(c.Status)
		}
		if action == core.ActionReject {
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
	p.Text("reason", reason, least, maxReason)
	return p.Err()
}

// decide locks the contribution, carries the decision out, and stores it.
func (s *Service) decide(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (c Contribution, m memo, err error) {
	if c, err = lockForDecision(ctx, tx, v, id); err != nil {
		return c, m, err
	}
	if err := check(c, action, &reason); err != nil {
		return c, m, err
	}
	if m.Before, err = stateOf(ctx, tx, id); err != nil {
		return c, m, err
	}
	now, waited := s.now(), c.Status == Pending
	c.DecidedAt, c.Reason, c.Status = &now, reason, Refused
	if action != core.ActionReject {
		c.Status = Approved
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
