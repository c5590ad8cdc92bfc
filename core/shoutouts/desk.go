package shoutouts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Desk is the area's part of the moderators' desk, where the type of its cases is
// Scope.
type Desk struct{ s *Service }

// Desk gives the area's part of the moderators' desk.
func (s *Service) Desk() Desk { return Desk{s} }

// memo is what undoing a decision needs: when it was taken, and how the
// shout-out stood before.
type memo struct {
	At        time.Time  `json:"at"`
	Status    Status     `json:"status"`
	HiddenAt  *time.Time `json:"hidden_at,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	DecidedBy *string    `json:"decided_by,omitempty"`
	DecidedAt *time.Time `json:"decided_at,omitempty"`
}

// CaseTx lays a shout-out out for the desk, waiting or decided. For staff and
// whoever sent it. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	c, err := readCase(ctx, q, id)
	if err != nil {
		return core.Case{}, err
	}
	if !v.IsStaff() && (!v.SignedIn() || c.AccountID == nil || *c.AccountID != v.ID) {
		return core.Case{}, errNone()
	}
	laid := core.Case{Target: core.Target{Type: Scope, ID: c.ID}, Heading: "A shout-out", Title: c.title(), Text: c.Body, Path: c.path(),
		Facts: c.facts(), Sender: c.DisplayName, SentAt: c.CreatedAt, State: c.state(), Waiting: c.Status == Pending,
		Appealable: c.Status == Refused || c.Status == Spam || c.HiddenAt != nil, Reason: c.Reason}
	if c.SenderName != "" {
		laid.Sender = c.SenderName
	}
	if c.AccountID != nil {
		laid.SenderID = *c.AccountID
	}
	if c.DecidedBy != nil {
		laid.DecidedBy = *c.DecidedBy
	}
	if CanDecide(v, c.AccountID) {
		laid.Actions = c.actions()
	}
	return laid, nil
}

func readCase(ctx context.Context, q pg.Querier, id string) (caseRow, error) {
	if !core.ValidID(id) {
		return caseRow{}, errNone()
	}
	c, err := caseByID(ctx, q, id)
	return c, explained("read shout-out", err)
}

func (c caseRow) title() string {
	if c.City == "" {
		return c.BusinessName
	}
	return c.BusinessName + ", " + c.City
}

func (c caseRow) path() string {
	switch {
	case !c.Public():
		return ""
	case c.BusinessSlug != "":
		return "/directory/businesses/" + c.BusinessSlug
	}
	return "/shout-outs"
}

func (c caseRow) facts() []core.Fact {
	facts := []core.Fact{{Label: "Stars", Text: strconv.FormatFloat(c.Rating, 'f', -1, 64) + " of 5"}}
	switch {
	case c.BusinessSlug != "":
		facts = append(facts, core.Fact{Label: "Listing", Text: c.EntryName, Href: "/directory/businesses/" + c.BusinessSlug})
	case c.Drafted:
		facts = append(facts, core.Fact{Label: "Listing", Text: "Drafted with this shout-out; it waits in a queue of its own."})
	default:
		facts = append(facts, core.Fact{Label: "Listing", Text: "None that is public."})
	}
	if c.GivenName != "" {
		facts = append(facts, core.Fact{Label: "Signed", Text: c.GivenName})
	}
	return facts
}

func (c caseRow) state() string {
	switch {
	case c.Status == Pending:
		return "waiting"
	case c.Status == Approved && c.HiddenAt != nil:
		return "hidden"
	case c.Status == Approved:
		return "published"
	}
	return string(c.Status)
}

func (c caseRow) actions() []core.Action {
	switch {
	case c.Status == Pending:
		return []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	case c.Public():
		return []core.Action{core.ActionHide}
	}
	return []core.Action{core.ActionRestore}
}

// rulings are what the log calls the decisions.
var rulings = map[core.Action]string{core.ActionApprove: "shoutout_approved", core.ActionReject: "shoutout_refused",
	core.ActionAbusive: "shoutout_abusive", core.ActionHide: "shoutout_hidden", core.ActionRestore: "shoutout_restored"}

// DecideTx carries out a decision in the desk's transaction: what becomes public
// pays whoever sent it. However many decide at once, one does. For staff but who
// sent it. Errors: Unauthenticated, Forbidden, NotFound, Invalid at action or
// reason, Conflict with already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	c, err := d.lock(ctx, tx, v, id)
	if err != nil {
		return core.Done{}, err
	}
	if err := checkDecision(c, action, &reason); err != nil {
		return core.Done{}, err
	}
	now := d.s.now()
	before := memo{At: now, Status: c.Status, HiddenAt: c.HiddenAt, Reason: c.Reason, DecidedBy: c.DecidedBy, DecidedAt: c.DecidedAt}
	status, hidden := c.Status, (*time.Time)(nil)
	switch action {
	case core.ActionApprove, core.ActionRestore:
		status = Approved
	case core.ActionReject:
		status = Refused
	case core.ActionAbusive:
		status = Spam
	case core.ActionHide:
		hidden = &now
	}
	if err := setStatus(ctx, tx, c.ID, status, hidden); err != nil {
		return core.Done{}, err
	}
	if err := storeDecision(ctx, tx, c.ID, reason, optional(v.ID), &now); err != nil {
		return core.Done{}, err
	}
	tx.Touch(Area)
	if status == Approved && hidden == nil {
		if err := d.s.award(ctx, tx, c.AccountID, c.ID, c.BusinessName); err != nil {
			return core.Done{}, err
		}
	}
	kept, err := json.Marshal(before)
	if err != nil {
		return core.Done{}, fmt.Errorf("keep how shout-out %s stood: %w", id, err)
	}
	return core.Done{Memo: kept, Ruling: core.Ruling{Kind: rulings[action], About: core.Target{Type: Scope, ID: c.ID},
		Title: c.title(), Reason: reason}}, nil
}

func checkDecision(c caseRow, action core.Action, reason *string) error {
	switch {
	case rulings[action] == "":
		return core.InvalidField("action", "must be one of approve, reject, abusive, hide and restore, not %q", action)
	case !slices.Contains(c.actions(), action):
		return errDecided(Status(c.state()))
	}
	least := 0
	if action == core.ActionReject || action == core.ActionHide {
		least = 1
	}
	var p core.Problems
	p.Text("reason", reason, least, maxReason)
	return p.Err()
}

// UndoTx puts a shout-out back to where it was before the decision of the memo,
// and takes back what it paid. For staff but who sent it. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with cannot_undo where it has
// moved on.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	c, err := d.lock(ctx, tx, v, id)
	if err != nil {
		return err
	}
	var before memo
	if err := json.Unmarshal(kept, &before); err != nil || c.DecidedAt == nil || !c.DecidedAt.Equal(before.At) {
		return core.Conflictf("cannot_undo", "This shout-out has moved on since, so that the decision cannot be taken back.")
	}
	tx.Touch(Area)
	// As the system: who decided before may have been somebody else.
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if err := setStatus(ctx, tx, c.ID, before.Status, before.HiddenAt); err != nil {
			return err
		}
		return storeDecision(ctx, tx, c.ID, before.Reason, before.DecidedBy, before.DecidedAt)
	})
	if err != nil {
		return err
	}
	if c.Status == Approved && before.Status != Approved {
		return d.s.revoke(ctx, tx, c.AccountID, c.ID, c.BusinessName)
	}
	return nil
}

// lock reads a shout-out for a decision, and keeps others from deciding, and
// accounts from adopting it, until the transaction ends.
func (d Desk) lock(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (caseRow, error) {
	if err := requireStaff(v); err != nil {
		return caseRow{}, err
	}
	if !core.ValidID(id) {
		return caseRow{}, errNone()
	}
	if err := lockForDecision(ctx, tx, id); err != nil {
		return caseRow{}, err
	}
	c, err := readCase(ctx, tx, id)
	if err == nil && !CanDecide(v, c.AccountID) {
		err = core.Forbiddenf("Nobody decides about a shout-out of their own. Another moderator will.")
	}
	return c, err
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
