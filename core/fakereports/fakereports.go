// Package fakereports holds reports of fake content found elsewhere, such as a
// stolen profile or a scam. Everybody may send one, without an account too; the
// moderation pipeline judges it, and nothing is public before staff confirm it.
//
// Who sent a report never becomes public: that stands in columns which the
// public has no right to, and goes with the account.
package fakereports

import (
	"strings"
	"time"

	"homeplace/core"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "fake_reports"

// Type is what the desk and the moderation pipeline know these reports by.
const Type = "fake_report"

// Category is what is fake about the content.
type Category string

// Categories are all of them in the order in which people choose (SERVICE.md
// §4).
var Categories = []Category{"fake_profile", "ai_generated", "impersonation", "scam", "misinformation", "other"}

// labels are what people read for a category.
var labels = map[Category]string{"fake_profile": "Fake profile", "ai_generated": "Made by AI and passed off as real",
	"impersonation": "Pretending to be someone else", "scam": "Scam", "misinformation": "False information", "other": "Something else"}

// Label is what people read for the category.
func (c Category) Label() string { return labels[c] }

// check adds a problem for a category that there is not.
func (c Category) check(p *core.Problems) {
	if _, known := labels[c]; known {
		return
	}
	names := make([]string, len(Categories))
	for i, one := range Categories {
		names[i] = string(one)
	}
	if c == "" {
		p.Add("category", "is required: one of %s", strings.Join(names, ", "))
		return
	}
	p.Add("category", "must be one of %s", strings.Join(names, ", "))
}

// Status is what became of a report.
type Status string

// The states. What is sent is Pending, or Spam where the pipeline is sure of
// abuse.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	Refused   Status = "refused"
	Spam      Status = "spam"
)

// Paging of the lists (SERVICE.md §8, and CONTRACT.md §1 where it names none),
// and of the latest for staff (SERVICE.md §4 Admin).
var (
	ListRule   = core.PageRule{Default: 50, Max: 100}
	MineRule   = core.PageRule{Default: 24, Max: 100}
	recentRule = core.PageRule{Default: 80, Max: 200}
)

// Shortest and longest texts, in Unicode characters (SERVICE.md §8).
const (
	MinDescription = 3
	MaxDescription = 4000
	MaxPlatform    = 80
	MaxHandle      = 120
	MaxURL         = 500
	MaxName        = 80
	MaxEmail       = 254
	maxReason      = 500
	maxTitle       = 120
)

// Report is a report as everybody may read it once it is confirmed. What is not
// known is empty.
type Report struct {
	ID          string
	Category    Category
	Description string
	Platform    string // where the content is, such as "Facebook"
	Handle      string // of the account there
	ContentURL  string // leads to the fake: never to be shown as a link
	Status      Status
	CreatedAt   time.Time
	ConfirmedAt *time.Time
}

// Title is the beginning of the description in one line.
func (r Report) Title() string {
	letters := []rune(strings.Join(strings.Fields(r.Description), " "))
	if len(letters) <= maxTitle {
		return string(letters)
	}
	return strings.TrimSpace(string(letters[:maxTitle])) + "…"
}

// Sent is a report as the member who sent it sees it.
type Sent struct {
	Report
	SubmitterName  string // as it was given; may be empty
	SubmitterEmail string
	Reason         string // of the decision; "" where there is none
	DecidedAt      *time.Time
}

// record is a report as staff see it.
type record struct {
	Sent
	SubmittedBy *string // nil for one who was not signed in, or left
	Username    *string
	DecidedBy   *string
}

// sender is the username, or the name that was given.
func (r record) sender() string {
	if r.Username != nil {
		return *r.Username
	}
	return r.SubmitterName
}

// Filter narrows List.
type Filter struct {
	Category Category // "" for all
	Page     core.Page
}

// CanWithdraw tells whether the member who sent it may take it back.
func CanWithdraw(s Sent) bool { return s.Status == Pending }

func sentBy(r record, v core.Viewer) bool {
	return v.SignedIn() && r.SubmittedBy != nil && *r.SubmittedBy == v.ID
}

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to see the reports that you sent.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to decide about reports of fake content.")
	}
	return core.Forbiddenf("Only moderators decide about reports of fake content.")
}

func requireSystem(v core.Viewer) error {
	if v.Role != core.System {
		return core.Forbiddenf("Only the operator of the site brings reports of fake content in and out in bulk.")
	}
	return nil
}

func errNone() *core.Error {
	return core.NotFoundf("There is no such report here. It may have been taken back.")
}

func errDecided(s Status) *core.Error {
	return core.Conflictf("already_decided", "This report no longer waits: it is %s already.", s)
}
