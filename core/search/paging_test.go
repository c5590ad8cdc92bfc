package search_test

import (
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
	"homeplace/core/search"
)

// TestPastTheEnd keeps the total, and the way the query was read, on a page
// that lies after the last match.
func TestPastTheEnd(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	dir := directory.New(db.DB, core.Now, geo.Builtin)
	rows, err := rowfile.NewReader(strings.NewReader(`
		{"name": "River Street Bakery", "kind": "business", "city": "Atlanta", "region": "GA"}
		{"name": "River Bend Barber", "kind": "business", "city": "Detroit", "region": "MI"}
		{"name": "Old River Chapel", "kind": "landmark", "city": "Selma", "region": "AL"}
		{"name": "Riverbank Choir", "kind": "event", "city": "Selma", "region": "AL"}`), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Import(t.Context(), core.TheSystem(), rows, directory.ImportOptions{Strict: true}); err != nil {
		t.Fatal(err)
	}
	s := search.New(db.DB, dir, geo.Builtin)
	for _, offset := range []int{0, 2, 3, 50} {
		result, err := s.Search(t.Context(), search.Query{Text: "river", Page: core.Page{Limit: 2, Offset: offset}})
		if err != nil {
			t.Fatal(err)
		}
		// Three names hold the word river; Riverbank only begins with it, and
		// three are enough not to look for beginnings.
		if want := max(0, min(2, 3-offset)); result.Total != 3 || len(result.Items) != want || result.Reading.Step != search.Exact {
			t.Errorf("offset %d: %d of %d, step %q; want %d of 3, step exact", offset, len(result.Items), result.Total, result.Reading.Step, want)
		}
	}
}
