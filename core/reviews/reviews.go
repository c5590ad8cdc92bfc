// Package reviews holds products of makers in the community, which staff keep,
// and what members say of them. The moderation pipeline judges each review and
// staff decide; nothing is public before they approve it.
//
// A member has one review of a product. Writing again replaces it, under a new
// id: an id stands for the words that were sent under it, so that a decision and
// a verdict are never about others.
package reviews

import (
	"time"

	"homeplace/core"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "reviews"

// Scope is what the moderation pipeline and the desk know these texts by.
const Scope = "review"

// Status is what became of a review.
type Status string

// The states. What members send is Pending, or Spam where the pipeline is sure
// of abuse.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Refused  Status = "refused"
	Spam     Status = "spam"
)

// Paging of the lists (SERVICE.md §8, and CONTRACT.md §1 where it names none).
var (
	ListRule    = core.PageRule{Default: 30, Max: 100}
	ProductRule = core.PageRule{Default: 24, Max: 100}
	MineRule    = core.PageRule{Default: 24, Max: 100}
	recentRule  = core.PageRule{Default: 80, Max: 200}
)

// The bounds of a review; lengths in Unicode characters.
const (
	MinRating = 1
	MaxRating = 5
	MaxTitle  = 120
	MinBody   = 10
	MaxBody   = 2000
	MaxReason = 500 // of a decision
	maxName   = 80  // of an author without an account
)

// MaxPending is how many reviews of one member may wait at a time. The database
// holds it (review_room).
const MaxPending = 20

// Review is what somebody says of a product.
type Review struct {
	ID              string
	ProductSlug     string
	ProductName     string
	ProductImageURL string
	Rating          int // MinRating to MaxRating
	Title           string
	Body            string
	Author          string // how they are called; "" for one who left
	Username        string // "" where no account stands behind it
	Status          Status
	HiddenAt        *time.Time
	CreatedAt       time.Time // when these words were sent
}

// Public tells whether everybody sees the review, as long as they see the
// product.
func (r Review) Public() bool { return r.Status == Approved && r.HiddenAt == nil }

// Sent is a review as who sent it sees it.
type Sent struct {
	Review
	Reason    string // why it is not shown; "" otherwise
	DecidedAt *time.Time
}

// stored is a review as staff see it.
type stored struct {
	Sent
	AccountID   string // "" for one who left, and for what was imported
	DecidedBy   string // account; "" for nobody
	ProductSeen bool   // the product is public
}

// Filter narrows List. Zero values do not.
type Filter struct {
	MinRating int    // reviews at or above
	Product   string // slug
	Page      core.Page
}

// Input is a review on its way in.
type Input struct {
	Rating int
	Title  string // may be empty
	Body   string
	From   core.Origin
}

// CanWithdraw tells whether the member who sent it may take it back: what was
// refused, is spam or hidden stays, for the record and for an appeal.
func CanWithdraw(s Sent) bool { return s.Status == Pending || s.Public() }

func requireMember(v core.Viewer) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to write a review.")
	}
	return nil
}

func requireStaff(v core.Viewer) error {
	switch {
	case v.IsStaff():
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as a moderator to do this.")
	}
	return core.Forbiddenf("Only moderators keep the products and decide about reviews.")
}

func requireSystem(v core.Viewer) error {
	if v.Role != core.System {
		return core.Forbiddenf("Only the operator of the site brings products and reviews in and out in bulk.")
	}
	return nil
}

func errNone() *core.Error {
	return core.NotFoundf("There is no such review here. It may have been withdrawn or written again.")
}

func errNoProduct() *core.Error {
	return core.NotFoundf("There is no such product here. It may have been withdrawn; look at the list.")
}
