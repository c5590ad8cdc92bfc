// Package difference says in words for people how two JSON documents differ:
// which members were added, removed or changed, by path.
//
// It is not built on github.com/wI2L/jsondiff, which makes patches for
// programs: that reads numbers as float64, so that large ones lose digits and
// 1.0 cannot be told from 1; matches array elements by position or by a longest
// common subsequence whose time is the product of the lengths, never by their
// id; and has no bound on how much it reports.
package difference

// Kind is what happened at a path.
type Kind string

// The kinds of change.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// MaxChanges is how many changes are listed; the counts are of all.
const MaxChanges = 200

// Change is one member or element that differs.
type Change struct {
	Kind   Kind
	Path   string // such as places[id=12].name or rows[3]; "" is the whole document
	Before string // shortened JSON; "" where Added
	After  string // shortened JSON; "" where Removed
}

// Difference is how a document differs from the one before it.
type Difference struct {
	Changes        []Change // at most MaxChanges, in the order of the paths
	Added          int
	Removed        int
	Changed        int
	Same           bool // byte for byte
	FormattingOnly bool // other bytes, the same data: key order, white space, escapes, how numbers are written
}

// Total is how many changes there are, listed or not.
func (d Difference) Total() int { return d.Added + d.Removed + d.Changed }
