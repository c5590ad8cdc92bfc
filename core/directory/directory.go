// Package directory keeps the entries of the community: businesses, landmarks,
// people, services and events, with their curated subcategories, and writes
// the search index over what the public may see of them.
package directory

import (
	"time"

	"homeplace/core"
	"homeplace/core/geo"
)

// Area is the name under which changes of the directory are announced.
const Area = "directory"

// Kind is what an entry is.
type Kind string

// The kinds of entry (SERVICE.md §1).
const (
	KindBusiness Kind = "business"
	KindLandmark Kind = "landmark"
	KindService  Kind = "service"
	KindEvent    Kind = "event"
	KindPerson   Kind = "person"
)

// Kinds are all kinds, in the order in which they are shown.
var Kinds = []Kind{KindBusiness, KindLandmark, KindService, KindEvent, KindPerson}

// segments are the plural words of the kinds in addresses.
var segments = map[Kind]string{
	KindBusiness: "businesses", KindLandmark: "landmarks", KindService: "services", KindEvent: "events", KindPerson: "people",
}

// Segment is the kind's plural word in addresses, such as "people".
func (k Kind) Segment() string { return segments[k] }

// Path is where an entry's page is.
func Path(k Kind, slug string) string { return "/directory/" + k.Segment() + "/" + slug }

// ParseKind checks the word of a kind.
func ParseKind(s string) (Kind, bool) {
	_, ok := segments[Kind(s)]
	return Kind(s), ok
}

// KindOfSegment finds the kind of a plural word.
func KindOfSegment(segment string) (Kind, bool) {
	for k, s := range segments {
		if s == segment {
			return k, true
		}
	}
	return "", false
}

// Status is how far an entry has come.
type Status string

// Only a published entry that is not hidden is public.
const (
	Draft     Status = "draft"
	Pending   Status = "pending" // waits for staff
	Published Status = "published"
	Refused   Status = "refused"
	Archived  Status = "archived"
)

// Link is a further address of an entry.
type Link struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// Summary is an entry as lists show it. Text fields that are not set are nil.
type Summary struct {
	ID            string
	Slug          string
	Kind          Kind
	Name          string
	Summary       string
	Category      *string
	CategoryLabel *string
	Address       *string
	City          *string
	Region        *string
	Country       *string
	Zip           *string
	Lat           *float64
	Lng           *float64
	Website       *string
	Phone         *string
	ImageURL      *string
	Verified      bool
	StartsAt      *time.Time
	EndsAt        *time.Time
	YearStart     *int
	YearEnd       *int
	UpdatedAt     time.Time
}

// Entry is an entry with everything that its page shows.
type Entry struct {
	Summary
	Description     string // Markdown, as written
	DescriptionHTML string // made by core/markdown
	Email           *string
	Links           []Link
	Tags            []string
	Hours           *Hours
	Status          Status
	Hidden          bool    // by a moderator or by reports; never so in public reads
	OwnerID         *string // account
	CreatedAt       time.Time
}

// Category is a curated subcategory of one kind.
type Category struct {
	Kind  Kind
	Slug  string
	Label string
}

// Facet is a category with the number of entries under the current filters.
type Facet struct {
	Slug  string
	Label string
	Count int
}

// ListRule is the paging of a category list (SERVICE.md §8).
var ListRule = core.PageRule{Default: 24, Max: 100}

// When narrows events by time.
type When string

// An event is over once its end has passed, or its start where no end is known.
const (
	AnyTime  When = ""
	Upcoming When = "upcoming" // not over, soonest first
	Past     When = "past"     // over, latest first
)

// Filter narrows a category list. Empty fields do not narrow.
type Filter struct {
	Kind       Kind
	Query      string   // each token must occur in name, summary, category, city or region
	Letter     string   // a to z, or "#"
	Categories []string // curated slugs, any of them; unknown ones are dropped
	ZIP        string
	When       When // events only; it also decides the order
	Page       core.Page
}

// Scope tells what a ZIP filter did.
type Scope string

// The scopes of CONTRACT.md §3.
const (
	ScopeMetro Scope = "metro" // that city, or the same state
	ScopeNone  Scope = "none"  // not resolved: the list is not narrowed
)

// ZIPFilter reports how the zip of a Filter was understood.
type ZIPFilter struct {
	ZIP         string
	Resolved    bool
	MetroCity   *string
	MetroRegion *string
	Scope       Scope

	metro geo.Metro
}

// Listing is one page of a category list.
type Listing struct {
	core.List[Summary]
	Facets    []Facet    // categories that have entries under the other filters
	ZIPFilter *ZIPFilter // nil without a zip
}
