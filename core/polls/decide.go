package polls

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
)

// decideTx carries out a decision about a poll that is locked; d's reason is
// what was stored then.
func (s *Service) decideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, p Poll, d *choice) (m memo, err error) {
	if err := d.check("poll", string(p.Status), p.Status == Draft, p.restorable()); err != nil {
		return m, err
	}
	if m.Before, err = stateOf(ctx, tx, pollState, p.ID); err != nil {
		return m, err
	}
	switch {
	case d.action == core.ActionReject || d.action == core.ActionAbusive:
		err = refuse(ctx, tx, p.ID, d.reason, v.ID, s.now())
	case p.Status == Published:
		err = setHidden(ctx, tx, p.ID, false, v.ID, s.now())
	default:
		err = tx.AsSystem(ctx, func(tx *pg.Tx) error { return s.publish(ctx, tx, p.ID, v.ID) })
	}
	if err != nil {
		return m, err
	}
	m.After, err = stateOf(ctx, tx, pollState, p.ID)
	return m, err
}

// Close ends a poll early. For staff but the author. Errors: Unauthenticated,
// Forbidden, NotFound, Conflict with poll_closed.
func (s *Service) Close(ctx context.Context, v core.Viewer, slug string) (Poll, error) {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		if p.State == Closed {
			return core.Conflictf("poll_closed", "This poll is closed already.")
		}
		if err := closePoll(ctx, tx, p.ID, v.ID, s.now()); err != nil {
			return err
		}
		return s.record(ctx, tx, v, "poll_closed", p)
	})
}

// SetHidden takes a poll out of every public read, or puts it back. For staff
// but the author. Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) SetHidden(ctx context.Context, v core.Viewer, slug string, hidden bool) (Poll, error) {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		if (p.HiddenAt != nil) == hidden {
			return nil
		}
		kind := "poll_shown"
		if hidden {
			kind = "poll_hidden"
		}
		if err := setHidden(ctx, tx, p.ID, hidden, v.ID, s.now()); err != nil {
			return err
		}
		return s.record(ctx, tx, v, kind, p)
	})
}

// record writes down what was decided on the poll's page.
func (s *Service) record(ctx context.Context, tx *pg.Tx, v core.Viewer, kind string, p Poll) error {
	if s.needs.Audit == nil {
		return nil
	}
	return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: kind, About: core.Target{Type: "poll", ID: p.ID}, Title: p.Question})
}

// moderate locks the poll for one decision at a time.
func (s *Service) moderate(ctx context.Context, v core.Viewer, slug string, do func(tx *pg.Tx, p Poll) error) (p Poll, err error) {
	if err := requireStaff(v); err != nil {
		return p, err
	}
	if !core.ValidSlug(slug) {
		return p, errNoPoll()
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		named, err := pollBySlug(ctx, tx, slug)
		if err != nil {
			return err
		}
		found, err := s.lockPoll(ctx, tx, v, named.ID)
		if err != nil {
			return err
		}
		if err := do(tx, found); err != nil {
			return err
		}
		p, err = pollBySlug(ctx, tx, slug)
		p.settle(s.now())
		return err
	})
	return p, explained("moderate poll", err, errNoPoll())
}

// lockPoll reads a poll once nobody else decides about it, for staff but its
// author.
func (s *Service) lockPoll(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (Poll, error) {
	if err := requireStaff(v); err != nil {
		return Poll{}, err
	}
	if !core.ValidID(id) {
		return Poll{}, errNoPoll()
	}
	tx.Touch(Area)
	p, err := lockForDecision(ctx, tx, id)
	if err == nil && !CanModerate(v, p.Summary) {
		err = core.Forbiddenf("Nobody decides about their own poll. Another moderator will.")
	}
	p.settle(s.now())
	return p, err
}

// decideCommentTx locks the comment and carries a decision about it out.
func (s *Service) decideCommentTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, d choice) (m memo, err error) {
	c, err := s.lockComment(ctx, tx, v, id)
	if err != nil {
		return m, err
	}
	if err := d.check("comment", string(c.Status), c.Status == CommentPending, c.Status == CommentRejected); err != nil {
		return m, err
	}
	if m.Before, err = stateOf(ctx, tx, commentState, id); err != nil {
		return m, err
	}
	to := CommentApproved
	if d.action == core.ActionReject || d.action == core.ActionAbusive {
		to = CommentRejected
	}
	if err := decideComment(ctx, tx, id, to, d.reason, v.ID, s.now()); err != nil {
		return m, err
	}
	m.After, err = stateOf(ctx, tx, commentState, id)
	return m, err
}

// lockComment reads a comment once nobody else decides about it, for staff but
// who wrote it.
func (s *Service) lockComment(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (Comment, error) {
	if err := requireStaff(v); err != nil {
		return Comment{}, err
	}
	if !core.ValidID(id) {
		return Comment{}, errNoComment()
	}
	tx.Touch(Tallies)
	c, err := lockComment(ctx, tx, id)
	if err == nil && !CanJudge(v, c) {
		err = core.Forbiddenf("Nobody decides about their own comment. Another moderator will.")
	}
	return c, err
}
