package core

// PageRule holds the default and the maximum length of a list (SERVICE.md §8).
type PageRule struct{ Default, Max int }

// Page is a window on a list: at most Limit rows after skipping Offset.
type Page struct{ Limit, Offset int }

// MaxOffset bounds how deep a list can be paged, so that an offset cannot
// overflow what the database counts in.
const MaxOffset = 1_000_000_000

// Clamp applies the rule: an unset limit becomes the default, one over the
// maximum the maximum. Refusing limits below one is the decoder's part.
func (r PageRule) Clamp(p Page) Page {
	if p.Limit <= 0 {
		p.Limit = r.Default
	}
	p.Limit = min(p.Limit, r.Max)
	p.Offset = min(max(p.Offset, 0), MaxOffset)
	return p
}

// List is one page of rows with the number of rows that match in all.
type List[T any] struct {
	Items []T
	Total int
	Page  Page
}
