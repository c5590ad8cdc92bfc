package contributions

import (
	"context"
	"strings"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// CaseTx lays out a contribution for the desk, whatever its state. Errors:
// NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, errNone()
	}
	shown, err := d.laidOut(ctx, q, v, id)
	return shown, explained("read contribution", err)
}

func (d Desk) laidOut(ctx context.Context, q pg.Querier, v core.Viewer, id string) (shown core.Case, err error) {
	c, err := byID(ctx, q, id)
	if err != nil {
		return shown, err
	}
	shown = core.Case{Target: core.Target{Type: DeskType, ID: id}, Heading: heading(c), Title: c.EntryName, SenderID: c.AccountID, Sender: c.Username,
		SentAt: c.CreatedAt, State: stateWords(c), Waiting: c.Status == Pending, Appealable: c.Status == Refused, Reason: c.Reason}
	if shown.DecidedBy, err = decidedBy(ctx, q, id); err != nil {
		return shown, err
	}
	if c.EntryKind != nil && c.EntrySlug != nil {
		shown.Path = directory.Path(*c.EntryKind, *c.EntrySlug)
	}
	switch {
	case CanDecide(v, c):
		shown.Actions = []core.Action{core.ActionApprove, core.ActionReject}
		if c.Kind != KindStillOpen {
			shown.Edit = "/moderation/listings/" + id + "/amend"
		}
	case v.IsStaff() && !sentBy(c, v) && c.Status == Refused:
		shown.Actions = []core.Action{core.ActionRestore}
	}
	return shown, d.s.addProposal(ctx, q, &shown, &c)
}

// addProposal adds what is proposed: of a listing every field, of an edit the
// difference, of a word about a place what it says.
func (s *Service) addProposal(ctx context.Context, q pg.Querier, shown *core.Case, c *Contribution) error {
	labels, err := s.directory.Categories(ctx)
	if err != nil {
		return err
	}
	if err := s.compare(ctx, q, c, labels); err != nil {
		return err
	}
	in := c.Patch.Input
	switch {
	case c.Kind == KindListing:
		shown.Text, shown.Facts = in.Description, listingFacts(difference(directory.Input{}, in, labels), in)
		if err := s.addDuplicates(ctx, shown, *c); err != nil {
			return err
		}
	case c.Kind == KindEdit && c.Status != Pending: // it may stand in the entry by now
		shown.Facts = listingFacts(difference(directory.Input{}, in, labels), in)
	default:
		for _, change := range c.Difference {
			shown.Changes = append(shown.Changes, core.Change{Label: change.Label, Before: change.Before, After: change.After})
		}
	}
	shown.Facts = append(shown.Facts, notes(*c)...)
	if c.EntryID != nil && c.Kind != KindListing {
		e, err := s.directory.EntryTx(ctx, q, *c.EntryID)
		if err != nil {
			return err
		}
		in = directory.FormOf(e)
		c.Patch.Apply(&in)
	}
	shown.ImageURL = in.ImageURL
	if lat, lng, exact, ok := s.directory.PointOf(in); ok {
		shown.Point = &core.Point{Lat: lat, Lng: lng}
		if !exact {
			shown.Facts = append(shown.Facts, core.Fact{Label: "On the map", Text: "No exact point is given: this is the middle of ZIP " + in.Zip + "."})
		}
	}
	return nil
}

// listingFacts are what is proposed beside the name and the description. What
// makes up an address stands in one line.
func listingFacts(fields []Change, in directory.Input) (list []core.Fact) {
	where := joined(", ", in.Address, in.City, joined(" ", in.Region, in.Zip))
	for _, f := range fields {
		fact := core.Fact{Label: f.Label, Text: f.After}
		switch f.Field {
		case "name", "description", "country":
			continue
		case "address", "city", "region", "zip":
			if where == "" {
				continue
			}
			fact.Label, fact.Text, where = "Where", where, ""
		case "website":
			fact.Href = f.After
		}
		list = append(list, fact)
	}
	return list
}

// addDuplicates names the public entries that a listing may mean.
func (s *Service) addDuplicates(ctx context.Context, shown *core.Case, c Contribution) error {
	if c.Status != Pending {
		return nil
	}
	list, err := s.directory.Duplicates(ctx, c.Patch.Input)
	for _, e := range list {
		name := e.Name
		if e.City != nil {
			name += ", " + *e.City
		}
		shown.Facts = append(shown.Facts, core.Fact{Label: "Perhaps the same", Text: name, Href: directory.Path(e.Kind, e.Slug)})
	}
	return err
}

// notes are what else is to be known before a decision.
func notes(c Contribution) (list []core.Fact) {
	if c.Message != "" {
		list = append(list, core.Fact{Label: "Message", Text: c.Message})
	}
	switch {
	case c.Kind == KindStillOpen && *c.Open:
		list = append(list, core.Fact{Label: "What it says", Text: "It is still there. To approve it marks the entry as verified."})
	case c.Kind == KindStillOpen:
		list = append(list, core.Fact{Label: "What it says", Text: "It has closed. To approve it takes the entry out of the directory."})
	case c.Kind == KindEdit && c.Status == Pending && len(c.Difference) == 0:
		list = append(list, core.Fact{Label: "Note", Text: "Nothing would change: the entry says this already."})
	}
	if c.Stale {
		list = append(list, core.Fact{Label: "Note", Text: "The entry has changed since this was sent."})
	}
	return list
}

func heading(c Contribution) string {
	switch {
	case c.Kind == KindListing:
		return "A new listing"
	case c.Kind == KindEdit:
		return "A change of a listing"
	case *c.Open:
		return "A place that is still open"
	}
	return "A place that has closed"
}

func stateWords(c Contribution) string {
	switch {
	case c.Status == Pending:
		return "waiting"
	case c.Status == Withdrawn:
		return "taken back by its sender"
	case c.Status == Approved && c.Kind == KindListing:
		return "published"
	}
	return string(c.Status)
}

func joined(separator string, parts ...string) string {
	var filled []string
	for _, part := range parts {
		if part != "" {
			filled = append(filled, part)
		}
	}
	return strings.Join(filled, separator)
}
