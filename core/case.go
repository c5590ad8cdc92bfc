package core

import (
	"encoding/json"
	"time"
)

// Case is a thing that waits for a moderator, or waited, as its area lays it out
// for the desk.
type Case struct {
	Target              // Type is that of its queue, such as "saying"
	Heading    string   // what it is, in words for people, such as "A saying"
	Title      string   // one line
	Text       string   // what was written, as it was written; may be empty
	ImageURL   string   // may be empty
	Path       string   // of its page here; empty while there is none
	Edit       string   // of the page where staff put it right before they approve; empty where there is none
	Facts      []Fact   // its other fields
	Changes    []Change // what would be different, of a proposed edit
	Remarks    []Remark // what members reported of it, open ones first
	Point      *Point   // where it is, if it is a place
	SenderID   string   // account; empty where nobody was signed in, or they left
	Sender     string   // username, or the name that somebody without an account gave
	SentAt     time.Time
	State      string // what it is now, in words that follow "it is", such as "published"
	Waiting    bool   // a decision is to be made
	Appealable bool   // it is refused or hidden, so that its sender may appeal once
	DecidedBy  string // account of who decided last; empty: nobody, or the program
	Reason     string // of that decision; its sender reads it
	// Actions are what the viewer may decide now, the usual one first; none where
	// it is their own.
	Actions []Action
}

// Fact is one field of a case.
type Fact struct{ Label, Text, Href string }

// Change is one field of a proposed edit.
type Change struct{ Label, Before, After string }

// Point is a place on the map, in degrees.
type Point struct{ Lat, Lng float64 }

// Remark is one report of a case.
type Remark struct {
	By       string // username; empty where they left
	Category string
	Text     string
	State    string // such as "open"
	At       time.Time
}

// Action is what a moderator does about a case.
type Action string

// The actions. Approve and Reject decide what was sent in, Hide and Keep what was
// reported; Abusive rejects and blocks the address it came from. Restore makes
// public again what was refused or hidden.
const (
	ActionApprove Action = "approve"
	ActionReject  Action = "reject"
	ActionAbusive Action = "abusive"
	ActionHide    Action = "hide"
	ActionKeep    Action = "keep"
	ActionRestore Action = "restore"
)

// Done is what carrying out a decision came to.
type Done struct {
	Ruling Ruling          // for the audit log; its Reason is the decision's
	Memo   json.RawMessage // what the area needs to undo it; may be nil
}
