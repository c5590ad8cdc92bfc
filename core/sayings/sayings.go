// Package sayings holds proverbs and sayings with what they mean and where they
// come from. Members send them, the moderation pipeline judges them, and staff
// decide; nothing is public before they approve it.
//
// A saying is public while it is published and not hidden. Who sent it and
// who decided stand in a table of their own, which the public cannot read.
package sayings

import (
	"time"

	"homeplace/core"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "sayings"

// Status is what became of a saying.
type Status string

// The states. What members send is Pending, or Spam where the pipeline is sure
// of abuse; Draft comes in by import alone.
const (
	Pending   Status = "pending"
	Published Status = "published"
	Refused   Status = "refused"
	Spam      Status = "spam"
	Draft     Status = "draft"
)

// Paging of the lists (SERVICE.md §8, and CONTRACT.md §1 where it names none).
var (
	ListRule = core.PageRule{Default: 24, Max: 100}
	MineRule = core.PageRule{Default: 24, Max: 100}
)

// Longest texts, in Unicode characters.
const (
	MaxText        = 500
	MaxMeaning     = 1000
	MaxAttribution = 200
	MaxRegion      = 60
	MaxReason      = 500 // of a refusal
	maxName        = 80
	maxEmail       = 254
	maxAddress     = 500
)

// MaxPending is how many sayings of one member may wait at a time. The database
// holds it (saying_room).
const MaxPending = 20

// Scope is what the moderation pipeline knows these texts by.
const Scope = "saying"

// Saying is a saying with what goes with it; what is not known is empty.
type Saying struct {
	ID            string
	Slug          string // "" until it is first published
	Text          string
	Meaning       string
	Attribution   string // such as "Yoruba proverb"
	Region        string // a free tag, such as "West Africa"
	Category      string // slug
	CategoryLabel string
	ImageURL      string
	Status        Status
	HiddenAt      *time.Time
	CreatedAt     time.Time
	PublishedAt   *time.Time
}

// Public tells whether everybody sees the saying.
func (s Saying) Public() bool { return s.Status == Published && s.HiddenAt == nil }

// Sent is a saying as the member who sent it sees it.
type Sent struct {
	Saying
	Reason    string // why staff refused it; "" otherwise
	DecidedAt *time.Time
}

// Case is a saying as staff see it.
type Case struct {
	Sent
	SubmittedBy    *string // nil for one who left, and for what was imported
	Username       *string
	SubmitterName  string // as given in the archived form; may be empty
	SubmitterEmail string
	DecidedBy      *string // account; nil for nobody, and for the program
}

// Category is one of the curated list, with how many public sayings it holds.
type Category struct {
	Slug  string
	Label string
	Count int
}

// Region is a tag in use, with how many public sayings carry it.
type Region struct {
	Name  string
	Count int
}

// Filter narrows List. Empty fields do not.
type Filter struct {
	Query    string // each of its words must stand in the text or the meaning; accents and case do not matter
	Category string // slug
	Region   string // accents and case do not matter
	Page     core.Page
}

// Words are what a saying says: what a member writes, and what staff may put
// right.
type Words struct {
	Text        string
	Meaning     string
	Attribution string
	Region      string
	Category    string // slug; "" for none
}

// Input is a saying on its way in.
type Input struct {
	Words
	SubmitterName  string // of the archived form; read by staff only
	SubmitterEmail string
	From           core.Origin
}

// WordsOf is what a form of the saying starts with.
func WordsOf(s Saying) Words {
	return Words{Text: s.Text, Meaning: s.Meaning, Attribution: s.Attribution, Region: s.Region, Category: s.Category}
}

// CanDecide tells whether the viewer may correct, approve or refuse it: staff
// may, but nobody decides their own.
func CanDecide(v core.Viewer, c Case) bool {
	return v.IsStaff() && !sentBy(c, v) && c.Status == Pending
}

// restorable tells whether staff may publish it after all, or show it again.
func restorable(c Case) bool {
	return c.Status == Refused || c.Status == Spam || c.Status == Published && c.HiddenAt != nil
}

// CanWithdraw tells whether the member who sent it may take it back.
func CanWithdraw(s Sent) bool { return s.Status == Pending }

func sentBy(c Case, v core.Viewer) bool {
	return v.SignedIn() && c.SubmittedBy != nil && *c.SubmittedBy == v.ID
}

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to bring a saying.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to decide about sayings.")
	}
	return core.Forbiddenf("Only moderators decide about sayings.")
}

func requireSystem(v core.Viewer) error {
	if v.Role != core.System {
		return core.Forbiddenf("Only the operator of the site brings sayings in and out in bulk.")
	}
	return nil
}

func errNone() *core.Error {
	return core.NotFoundf("There is no such saying here. It may have been withdrawn.")
}

func errDecided(s Status) *core.Error {
	return core.Conflictf("already_decided", "This saying no longer waits: it is %s already.", s)
}

func errMoved() *core.Error {
	return core.Conflictf("cannot_undo", "This saying has changed since that decision, so it cannot be undone.")
}

func errHere() *core.Error {
	return core.Conflictf("already_here", "This saying is here already, or waits for a moderator.")
}
