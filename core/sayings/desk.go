package sayings

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
)

// Desk is the area's side of the moderators' desk. Its methods run in the
// transaction of the desk, as staff or the system.
type Desk struct{ s *Service }

// Desk gives it.
func (s *Service) Desk() Desk { return Desk{s} }

// CaseTx lays out a saying for the desk, whatever its state. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, errNone()
	}
	c, err := caseByID(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read saying", err)
	}
	return laidOut(c, v), nil
}

// DecideTx approves, rejects, restores or marks as abusive. Errors:
// Unauthenticated, Forbidden, NotFound, Invalid, Conflict with already_decided
// or, where the same saying has come in again since, already_here.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	m, err := d.s.decideTx(ctx, tx, v, id, choice{action, reason})
	if err != nil {
		return core.Done{}, explained("decide saying", err)
	}
	c, err := caseByID(ctx, tx, id)
	if err != nil {
		return core.Done{}, fmt.Errorf("read decided saying: %w", err)
	}
	done := core.Done{Ruling: core.Ruling{Kind: rulings[action], About: core.Target{Type: Scope, ID: id}, Title: title(c.Text), Reason: c.Reason}}
	done.Memo, err = json.Marshal(m)
	return done, err
}

var rulings = map[core.Action]string{core.ActionApprove: "saying_approved", core.ActionReject: "saying_refused",
	core.ActionAbusive: "saying_abusive", core.ActionRestore: "saying_restored"}

// UndoTx puts a saying back to where it was before the decision, and takes back
// what that paid. Errors: Unauthenticated, Forbidden, NotFound, Conflict with
// cannot_undo where it has changed since.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	var m memo
	if err := json.Unmarshal(kept, &m); err != nil {
		return fmt.Errorf("read how saying %s was: %w", id, err)
	}
	decided, err := lockCase(ctx, tx, v, id)
	if err != nil {
		return explained("undo decision", err)
	}
	tx.Touch(Area)
	// As the system: staff may put nobody's name to a decision but their own.
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		done, err := putBack(ctx, tx, id, m)
		switch {
		case pg.Violates(err, "sayings_text_key"), err == nil && !done:
			return errMoved()
		case err != nil:
			return err
		}
		c, err := caseByID(ctx, tx, id)
		if err != nil || d.s.needs.Awards == nil || c.SubmittedBy == nil || c.Status == Published || decided.Status != Published {
			return err
		}
		return d.s.needs.Awards.RevokeTx(ctx, tx, awardFor(c))
	})
	return explained("undo decision", err)
}

func laidOut(c Case, v core.Viewer) core.Case {
	shown := core.Case{Target: core.Target{Type: Scope, ID: c.ID}, Heading: "A saying", Title: title(c.Text), Text: c.Text, ImageURL: c.ImageURL,
		Facts: facts(c), Sender: c.SubmitterName, SentAt: c.CreatedAt, State: stateWords(c.Saying), Waiting: c.Status == Pending,
		Appealable: restorable(c), Reason: c.Reason}
	if c.Status == Published {
		shown.Path = "/sayings/" + c.Slug
	}
	if c.SubmittedBy != nil {
		shown.SenderID = *c.SubmittedBy
	}
	if c.Username != nil {
		shown.Sender = *c.Username
	}
	if c.DecidedBy != nil {
		shown.DecidedBy = *c.DecidedBy
	}
	switch {
	case CanDecide(v, c):
		shown.Edit = "/moderation/sayings/" + c.ID + "/amend"
		shown.Actions = []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	case v.IsStaff() && !sentBy(c, v) && restorable(c):
		shown.Actions = []core.Action{core.ActionRestore}
	}
	return shown
}

// maxTitle is how many characters of a saying stand for it in a line.
const maxTitle = 120

func title(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= maxTitle {
		return string(line)
	}
	return string(line[:maxTitle-1]) + "…"
}

// facts are the fields beside the text, as far as they are filled in.
func facts(c Case) (list []core.Fact) {
	for _, f := range []core.Fact{
		{Label: "Meaning", Text: c.Meaning}, {Label: "Whose it is", Text: c.Attribution}, {Label: "Region", Text: c.Region},
		{Label: "Category", Text: c.CategoryLabel}, {Label: "Name as given", Text: c.SubmitterName}, {Label: "E-mail as given", Text: c.SubmitterEmail},
	} {
		if f.Text != "" {
			list = append(list, f)
		}
	}
	return list
}

func stateWords(s Saying) string {
	switch {
	case s.Status == Pending:
		return "waiting"
	case s.Status == Spam:
		return "marked as spam"
	case s.Status == Draft:
		return "a draft"
	case s.Status == Published && s.HiddenAt != nil:
		return "hidden"
	}
	return string(s.Status)
}
