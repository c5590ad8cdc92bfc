package reports

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
)

// typeWords are what a type of target is called.
var typeWords = map[Type]string{TypeEntry: "listing", TypeApp: "app", TypeJob: "job", TypePlaybook: "playbook", TypeHomage: "homage", TypeNews: "news post"}

// CaseTx lays out a case for the desk with all that members said of the target.
// Its sender is the target's owner, who may appeal. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	shown, err := d.laidOut(ctx, q, v, id)
	return shown, explained("read case", err)
}

func (d Desk) laidOut(ctx context.Context, q pg.Querier, v core.Viewer, id string) (shown core.Case, err error) {
	c, err := d.s.readCase(ctx, q, id)
	if err != nil {
		return shown, err
	}
	shown = core.Case{Target: core.Target{Type: DeskType, ID: c.ID}, Heading: "A reported " + typeWords[c.TargetType], Title: c.Title, SentAt: c.Oldest,
		State: "gone", Waiting: c.Open > 0, Remarks: remarks(c.All), Actions: actions(v, c)}
	if !shown.Waiting && len(c.All) > 0 {
		shown.SentAt = c.All[0].CreatedAt
	}
	if c.HiddenBy != byReports { // else the program decided last
		last, err := decisionOf(ctx, q, c.TargetType, c.TargetID)
		if err != nil {
			return shown, err
		}
		shown.DecidedBy, shown.Reason = last.By, last.Reason
	}
	if c.Gone {
		shown.Facts = []core.Fact{{Label: "It is gone", Text: "It was taken away, or is not public any more. Whatever you decide closes the reports."}}
		return shown, nil
	}
	return d.withTarget(ctx, q, shown, c)
}

// readCase reads a case with every report of it, and the target as it is now.
func (s *Service) readCase(ctx context.Context, q pg.Querier, id string) (c reportedCase, err error) {
	if !core.ValidID(id) {
		return c, errNoCase()
	}
	if c, err = caseOf(ctx, q, id); pg.NoRows(err) {
		return c, errNoCase()
	} else if err != nil {
		return c, err
	}
	targets, ok := s.needs.Targets[c.TargetType]
	if !ok {
		return c, errNoCase()
	}
	if c.All, err = ofTarget(ctx, q, c.TargetType, c.TargetID); err != nil {
		return c, err
	}
	c.Target, err = targets.ReportableTx(ctx, q, c.TargetID)
	if err != nil && core.KindOf(err) == core.NotFound {
		c.Gone, err = true, nil
	}
	return c, err
}

// withTarget adds what the target is by now.
func (d Desk) withTarget(ctx context.Context, q pg.Querier, shown core.Case, c reportedCase) (core.Case, error) {
	t := c.Target
	shown.Title, shown.State, shown.SenderID, shown.Appealable = t.Title, "published", t.OwnerID, t.Hidden
	if page := d.s.needs.Pages[c.TargetType]; page != nil {
		shown.Path = page(t)
	}
	what := core.Fact{Label: "What it is", Text: typeWords[c.TargetType], Href: shown.Path}
	if t.Kind != "" {
		what.Text += ", " + t.Kind
	}
	shown.Facts = []core.Fact{what}
	if t.Hidden {
		shown.State = "hidden"
		if c.HiddenBy == byReports {
			shown.Facts = append(shown.Facts, core.Fact{Label: "Why it is hidden", Text: "Three members reported it, so it is out of sight until somebody decides."})
		}
	}
	var err error
	if t.OwnerID != "" {
		shown.Sender, err = usernameOf(ctx, q, t.OwnerID)
	}
	return shown, err
}

func actions(v core.Viewer, c reportedCase) []core.Action {
	switch {
	case !CanDecide(v, c.Target):
		return nil
	case c.Open > 0 && c.Gone:
		return []core.Action{core.ActionHide}
	case c.Open > 0:
		return []core.Action{core.ActionHide, core.ActionKeep}
	case c.Target.Hidden:
		return []core.Action{core.ActionRestore}
	}
	return nil
}

func remarks(all []Report) (list []core.Remark) {
	for _, r := range all {
		list = append(list, core.Remark{By: r.Username, Category: string(r.Category), Text: r.Detail, State: string(r.Status), At: r.CreatedAt})
	}
	return list
}
