package accounts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"homeplace/core"
	"homeplace/core/pg"
)

// maxReason is how long a reason may be, in Unicode characters.
const maxReason = 500

// Desk is how profile texts take part in the moderators' queue.
type Desk struct{ s *Service }

// Desk gives the desk's side of the area.
func (s *Service) Desk() Desk { return Desk{s} }

// CanReview tells whether the viewer may decide about the profile texts: staff,
// and nobody about their own.
func CanReview(v core.Viewer, r Review) bool { return v.IsStaff() && r.AccountID != v.ID }

// CaseTx lays out profile texts for a moderator. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, core.NotFoundf("There is no such member here.")
	}
	r, err := reviewOf(ctx, q, id)
	if err != nil {
		return core.Case{}, err
	}
	c := core.Case{Target: r.target(), Heading: "A member’s profile", Title: r.title(), Text: r.Bio, Path: "/u/" + r.Username,
		SenderID: r.AccountID, Sender: r.Username, SentAt: r.CreatedAt, State: r.Status.words(), Waiting: r.Review.Waiting(),
		Appealable: r.Review.Refused(), DecidedBy: orEmpty(r.DecidedBy), Reason: r.Reason, Actions: actionsOn(v, r.Review)}
	c.Facts = append(c.Facts, core.Fact{Label: "Username", Text: r.Username, Href: c.Path})
	if r.DisplayName != nil {
		c.Facts = append(c.Facts, core.Fact{Label: "Name", Text: *r.DisplayName})
	}
	return c, nil
}

func (r reviewed) target() core.Target { return core.Target{Type: ReviewType, ID: r.AccountID} }

func (r reviewed) title() string {
	if r.DisplayName != nil {
		return *r.DisplayName
	}
	return r.Username
}

func (s ReviewStatus) words() string {
	switch s {
	case ReviewWaiting:
		return "waiting; others see the username alone"
	case ReviewApproved:
		return "published"
	case ReviewSpam:
		return "refused as spam"
	}
	return "refused"
}

func actionsOn(v core.Viewer, r Review) []core.Action {
	switch {
	case !CanReview(v, r):
		return nil
	case r.Waiting():
		return []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}
	case r.Refused():
		return []core.Action{core.ActionRestore}
	}
	return nil
}

// DecideTx approves or refuses texts that wait, or restores refused ones, in the
// transaction of the desk and as the moderator. Errors: Unauthenticated,
// Forbidden, Invalid, NotFound, Conflict with already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	if err := requireModerator(v); err != nil {
		return core.Done{}, err
	}
	r, err := lockedReview(ctx, tx, id)
	if err != nil {
		return core.Done{}, err
	}
	if err := mayDecide(v, r.Review, action, &reason); err != nil {
		return core.Done{}, err
	}
	memo, err := json.Marshal(reviewDecision{Status: r.Status, Reason: r.Reason, By: r.DecidedBy, At: r.DecidedAt})
	if err != nil {
		return core.Done{}, fmt.Errorf("note what was decided before: %w", err)
	}
	done := core.Done{Ruling: core.Ruling{Kind: "profile_approved", About: r.target(), Title: r.title(), Reason: reason}, Memo: memo}
	at := d.s.now()
	next := reviewDecision{Status: ReviewApproved, Reason: reason, At: &at}
	if v.ID != "" {
		next.By = &v.ID
	}
	switch action {
	case core.ActionReject:
		next.Status, done.Ruling.Kind = ReviewRefused, "profile_refused"
	case core.ActionAbusive:
		next.Status, done.Ruling.Kind = ReviewSpam, "profile_refused"
	case core.ActionRestore:
		done.Ruling.Kind = "profile_restored"
	}
	return done, d.change(ctx, tx, r, next)
}

// mayDecide checks the decision against the state of the texts.
func mayDecide(v core.Viewer, r Review, action core.Action, reason *string) error {
	if !CanReview(v, r) {
		return core.Forbiddenf("Nobody decides about a profile of their own. Another moderator will.")
	}
	if !slices.Contains(actionsOn(v, r), action) {
		if known := []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive, core.ActionRestore}; !slices.Contains(known, action) {
			return core.InvalidField("action", "must be approve, reject, abusive or restore, not %q", string(action))
		}
		return core.Conflictf("already_decided", "This profile is %s already.", r.Status.words())
	}
	least := 0
	if action == core.ActionReject {
		least = 1
	}
	var p core.Problems
	p.Text("reason", reason, least, maxReason)
	return p.Err()
}

// change stores a decision, and shows the texts with an approved one only.
func (d Desk) change(ctx context.Context, tx *pg.Tx, r reviewed, next reviewDecision) error {
	tx.Touch(Area)
	if err := decideReview(ctx, tx, r.AccountID, r.Status, next); err != nil {
		return fmt.Errorf("decide about a profile: %w", err)
	}
	name, bio := r.DisplayName, r.Bio
	if next.Status != ReviewApproved {
		name, bio = nil, ""
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error { return showTexts(ctx, tx, r.AccountID, name, bio) })
}

// UndoTx takes a decision back. Errors: Conflict with cannot_undo where the texts
// have changed since.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, memo json.RawMessage) error {
	if err := requireModerator(v); err != nil {
		return err
	}
	var before reviewDecision
	if err := json.Unmarshal(memo, &before); err != nil {
		return fmt.Errorf("read what was decided before: %w", err)
	}
	r, err := lockedReview(ctx, tx, id)
	switch {
	case core.KindOf(err) == core.NotFound && err != nil:
		return errMovedOn()
	case err != nil:
		return err
	case !CanReview(v, r.Review):
		return core.Forbiddenf("Nobody decides about a profile of their own. Another moderator will.")
	case r.Status == before.Status || r.Review.Waiting() || orEmpty(r.DecidedBy) != v.ID:
		return errMovedOn()
	}
	return d.change(ctx, tx, r, before)
}

func errMovedOn() *core.Error {
	return core.Conflictf("cannot_undo", "This profile has changed since, so the decision stays.")
}

func lockedReview(ctx context.Context, tx *pg.Tx, id string) (reviewed, error) {
	if !core.ValidID(id) {
		return reviewed{}, core.NotFoundf("There is no such member here.")
	}
	return lockReview(ctx, tx, id)
}

// Recent lists the latest profile texts that moderators had to look at. For staff.
// Errors: Unauthenticated, Forbidden.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	if err := requireModerator(v); err != nil {
		return nil, err
	}
	var rows []reviewed
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		rows, err = recentReviews(ctx, q, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list recent profiles: %w", err)
	}
	list := make([]core.Submission, len(rows))
	for i, r := range rows {
		list[i] = core.Submission{Source: ReviewType, ID: r.AccountID, Title: r.title(), Status: string(r.Status), SubmittedBy: r.Username,
			CreatedAt: r.CreatedAt, Path: "/moderation?case=" + ReviewType + ":" + r.AccountID}
	}
	return list, nil
}

func requireModerator(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to decide about profiles.")
	}
	return core.Forbiddenf("Only moderators decide about profiles.")
}
