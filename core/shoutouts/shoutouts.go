// Package shoutouts holds praise for businesses, with stars. No account is
// needed to give one: the moderation pipeline judges it, and staff decide unless
// a setting lets through what the pipeline approves.
//
// A shout-out is public while it is approved and not hidden. Who sent it stands
// in a table of its own, which the public cannot read. What nobody in particular
// sent carries a keyed hash of the browser's mark, by which the first account
// that comes in from there adopts it.
package shoutouts

import (
	"time"

	"homeplace/core"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "shoutouts"

// Scope is what the moderation pipeline and the desk know shout-outs by.
const Scope = "shoutout"

// Status is what became of a shout-out.
type Status string

// The states. What is sent is Pending, Spam where the pipeline is sure of abuse,
// or Approved where the setting shoutouts_require_approval is off.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Refused  Status = "refused"
	Spam     Status = "spam"
)

// Paging of the lists (SERVICE.md §8, and CONTRACT.md §1 where it names none).
var (
	ListRule = core.PageRule{Default: 12, Max: 100}
	MineRule = core.PageRule{Default: 24, Max: 100}
)

// Longest texts, in Unicode characters (SERVICE.md §8).
const (
	MaxBusiness = 120
	MaxBody     = 1000
	MaxCity     = 100
	MaxName     = 80
	maxReason   = 500 // of a decision
)

// The stars that can be given; halves count.
const (
	MinRating = 1.0
	MaxRating = 5.0
)

// ShoutOut is a shout-out as everybody may read it; what is not known is empty.
type ShoutOut struct {
	ID           string
	BusinessName string // as whoever sent it wrote it
	BusinessSlug string // of its listing while that is public
	City         string
	Rating       float64 // 1 to 5, in halves
	Body         string
	DisplayName  string // of whoever sent it
	Username     string // of the member whose name that is
	Status       Status
	HiddenAt     *time.Time
	CreatedAt    time.Time
}

// Public tells whether everybody sees the shout-out.
func (s ShoutOut) Public() bool { return s.Status == Approved && s.HiddenAt == nil }

// Sent is a shout-out as the member who sent it sees it.
type Sent struct {
	ShoutOut
	Reason    string // why staff refused or hid it; "" otherwise
	DecidedAt *time.Time
}

// Filter narrows List. Empty fields do not.
type Filter struct {
	EntryID string // of the directory
	Page    core.Page
}

// Summary is what the shout-outs for one business come to.
type Summary struct {
	Count   int
	Average float64 // stars to two decimals; 0 where there are none
}

// Business is a public business of the directory that a name may mean.
type Business struct {
	ID     string
	Slug   string
	Name   string
	City   string
	Region string
}

// Input is a shout-out on its way in.
type Input struct {
	BusinessName  string
	City          string
	Rating        float64
	Body          string
	SubmitterName string // "" shows the member's own name, or none
	EntryID       string // of a public business; "" where it is found by its name, or not listed
	Unlisted      bool   // the business is none of those that have the name
	Mark          string // of the browser, see ballot.Box; "" is never adopted
	From          core.Origin
}

// Posted is what became of a shout-out that was sent.
type Posted struct {
	ID     string
	Status Status
	Draft  string // slug that the drafted listing would get; "" where none was drafted
}

// CanDecide tells whether the viewer decides about what an account sent: staff
// do, but nobody about their own.
func CanDecide(v core.Viewer, accountID *string) bool {
	return v.IsStaff() && !(v.SignedIn() && accountID != nil && *accountID == v.ID)
}

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to see the shout-outs that you gave.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to decide about shout-outs.")
	}
	return core.Forbiddenf("Only moderators decide about shout-outs.")
}

func requireSystem(v core.Viewer) error {
	if v.Role != core.System {
		return core.Forbiddenf("Only the operator of the site brings shout-outs in and out in bulk.")
	}
	return nil
}

func errNone() *core.Error {
	return core.NotFoundf("There is no such shout-out here. It may have been withdrawn.")
}

func errDecided(s Status) *core.Error {
	return core.Conflictf("already_decided", "This shout-out no longer waits: it is %s already.", s)
}
