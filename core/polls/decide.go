package polls

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Case is a draft or a comment that waits, with what the moderation pipeline
// said of it; Verdict is nil where it said nothing.
type Case[T any] struct {
	Item    T
	Verdict *core.Verdict
}

// Drafts lists the polls that wait for staff, the oldest first; CanModerate
// tells which the viewer may decide. For staff.
func (s *Service) Drafts(ctx context.Context, v core.Viewer, page core.Page) (core.List[Case[Poll]], error) {
	list := core.List[Case[Poll]]{Page: QueueRule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) error {
		found, total, err := drafts(ctx, q, list.Page)
		list.Total = total
		for _, p := range found {
			if err == nil {
				p.Options, err = optionsOf(ctx, q, p.ID)
			}
			list.Items = append(list.Items, Case[Poll]{Item: p.Poll, Verdict: p.Verdict})
		}
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list drafts of polls: %w", err)
	}
	return list, nil
}

// PendingComments lists the comments that wait for staff, the oldest first;
// CanJudge tells which the viewer may decide. For staff.
func (s *Service) PendingComments(ctx context.Context, v core.Viewer, page core.Page) (core.List[Case[Comment]], error) {
	list := core.List[Case[Comment]]{Page: QueueRule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) error {
		found, total, err := pendingComments(ctx, q, list.Page)
		list.Total = total
		for _, c := range found {
			list.Items = append(list.Items, Case[Comment]{Item: c.Comment, Verdict: c.Verdict})
		}
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list comments on polls: %w", err)
	}
	return list, nil
}

// Approve publishes a draft, which pays its author. For staff but the author.
// Errors: Unauthenticated, Forbidden, NotFound, Conflict with already_decided.
func (s *Service) Approve(ctx context.Context, v core.Viewer, slug string) (Poll, error) {
	return s.decide(ctx, v, slug, choice{action: core.ActionApprove})
}

// Refuse declines a draft; the author reads the reason, which is required.
// Errors: as of Approve, and Invalid.
func (s *Service) Refuse(ctx context.Context, v core.Viewer, slug, reason string) (Poll, error) {
	return s.decide(ctx, v, slug, choice{action: core.ActionReject, reason: reason})
}

func (s *Service) decide(ctx context.Context, v core.Viewer, slug string, d choice) (Poll, error) {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		_, err := s.decideTx(ctx, tx, v, p, &d)
		return err
	})
}

// decideTx carries out a decision about a poll that is locked; d's reason is
// what was stored then.
func (s *Service) decideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, p Poll, d *choice) (m memo, err error) {
	if err := d.check("poll", string(p.Status), p.Status == Draft, p.restorable(), 1); err != nil {
		return m, err
	}
	if m.Before, err = stateOf(ctx, tx, pollState, p.ID); err != nil {
		return m, err
	}
	switch {
	case d.action == core.ActionReject || d.action == core.ActionAbusive:
		err = refuse(ctx, tx, p.ID, d.reason, v.ID, s.now())
	case p.Status == Published:
		err = showAgain(ctx, tx, p.ID, v.ID, s.now())
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
		return closePoll(ctx, tx, p.ID, v.ID, s.now())
	})
}

// SetHidden takes a poll out of every public read, or puts it back. For staff
// but the author. Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) SetHidden(ctx context.Context, v core.Viewer, slug string, hidden bool) (Poll, error) {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		return setHidden(ctx, tx, p.ID, hidden, s.now())
	})
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

// ApproveComment shows a comment. For staff but who wrote it. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with already_decided.
func (s *Service) ApproveComment(ctx context.Context, v core.Viewer, id string) (Comment, error) {
	return s.decideComment(ctx, v, id, choice{action: core.ActionApprove}, 0)
}

// RejectComment keeps a comment from being shown; a reason may be empty.
// Errors: as of ApproveComment, and Invalid.
func (s *Service) RejectComment(ctx context.Context, v core.Viewer, id, reason string) (Comment, error) {
	return s.decideComment(ctx, v, id, choice{action: core.ActionReject, reason: reason}, 0)
}

func (s *Service) decideComment(ctx context.Context, v core.Viewer, id string, d choice, leastReason int) (c Comment, err error) {
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		if _, err := s.decideCommentTx(ctx, tx, v, id, d, leastReason); err != nil {
			return err
		}
		c, err = commentByID(ctx, tx, id)
		return err
	})
	return c, explained("decide comment", err, errNoComment())
}

// decideCommentTx locks the comment and carries a decision about it out.
func (s *Service) decideCommentTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, d choice, leastReason int) (m memo, err error) {
	c, err := s.lockComment(ctx, tx, v, id)
	if err != nil {
		return m, err
	}
	if err := d.check("comment", string(c.Status), c.Status == CommentPending, c.Status == CommentRejected, leastReason); err != nil {
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
