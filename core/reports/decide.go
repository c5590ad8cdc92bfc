package reports

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Queue lists the cases with open reports, those that wait longest first. For
// staff.
func (s *Service) Queue(ctx context.Context, v core.Viewer, page core.Page) (core.List[Case], error) {
	return s.cases(ctx, v, page, waiting)
}

// Hidden lists the cases that are decided and whose target is hidden, by title.
// For staff.
func (s *Service) Hidden(ctx context.Context, v core.Viewer, page core.Page) (core.List[Case], error) {
	return s.cases(ctx, v, page, hidden)
}

func (s *Service) cases(ctx context.Context, v core.Viewer, page core.Page,
	read func(context.Context, pg.Querier, core.Page) ([]Case, int, error)) (core.List[Case], error) {
	list := core.List[Case]{Page: QueueRule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list.Items, list.Total, err = read(ctx, tx, list.Page)
		return err
	})
	return list, explained("list cases", err)
}

// Get reads a case with every report of it. For staff. Errors: Unauthenticated,
// Forbidden, NotFound.
func (s *Service) Get(ctx context.Context, v core.Viewer, kind Type, id string) (c Case, err error) {
	if err := requireStaff(v); err != nil {
		return c, err
	}
	if !core.ValidID(id) {
		return c, errNoCase()
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		c, err = s.readCase(ctx, tx, kind, id)
		return err
	})
	return c, explained("read case", err)
}

func (s *Service) readCase(ctx context.Context, q pg.Querier, kind Type, id string) (c Case, err error) {
	targets, ok := s.needs.Targets[kind]
	if !ok {
		return c, errNoCase()
	}
	if c, err = caseOf(ctx, q, kind, id); pg.NoRows(err) {
		return c, errNoCase()
	} else if err != nil {
		return c, err
	}
	if c.All, err = ofTarget(ctx, q, kind, id); err != nil {
		return c, err
	}
	c.Target, err = targets.ReportableTx(ctx, q, id)
	if err != nil && core.KindOf(err) == core.NotFound {
		c.Gone, err = true, nil
	}
	return c, err
}

// Hide takes the target out of every public read, or leaves it out, and upholds
// the open reports; those who sent them read the reason, which is required. For
// staff but its owner. Errors: Unauthenticated, Forbidden, NotFound, Invalid,
// Conflict with already_decided.
func (s *Service) Hide(ctx context.Context, v core.Viewer, kind Type, id, reason string) error {
	return s.decide(ctx, v, kind, id, core.ActionHide, reason)
}

// Keep dismisses the open reports and shows the target again where reports had
// hidden it. Until it is edited, reports cannot hide it. Errors: as of Hide.
func (s *Service) Keep(ctx context.Context, v core.Viewer, kind Type, id, reason string) error {
	return s.decide(ctx, v, kind, id, core.ActionKeep, reason)
}

// Restore shows a target again that a moderator had hidden after reports. Until
// it is edited, reports cannot hide it. Errors: as of Hide.
func (s *Service) Restore(ctx context.Context, v core.Viewer, kind Type, id, reason string) error {
	return s.decide(ctx, v, kind, id, core.ActionRestore, reason)
}

// decide also writes down what the decision was.
func (s *Service) decide(ctx context.Context, v core.Viewer, kind Type, id string, action core.Action, reason string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if err := checkReason(&reason, 1); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNoCase()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		c, err := s.lock(ctx, tx, v, kind, id)
		if err != nil {
			return err
		}
		ruling, _, err := s.decideTx(ctx, tx, v, c, action, reason)
		if err != nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, ruling)
	})
	return explained("decide case", err)
}

func checkReason(reason *string, least int) error {
	var p core.Problems
	p.Text("reason", reason, least, MaxReason)
	return p.Err()
}

// lockedCase is a case that nobody else decides, with its target as it is now.
type lockedCase struct {
	kind    Type
	id      string // of the target
	title   string
	targets Targets
	target  core.Reportable // zero where it is gone
	standing
}

