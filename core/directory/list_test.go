package directory_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core"
	"homeplace/core/directory"
)

// thirty entries: 22 public businesses, three that are not public, and five of
// other kinds. Two cities are called Kansas City, two Portland.
const thirty = `kind,slug,name,category,city,region,lat,lng,status,summary
business,acorn,Acorn Bakery,bakery,Atlanta,GA,,,,
business,amber,Amber Books,bookstore,Atlanta,GA,,,,
business,apex,Apex Barbers,barber-shop,Kansas City,MO,39.1,-94.58,,
business,aster,Aster Bakery,bakery,Kansas City,KS,39.11,-94.63,,
business,bay,Bay Books,bookstore,Portland,OR,45.5,-122.7,,100% paper_backs
business,beacon,Beacon Bakery,bakery,Portland,ME,43.7,-70.3,,
business,birch,Birch Barbers,barber-shop,Savannah,GA,,,,
business,blue,Blue Cafe,cafe,Kansas City,KS,,,,
business,bold,Bold Books,bookstore,St. Louis,MO,,,,
business,coral,Coral Bakery,bakery,Salem,OR,,,,
business,elan,Élan Barbers,barber-shop,Augusta,GA,,,,
business,seven,7 Sisters Books,bookstore,Bangor,ME,,,,
business,orsted,Ørsted Cafe,cafe,Atlanta,GA,,,,
business,none,No Category Shop,,Atlanta,GA,,,,
business,delta-1,Delta One,grocery,Macon,GA,,,,
business,delta-2,Delta Two,grocery,Macon,GA,,,,
business,delta-3,Delta Three,grocery,Macon,GA,,,,
business,delta-4,Delta Four,grocery,Macon,GA,,,,
business,delta-5,Delta Five,grocery,Macon,GA,,,,
business,delta-6,Delta Six,grocery,Macon,GA,,,,
business,delta-7,Delta Seven,grocery,Macon,GA,,,,
business,delta-8,Delta Eight,grocery,Macon,GA,,,,
business,draft,Draft Bakery,bakery,Atlanta,GA,,,draft,
business,pending,Pending Bakery,bakery,Atlanta,GA,,,pending,
business,archived,Archived Bakery,bakery,Atlanta,GA,,,archived,
landmark,arch,Gateway Arch,,St. Louis,MO,38.6,-90.2,,
landmark,mill,Old Mill,,Portland,OR,,,,
landmark,fort,Fort Hill,,Portland,ME,,,,
person,ada,Ada Amber,,Atlanta,GA,,,,
person,bo,Bo Birch,,Macon,GA,,,,
`

