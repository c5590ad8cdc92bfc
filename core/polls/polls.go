// Package polls asks the community: one prepared question each day, and polls
// that members make. Everybody votes once, signed in or not; what tells voters
// apart is stored as a keyed hash only, and nobody reads a vote.
//
// Whether a poll is open follows from its times when it is read: a daily poll
// is open on its UTC day, a community poll as many days as the setting poll_days
// said when it was published, and staff can close either early.
package polls

import (
	"math"
	"time"

	"homeplace/core"
)

// The names under which changes are announced; see pg.Tx.Touch. What only
// shows questions does not depend on each vote.
const (
	Area    = "polls"        // which polls there are, and what they ask
	Tallies = "poll_tallies" // how many voted for what, and what they said
)

// Status is what was decided about a poll.
type Status string

// The statuses of a poll. A draft waits for staff.
const (
	Draft     Status = "draft"
	Published Status = "published"
	Refused   Status = "refused"
)

// State is whether a published poll takes votes.
type State string

// The states.
const (
	Open   State = "open"
	Closed State = "closed"
)

// CommentStatus is what became of a comment.
type CommentStatus string

// The statuses of a comment. CommentNone is that of a vote without one, and of
// one whose comment was dropped.
const (
	CommentPending  CommentStatus = "pending"
	CommentApproved CommentStatus = "approved"
	CommentRejected CommentStatus = "rejected"
	CommentNone     CommentStatus = "none"
)

// What the two things of the area are called at the desk and by verdicts.
const (
	TargetPoll    = "poll"
	TargetComment = "poll_comment"
)

// Paging of the lists.
var (
	ListRule = core.PageRule{Default: 30, Max: 100} // SERVICE.md §8, CONTRACT.md §1
	MineRule = core.PageRule{Default: 24, Max: 100}
)

// Bounds of a poll. Lengths are in Unicode characters.
const (
	MaxQuestion    = 280
	MaxDescription = 2000
	MaxLabel       = 120 // of an option
	MinOptions     = 2
	MaxOptions     = 8
	MaxComment     = 500
	MaxReason      = 500 // of a decision
	MaxDrafts      = 20  // of one member that wait; the database holds it (polls_room)
	// MaxShownComments is how many comments a poll shows, the latest first.
	MaxShownComments = 100
)

// Summary is a poll as lists show it.
type Summary struct {
	ID          string
	Slug        string
	Question    string
	Status      Status
	DailyFor    *time.Time // midnight of its UTC day; nil for a community poll
	OpensAt     *time.Time // nil until it is published, as ClosesAt
	ClosesAt    *time.Time
	HiddenAt    *time.Time
	AuthorID    *string // nil: of the site, or its author left
	AuthorName  *string // username
	AuthorTitle *string // display name; nil where they gave none
	CreatedAt   time.Time

	State State `db:"-"` // Closed until it is published
}

// Public tells whether everybody sees the poll.
func (s Summary) Public() bool { return s.Status == Published && s.HiddenAt == nil }

func (s *Summary) settle(now time.Time) {
	s.State = Closed
	if s.Status == Published && s.OpensAt != nil && s.ClosesAt != nil && !now.Before(*s.OpensAt) && now.Before(*s.ClosesAt) {
		s.State = Open
	}
}

// Poll is a poll in full.
type Poll struct {
	Summary
	Description   string
	AllowComments bool
	Reason        string // why it was refused
	DecidedAt     *time.Time

	Options  []Option  `db:"-"` // in their order
	Comments []Comment `db:"-"` // the approved ones, the latest first
}

// Votes is how many voted.
func (p Poll) Votes() int {
	total := 0
	for _, o := range p.Options {
		total += o.Votes
	}
	return total
}

// Option is one answer with how many chose it.
type Option struct {
	ID        string
	Label     string
	SortOrder int // from 1
	Votes     int
}

// Share is the part of all votes that n are, from 0 to 1, to four decimals.
func Share(n, total int) float64 {
	if total == 0 {
		return 0
	}
	return math.Round(float64(n)/float64(total)*10_000) / 10_000
}

// Comment is what somebody said with their vote.
type Comment struct {
	ID          string
	PollID      string
	PollSlug    string
	Question    string
	Body        string
	AccountID   *string // nil: nobody was signed in, or they left
	AuthorName  *string // username
	AuthorTitle *string
	Status      CommentStatus
	Reason      string // why it was rejected; may be empty
	DecidedAt   *time.Time
	CreatedAt   time.Time
}

// CanModerate tells whether the viewer decides about the poll: staff do, but
// nobody about their own.
func CanModerate(v core.Viewer, s Summary) bool { return v.IsStaff() && !ownedBy(s.AuthorID, v) }

// CanJudge tells whether the viewer decides about the comment.
func CanJudge(v core.Viewer, c Comment) bool { return v.IsStaff() && !ownedBy(c.AccountID, v) }

// restorable tells whether staff may publish it after all, or show it again.
func (s Summary) restorable() bool {
	return s.Status == Refused || s.Status == Published && s.HiddenAt != nil
}

func ownedBy(account *string, v core.Viewer) bool {
	return account != nil && v.SignedIn() && *account == v.ID
}

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to ask the community something.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to decide about polls.")
	}
	return core.Forbiddenf("Only moderators decide about polls.")
}

func errNoPoll() *core.Error {
	return core.NotFoundf("There is no such poll here. It may have been withdrawn.")
}

func errNoComment() *core.Error { return core.NotFoundf("There is no such comment here.") }

func errDecided(what, status string) *core.Error {
	return core.Conflictf("already_decided", "This %s no longer waits: it was %s in the meantime.", what, status)
}

func errMoved(what string) *core.Error {
	return core.Conflictf("cannot_undo", "This %s has changed since that decision, so it cannot be undone.", what)
}

func errClosed() *core.Error {
	return core.Conflictf("poll_closed", "This poll is closed. You can still read how it went.")
}
