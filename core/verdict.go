package core

// Text is something that a person wrote for others to read, on its way through
// moderation (CONTRACT.md §4).
type Text struct {
	Scope      string // what it is, such as "saying": a word of the area, for rules that hold there only
	Body       string // all of it, parts joined by line breaks
	AddressKey string // where it came from; see httpx.AddrKey
	Shared     bool   // many people may stand behind the address, so that it is never blocked
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
	Decision Decision
	Score    float64 // 0 is harmless, 1 is certain abuse
	Reasons  []Reason
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
