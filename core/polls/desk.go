package polls

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"homeplace/core"
	"homeplace/core/pg"
)

// Desk is the polls' side of the moderators' desk. Its methods run in the
// transaction of the desk, as staff or the system.
type Desk struct{ s *Service }

// Desk gives it.
func (s *Service) Desk() Desk { return Desk{s} }

// CaseTx lays out a poll for the desk, whatever its state. Errors: NotFound.
func (d Desk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, errNoPoll()
	}
	p, err := decidedPollByID(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read poll", err, errNoPoll())
	}
	shown := core.Case{Target: core.Target{Type: TargetPoll, ID: id}, Heading: "A poll", Title: p.Question, Text: p.Description,
		Path: "/polls/" + p.Slug, SenderID: orEmpty(p.AuthorID), Sender: orEmpty(p.AuthorName), SentAt: p.CreatedAt, State: string(p.Status),
		Waiting: p.Status == Draft, Appealable: p.restorable(), DecidedBy: orEmpty(p.DecidedBy), Reason: p.Reason}
	for i, o := range p.Options {
		shown.Facts = append(shown.Facts, core.Fact{Label: "Answer " + strconv.Itoa(i+1), Text: o.Label})
	}
	switch {
	case p.Status == Draft:
		shown.State = "waiting"
	case p.HiddenAt != nil:
		shown.State = "hidden"
	}
	if CanModerate(v, p.Summary) {
		shown.Actions = actionsFor(shown.Waiting, p.restorable())
	}
	return shown, nil
}

// DecideTx approves, rejects, restores or marks as abusive, which refuses a
// poll. Errors: Unauthenticated, Forbidden, NotFound, Invalid, Conflict with
// already_decided.
func (d Desk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	p, err := d.s.lockPoll(ctx, tx, v, id)
	if err != nil {
		return core.Done{}, explained("decide poll", err, errNoPoll())
	}
	decision := choice{action, reason}
	m, err := d.s.decideTx(ctx, tx, v, p, &decision)
	if err != nil {
		return core.Done{}, explained("decide poll", err, errNoPoll())
	}
	return done(m, core.Ruling{Kind: "poll_" + rulings[action], About: core.Target{Type: TargetPoll, ID: id}, Title: p.Question, Reason: decision.reason})
}

// rulings end the kind of a ruling, such as "poll_approved".
var rulings = map[core.Action]string{core.ActionApprove: "approved", core.ActionReject: "refused", core.ActionAbusive: "abusive",
	core.ActionRestore: "restored"}

func done(m memo, r core.Ruling) (core.Done, error) {
	kept, err := json.Marshal(m)
	return core.Done{Ruling: r, Memo: kept}, err
}

// UndoTx puts a poll back to where it was before the decision, and takes back
// what its publication paid. Votes that came in stay counted. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with cannot_undo where it has
// changed since.
func (d Desk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	decided, err := d.s.lockPoll(ctx, tx, v, id)
	if err != nil {
		return explained("undo decision", err, errNoPoll())
	}
	err = undo(ctx, tx, pollState, "poll", id, kept, func(tx *pg.Tx) error {
		p, err := pollByID(ctx, tx, id)
		if err != nil || d.s.needs.Awards == nil || p.AuthorID == nil || p.Status == Published || decided.Status != Published {
			return err
		}
		return d.s.needs.Awards.RevokeTx(ctx, tx, awardFor(*p.AuthorID, core.AwardPoll, p.Summary))
	})
	return explained("undo decision", err, errNoPoll())
}

// undo runs as the system: staff may put nobody's name to a decision but their
// own.
func undo(ctx context.Context, tx *pg.Tx, k kept, what, id string, stored json.RawMessage, then func(tx *pg.Tx) error) error {
	var m memo
	if err := json.Unmarshal(stored, &m); err != nil {
		return fmt.Errorf("read how %s %s was: %w", what, id, err)
	}
	return tx.AsSystem(ctx, func(tx *pg.Tx) error {
		done, err := putBack(ctx, tx, k, id, m)
		if err != nil {
			return err
		}
		if !done {
			return errMoved(what)
		}
		return then(tx)
	})
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
