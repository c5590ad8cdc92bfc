package reports

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

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

// decide carries a decision out and tells which reports it closed. Those of a
// target that its owner has taken away meanwhile are upheld whatever is
// decided: whoever reported it was heard.
func (s *Service) decide(ctx context.Context, tx *pg.Tx, v core.Viewer, c lockedCase, action core.Action, reason string) (r core.Ruling, closed []string, err error) {
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
