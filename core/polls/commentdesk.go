package polls

import (
	"context"
	"encoding/json"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
)

// CommentDesk is the comments' side of the moderators' desk; see Desk.
type CommentDesk struct{ s *Service }

// CommentDesk gives it.
func (s *Service) CommentDesk() CommentDesk { return CommentDesk{s} }

// CaseTx lays out a comment for the desk, whatever its state. Errors: NotFound.
func (d CommentDesk) CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error) {
	if !core.ValidID(id) {
		return core.Case{}, errNoComment()
	}
	c, err := decidedCommentByID(ctx, q, id)
	if err != nil {
		return core.Case{}, explained("read comment", err, errNoComment())
	}
	waits, refused := c.Status == CommentPending, c.Status == CommentRejected
	shown := core.Case{Target: core.Target{Type: TargetComment, ID: id}, Heading: "A comment on a poll", Title: title(c.Body), Text: c.Body,
		Path: "/polls/" + c.PollSlug, Facts: []core.Fact{{Label: "On the poll", Text: c.Question, Href: "/polls/" + c.PollSlug}},
		SenderID: orEmpty(c.AccountID), Sender: orEmpty(c.AuthorName), SentAt: c.CreatedAt, State: "published",
		Waiting: waits, Appealable: refused, DecidedBy: orEmpty(c.DecidedBy), Reason: c.Reason}
	switch {
	case waits:
		shown.State = "waiting"
	case refused:
		shown.State = "refused"
	}
	if CanJudge(v, c.Comment) {
		shown.Actions = actionsFor(waits, refused)
	}
	return shown, nil
}

// DecideTx approves, rejects, restores or marks as abusive, which rejects a
// comment. Errors: Unauthenticated, Forbidden, NotFound, Invalid, Conflict with
// already_decided.
func (d CommentDesk) DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error) {
	m, err := d.s.decideCommentTx(ctx, tx, v, id, choice{action, reason})
	if err != nil {
		return core.Done{}, explained("decide comment", err, errNoComment())
	}
	c, err := commentByID(ctx, tx, id)
	if err != nil {
		return core.Done{}, explained("read decided comment", err, errNoComment())
	}
	return done(m, core.Ruling{Kind: "poll_comment_" + rulings[action], About: core.Target{Type: TargetComment, ID: id}, Title: title(c.Body), Reason: c.Reason})
}

// UndoTx puts a comment back to where it was before the decision. Errors:
// Unauthenticated, Forbidden, NotFound, Conflict with cannot_undo where it has
// changed since.
func (d CommentDesk) UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, kept json.RawMessage) error {
	if _, err := d.s.lockComment(ctx, tx, v, id); err != nil {
		return explained("undo decision", err, errNoComment())
	}
	err := undo(ctx, tx, commentState, "comment", id, kept, func(*pg.Tx) error { return nil })
	return explained("undo decision", err, errNoComment())
}

// maxTitle is how many characters of a comment stand for it in a line.
const maxTitle = 120

func title(body string) string {
	line := []rune(strings.Join(strings.Fields(body), " "))
	if len(line) <= maxTitle {
		return string(line)
	}
	return string(line[:maxTitle-1]) + "…"
}
