package reviews

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"homeplace/core"
	"homeplace/core/pg"
)

// Desk is how the moderators' desk reads and decides reviews. What is public can
// be hidden there, too: reviews have no reports that would bring it up.
type Desk struct{ s *Service }

// Desk lends the reviews to the desk.
func (s *Service) Desk() Desk { return Desk{s} }

// CaseTx lays out a review, whatever its state. For staff. Errors:
// Unauthenticated, Forbidden, NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if err := requireStaff(v); err != nil {
		return core.Case{}, err
	}
	if !core.ValidID(id) {
		return core.Case{}, errNone()
	}
	r, err := storedByID(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read review", err)
	}
	return r.deskCase(v), nil
}

func (r stored) deskCase(v core.Viewer) core.Case {
	c := core.Case{Target: core.Target{Type: Scope, ID: r.ID}, Heading: "A review", Title: r.heading(), Text: r.Body, ImageURL: r.ProductImageURL,
		SenderID: r.AccountID, Sender: r.sender(), SentAt: r.CreatedAt, State: r.state(), Waiting: r.Status == Pending,
		Appealable: r.unseen(), DecidedBy: r.DecidedBy, Reason: r.Reason}
	product := core.Fact{Label: "Product", Text: r.ProductName}
	if r.ProductSeen {
		product.Href = "/reviews/" + r.ProductSlug
		c.Path = product.Href
	}
	c.Facts = []core.Fact{product, {Label: "Rating", Text: fmt.Sprintf("%d of %d stars", r.Rating, MaxRating)}}
	if r.Title != "" {
		c.Facts = append(c.Facts, core.Fact{Label: "Title", Text: r.Title})
	}
	if !r.writtenBy(v) {
		c.Actions = r.actions()
	}
	return c
}

// actions are what may be decided, the usual one first.
func (r stored) actions() []core.Action {
	switch {
	case r.Status == Pending:
		return []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	case r.unseen():
		return []core.Action{core.ActionRestore}
	}
	return []core.Action{core.ActionHide}
}

// unseen tells that somebody, or the pipeline, has decided against it.
func (r stored) unseen() bool { return r.Status != Pending && !r.Public() }

func (r stored) writtenBy(v core.Viewer) bool { return v.SignedIn() && r.AccountID == v.ID }

// heading is one line about a review.
func (r stored) heading() string {
	title := r.Title
	if title == "" {
		title = strings.Join(strings.Fields(r.Body), " ")
	}
	if utf8.RuneCountInString(title) > MaxTitle {
		title = strings.TrimSpace(string([]rune(title)[:MaxTitle-1])) + "…"
	}
	return r.ProductName + ": " + title
}

func (r stored) sender() string {
	if r.Username != "" {
		return r.Username
	}
	return r.Author
}

// state is a word that follows "it is".
func (r stored) state() string {
	if r.HiddenAt != nil {
		return "hidden"
	}
	return string(r.Status)
}

// kinds name the decisions in the audit log.
var kinds = map[core.Action]string{core.ActionApprove: "review_approved", core.ActionReject: "review_refused", core.ActionAbusive: "review_abusive",
	core.ActionHide: "review_hidden", core.ActionRestore: "review_restored"}

// memo is what a decision keeps so that it can be undone: Now tells whether
// something has happened since.
type memo struct {
	Before standing `json:"before"`
	Now    standing `json:"now"`
}

// DecideTx carries a decision out. For staff but who wrote it. Errors:
// Unauthenticated, Forbidden, NotFound, Invalid, Conflict with already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	r, err := d.locked(ctx, tx, v, id)
	if err != nil {
		return core.Done{}, err
	}
	if err := checkDecision(r, action, &reason); err != nil {
		return core.Done{}, err
	}
	m := memo{Before: r.standing(), Now: r.after(v, action, reason, d.s.now())}
	if err := d.set(ctx, tx, id, m.Now); err != nil {
		return core.Done{}, err
	}
	kept, err := json.Marshal(m)
	if err != nil {
		return core.Done{}, fmt.Errorf("keep what was before the decision: %w", err)
	}
	return core.Done{Memo: kept, Ruling: core.Ruling{Kind: kinds[action], About: core.Target{Type: Scope, ID: id}, Title: r.heading(), Reason: reason}}, nil
}

// locked reads a review that the viewer may decide about, and holds it.
func (d Desk) locked(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (r stored, err error) {
	if err := requireStaff(v); err != nil {
		return r, err
	}
	if !core.ValidID(id) {
		return r, errNone()
	}
	if err = lockReview(ctx, tx, id); err == nil {
		r, err = storedByID(ctx, tx, id) // once it is locked: the member may just have left
	}
	if err == nil && r.writtenBy(v) {
		err = core.Forbiddenf("Nobody decides about a review of their own. Another moderator will.")
	}
	return r, explained("read review", err)
}

func checkDecision(r stored, action core.Action, reason *string) error {
	if _, known := kinds[action]; !known {
		return core.InvalidField("action", "must be approve, reject, abusive, hide or restore, not %q", action)
	}
	if !slices.Contains(r.actions(), action) {
		return core.Conflictf("already_decided", "This review is %s already, so that cannot be done now.", r.state())
	}
	least := 0
	if action == core.ActionReject || action == core.ActionHide {
		least = 1
	}
	var p core.Problems
	p.Text("reason", reason, least, MaxReason)
	return p.Err()
}

func (r stored) standing() standing {
	return standing{Status: r.Status, HiddenAt: r.HiddenAt, Reason: r.Reason, DecidedBy: r.DecidedBy, DecidedAt: r.DecidedAt}
}

// after is how things stand after a decision. Only what is not shown keeps the
// reason.
func (r stored) after(v core.Viewer, action core.Action, reason string, now time.Time) standing {
	s := standing{Status: Approved, DecidedBy: v.ID, DecidedAt: &now}
	switch action {
	case core.ActionReject:
		s.Status, s.Reason = Refused, reason
	case core.ActionAbusive:
		s.Status, s.Reason = Spam, reason
	case core.ActionHide:
		s.HiddenAt, s.Reason = &now, reason
	}
	return s
}

func (d Desk) set(ctx context.Context, tx *pg.Tx, id string, s standing) error {
	tx.Touch(Area)
	done, err := setStanding(ctx, tx, id, s)
	if err == nil && !done {
		err = fmt.Errorf("no right to decide review %s", id)
	}
	return err
}

// UndoTx puts a review back to where it was before the decision that kept the
// memo. For staff but who wrote it. Errors: Unauthenticated, Forbidden, NotFound,
// Conflict with cannot_undo.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	r, err := d.locked(ctx, tx, v, id)
	if err != nil {
		return err
	}
	var m memo
	if err := json.Unmarshal(kept, &m); err != nil {
		return fmt.Errorf("read what was before the decision: %w", err)
	}
	now := r.standing()
	if now.Status != m.Now.Status || now.DecidedAt == nil || m.Now.DecidedAt == nil || !now.DecidedAt.Equal(*m.Now.DecidedAt) {
		return core.Conflictf("cannot_undo", "This review has been decided anew since, so that decision can no longer be undone.")
	}
	return d.set(ctx, tx, id, m.Before)
}
