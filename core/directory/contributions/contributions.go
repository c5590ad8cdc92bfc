// Package contributions takes what members propose for the directory: new
// listings, changes of an entry, and word that a place is still open or has
// closed. Nothing of it is public until staff approve it.
//
// It is part of the area directory and stands apart because it is a queue with
// rules of its own; entries are written by package directory alone, in the
// transaction of the decision.
package contributions

import (
	"time"

	"homeplace/core"
	"homeplace/core/directory"
)

// Kind is what is proposed.
type Kind string

// The kinds of contribution.
const (
	KindListing   Kind = "listing"    // a new entry
	KindEdit      Kind = "edit"       // other values of some fields
	KindStillOpen Kind = "still_open" // the place is there, or has closed
)

// Status is what became of a contribution.
type Status string

// Pending is the only status from which another follows.
const (
	Pending   Status = "pending"
	Approved  Status = "approved"
	Refused   Status = "refused"
	Withdrawn Status = "withdrawn"
)

// MaxPending is how many contributions of one member may wait at a time. The
// database holds it (directory_contribution_room).
const MaxPending = 20

// Rule is the paging of what a member sent.
var Rule = core.PageRule{Default: 24, Max: 100}

// Longest texts, in Unicode characters.
const (
	maxMessage = 500
	maxReason  = 500
)

// Contribution is what a member sent.
type Contribution struct {
	ID            string
	Kind          Kind
	EntryID       *string // nil for a listing that was never approved
	EntryName     string  // as it was when the contribution came
	EntryKind     *directory.Kind
	EntrySlug     *string // nil, as EntryKind is, where the viewer may not see the entry
	AccountID     string  // empty, as Username is, where the member has left
	Username      string
	Patch         Patch // what is proposed of the entry's fields
	Open          *bool // KindStillOpen only
	BaseUpdatedAt *time.Time
	Message       string
	Status        Status
	Reason        string // why it was refused
	DecidedAt     *time.Time
	CreatedAt     time.Time
}

// CanDecide tells whether the viewer may approve or refuse the contribution:
// staff may, but nobody decides their own.
func CanDecide(v core.Viewer, c Contribution) bool {
	return v.IsStaff() && !sentBy(c, v) && c.Status == Pending
}

// CanWithdraw tells whether the viewer may take the contribution back.
func CanWithdraw(v core.Viewer, c Contribution) bool {
	return sentBy(c, v) && c.Status == Pending
}

func sentBy(c Contribution, v core.Viewer) bool { return v.SignedIn() && c.AccountID == v.ID }

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to help with the directory.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to see what members sent.")
	}
	return core.Forbiddenf("Only moderators decide what members sent.")
}

func errNone() *core.Error {
	return core.NotFoundf("There is no such contribution here.")
}

func errNothing() *core.Error {
	return &core.Error{Kind: core.Invalid, Code: "validation_failed", Msg: "Nothing differs from the entry as it is. Change what is wrong, then send it."}
}

func errMoved() *core.Error {
	return core.Conflictf("cannot_undo", "This contribution or its entry has changed since that decision, so it cannot be undone.")
}

// errDecided says that a contribution no longer waits.
func errDecided(s Status) *core.Error {
	return core.Conflictf("already_decided", "This contribution no longer waits: it was %s in the meantime.", s)
}

func errNoRoom() *core.Error {
	return core.Conflictf("too_many_pending",
		"You have sent %d things that still wait for a moderator. Once some are decided, you can send more; you can also take some back.", MaxPending)
}
