package fakereports

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Desk lends the reports to the moderators' desk.
type Desk struct{ s *Service }

// Desk is the side of the area that the desk works with.
func (s *Service) Desk() Desk { return Desk{s} }

// stateWords follow "it is".
var stateWords = map[Status]string{Pending: "waiting", Confirmed: "confirmed", Refused: "refused", Spam: "taken for spam"}

// CaseTx lays out a report for staff, and for who sent it. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, errNone()
	}
	r, err := recordByID(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read report of fake content", err)
	}
	own := sentBy(r, v)
	if !v.IsStaff() && !own {
		return core.Case{}, errNone()
	}
	c := core.Case{Target: core.Target{Type: Type, ID: id}, Heading: "A report of fake content", Title: r.Title(), Text: r.Description,
		Facts: facts(r), Sender: r.sender(), SentAt: r.CreatedAt, State: stateWords[r.Status], Waiting: r.Status == Pending,
		Appealable: r.Status == Refused || r.Status == Spam, Reason: r.Reason}
	if r.SubmittedBy != nil {
		c.SenderID = *r.SubmittedBy
	}
	if r.DecidedBy != nil {
		c.DecidedBy = *r.DecidedBy
	}
	if r.Status == Confirmed {
		c.Path = "/report-fake"
	}
	if v.IsStaff() && !own {
		c.Actions = actions[r.Status]
	}
	return c, nil
}

// actions are what may be decided about a report in each state.
var actions = map[Status][]core.Action{
	Pending: {core.ActionApprove, core.ActionReject, core.ActionAbusive},
	Refused: {core.ActionRestore},
	Spam:    {core.ActionRestore},
}

// facts leave out what was not filled in. The address is no link: it leads to
// the fake.
func facts(r record) []core.Fact {
	var list []core.Fact
	for _, f := range []core.Fact{{Label: "What it is", Text: r.Category.Label()}, {Label: "Where", Text: r.Platform},
		{Label: "Account there", Text: r.Handle}, {Label: "Address", Text: r.ContentURL},
		{Label: "Name given", Text: r.SubmitterName}, {Label: "E-mail given", Text: r.SubmitterEmail}} {
		if f.Text != "" {
			list = append(list, f)
		}
	}
	return list
}

// state is what a decision changes.
type state struct {
	Status    Status     `json:"status"`
	Reason    string     `json:"reason"`
	DecidedBy *string    `json:"decided_by"`
	DecidedAt *time.Time `json:"decided_at"`
}

// memo is what undoing needs: what was before, and by what to tell that
// nothing has happened since.
type memo struct {
	Was state     `json:"was"`
	To  Status    `json:"to"`
	At  time.Time `json:"at"`
}

// outcomes are what the actions come to.
var outcomes = map[core.Action]struct {
	to   Status
	kind string // of the ruling
}{
	core.ActionApprove: {Confirmed, "fake_report_confirmed"},
	core.ActionReject:  {Refused, "fake_report_refused"},
	core.ActionAbusive: {Spam, "fake_report_abusive"},
	core.ActionRestore: {Confirmed, "fake_report_restored"},
}

// DecideTx confirms, refuses or takes for spam what waits, or confirms after all
// what was refused; confirming pays a sender with an account. However many
// decide at once, one does. For staff but who sent it. Errors: Unauthenticated,
// Forbidden, NotFound, Invalid at action or reason, Conflict with
// already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	out, known := outcomes[action]
	if err := checkDecision(v, id, action, known, &reason); err != nil {
		return core.Done{}, err
	}
	r, err := d.locked(ctx, tx, v, id)
	if err != nil {
		return core.Done{}, explained("decide report of fake content", err)
	}
	if !slices.Contains(actions[r.Status], action) {
		return core.Done{}, errDecided(r.Status)
	}
	if err := settle(ctx, tx, id, out.to, reason, v.ID, d.s.now()); err != nil {
		return core.Done{}, explained("decide report of fake content", err)
	}
	if out.to == Confirmed {
		tx.Touch(Area)
		if err := d.s.award(ctx, tx, r); err != nil {
			return core.Done{}, err
		}
	}
	decided, err := recordByID(ctx, tx, id) // the time as it is stored
	if err != nil {
		return core.Done{}, explained("decide report of fake content", err)
	}
	kept, err := json.Marshal(memo{Was: state{r.Status, r.Reason, r.DecidedBy, r.DecidedAt}, To: out.to, At: *decided.DecidedAt})
	if err != nil {
		return core.Done{}, fmt.Errorf("keep what undoing needs: %w", err)
	}
	return core.Done{Memo: kept,
		Ruling: core.Ruling{Kind: out.kind, About: core.Target{Type: Type, ID: id}, Title: r.Title(), Reason: reason}}, nil
}

// checkDecision cleans the reason in place.
func checkDecision(v core.Viewer, id string, action core.Action, known bool, reason *string) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if !known {
		return core.InvalidField("action", "must be approve, reject, abusive or restore")
	}
	if !core.ValidID(id) {
		return errNone()
	}
	least := 0
	if action == core.ActionReject {
		least = 1
	}
	var p core.Problems
	p.Text("reason", reason, least, maxReason)
	return p.Err()
}

// locked reads a report that nobody else decides about until the transaction
// ends. Errors: Forbidden.
func (d Desk) locked(ctx context.Context, tx *pg.Tx, v core.Viewer, id string) (record, error) {
	if err := lock(ctx, tx, id); err != nil {
		return record{}, err
	}
	r, err := recordByID(ctx, tx, id) // once it is locked: the sender may just have left
	if err == nil && sentBy(r, v) {
		return record{}, core.Forbiddenf("Nobody decides about a report of their own. Another moderator will.")
	}
	return r, err
}

// UndoTx puts a report back to where it was before a decision, and takes back
// what that paid. For staff but who sent it. Errors: Unauthenticated, Forbidden,
// NotFound, Conflict with cannot_undo.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNone()
	}
	var m memo
	if err := json.Unmarshal(kept, &m); err != nil {
		return fmt.Errorf("read what undoing needs: %w", err)
	}
	r, err := d.locked(ctx, tx, v, id)
	if err != nil {
		return explained("undo decision about report of fake content", err)
	}
	if r.Status != m.To || r.DecidedAt == nil || !r.DecidedAt.Equal(m.At) {
		return core.Conflictf("cannot_undo", "This cannot be undone any more: the report was decided anew in the meantime.")
	}
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if err := putBack(ctx, tx, id, m.Was); err != nil || m.To != Confirmed {
			return err
		}
		tx.Touch(Area)
		if a, pays := d.s.awardFor(r); pays {
			return d.s.needs.Awards.RevokeTx(ctx, tx, a)
		}
		return nil
	})
	return explained("undo decision about report of fake content", err)
}

// awardFor is what a confirmed report earns; nothing where no account stands
// behind it.
func (s *Service) awardFor(r record) (a core.Award, pays bool) {
	if s.needs.Awards == nil || r.SubmittedBy == nil {
		return a, false
	}
	return core.Award{AccountID: *r.SubmittedBy, Reason: core.AwardFakeReport, Detail: r.Title(), RefType: Type, RefID: r.ID}, true
}

func (s *Service) award(ctx context.Context, tx *pg.Tx, r record) error {
	a, pays := s.awardFor(r)
	if !pays {
		return nil
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		_, err := s.needs.Awards.AwardTx(ctx, tx, a)
		return err
	})
}
