package reports

import (
	"context"

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
	targets, ok := s.needs.Targets[kind]
	if !ok || !core.ValidID(id) {
		return c, errNoCase()
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		if c, err = caseOf(ctx, tx, kind, id); pg.NoRows(err) {
			return errNoCase()
		} else if err != nil {
			return err
		}
		if c.All, err = ofTarget(ctx, tx, kind, id); err != nil {
			return err
		}
		c.Target, err = targets.ReportableTx(ctx, tx, id)
		if core.KindOf(err) == core.NotFound && err != nil {
			c.Gone, err = true, nil
		}
		return err
	})
	return c, explained("read case", err)
}

// Hide takes the target out of every public read, or leaves it out, and upholds
// the open reports; those who sent them read the reason, which is required. For
// staff but its owner. Errors: Unauthenticated, Forbidden, NotFound, Invalid,
// Conflict with already_decided.
func (s *Service) Hide(ctx context.Context, v core.Viewer, kind Type, id, reason string) error {
	return s.decide(ctx, v, kind, id, reason, func(tx *pg.Tx, t core.Reportable, targets Targets) (string, error) {
		n, err := closeReports(ctx, tx, kind, id, Upheld, reason, v.ID, s.now())
		switch {
		case err != nil:
			return "", err
		case n == 0:
			return "", errDecided()
		}
		if !t.Hidden {
			if err := targets.HideTx(ctx, tx, id); err != nil {
				return "", err
			}
		}
		return "report_upheld", setHidden(ctx, tx, kind, id, byModerator)
	})
}

// Keep dismisses the open reports and shows the target again where reports had
// hidden it. Until it is edited, reports cannot hide it. Errors: as of Hide.
func (s *Service) Keep(ctx context.Context, v core.Viewer, kind Type, id, reason string) error {
	return s.decide(ctx, v, kind, id, reason, func(tx *pg.Tx, t core.Reportable, targets Targets) (string, error) {
		n, err := closeReports(ctx, tx, kind, id, Dismissed, reason, v.ID, s.now())
		switch {
		case err != nil:
			return "", err
		case n == 0:
			return "", errDecided()
		}
		return "report_dismissed", s.show(ctx, tx, kind, id, t, targets)
	})
}

// Restore shows a target again that a moderator had hidden after reports. Until
// it is edited, reports cannot hide it. Errors: as of Hide.
func (s *Service) Restore(ctx context.Context, v core.Viewer, kind Type, id, reason string) error {
	return s.decide(ctx, v, kind, id, reason, func(tx *pg.Tx, t core.Reportable, targets Targets) (string, error) {
		if !t.Hidden {
			return "", core.Conflictf("already_decided", "This is not hidden any more: another moderator has restored it.")
		}
		if _, err := closeReports(ctx, tx, kind, id, Dismissed, reason, v.ID, s.now()); err != nil {
			return "", err
		}
		return "restored_after_reports", s.show(ctx, tx, kind, id, t, targets)
	})
}

func (s *Service) show(ctx context.Context, tx *pg.Tx, kind Type, id string, t core.Reportable, targets Targets) error {
	if t.Hidden {
		if err := targets.RestoreTx(ctx, tx, id); err != nil {
			return err
		}
	}
	return keep(ctx, tx, kind, id, t.EditedAt)
}

// decide locks the case, lets effect carry the decision out, and writes down
// what it was.
func (s *Service) decide(ctx context.Context, v core.Viewer, kind Type, id, reason string,
	effect func(*pg.Tx, core.Reportable, Targets) (ruling string, err error)) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	var p core.Problems
	p.Text("reason", &reason, 1, MaxReason)
	if err := p.Err(); err != nil {
		return err
	}
	targets, ok := s.needs.Targets[kind]
	if !ok || !core.ValidID(id) {
		return errNoCase()
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		c, err := lockCase(ctx, tx, kind, id)
		if pg.NoRows(err) {
			return errNoCase()
		}
		if err != nil {
			return err
		}
		t, err := targets.ReportableTx(ctx, tx, id)
		gone := err != nil && core.KindOf(err) == core.NotFound
		switch {
		case gone:
			return s.closeGone(ctx, tx, v, kind, id, c.Title, reason)
		case err != nil:
			return err
		case !CanDecide(v, t):
			return core.Forbiddenf("Nobody decides about their own. Another moderator will.")
		}
		ruling, err := effect(tx, t, targets)
		if err != nil {
			return err
		}
		return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: ruling, About: core.Target{Type: string(kind), ID: id}, Title: t.Title, Reason: reason})
	})
	return explained("decide case", err)
}

// closeGone ends the reports of a target that its owner has taken away
// meanwhile: whoever reported it was heard.
func (s *Service) closeGone(ctx context.Context, tx *pg.Tx, v core.Viewer, kind Type, id, title, reason string) error {
	n, err := closeReports(ctx, tx, kind, id, Upheld, reason, v.ID, s.now())
	switch {
	case err != nil:
		return err
	case n == 0:
		return errDecided()
	}
	if err := setHidden(ctx, tx, kind, id, nobody); err != nil {
		return err
	}
	return s.needs.Audit.RecordTx(ctx, tx, v, core.Ruling{Kind: "report_closed", About: core.Target{Type: string(kind), ID: id}, Title: title, Reason: reason})
}

func errDecided() *core.Error {
	return core.Conflictf("already_decided", "No report of this waits any more: another moderator has decided.")
}
