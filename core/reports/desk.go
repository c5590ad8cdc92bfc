package reports

import (
	"context"
	"encoding/json"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// DeskType is what a case is called at the moderators' desk.
const DeskType = "report"

// Desk is the area's side of the moderators' desk: its ids are those of cases,
// and it takes those of targets as well. Its methods run in the transaction of
// the desk, as staff or the system.
type Desk struct{ s *Service }

// Desk gives it.
func (s *Service) Desk() Desk { return Desk{s} }

// memo is what undoes a decision: how things were, how the decision left them,
// and the reports that it closed.
type memo struct {
	Before standing `json:"before"`
	After  standing `json:"after"`
	Closed []string `json:"closed"`
}

// DecideTx hides or keeps what has open reports, and restores what is hidden,
// which closes them. Errors: Unauthenticated, Forbidden, NotFound, Invalid, Conflict
// with already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	c, err := d.lock(ctx, tx, v, id)
	if err != nil {
		return core.Done{}, explained("decide case", err)
	}
	if err := d.check(ctx, tx, c, action, &reason); err != nil {
		return core.Done{}, explained("decide case", err)
	}
	m := memo{Before: c.standing}
	ruling, closed, err := d.s.decide(ctx, tx, v, c, action, reason)
	if err != nil {
		return core.Done{}, explained("decide case", err)
	}
	left, err := d.s.lock(ctx, tx, v, c.kind, c.id)
	if err != nil {
		return core.Done{}, explained("read decided case", err)
	}
	m.After, m.Closed = left.standing, closed
	done := core.Done{Ruling: ruling}
	done.Memo, err = json.Marshal(m)
	return done, err
}

func (d Desk) lock(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (lockedCase, error) {
	if err := requireStaff(v); err != nil {
		return lockedCase{}, err
	}
	about, err := find(ctx, tx, id)
	if err != nil {
		return lockedCase{}, err
	}
	return d.s.lock(ctx, tx, v, about.TargetType, about.TargetID)
}

func find(ctx context.Context, q pg.Querier, id string) (subject, error) {
	if !core.ValidID(id) {
		return subject{}, errNoCase()
	}
	about, err := subjectOf(ctx, q, id)
	if pg.NoRows(err) {
		err = errNoCase()
	}
	return about, err
}

func (d Desk) check(ctx context.Context, tx *pg.Tx, c lockedCase, action core.Action, reason *string) error {
	least := 0
	switch action {
	case core.ActionHide:
		least = 1
	case core.ActionKeep:
	case core.ActionRestore:
		if c.Hidden { // an appeal may be granted before the reports are decided, and closes them
			break
		}
		if n, err := openReports(ctx, tx, c.kind, c.id); err != nil {
			return err
		} else if n > 0 {
			return core.InvalidField("action", "must be hide or keep while reports wait")
		}
	default:
		return core.InvalidField("action", "must be hide, keep or restore")
	}
	var p core.Problems
	p.Text("reason", reason, least, MaxReason)
	return p.Err()
}

// UndoTx opens the reports again that the decision closed, and puts the target
// back to where it was. Errors: Unauthenticated, Forbidden, NotFound, Conflict
// with cannot_undo where things have changed or somebody has reported it again.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	c, err := d.lock(ctx, tx, v, id)
	if err != nil {
		return explained("undo decision", err)
	}
	var m memo
	if err := json.Unmarshal(kept, &m); err != nil {
		return fmt.Errorf("read how case %s was: %w", id, err)
	}
	// As the system: staff may put nobody's name to a decision but their own.
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		waiting, err := openReports(ctx, tx, c.kind, c.id)
		switch {
		case err != nil:
			return err
		case waiting > 0 || !c.standing.equals(m.After):
			return errMoved()
		}
		switch {
		case m.Before.Hidden && !c.Hidden:
			err = c.targets.HideTx(ctx, tx, c.id)
		case c.Hidden && !m.Before.Hidden:
			err = c.targets.RestoreTx(ctx, tx, c.id)
		}
		if err != nil {
			return err
		}
		if err := putBack(ctx, tx, c.kind, c.id, m.Before); err != nil {
			return err
		}
		return reopen(ctx, tx, m.Closed)
	})
	return explained("undo decision", err)
}
