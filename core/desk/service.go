package desk

import (
	"context"
	"errors"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// auditor writes decisions down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// judge knows how the pipeline judged a thing, and where it came from.
type judge interface {
	VerdictTx(ctx context.Context, q pg.Querier, about core.Target) (v core.Verdict, from core.Origin, found bool, err error)
}

// blocker keeps addresses from sending.
type blocker interface {
	BlockTx(ctx context.Context, tx *pg.Tx, by core.Viewer, a core.Abuse) (blocked bool, err error)
	LiftAboutTx(ctx context.Context, tx *pg.Tx, v core.Viewer, about core.Target, reason string) error
}

// Needs are the services that the desk uses.
type Needs struct {
	Queues []Queue // in the order in which people see them
	Audit  auditor
	Blocks blocker
	Judge  judge
}

// Service runs the desk.
type Service struct {
	db     *pg.DB
	now    core.Clock
	needs  Needs
	queues map[string]Queue
}

// New makes the service. The queue of appeals is added to the others.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	s := &Service{db: db, now: now, needs: needs, queues: map[string]Queue{}}
	s.needs.Queues = append(append([]Queue(nil), needs.Queues...), Queue{AppealType, "Appeals", appealCases{s}})
	for _, q := range s.needs.Queues {
		s.queues[q.Type] = q
	}
	return s
}

// Queues are all of them in their order.
func (s *Service) Queues() []Queue { return s.needs.Queues }

func (s *Service) cases(t core.Target) (Cases, error) {
	q, ok := s.queues[t.Type]
	if !ok || !core.ValidID(t.ID) {
		return nil, errNone()
	}
	return q.Cases, nil
}

// Inbox lists what waits and the viewer may decide, oldest first. For staff.
// Errors: Unauthenticated, Forbidden, Invalid.
func (s *Service) Inbox(ctx context.Context, v core.Viewer, f Filter) (in Inbox, err error) {
	if err := requireStaff(v); err != nil {
		return in, err
	}
	if _, ok := s.queues[f.Type]; f.Type != "" && !ok {
		return in, core.InvalidField("queue", "is none of the desk's")
	}
	f.Page = InboxRule.Clamp(f.Page)
	in.Page = f.Page
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		if in.Counts, in.Others, err = counts(ctx, q, v.ID); err != nil {
			return err
		}
		for _, n := range in.Counts {
			in.All += n
		}
		in.Items, in.Total, err = waiting(ctx, q, v, f)
		return err
	})
	return in, explained("read the inbox", err)
}

// Waiting is how much waits in all queues for the viewer; 0 for who is not staff.
func (s *Service) Waiting(ctx context.Context, v core.Viewer) (int, error) {
	if !v.IsStaff() {
		return 0, nil
	}
	in, err := s.Inbox(ctx, v, Filter{Page: core.Page{Limit: 1}})
	return in.All, err
}

// Open reads a case with all that is known of it, waiting or decided. For staff.
// Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) Open(ctx context.Context, v core.Viewer, t core.Target) (f File, err error) {
	if err := requireStaff(v); err != nil {
		return f, err
	}
	cases, err := s.cases(t)
	if err != nil {
		return f, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		if f.Case, err = cases.CaseTx(ctx, q, v, t.ID); err != nil {
			return err
		}
		return s.fill(ctx, q, v, &f)
	})
	return f, explained("open case", err)
}

// fill adds what the desk knows itself.
func (s *Service) fill(ctx context.Context, q pg.Querier, v core.Viewer, f *File) (err error) {
	now := s.now()
	claim, err := claimOf(ctx, q, f.Target)
	if err != nil {
		return err
	}
	f.ClaimedBy, f.Claimed = claim.Username, claim.AccountID != nil && *claim.AccountID == v.ID
	if f.Notes, err = notesOf(ctx, q, f.Target); err != nil {
		return err
	}
	if f.Past, err = pastOf(ctx, q, f.Target); err != nil {
		return err
	}
	if len(f.Past) > 0 {
		if last := f.Past[0]; last.UndoneAt == nil && last.DecidedBy != nil && *last.DecidedBy == v.ID && now.Sub(last.DecidedAt) < UndoFor {
			f.Undo = last.BatchID
		}
	}
	if f.SenderID != "" {
		if f.History, err = historyOf(ctx, q, f.SenderID); err != nil {
			return err
		}
	}
	if s.needs.Judge == nil {
		return nil
	}
	verdict, _, found, err := s.needs.Judge.VerdictTx(ctx, q, f.Target)
	if found {
		f.Verdict = &verdict
	}
	return err
}

// LeaveTx takes an account's name from what waits. Its appeals go with it; what
// was decided stays without a name. Part of deleting the account.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, _ bool) error {
	if err := forgetSender(ctx, tx, accountID); err != nil {
		return fmt.Errorf("settle the desk: %w", err)
	}
	return nil
}

// explained keeps what is meant for a person, and says NotFound for no row.
func explained(operation string, err error) error {
	var known *core.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case pg.NoRows(err):
		return errNone()
	}
	return fmt.Errorf("%s: %w", operation, err)
}