func TestList(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, thirty)
	const all = "bakery:4 barber-shop:3 bookstore:4 cafe:2 grocery:8"
	for _, tt := range []struct {
		name   string
		filter directory.Filter
		total  int
		facets string
		slugs  string // "" = not compared
	}{
		{"everything", directory.Filter{}, 22, all, ""},
		{"one category", directory.Filter{Categories: []string{"bakery"}}, 4, all, "acorn aster beacon coral"},
		{"two categories", directory.Filter{Categories: []string{"cafe", "barber-shop"}}, 5, all, "apex birch blue elan orsted"},
		{"an alias, twice", directory.Filter{Categories: []string{"Barber", "barbers"}}, 3, all, "apex birch elan"},
		{"an unknown category", directory.Filter{Categories: []string{"juggling"}}, 22, all, ""},
		{"an unknown one beside a known", directory.Filter{Categories: []string{"juggling", "cafe"}}, 2, all, "blue orsted"},
		{"a letter", directory.Filter{Letter: "A"}, 4, "bakery:2 barber-shop:1 bookstore:1", "acorn amber apex aster"},
		{"a letter and a category", directory.Filter{Letter: "a", Categories: []string{"bakery"}}, 2, "bakery:2 barber-shop:1 bookstore:1", "acorn aster"},
		{"an accent counts as its letter", directory.Filter{Letter: "e"}, 1, "barber-shop:1", "elan"},
		{"no letter", directory.Filter{Letter: "#"}, 1, "bookstore:1", "seven"},
		{"a letter without category", directory.Filter{Letter: "n"}, 1, "", "none"},
		{"a letter that nothing has", directory.Filter{Letter: "z"}, 0, "", ""},
		{"a word", directory.Filter{Query: "books"}, 4, "bookstore:4", "seven amber bay bold"},
		{"words in any order and place", directory.Filter{Query: "GA bárb"}, 2, "barber-shop:2", "birch elan"},
		{"a word and a letter", directory.Filter{Query: "delta", Letter: "d"}, 8, "grocery:8", ""},
		{"a word and a category", directory.Filter{Query: "atlanta", Categories: []string{"cafe"}}, 1, "bakery:1 bookstore:1 cafe:1", "orsted"},
		{"no word across two fields", directory.Filter{Query: "bakeryatlanta"}, 0, "", ""},
		{"signs of patterns", directory.Filter{Query: `0% paper_b`}, 1, "bookstore:1", "bay"},
		{"signs that would match anything", directory.Filter{Query: `a%s a_o \`}, 0, "", ""},
		{"blank", directory.Filter{Query: " \t "}, 22, all, ""},
		{"landmarks", directory.Filter{Kind: directory.KindLandmark}, 3, "", "fort arch mill"},
		{"people", directory.Filter{Kind: directory.KindPerson, Query: "bo"}, 1, "", "bo"},
		{"services", directory.Filter{Kind: directory.KindService}, 0, "", ""},

		{"Kansas City, Missouri", directory.Filter{ZIP: "64101"}, 3, "bakery:1 barber-shop:1 bookstore:1", "apex aster bold"},
		{"Kansas City, Kansas", directory.Filter{ZIP: "66101"}, 3, "bakery:1 barber-shop:1 bookstore:1", "apex aster bold"},
		{"Portland, Oregon", directory.Filter{ZIP: "97201"}, 2, "bakery:1 bookstore:1", "bay coral"},
		{"Portland, Maine", directory.Filter{ZIP: "04101"}, 2, "bakery:1 bookstore:1", "seven beacon"},
		{"a ZIP and a category", directory.Filter{ZIP: "04101", Categories: []string{"bakery"}}, 1, "bakery:1 bookstore:1", "beacon"},
		{"a ZIP and a word", directory.Filter{ZIP: "30303", Query: "cafe"}, 1, "cafe:1", "orsted"},
		{"a ZIP that nobody has", directory.Filter{ZIP: "00000"}, 22, all, ""},
		{"no ZIP at all", directory.Filter{ZIP: "'; --"}, 22, all, ""},
		{"a ZIP far from any big city", directory.Filter{ZIP: "59901"}, 22, all, ""},
	} {
		if tt.filter.Kind == "" {
			tt.filter.Kind = directory.KindBusiness
		}
		l := w.list(t, tt.filter)
		if l.Total != tt.total || facets(l.Facets) != tt.facets || tt.slugs != "" && slugs(l.Items) != tt.slugs {
			t.Errorf("%s: %d of %s (%s)\nwant %d of %s (%s)", tt.name, l.Total, facets(l.Facets), slugs(l.Items), tt.total, tt.facets, tt.slugs)
		}
		if len(l.Items) != min(l.Total, 24) {
			t.Errorf("%s: %d rows of %d", tt.name, len(l.Items), l.Total)
		}
	}
}

func TestList_tellsWhatTheZIPDid(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for zip, want := range map[string]string{
		"66101": "66101 true Kansas City MO metro", "00000": "00000 false - - none", "x": "x false - - none", "59901": "59901 false - - none",
	} {
		z := w.list(t, directory.Filter{Kind: directory.KindBusiness, ZIP: zip}).ZIPFilter
		city, region := "-", "-"
		if z.MetroCity != nil {
			city, region = *z.MetroCity, *z.MetroRegion
		}
		if got := fmt.Sprintf("%s %t %s %s %s", z.ZIP, z.Resolved, city, region, z.Scope); got != want {
			t.Errorf("%s gives %s, want %s", zip, got, want)
		}
	}
	if w.list(t, directory.Filter{Kind: directory.KindBusiness}).ZIPFilter != nil {
		t.Error("a filter is told where none was asked for")
	}
}

func TestList_refuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, f := range []directory.Filter{
		{Letter: "ab"}, {Letter: "1"}, {Letter: "é"}, {Query: strings.Repeat("x", core.MaxQuery+1)}, {Query: "a\x00b"}, {Query: "\xff"},
	} {
		f.Kind = directory.KindBusiness
		_, err := w.List(t.Context(), f)
		wantKind(t, fmt.Sprintf("%+v", f), err, core.Invalid)
	}
}

func TestGetAndKindOf(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, thirty)
	e, err := w.Get(t.Context(), directory.KindBusiness, "elan")
	if err != nil || e.Name != "Élan Barbers" || *e.CategoryLabel != "Barber shops" || e.Status != directory.Published {
		t.Errorf("Get gives %+v, %v", e, err)
	}
	if kind, err := w.KindOf(t.Context(), "arch"); err != nil || kind != directory.KindLandmark {
		t.Errorf("the kind of arch is %q, %v", kind, err)
	}
	for _, slug := range []string{"draft", "pending", "archived", "missing", "", "NOT A SLUG", "a'--"} {
		_, err := w.Get(t.Context(), directory.KindBusiness, slug)
		wantKind(t, "Get "+slug, err, core.NotFound)
		_, err = w.KindOf(t.Context(), slug)
		wantKind(t, "KindOf "+slug, err, core.NotFound)
	}
	_, err = w.Get(t.Context(), directory.KindPerson, "elan")
	wantKind(t, "Get of another kind", err, core.NotFound)

	wanted := []string{w.id(t, "elan"), w.id(t, "draft"), w.id(t, "acorn")}
	if list, err := w.ByIDs(t.Context(), wanted); err != nil || slugs(list) != "elan acorn" {
		t.Errorf("ByIDs gives %s, %v", slugs(list), err)
	}
}

// However long the pages are, together they are the whole list, in one order.
func TestList_pagesPartitionTheList(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var text strings.Builder
	for n := range 57 { // with many of one name
		fmt.Fprintf(&text, `{"kind":"business","name":"Shop %d","category":"cafe"}`+"\n", n%5)
	}
	w.importRows(t, thirty)
	w.importRows(t, text.String())
	rapid.Check(t, func(rt *rapid.T) {
		f := directory.Filter{Kind: directory.KindBusiness}
		f.Letter = rapid.SampledFrom([]string{"", "s", "d"}).Draw(rt, "letter")
		f.Query = rapid.SampledFrom([]string{"", "o", "shop 1"}).Draw(rt, "query")
		f.Categories = rapid.SampledFrom([][]string{nil, {"cafe"}, {"cafe", "grocery"}}).Draw(rt, "categories")
		f.Page.Limit = rapid.IntRange(1, 100).Draw(rt, "limit")
		seen := map[string]bool{}
		last, total := "", -1
		for ; ; f.Page.Offset += f.Page.Limit {
			l := w.list(t, f)
			if total < 0 {
				total = l.Total
			}
			if l.Total != total || l.Page.Limit != f.Page.Limit {
				rt.Fatalf("a page says %d of limit %d, want %d of %d", l.Total, l.Page.Limit, total, f.Page.Limit)
			}
			for _, e := range l.Items {
				if name := strings.ToLower(e.Name); !strings.HasPrefix(e.Name, "É") && !strings.HasPrefix(e.Name, "Ø") {
					if name < last {
						rt.Fatalf("%q comes after %q", name, last)
					}
					last = name
				}
				if seen[e.ID] {
					rt.Fatalf("%s is on two pages", e.Slug)
				}
				seen[e.ID] = true
			}
			if len(l.Items) < f.Page.Limit {
				break
			}
		}
		if len(seen) != total {
			rt.Fatalf("the pages hold %d of %d", len(seen), total)
		}
	})
}

func TestList_limits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, thirty)
	for given, want := range map[core.Page]core.Page{
		{}: {Limit: 24}, {Limit: 1000}: {Limit: 100}, {Limit: -1, Offset: -1}: {Limit: 24}, {Limit: 5, Offset: 1 << 60}: {Limit: 5, Offset: core.MaxOffset},
	} {
		l := w.list(t, directory.Filter{Kind: directory.KindBusiness, Page: given})
		if l.Page != want || l.Total != 22 || l.Items == nil || l.Facets == nil {
			t.Errorf("%+v gives the page %+v of %d", given, l.Page, l.Total)
		}
	}
}