// standing is how things are with a case, besides its reports.
type standing struct {
	HiddenBy hider      `json:"hidden_by"`
	KeptEdit *time.Time `json:"kept_edit"`
	Hidden   bool       `json:"hidden"` // the target
	Gone     bool       `json:"gone"`   // the target
}

func (a standing) equals(b standing) bool {
	kept := a.KeptEdit == nil && b.KeptEdit == nil || a.KeptEdit != nil && b.KeptEdit != nil && a.KeptEdit.Equal(*b.KeptEdit)
	return kept && a.HiddenBy == b.HiddenBy && a.Hidden == b.Hidden && a.Gone == b.Gone
}

// lock is for staff but the target's owner.
func (s *Service) lock(ctx context.Context, tx *pg.Tx, v core.Viewer, kind Type, id string) (c lockedCase, err error) {
	targets, ok := s.needs.Targets[kind]
	if !ok {
		return c, errNoCase()
	}
	state, err := lockCase(ctx, tx, kind, id)
	if pg.NoRows(err) {
		return c, errNoCase()
	}
	if err != nil {
		return c, err
	}
	c = lockedCase{kind: kind, id: id, title: state.Title, targets: targets, standing: standing{HiddenBy: state.HiddenBy, KeptEdit: state.KeptEdit}}
	c.target, err = targets.ReportableTx(ctx, tx, id)
	switch {
	case err != nil && core.KindOf(err) == core.NotFound:
		c.Gone = true
		return c, nil
	case err != nil:
		return c, err
	case !CanDecide(v, c.target):
		return c, core.Forbiddenf("Nobody decides about their own. Another moderator will.")
	}
	c.title, c.Hidden = c.target.Title, c.target.Hidden
	return c, nil
}

// decideTx carries a decision out and tells which reports it closed. Those of a
// target that its owner has taken away meanwhile are upheld whatever is
// decided: whoever reported it was heard.
func (s *Service) decideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, c lockedCase, action core.Action, reason string) (r core.Ruling, closed []string, err error) {
	if action == core.ActionRestore && !c.Gone && !c.Hidden {
		return r, nil, core.Conflictf("already_decided", "This is not hidden any more: another moderator has restored it.")
	}
	becomes := Dismissed
	if action == core.ActionHide || c.Gone {
		becomes = Upheld
	}
	closed, err = closeReports(ctx, tx, c.kind, c.id, becomes, reason, v.ID, s.now())
	if err == nil && len(closed) == 0 && (action != core.ActionRestore || c.Gone) {
		err = errDecided()
	}
	if err != nil {
		return r, nil, err
	}
	r = core.Ruling{Kind: rulings[action], About: core.Target{Type: string(c.kind), ID: c.id}, Title: c.title, Reason: reason}
	switch {
	case c.Gone:
		r.Kind = "report_closed"
		return r, closed, setHidden(ctx, tx, c.kind, c.id, nobody)
	case action == core.ActionHide:
		if !c.Hidden {
			if err := c.targets.HideTx(ctx, tx, c.id); err != nil {
				return r, nil, err
			}
		}
		return r, closed, setHidden(ctx, tx, c.kind, c.id, byModerator)
	}
	if c.Hidden {
		if err := c.targets.RestoreTx(ctx, tx, c.id); err != nil {
			return r, nil, err
		}
	}
	return r, closed, keep(ctx, tx, c.kind, c.id, c.target.EditedAt)
}

var rulings = map[core.Action]string{core.ActionHide: "report_upheld", core.ActionKeep: "report_dismissed", core.ActionRestore: "restored_after_reports"}

func errDecided() *core.Error {
	return core.Conflictf("already_decided", "No report of this waits any more: another moderator has decided.")
}

func errMoved() *core.Error {
	return core.Conflictf("cannot_undo", "Things have changed here since that decision, so it cannot be undone.")
}
