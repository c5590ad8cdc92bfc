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
	return shown, d.s.addProposal(ctx, q, &shown, c)
}

// proposal is what a contribution comes to by now.
type proposal struct {
	Contribution
	entry      directory.Input // as it would be
	difference []change        // from the entry as it is now, but for a listing; empty where nothing would change
	stale      bool            // the entry has changed since, and this still waits
}

// addProposal adds what is proposed: of a listing every field, of an edit the
// difference, of a word about a place what it says.
func (s *Service) addProposal(ctx context.Context, q pg.Querier, shown *core.Case, c Contribution) error {
	labels, err := s.directory.Categories(ctx)
	if err != nil {
		return err
	}
	p, err := s.compared(ctx, q, c, labels)
	if err != nil {
		return err
	}
	proposed := difference(directory.Input{}, c.Patch.Input, labels)
	switch {
	case c.Kind == KindListing:
		shown.Text, shown.Facts = p.entry.Description, listingFacts(proposed, p.entry)
		if err := s.addDuplicates(ctx, shown, c); err != nil {
			return err
		}
	case c.Kind == KindEdit && c.Status != Pending: // it may stand in the entry by now
		shown.Facts = listingFacts(proposed, c.Patch.Input)
	default:
		for _, one := range p.difference {
			shown.Changes = append(shown.Changes, core.Change{Label: one.label, Before: one.before, After: one.after})
		}
	}
	shown.Facts = append(shown.Facts, notes(p)...)
	shown.ImageURL = p.entry.ImageURL
	if lat, lng, exact, ok := s.directory.PointOf(p.entry); ok {
		shown.Point = &core.Point{Lat: lat, Lng: lng}
		if !exact {
			shown.Facts = append(shown.Facts, core.Fact{Label: "On the map", Text: "No exact point is given: this is the middle of ZIP " + p.entry.Zip + "."})
		}
	}
	return nil
}

// compared sets a contribution beside the entry as it is now.
func (s *Service) compared(ctx context.Context, q pg.Querier, c Contribution, labels map[directory.Kind][]directory.Category) (proposal, error) {
	p := proposal{Contribution: c, entry: c.Patch.Input}
	if c.Kind == KindListing {
		return p, nil
	}
	e, err := s.directory.EntryTx(ctx, q, *c.EntryID)
	if err != nil {
		return p, err
	}
	p.stale = c.Status == Pending && c.BaseUpdatedAt != nil && !e.UpdatedAt.Equal(*c.BaseUpdatedAt)
	before := directory.FormOf(e)
	p.entry = before
	c.Patch.Apply(&p.entry)
	p.difference = difference(before, p.entry, labels)
	if c.Kind == KindStillOpen {
		p.difference = stateDifference(e, *c.Open)
	}
	return p, nil
}

func stateDifference(e directory.Entry, open bool) []change {
	switch {
	case !open && e.Status != directory.Archived:
		return []change{{field: "status", label: "Status", before: string(e.Status), after: string(directory.Archived)}}
	case open && !e.Verified:
		return []change{{field: "verified", label: "Verified", before: "no", after: "yes"}}
	}
	return nil
}

// listingFacts are what is proposed beside the name and the description. What
// makes up an address stands in one line.
func listingFacts(fields []change, in directory.Input) (list []core.Fact) {
	where := joined(", ", in.Address, in.City, joined(" ", in.Region, in.Zip))
	for _, f := range fields {
		fact := core.Fact{Label: f.label, Text: f.after}
		switch f.field {
		case "name", "description", "country":
			continue
		case "address", "city", "region", "zip":
			if where == "" {
				continue
			}
			fact.Label, fact.Text, where = "Where", where, ""
		case "website":
			fact.Href = f.after
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
func notes(c proposal) (list []core.Fact) {
	if c.Message != "" {
		list = append(list, core.Fact{Label: "Message", Text: c.Message})
	}
	switch {
	case c.Kind == KindStillOpen && *c.Open:
		list = append(list, core.Fact{Label: "What it says", Text: "It is still there. To approve it marks the entry as verified."})
	case c.Kind == KindStillOpen:
		list = append(list, core.Fact{Label: "What it says", Text: "It has closed. To approve it takes the entry out of the directory."})
	case c.Kind == KindEdit && c.Status == Pending && len(c.difference) == 0:
		list = append(list, core.Fact{Label: "Note", Text: "Nothing would change: the entry says this already."})
	}
	if c.stale {
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
