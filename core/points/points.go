// Package points keeps what members earn and spend: an append-only double-entry
// ledger in which points are held until a decision, and the leaderboard.
//
// The rules live in the database (migrations/0007_points.sql and, for what is
// taken back, 0022_desk_areas.sql): each transaction is proved at commit, balances
// move by entries alone and are never negative, one cause pays once until it is
// taken back, and nothing that was written changes.
package points

import (
	"time"

	"homeplace/core"
	"homeplace/core/settings"
)

// Area is the name under which changes of the leaderboard are announced; see
// pg.Tx.Touch. Opt-outs and names are announced by accounts.
const Area = "points"

// LeaderboardRule and EventRule are the paging of both lists.
var (
	LeaderboardRule = core.PageRule{Default: 50, Max: 100}
	EventRule       = core.PageRule{Default: 50, Max: 100}
)

// maxDetail is how long the words for a member's log are, in Unicode characters.
const maxDetail = 300

// MaxCorrection is the most points that one correction gives or takes.
const MaxCorrection = 1_000_000

// Kind is what a transaction does.
type Kind string

// The kinds of transaction.
const (
	KindAward      Kind = "award"      // earned
	KindHold       Kind = "hold"       // set aside until a decision
	KindPost       Kind = "post"       // what was set aside is spent
	KindVoid       Kind = "void"       // what was set aside is given back
	KindSpend      Kind = "spend"      // spent at once
	KindCorrection Kind = "correction" // given or taken by an administrator
	KindReversal   Kind = "reversal"   // an award, or what is left of it, taken back
)

// reasonCorrection is the reason of every correction; its detail says why.
const reasonCorrection = "correction"

// HoldState is what became of points that were set aside.
type HoldState string

// The states of a hold.
const (
	HoldOpen   HoldState = "open"
	HoldPosted HoldState = "posted" // spent
	HoldVoided HoldState = "voided" // given back
)

// Spending is what a member pays with points, at once or by a hold. An Amount
// of 0 costs nothing and leaves no trace.
type Spending struct {
	AccountID string
	Amount    int
	Reason    string // a word such as "yard_submission", for the log
	Detail    string // for the member's own log, such as the title of the item
	RefType   string // of the thing; empty for none
	RefID     string
}

// Balance is what a member has.
type Balance struct {
	Balance  int // to spend now
	Held     int // set aside, and not part of Balance
	Lifetime int // earned in total, what was spent included and what was taken back not
}

// Event is one change of a member's balance.
type Event struct {
	ID           string
	Kind         Kind
	Delta        int
	BalanceAfter int
	Reason       string // of an award and a reversal its core.AwardReason, else the word of whoever took the points
	Detail       string
	RefType      *string
	RefID        *string
	Hold         *HoldState // of KindHold and KindVoid: what became of it by now
	CreatedAt    time.Time
}

// Leader is one row of the leaderboard. Who has the same points shares a rank,
// and the ranks after them are left out.
type Leader struct {
	Rank        int `db:"-"`
	AccountID   string
	Username    string
	DisplayName *string
	AvatarURL   *string
	Points      int // earned in total
}

// awards is the setting behind each reason.
var awards = map[core.AwardReason]settings.Number{
	core.AwardFile:       settings.AwardFile,
	core.AwardSaying:     settings.AwardSaying,
	core.AwardShoutOut:   settings.AwardShoutOut,
	core.AwardListing:    settings.AwardListing,
	core.AwardPoll:       settings.AwardPoll,
	core.AwardVote:       settings.AwardVote,
	core.AwardGame:       settings.AwardGame,
	core.AwardGameWon:    settings.AwardGameWon,
	core.AwardFakeReport: settings.AwardFakeReport,
}

// CanCorrect tells whether the viewer may give and take points by hand.
func CanCorrect(v core.Viewer) bool { return v.Role == core.System || v.Admin }

// errInsufficient is what the API answers with 402 (CONTRACT.md §1).
func errInsufficient(required, balance int) *core.Error {
	e := &core.Error{Kind: core.Insufficient, Code: "insufficient_points",
		Details: map[string]any{"required": required, "balance": balance}}
	e.Msg = "This takes " + Words(required) + ", and you have " + Words(balance) + " to spend."
	return e
}
