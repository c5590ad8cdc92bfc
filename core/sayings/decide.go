package sayings

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// Queue lists what waits, oldest first, the viewer's own included: CanDecide
// tells which. For staff.
func (s *Service) Queue(ctx context.Context, v core.Viewer, page core.Page) (core.List[Case], error) {
	list := core.List[Case]{Page: QueueRule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = pendingCases(ctx, q, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list waiting sayings: %w", err)
	}
	return list, nil
}

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

// Approve publishes what waits and pays whoever sent it, in one transaction.
// corrected is all of its words as they should be, nil for as they are. However
// many decide at once, one does. For staff but who sent it. Errors:
// Unauthenticated, Forbidden, NotFound, Invalid, Conflict with already_decided
// or, where it was corrected into one that is there, already_here.
func (s *Service) Approve(ctx context.Context, v core.Viewer, id string, corrected *Words) (Case, error) {
	if err := requireStaff(v); err != nil {
		return Case{}, err
	}
	if corrected != nil {
		var p core.Problems
		w := *corrected
		if err := s.checkWords(ctx, &p, &w); err != nil {
			return Case{}, err
		}
		if err := p.Err(); err != nil {
			return Case{}, err
		}
		corrected = &w
	}
	return s.decide(ctx, v, id, "", func(tx *pg.Tx, c Case, now time.Time) error {
		tx.Touch(Area)
		w := WordsOf(c.Saying)
		if corrected != nil {
			w = *corrected
		}
		slug := c.Slug
		if slug == "" {
			var err error
			if slug, err = freeSlug(ctx, tx, slugFor(w.Text)); err != nil {
				return err
			}
		}
		if err := publish(ctx, tx, c.ID, slug, w, now); err != nil {
			return err
		}
		return s.award(ctx, tx, c, w.Text)
	})
}

func slugFor(text string) string { return slugs.Make("saying", text) }

func (s *Service) award(ctx context.Context, tx *pg.Tx, c Case, text string) error {
	if s.needs.Awards == nil || c.SubmittedBy == nil {
		return nil
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		_, err := s.needs.Awards.AwardTx(ctx, tx, core.Award{AccountID: *c.SubmittedBy, Reason: core.AwardSaying,
			Detail: text, RefType: "saying", RefID: c.ID})
		return err
	})
}

// Refuse declines what waits; the member reads the reason. For staff but who
// sent it. Errors: as of Approve.
func (s *Service) Refuse(ctx context.Context, v core.Viewer, id, reason string) (Case, error) {
	if err := requireStaff(v); err != nil {
		return Case{}, err
	}
	var p core.Problems
	p.Text("reason", &reason, 1, MaxReason)
	if err := p.Err(); err != nil {
		return Case{}, err
	}
	return s.decide(ctx, v, id, reason, func(tx *pg.Tx, c Case, _ time.Time) error { return setStatus(ctx, tx, c.ID, Refused) })
}

// MarkAbusive declines what waits as abuse: it is Spam to who sent it. For
// staff but who sent it. Errors: as of Approve.
func (s *Service) MarkAbusive(ctx context.Context, v core.Viewer, id string) (Case, error) {
	return s.decide(ctx, v, id, "", func(tx *pg.Tx, c Case, _ time.Time) error { return setStatus(ctx, tx, c.ID, Spam) })
}

// decide locks the saying while it waits, lets effect carry out the decision,
// and notes who took it.
func (s *Service) decide(ctx context.Context, v core.Viewer, id, reason string, effect func(*pg.Tx, Case, time.Time) error) (Case, error) {
	if err := requireStaff(v); err != nil {
		return Case{}, err
	}
	if !core.ValidID(id) {
		return Case{}, errNone()
	}
	var decided Case
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		waits, err := lockPending(ctx, tx, id)
		if err != nil {
			return err
		}
		c, err := caseByID(ctx, tx, id) // once it is locked: the member may just have left
		switch {
		case err != nil:
			return err
		case sentBy(c, v):
			return core.Forbiddenf("Nobody decides about a saying of their own. Another moderator will.")
		case !waits:
			return errDecided(c.Status)
		}
		now := s.now()
		if err := effect(tx, c, now); err != nil {
			return err
		}
		if err := storeDecision(ctx, tx, id, reason, v.ID, now); err != nil {
			return err
		}
		decided, err = caseByID(ctx, tx, id)
		return err
	})
	return decided, explained("decide saying", err)
}
