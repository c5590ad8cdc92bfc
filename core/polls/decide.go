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
	return s.decide(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		return tx.AsSystem(ctx, func(tx *pg.Tx) error { return s.publish(ctx, tx, p.ID, v.ID) })
	})
}

// Refuse declines a draft; the author reads the reason, which is required.
// Errors: as of Approve, and Invalid.
func (s *Service) Refuse(ctx context.Context, v core.Viewer, slug, reason string) (Poll, error) {
	var problems core.Problems
	problems.Text("reason", &reason, 1, MaxReason)
	if err := problems.Err(); err != nil && v.IsStaff() {
		return Poll{}, err
	}
	return s.decide(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		done, err := refuse(ctx, tx, p.ID, reason, v.ID, s.now())
		if err == nil && !done {
			err = fmt.Errorf("no right to refuse poll %s", p.ID)
		}
		return err
	})
}

func (s *Service) decide(ctx context.Context, v core.Viewer, slug string, do func(tx *pg.Tx, p Poll) error) (Poll, error) {
	return s.moderate(ctx, v, slug, func(tx *pg.Tx, p Poll) error {
		if p.Status != Draft {
			return core.Conflictf("already_decided", "This poll no longer waits: it was %s in the meantime.", p.Status)
		}
		return do(tx, p)
	})
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
		tx.Touch(Area)
		found, err := lockForDecision(ctx, tx, slug)
		if err != nil {
			return err
		}
		if !CanModerate(v, found.Summary) {
			return core.Forbiddenf("Nobody decides about their own poll. Another moderator will.")
		}
		found.settle(s.now())
		if err := do(tx, found); err != nil {
			return err
		}
		p, err = pollBySlug(ctx, tx, slug)
		p.settle(s.now())
		return err
	})
	return p, explained("moderate poll", err, errNoPoll())
}

// ApproveComment shows a comment. For staff but who wrote it. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with already_decided.
func (s *Service) ApproveComment(ctx context.Context, v core.Viewer, id string) (Comment, error) {
	return s.decideComment(ctx, v, id, CommentApproved, "")
}

// RejectComment keeps a comment from being shown; a reason may be empty.
// Errors: as of ApproveComment, and Invalid.
func (s *Service) RejectComment(ctx context.Context, v core.Viewer, id, reason string) (Comment, error) {
	var problems core.Problems
	problems.Text("reason", &reason, 0, MaxReason)
	if err := problems.Err(); err != nil && v.IsStaff() {
		return Comment{}, err
	}
	return s.decideComment(ctx, v, id, CommentRejected, reason)
}

func (s *Service) decideComment(ctx context.Context, v core.Viewer, id string, to CommentStatus, reason string) (c Comment, err error) {
	if err := requireStaff(v); err != nil {
		return c, err
	}
	if !core.ValidID(id) {
		return c, errNoComment()
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Tallies)
		found, err := commentByID(ctx, tx, id)
		if err != nil {
			return err
		}
		if !CanJudge(v, found) {
			return core.Forbiddenf("Nobody decides about their own comment. Another moderator will.")
		}
		done, err := decideComment(ctx, tx, id, to, reason, v.ID, s.now())
		if err != nil {
			return err
		}
		if c, err = commentByID(ctx, tx, id); err == nil && !done {
			return core.Conflictf("already_decided", "This comment no longer waits: it was %s in the meantime.", c.Status)
		}
		return err
	})
	return c, explained("decide comment", err, errNoComment())
}
