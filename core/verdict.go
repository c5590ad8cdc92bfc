package core

import "time"

// Origin is where something that a person sends comes from.
type Origin struct {
	AddressKey string // see httpx.AddrKey; empty where nothing is known
	Shared     bool   // many people may stand behind the address, so that it is never blocked
}

// Text is something that a person wrote for others to read, on its way through
// moderation (CONTRACT.md §4).
type Text struct {
	Scope string // what it is, such as "saying": a word of the area, for rules that hold there only
	Body  string // all of it, parts joined by line breaks
	About Target // what it is the text of, as the desk and the verdict know it; its id is made before it is stored
	From  Origin
}

// Decision is how the pipeline judges a text.
type Decision string

// The decisions.
const (
	DecisionApprove Decision = "approve"
	DecisionReview  Decision = "review" // a person has to look
	DecisionReject  Decision = "reject" // abuse or spam, with certainty
)

// Verdict is what the moderation pipeline says of a text.
type Verdict struct {
	Decision Decision `json:"decision"`
	Score    float64  `json:"score"` // 0 is harmless, 1 is certain abuse
	Reasons  []Reason `json:"reasons"`
}

// Reason is one thing that a verdict rests on.
type Reason struct {
	Code   string `json:"code"`   // a stable word, such as "denied_word"
	Detail string `json:"detail"` // for moderators; may be empty
}

// Target is a thing of any area that is judged, reported or decided about.
type Target struct {
	Type string // such as "directory_entry" or "saying"
	ID   string
}

// Reportable is a target of reports as its area knows it.
type Reportable struct {
	Title    string
	Kind     string // of an entry; empty for others
	Slug     string
	OwnerID  string    // account; empty where nobody owns it
	EditedAt time.Time // when its text last changed
	Hidden   bool
}

// Ruling is a decision about a thing, for the log of all of them. Whose it is,
// the log takes from the viewer.
type Ruling struct {
	Kind   string // what was decided, such as "listing_approved"
	About  Target
	Title  string // of the thing at the time
	Reason string // may be empty
}

// Abuse is why an address is to be blocked for a time.
type Abuse struct {
	From   Origin
	Reason string // for moderators
	About  Target
}
