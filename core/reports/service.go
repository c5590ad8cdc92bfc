package reports

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

// Needs are the services that the area uses.
type Needs struct {
	Targets map[Type]Targets                      // by type; one without has no targets
	Pages   map[Type]func(core.Reportable) string // by type: where a target's page is; one without has none
	Audit   auditor
}

// Service keeps reports.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
}

// New makes the service.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	return &Service{db: db, now: now, needs: needs}
}

// Target reads what the viewer would report. Errors: Unauthenticated, NotFound.
func (s *Service) Target(ctx context.Context, v core.Viewer, kind Type, id string) (t core.Reportable, err error) {
	if err := requireMember(v); err != nil {
		return t, err
	}
	targets, ok := s.needs.Targets[kind]
	if !ok || !core.ValidID(id) {
		return t, errNoTarget()
	}
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) error {
		t, err = targets.ReportableTx(ctx, tx, id)
		return err
	})
	if err == nil && t.Hidden {
		err = errNoTarget()
	}
	return t, explained("read target", err)
}

// Send stores a report; the third member with an open one hides the target, in
// the same transaction. Errors: Unauthenticated, Invalid, NotFound, Forbidden for a
// thing of one's own, Conflict with too_many_open.
func (s *Service) Send(ctx context.Context, v core.Viewer, in Input) (Outcome, error) {
	if err := requireMember(v); err != nil {
		return Outcome{}, err
	}
	if err := check(&in); err != nil {
		return Outcome{}, err
	}
	targets, ok := s.needs.Targets[in.Type]
	if !ok {
		return Outcome{}, errNoTarget()
	}
	var out Outcome
	err := s.db.Write(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = s.store(ctx, tx, v, in, targets)
		return err
	})
	switch {
	case breaks(err, "reports_reporter_id_fkey"):
		return Outcome{}, core.Unauthenticatedf("This account no longer exists.")
	case breaks(err, "reports_room"):
		return Outcome{}, core.Conflictf("too_many_open", "You have sent %d reports that still wait for a moderator. Once some are decided, you can send more.", MaxOpen)
	}
	return out, explained("send report", err)
}

func (s *Service) store(ctx context.Context, tx *pg.Tx, v core.Viewer, in Input, targets Targets) (Outcome, error) {
	var t core.Reportable
	var c caseState
	repeated := false
	// Members may lock no case, and see no target that is hidden.
	err := tx.AsSystem(ctx, func(tx *pg.Tx) (err error) {
		if t, err = targets.ReportableTx(ctx, tx, in.TargetID); err != nil {
			return err
		}
		if c, err = openCase(ctx, tx, in.Type, in.TargetID, t.Title); err != nil {
			return err
		}
		// Again: another may have hidden or edited it while this one waited.
		if t, err = targets.ReportableTx(ctx, tx, in.TargetID); err != nil {
			return err
		}
		repeated, err = reportedBefore(ctx, tx, in, v.ID, t.EditedAt)
		return err
	})
	switch {
	case err != nil:
		return Outcome{}, err
	case repeated:
		return Outcome{Duplicate: true}, nil
	case t.OwnerID == v.ID:
		return Outcome{}, core.Forbiddenf("This is yours. You can change it, or take it back.")
	case t.Hidden:
		return Outcome{}, errNoTarget()
	}
	if err := insert(ctx, tx, in, v.ID, s.now()); err != nil {
		return Outcome{}, err
	}
	return Outcome{Status: Open}, tx.AsSystem(ctx, func(tx *pg.Tx) error {
		return s.hideAtThree(ctx, tx, in, t, c, targets)
	})
}

// hideAtThree runs while the case is locked. What a moderator kept stays until it
// is edited.
func (s *Service) hideAtThree(ctx context.Context, tx *pg.Tx, in Input, t core.Reportable, c caseState, targets Targets) error {
	n, err := reporters(ctx, tx, in.Type, in.TargetID)
	if err != nil || n < HideAt || c.keeps(t) {
		return err
	}
	if err := targets.HideTx(ctx, tx, in.TargetID); err != nil {
		return err
	}
	if err := setHidden(ctx, tx, in.Type, in.TargetID, byReports); err != nil {
		return err
	}
	return s.needs.Audit.RecordTx(ctx, tx, core.TheSystem(), core.Ruling{Kind: "hidden_by_reports",
		About: core.Target{Type: string(in.Type), ID: in.TargetID}, Title: t.Title})
}

// Mine lists what the viewer sent, latest first. Errors: Unauthenticated.
func (s *Service) Mine(ctx context.Context, v core.Viewer, page core.Page) (core.List[Report], error) {
	list := core.List[Report]{Page: MineRule.Clamp(page)}
	if err := requireMember(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list.Items, list.Total, err = ofReporter(ctx, tx, v.ID, list.Page)
		return err
	})
	return list, explained("list reports", err)
}

// Withdraw takes an open report back: it no longer counts. Errors:
// Unauthenticated, NotFound, Conflict with already_decided.
func (s *Service) Withdraw(ctx context.Context, v core.Viewer, id string) error {
	if err := requireMember(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNoReport()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		// The case first, as everywhere, so that no two wait for each other. Members
		// may lock none.
		if err := tx.AsSystem(ctx, func(tx *pg.Tx) error { return lockCaseOf(ctx, tx, id, v.ID) }); err != nil {
			return err
		}
		done, err := withdraw(ctx, tx, id, v.ID)
		if err != nil || done {
			return err
		}
		there, err := sentBy(ctx, tx, id, v.ID)
		switch {
		case err != nil:
			return err
		case !there:
			return errNoReport()
		}
		return core.Conflictf("already_decided", "This report no longer waits: it was decided in the meantime, or you took it back.")
	})
	return explained("withdraw report", err)
}

// LeaveTx removes what an account reported, or takes the name from it: then it
// waits on for a moderator, but counts no more towards hiding. Part of deleting
// the account.
func (s *Service) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	settle := forgetReporter
	if remove {
		settle = deleteOf
	}
	if err := settle(ctx, tx, accountID); err != nil {
		return fmt.Errorf("settle reports: %w", err)
	}
	return nil
}

func errNoReport() *core.Error { return core.NotFoundf("There is no such report of yours.") }

// explained keeps what is meant for a person.
func explained(operation string, err error) error {
	var known *core.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%s: %w", operation, err)
}
