package desk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
)

// Appeal is what a member asked to be looked at again.
type Appeal struct {
	ID         string
	TargetType string
	TargetID   string
	Title      string // of the target at the time
	Body       string
	Status     AppealStatus
	Reason     string // of the decision; may be empty
	DecidedAt  *time.Time
	CreatedAt  time.Time
}

// AppealStatus is what became of an appeal.
type AppealStatus string

// The statuses of an appeal.
const (
	AppealOpen     AppealStatus = "open"
	AppealGranted  AppealStatus = "granted"
	AppealDeclined AppealStatus = "declined"
)

// Contested reads what the viewer would appeal about. Errors: Unauthenticated,
// NotFound also where it is not theirs, Conflict with not_appealable or
// already_appealed.
func (s *Service) Contested(ctx context.Context, v core.Viewer, t core.Target) (c core.Case, err error) {
	if !v.SignedIn() {
		return c, core.Unauthenticatedf("Sign in to ask for another look.")
	}
	cases, err := s.cases(t)
	if err != nil || t.Type == AppealType {
		return c, errNone()
	}
	// As the system: members do not read how a thing was decided.
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		if c, err = cases.CaseTx(ctx, q, core.TheSystem(), t.ID); err != nil {
			return err
		}
		appealed, err := hasAppealed(ctx, q, c.Target, v.ID)
		switch {
		case err != nil:
			return err
		case c.SenderID != v.ID:
			return errNone()
		case appealed:
			return errAppealed()
		case !c.Appealable:
			return core.Conflictf("not_appealable", "Nothing to appeal here: it is neither hidden nor refused.")
		}
		return nil
	})
	return c, explained("read what is contested", err)
}

// Appeal asks for another look at something of the viewer's that was refused or
// hidden, once. Whoever decided before does not decide about the appeal. Errors:
// as of Contested, and Invalid.
func (s *Service) Appeal(ctx context.Context, v core.Viewer, t core.Target, body string) error {
	c, err := s.Contested(ctx, v, t)
	if err != nil {
		return err
	}
	var p core.Problems
	p.Text("body", &body, 10, MaxAppeal)
	if err := p.Err(); err != nil {
		return err
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		id := pg.NewID()
		if err := insertAppeal(ctx, tx, id, c, v.ID, body, s.now()); err != nil {
			return err
		}
		// Members do not learn who decided.
		return tx.AsSystem(ctx, func(tx *pg.Tx) error { return setAgainst(ctx, tx, id, c.DecidedBy) })
	})
	if server := (*pgconn.PgError)(nil); errors.As(err, &server) && server.ConstraintName == "desk_appeals_once" {
		return errAppealed()
	}
	return explained("appeal", err)
}

func errAppealed() *core.Error {
	return core.Conflictf("already_appealed", "You have asked for another look at this already. Everything can be appealed once.")
}

// Appeals lists what the viewer appealed, latest first. Errors: Unauthenticated.
func (s *Service) Appeals(ctx context.Context, v core.Viewer, page core.Page) (core.List[Appeal], error) {
	list := core.List[Appeal]{Page: AppealRule.Clamp(page)}
	if !v.SignedIn() {
		return list, core.Unauthenticatedf("Sign in to see your appeals.")
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = appealsOf(ctx, q, v.ID, list.Page)
		return err
	})
	return list, explained("list appeals", err)
}

// appealCases are the appeals as the desk lends them to itself.
type appealCases struct{ s *Service }

