package sayings

import (
	"context"
	"encoding/json"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// Case reads one with everything about it, whatever its state. For staff.
// Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) Case(ctx context.Context, v core.Viewer, id string) (c Case, err error) {
	if err := requireStaff(v); err != nil {
		return c, err
	}
	if !core.ValidID(id) {
		return c, errNone()
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		c, err = caseByID(ctx, q, id)
		return err
	})
	return c, explained("read saying", err)
}

// Correct gives what waits other words, and decides nothing. For staff but who
// sent it. Errors: Unauthenticated, Forbidden, NotFound, Invalid, Conflict with
// already_decided or already_here.
func (s *Service) Correct(ctx context.Context, v core.Viewer, id string, w Words) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	var p core.Problems
	if err := s.checkWords(ctx, &p, &w); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		c, err := lockCase(ctx, tx, v, id)
		switch {
		case err != nil:
			return err
		case c.Status != Pending:
			return errDecided(c.Status)
		}
		return storeWords(ctx, tx, id, w)
	})
	return explained("correct saying", err)
}

// choice is a decision on its way in.
type choice struct {
	action core.Action
	reason string
}

// memo is what undoes a decision: how it was, and how the decision left it.
type memo struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// decideTx locks the saying, carries the decision out, and notes who took it.
func (s *Service) decideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, d choice) (m memo, err error) {
	c, err := lockCase(ctx, tx, v, id)
	if err != nil {
		return m, err
	}
	if err := d.check(c); err != nil {
		return m, err
	}
	if m.Before, err = stateOf(ctx, tx, id); err != nil {
		return m, err
	}
	now := s.now()
	if err := s.carryOut(ctx, tx, c, d, now); err != nil {
		return m, err
	}
	if err := storeDecision(ctx, tx, id, d.reason, v.ID, now); err != nil {
		return m, err
	}
	m.After, err = stateOf(ctx, tx, id)
	return m, err
}

// lockCase reads a saying once nobody else decides about it, for staff but who
// sent it.
func lockCase(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (Case, error) {
	if err := requireStaff(v); err != nil {
		return Case{}, err
	}
	if !core.ValidID(id) {
		return Case{}, errNone()
	}
	if err := lock(ctx, tx, id); err != nil {
		return Case{}, err
	}
	c, err := caseByID(ctx, tx, id) // once it is locked: the member may just have left
	if err == nil && sentBy(c, v) {
		err = core.Forbiddenf("Nobody decides about a saying of their own. Another moderator will.")
	}
	return c, err
}

// check cleans the reason and tells what cannot be decided.
func (d *choice) check(c Case) error {
	var p core.Problems
	least := 0
	switch d.action {
	case core.ActionApprove, core.ActionReject, core.ActionAbusive:
		if c.Status != Pending {
			return errDecided(c.Status)
		}
		if d.action == core.ActionReject {
			least = 1
		}
	case core.ActionRestore:
		if c.Status == Pending {
			return core.InvalidField("action", "must be approve, reject or abusive while the saying waits")
		}
		if !restorable(c) {
			return errDecided(c.Status)
		}
	default:
		return core.InvalidField("action", "must be approve, reject, abusive or restore")
	}
	p.Text("reason", &d.reason, least, MaxReason)
	return p.Err()
}

func (s *Service) carryOut(ctx context.Context, tx *pg.Tx, c Case, d choice, now time.Time) error {
	switch {
	case d.action == core.ActionReject:
		return setStatus(ctx, tx, c.ID, Refused)
	case d.action == core.ActionAbusive:
		return setStatus(ctx, tx, c.ID, Spam)
	case c.Status == Published:
		tx.Touch(Area)
		return setHidden(ctx, tx, c.ID, nil)
	}
	return s.publish(ctx, tx, c, now)
}

// publish makes a saying public under its slug, or the first free one, and pays
// whoever sent it.
func (s *Service) publish(ctx context.Context, tx *pg.Tx, c Case, now time.Time) (err error) {
	tx.Touch(Area)
	if c.Slug == "" {
		if c.Slug, err = freeSlug(ctx, tx, slugFor(c.Text)); err != nil {
			return err
		}
	}
	if err := publish(ctx, tx, c.ID, c.Slug, now); err != nil {
		return err
	}
	if s.needs.Awards == nil || c.SubmittedBy == nil {
		return nil
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		_, err := s.needs.Awards.AwardTx(ctx, tx, awardFor(c))
		return err
	})
}

func slugFor(text string) string { return slugs.Make("saying", text) }

// awardFor is what the approval of a member's saying pays.
func awardFor(c Case) core.Award {
	return core.Award{AccountID: *c.SubmittedBy, Reason: core.AwardSaying, Detail: c.Text, RefType: Scope, RefID: c.ID}
}
