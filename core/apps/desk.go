package apps

import (
	"context"
	"encoding/json"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// DeskType is what an app is called at the moderators' desk.
const DeskType = "app"

// Desk is the area's side of the moderators' desk. Its methods run in the
// transaction of the desk, as staff or the system.
type Desk struct{ s *Service }

// Desk gives it.
func (s *Service) Desk() Desk { return Desk{s} }

// memo is what undoes a decision: how it was, and how the decision left it.
type memo struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// CaseTx lays out an app for the desk, whatever its state. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, errNoApp(id)
	}
	a, err := decidedApp(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read app", err, errNoApp(id))
	}
	shown := core.Case{Target: core.Target{Type: DeskType, ID: id}, Heading: "An app", Title: a.Name, Text: a.Description, Path: Path(a.Slug),
		Facts: facts(a.App), SenderID: orEmpty(a.OwnerID), Sender: orEmpty(a.OwnerName), SentAt: a.CreatedAt, State: string(a.Status),
		Waiting: a.Status == Pending, Appealable: a.restorable(), DecidedBy: orEmpty(a.DecidedBy), Reason: a.Reason}
	switch {
	case a.Status == Pending:
		shown.State = "waiting"
	case a.HiddenAt != nil:
		shown.State = "hidden"
	}
	switch {
	case !CanModerate(v, a.Summary):
	case shown.Waiting:
		shown.Actions = []core.Action{core.ActionApprove, core.ActionReject}
	case a.restorable():
		shown.Actions = []core.Action{core.ActionRestore}
	}
	return shown, nil
}

func facts(a App) []core.Fact {
	files := core.Fact{Label: "Files", Text: fmt.Sprintf("%d files", a.Files), Href: Path(a.Slug) + "#files"}
	if a.Files == 1 {
		files.Text = "1 file"
	}
	var list []core.Fact
	if a.Summary.Summary != "" {
		list = append(list, core.Fact{Label: "In short", Text: a.Summary.Summary})
	}
	for _, f := range []core.Fact{{Label: "Website", Text: orEmpty(a.HomepageURL)}, {Label: "Source code", Text: orEmpty(a.RepoURL)}} {
		if f.Href = f.Text; f.Text != "" {
			list = append(list, f)
		}
	}
	return append(list, files)
}

// DecideTx publishes or refuses what waits, and restores what was refused or
// hidden. Errors: Unauthenticated, Forbidden, NotFound, Invalid, Conflict with
// already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	done, err := d.decide(ctx, tx, v, id, action, reason)
	return done, explained("decide app", err, errNoApp(id))
}

func (d Desk) decide(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (done core.Done, err error) {
	a, err := lockForDecision(ctx, tx, v, id)
	if err != nil {
		return done, err
	}
	if err := check(a, action, &reason); err != nil {
		return done, err
	}
	var m memo
	if m.Before, err = stateOf(ctx, tx, id); err != nil {
		return done, err
	}
	done.Ruling = core.Ruling{About: core.Target{Type: DeskType, ID: id}, Title: a.Name, Reason: reason}
	switch {
	case action == core.ActionReject:
		done.Ruling.Kind = "app_refused"
		err = decideApp(ctx, tx, id, Refused, reason, v.ID, d.s.now())
	case a.Status == Published:
		done.Ruling.Kind = "app_shown"
		_, err = setHidden(ctx, tx, id, nil)
	default:
		done.Ruling.Kind = "app_published"
		err = decideApp(ctx, tx, id, Published, "", v.ID, d.s.now())
	}
	if err != nil {
		return done, err
	}
	if m.After, err = stateOf(ctx, tx, id); err != nil {
		return done, err
	}
	done.Memo, err = json.Marshal(m)
	return done, err
}

func check(a App, action core.Action, reason *string) error {
	least := 0
	switch action {
	case core.ActionApprove, core.ActionReject:
		if a.Status != Pending {
			return errStatus(a.Status)
		}
		if action == core.ActionReject {
			least = 1
		}
	case core.ActionRestore:
		if a.Status == Pending {
			return core.InvalidField("action", "must be approve or reject while the app waits")
		}
		if !a.restorable() {
			return errStatus(a.Status)
		}
	default:
		return core.InvalidField("action", "must be approve, reject or restore")
	}
	var p core.Problems
	p.Text("reason", reason, least, MaxReason)
	return p.Err()
}

func errStatus(s Status) *core.Error {
	return core.Conflictf("already_decided", "This app is %s already.", s)
}

// UndoTx puts an app back to where it was before the decision. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with cannot_undo where it has
// been decided about or sent in again since.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	if _, err := lockForDecision(ctx, tx, v, id); err != nil {
		return explained("undo decision", err, errNoApp(id))
	}
	var m memo
	if err := json.Unmarshal(kept, &m); err != nil {
		return fmt.Errorf("read how app %s was: %w", id, err)
	}
	// As the system: staff may put nobody's name to a decision but their own.
	err := tx.AsSystem(ctx, func(tx *pg.Tx) error {
		done, err := putBack(ctx, tx, id, m)
		if err == nil && !done {
			err = core.Conflictf("cannot_undo", "This app has changed since that decision, so it cannot be undone.")
		}
		return err
	})
	return explained("undo decision", err, errNoApp(id))
}

// lockForDecision reads an app once nobody else decides about it, for staff but
// its owner.
func lockForDecision(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (App, error) {
	if err := requireStaff(v); err != nil {
		return App{}, err
	}
	if !core.ValidID(id) {
		return App{}, errNoApp(id)
	}
	tx.Touch(Area)
	a, err := lockedApp(ctx, tx, id)
	if err == nil && !CanModerate(v, a.Summary) {
		err = errOwn()
	}
	return a, err
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