func (a appealCases) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	row, err := appealByID(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read appeal", err)
	}
	c := core.Case{Target: core.Target{Type: AppealType, ID: row.ID}, Heading: "An appeal", Title: row.Title, Text: row.Body,
		SentAt: row.CreatedAt, State: string(row.Status), Waiting: row.Status == AppealOpen, Reason: row.Reason}
	if row.AccountID != nil {
		c.SenderID, c.Sender = *row.AccountID, row.Username
	}
	if row.DecidedBy != nil {
		c.DecidedBy = *row.DecidedBy
	}
	about, err := a.about(ctx, q, row)
	switch {
	case err == nil:
		c.Heading, c.Path, c.ImageURL, c.Changes, c.Remarks, c.Point = "An appeal: "+lowerFirst(about.Heading), about.Path, about.ImageURL, about.Changes, about.Remarks, about.Point
		if about.Text != "" && about.Text != row.Title {
			c.Facts = append(c.Facts, core.Fact{Label: "What was sent", Text: about.Text})
		}
		c.Facts = append(append(c.Facts, about.Facts...), core.Fact{Label: "It is", Text: about.State})
		if about.Reason != "" {
			c.Facts = append(c.Facts, core.Fact{Label: "The reason then", Text: about.Reason})
		}
	case core.KindOf(err) == core.NotFound:
		c.Facts = append(c.Facts, core.Fact{Label: "It is", Text: "not there any more"})
	default:
		return c, err
	}
	if c.Waiting && v.IsStaff() && c.SenderID != v.ID && (row.AgainstID == nil || *row.AgainstID != v.ID) {
		c.Actions = []core.Action{core.ActionApprove, core.ActionReject}
		if err != nil || !about.Appealable { // it is public again, or gone: there is nothing to grant
			c.Actions = []core.Action{core.ActionReject}
		}
	}
	return c, nil
}

// about is the case that the appeal is of. As the system: a case of the
// moderator's own would offer nothing, and this is for its facts.
func (a appealCases) about(ctx context.Context, q pg.Querier, row appealRow) (core.Case, error) {
	cases, err := a.s.cases(core.Target{Type: row.TargetType, ID: row.TargetID})
	if err != nil {
		return core.Case{}, err
	}
	return cases.CaseTx(ctx, q, core.TheSystem(), row.TargetID)
}

// appealMemo is what undoing an appeal's decision needs.
type appealMemo struct {
	Granted bool            `json:"granted"`
	Memo    json.RawMessage `json:"memo,omitempty"`
}

func (a appealCases) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	row, err := lockAppeal(ctx, tx, id)
	if err != nil {
		return core.Done{}, explained("decide appeal", err)
	}
	done := core.Done{Ruling: core.Ruling{Kind: "appeal_declined", About: core.Target{Type: AppealType, ID: row.ID}, Title: row.Title}}
	memo := appealMemo{}
	status := AppealDeclined
	switch {
	case row.AgainstID != nil && *row.AgainstID == v.ID:
		return done, core.Forbiddenf("You decided about this before. Another moderator looks at the appeal.")
	case row.Status != AppealOpen:
		return done, core.Conflictf("already_decided", "This appeal was decided already.")
	case action == core.ActionReject && reason == "":
		return done, core.InvalidField("reason", "is required: the member reads it")
	case action == core.ActionApprove:
		status, memo.Granted, done.Ruling.Kind = AppealGranted, true, "appeal_granted"
		cases, err := a.s.cases(core.Target{Type: row.TargetType, ID: row.TargetID})
		if err != nil {
			return done, err
		}
		inner, err := cases.DecideTx(ctx, tx, v, row.TargetID, core.ActionRestore, reason)
		if err != nil {
			return done, err
		}
		memo.Memo = inner.Memo
	case action != core.ActionReject:
		return done, core.InvalidField("action", "must be approve or reject")
	}
	if done.Memo, err = json.Marshal(memo); err != nil {
		return done, err
	}
	return done, settleAppeal(ctx, tx, id, status, reason, v.ID, a.s.now())
}

func (a appealCases) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, memo json.RawMessage) error {
	var was appealMemo
	if err := json.Unmarshal(memo, &was); err != nil {
		return err
	}
	row, err := appealByID(ctx, tx, id)
	if err != nil {
		return err
	}
	if was.Granted {
		cases, err := a.s.cases(core.Target{Type: row.TargetType, ID: row.TargetID})
		if err != nil {
			return err
		}
		if err := cases.UndoTx(ctx, tx, v, row.TargetID, was.Memo); err != nil {
			return err
		}
	}
	// Staff may decide an appeal, and not open one.
	return tx.AsSystem(ctx, func(tx *pg.Tx) error { return reopenAppeal(ctx, tx, id) })
}
