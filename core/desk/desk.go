// Package desk is the moderators' one inbox: whatever waits in any area, oldest
// first, with what is known of it and of who sent it. Moderators claim a case,
// note something about it, decide, and undo a decision while it is fresh; members
// appeal, and somebody else looks again.
//
// What waits stands in desk_queue, which triggers of the areas' tables keep; how
// a case looks and what a decision does is its area's, through Cases.
package desk

import (
	"context"
	"encoding/json"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Cases are the things of one queue, as their area lends them to the desk. All
// run in a transaction of the desk.
type Cases interface {
	// CaseTx lays one out for the viewer, waiting or decided. Errors: NotFound.
	CaseTx(ctx context.Context, q pg.Querier, v core.Viewer, id string) (core.Case, error)
	// DecideTx carries a decision out. Errors: Forbidden for one's own, NotFound,
	// Invalid at action or reason, Conflict with already_decided.
	DecideTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, action core.Action, reason string) (core.Done, error)
	// UndoTx puts back what DecideTx did; memo is what that left. Errors: Conflict
	// with cannot_undo.
	UndoTx(ctx context.Context, tx *pg.Tx, v core.Viewer, id string, memo json.RawMessage) error
}

// Queue is one kind of thing that waits.
type Queue struct {
	Type  string // as of core.Target, such as "saying"
	Label string // for people, such as "Sayings"
	Cases Cases
}

// AppealType is the queue of appeals, which is the desk's own.
const AppealType = "appeal"

// The paging of the inbox and of what a member appealed.
var (
	InboxRule  = core.PageRule{Default: 24, Max: 100}
	AppealRule = core.PageRule{Default: 24, Max: 100}
)

const (
	// ClaimFor is how long a claim keeps others away.
	ClaimFor = 30 * time.Minute
	// UndoFor is how long a decision can be undone by who made it.
	UndoFor = 15 * time.Minute
	// MaxBatch is how many are decided at once.
	MaxBatch = 50
	// MaxReplies bounds the saved replies.
	MaxReplies = 100
)

// Longest texts, in Unicode characters.
const (
	MaxNote   = 2000
	MaxReply  = 500
	MaxAppeal = 2000
	MaxReason = 500
)

// Filter narrows Inbox. Empty fields do not.
type Filter struct {
	Type string // of one queue
	Mine bool   // what the viewer has claimed
	Page core.Page
}

// Item is one line of the inbox.
type Item struct {
	core.Target
	Title     string
	Sender    *string // username; nil where nobody was signed in, or they left
	Since     time.Time
	ClaimedBy *string // username of who works on it now; nil: nobody
	Claimed   bool    `db:"-"` // by the viewer
}

// Inbox is a page of what waits for the viewer.
type Inbox struct {
	core.List[Item]
	Counts map[string]int // how much waits in each queue
	All    int            // in all of them
	Others int            // what waits besides, for other moderators alone
}

// File is a case with all that the desk knows of it.
type File struct {
	core.Case
	Verdict   *core.Verdict // nil where the pipeline did not judge it
	ClaimedBy *string       // username
	Claimed   bool          // by the viewer
	Notes     []Note        // oldest first
	Past      []Past        // what was decided before, latest first
	History   *History      // of the sender; nil where nobody was signed in
	Undo      string        // batch of the viewer's last decision, while it can be undone
}

// Note is what one moderator tells the others about a case.
type Note struct {
	Author    *string // username
	Body      string
	CreatedAt time.Time
}

// Past is a decision of the desk.
type Past struct {
	ID         string
	BatchID    string
	Target     core.Target `db:"-"`
	TargetType string
	TargetID   string
	Title      string
	Action     core.Action
	Reason     string
	By         *string // username
	DecidedBy  *string // account
	DecidedAt  time.Time
	UndoneAt   *time.Time
}

// History is what is known of who sent a case.
type History struct {
	Username string
	Joined   time.Time
	Approved int // decisions of the desk that stand
	Refused  int
	Abusive  int
	Waiting  int    // what they sent and waits, this case included
	Latest   []Past // at most five
}

// Decision is what a moderator decides of one case, or of several alike.
type Decision struct {
	Targets []core.Target // 1 to MaxBatch
	Action  core.Action
	Reason  string // the sender reads it; required to reject and to hide
}

// Outcome is what became of a decision.
type Outcome struct {
	Batch  string // what Undo takes
	Done   int
	Failed []Failure
}

// Failure is a case of a batch that was not decided.
type Failure struct {
	Target core.Target
	Err    error
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to see the desk.")
	}
	return core.Forbiddenf("Only moderators work at the desk.")
}

func errNone() *core.Error {
	return core.NotFoundf("There is no such case here. It may have been withdrawn.")
}

func errClaimed(by string) *core.Error {
	return core.Conflictf("claimed", "%s is working on this. Once they give it back, or after half an hour, you can decide.", by)
}
