package desk

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
)

// Claim keeps a case for the viewer for ClaimFor, or for as long again where it
// is theirs already. For staff. Errors: Unauthenticated, Forbidden, NotFound
// where it does not wait, Conflict with claimed.
func (s *Service) Claim(ctx context.Context, v core.Viewer, t core.Target) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if _, err := s.cases(t); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		done, err := claim(ctx, tx, t, v.ID)
		if err != nil || done {
			return err
		}
		held, err := claimOf(ctx, tx, t)
		if err != nil {
			return err
		}
		if held.Username == nil {
			return errNone()
		}
		return errClaimed(*held.Username)
	})
	return explained("claim case", err)
}

// Release gives a case back that the viewer has claimed; else nothing happens.
// For staff. Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) Release(ctx context.Context, v core.Viewer, t core.Target) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if _, err := s.cases(t); err != nil {
		return err
	}
	return explained("release case", s.db.Write(ctx, v, func(tx *pg.Tx) error { return release(ctx, tx, t, v.ID) }))
}

// Note leaves something for the other moderators; nobody else reads it. For staff.
// Errors: Unauthenticated, Forbidden, NotFound, Invalid.
func (s *Service) Note(ctx context.Context, v core.Viewer, t core.Target, body string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	cases, err := s.cases(t)
	if err != nil {
		return err
	}
	var p core.Problems
	p.Text("note", &body, 1, MaxNote)
	if err := p.Err(); err != nil {
		return err
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		if _, err := cases.CaseTx(ctx, tx, v, t.ID); err != nil {
			return err
		}
		return insertNote(ctx, tx, t, v.ID, body, s.now())
	})
	return explained("note", err)
}

// Reply is a reason that fits often.
type Reply struct {
	ID         string
	TargetType string // of the queue that it is for; "" fits all
	Body       string
}

// Replies are the saved replies for a queue, those for all of them first; "" reads
// every one. For staff. Errors: Unauthenticated, Forbidden.
func (s *Service) Replies(ctx context.Context, v core.Viewer, queue string) (list []Reply, err error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		list, err = replies(ctx, q, queue)
		return err
	})
	return list, explained("read saved replies", err)
}

// AddReply saves a reply; there already, nothing happens. For staff. Errors:
// Unauthenticated, Forbidden, Invalid, Conflict with too_many_replies.
func (s *Service) AddReply(ctx context.Context, v core.Viewer, r Reply) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	var p core.Problems
	p.Text("body", &r.Body, 1, MaxReply)
	if _, ok := s.queues[r.TargetType]; r.TargetType != "" && !ok {
		p.Add("queue", "is none of the desk's")
	}
	if err := p.Err(); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		n, err := countReplies(ctx, tx)
		if err != nil {
			return err
		}
		if n >= MaxReplies {
			return core.Conflictf("too_many_replies", "There are %d saved replies already. Remove one that nobody needs first.", MaxReplies)
		}
		return insertReply(ctx, tx, r, s.now())
	})
	return explained("save reply", err)
}

// RemoveReply removes a saved reply; gone already, nothing happens. For staff.
// Errors: Unauthenticated, Forbidden.
func (s *Service) RemoveReply(ctx context.Context, v core.Viewer, id string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return nil
	}
	return explained("remove reply", s.db.Write(ctx, v, func(tx *pg.Tx) error { return deleteReply(ctx, tx, id) }))
}
