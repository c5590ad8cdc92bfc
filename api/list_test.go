package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// street is six businesses whose lists can be worked out by hand.
var street = []string{
	`{"kind":"business","slug":"alamo-books","name":"Álamo Books","summary":"Novels and maps","category":"bookstore","city":"Atlanta","region":"GA","zip":"30303","lat":33.75,"lng":-84.39}`,
	`{"kind":"business","slug":"blue-heron","name":"Blue Heron Bakery","category":"bakery","city":"Atlanta","region":"GA"}`,
	`{"kind":"business","slug":"crown-comb","name":"Crown & Comb","category":"barber-shop","city":"Decatur","region":"GA"}`,
	`{"kind":"business","slug":"eastside-pie","name":"Eastside Pie","category":"bakery","city":"Chicago","region":"IL"}`,
	`{"kind":"business","slug":"juice-bar","name":"100% Juice_Bar","category":"cafe","city":"Chicago","region":"IL"}`,
	`{"kind":"business","slug":"zoras-den","name":"Zora's Den","city":"Savannah","region":"GA"}`,
}

type page struct {
	Total, Limit, Offset int
	Next                 *string
	Entries, Results     []struct {
		Slug, Name, Kind string
		KindSlug         string `json:"kind_slug"`
		UpdatedAt        string `json:"updated_at"`
	}
	Facets []struct {
		Slug, Label string
		Count       int
	} `json:"available_categories"`
	ZIP *struct {
		ZIP         string
		Resolved    bool
		MetroCity   *string `json:"metro_city"`
		MetroRegion *string `json:"metro_region"`
		Scope       string
	} `json:"filtered_by_zip"`
	Interpretation struct {
		Place *struct {
			City, ZIP *string
			Region    string
		}
		Categories  []string
		Corrections map[string]string
		Match       *string
	}
}

// slugs joins what was found, in order.
func (p page) slugs() string {
	var list []string
	for _, e := range p.Entries {
		list = append(list, e.Slug)
	}
	for _, e := range p.Results {
		list = append(list, e.Slug)
	}
	return strings.Join(list, " ")
}

func (p page) facets() string {
	var list []string
	for _, f := range p.Facets {
		list = append(list, fmt.Sprintf("%s=%d", f.Slug, f.Count))
	}
	return strings.Join(list, " ")
}

const everyone = "juice-bar alamo-books blue-heron crown-comb eastside-pie zoras-den"

func TestListFilters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	for name, c := range map[string]struct{ query, want string }{
		"nothing":                       {"", everyone},
		"an empty q":                    {"q=", everyone},
		"a blank q":                     {"q=+%20", everyone},
		"an unknown parameter":          {"colour=red", everyone},
		"a token of the name":           {"q=heron", "blue-heron"},
		"part of a word":                {"q=asts", "eastside-pie"},
		"a token of the summary":        {"q=maps", "alamo-books"},
		"a token of the category":       {"q=bakery", "blue-heron eastside-pie"},
		"a token of the category label": {"q=shops", "crown-comb"},
		"a token of the city":           {"q=savannah", "zoras-den"},
		"a token of the region":         {"q=il+pie", "eastside-pie"},
		"all tokens, wherever":          {"q=chicago+bakery", "eastside-pie"},
		"one token too many":            {"q=maps+pie", ""},
		"a token over two fields":       {"q=bakeryatlanta", ""},
		"capitals":                      {"q=ALAMO", "alamo-books"},
		"accents in q":                  {"q=" + url.QueryEscape("hérÖn"), "blue-heron"},
		"accents in the name":           {"q=alamo", "alamo-books"},
		"a decomposed accent":           {"q=" + url.QueryEscape("A\u0301lamo"), "alamo-books"},
		"a curly apostrophe":            {"q=" + url.QueryEscape("zora’s"), "zoras-den"},
		"the percent sign itself":       {"q=%25", "juice-bar"},
		"the underscore itself":         {"q=_", "juice-bar"},
		"no wildcard underscore":        {"q=h_ron", ""},
		"no wildcard percent":           {"q=b%25e", ""},
		"a backslash":                   {"q=%5C", ""},
		"letter":                        {"letter=b", "blue-heron"},
		"capital letter":                {"letter=B", "blue-heron"},
		"letter of an accented name":    {"letter=a", "alamo-books"},
		"no letter":                     {"letter=%23", "juice-bar"},
		"an empty letter":               {"letter=", everyone},
		"category":                      {"category=bakery", "blue-heron eastside-pie"},
		"categories with commas":        {"category=bakery,cafe", "juice-bar blue-heron eastside-pie"},
		"categories repeated":           {"category=bakery&category=cafe", "juice-bar blue-heron eastside-pie"},
		"both, with blanks":             {"category=bakery,+cafe&category=bookstore,", "juice-bar alamo-books blue-heron eastside-pie"},
		"an unknown category is gone":   {"category=bakery,spaceport", "blue-heron eastside-pie"},
		"only unknown categories":       {"category=spaceport&category=moonbase", everyone},
		"another kind's category":       {"category=museum", everyone},
		"category and letter":           {"category=bakery&letter=e", "eastside-pie"},
		"category and q":                {"category=bakery&q=atlanta", "blue-heron"},
		"zip of Atlanta":                {"zip=30303", "alamo-books blue-heron crown-comb zoras-den"},
		"zip of Chicago":                {"zip=60601", "juice-bar eastside-pie"},
		"zip and category":              {"zip=60601&category=bakery", "eastside-pie"},
		"a zip of nowhere":              {"zip=00000", everyone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read[page](t, w.get(t, "/api/directory/businesses?"+c.query), http.StatusOK)
			if p.slugs() != c.want {
				t.Errorf("%q finds %q, want %q", c.query, p.slugs(), c.want)
			}
			if n := len(strings.Fields(c.want)); p.Total != n || p.Limit != 24 || p.Offset != 0 || p.Next != nil {
				t.Errorf("total %d, limit %d, offset %d, next %v; want %d, 24, 0, null", p.Total, p.Limit, p.Offset, p.Next, n)
			}
		})
	}
}

func TestListCountsCategoriesUnderTheOtherFilters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	for query, want := range map[string]string{
		"":                        "bakery=2 barber-shop=1 bookstore=1 cafe=1",
		"category=cafe":           "bakery=2 barber-shop=1 bookstore=1 cafe=1",
		"category=cafe&letter=e":  "bakery=1",
		"q=atlanta":               "bakery=1 bookstore=1",
		"q=atlanta&category=cafe": "bakery=1 bookstore=1",
		"zip=60601":               "bakery=1 cafe=1",
		"q=savannah":              "",
	} {
		p := read[page](t, w.get(t, "/api/directory/businesses?"+query), http.StatusOK)
		if p.facets() != want {
			t.Errorf("%q counts %q, want %q", query, p.facets(), want)
		}
	}
	p := read[page](t, w.get(t, "/api/directory/businesses?letter=b"), http.StatusOK)
	if len(p.Facets) != 1 || p.Facets[0].Label != "Bakeries" {
		t.Errorf("facets are %v, want the label Bakeries", p.Facets)
	}
}

func TestListRefusesWhatIsNoValue(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=-1": "limit", "limit=abc": "limit", "limit=1.5": "limit", "limit=%2B5": "limit",
		"limit=99999999999999999999": "limit", "offset=-1": "offset", "offset=x": "offset", "offset=1e3": "offset",
		"letter=ab": "letter", "letter=%C3%A9": "letter", "letter=7": "letter", "letter=%23a": "letter",
		"q=" + strings.Repeat("a", 501): "q", "q=%00": "q", "q=%FF": "q", "q=%zz": "q", "q=a%07b": "q", "category=%FF": "category",
	} {
		refused(t, w.get(t, "/api/directory/businesses?"+query), http.StatusBadRequest, "validation_failed", field)
	}
	f := refused(t, w.get(t, "/api/directory/businesses?limit=0&offset=-1"), http.StatusBadRequest, "validation_failed", "limit")
	if f.Fields["offset"] == "" {
		t.Errorf("only %v is named; both are wrong", f.Fields)
	}
	if a := w.get(t, "/api/directory/businesses?q="+strings.Repeat("%C3%A9", 500)); a.status != http.StatusOK {
		t.Errorf("500 characters of two bytes give %d", a.status)
	}
}

func TestListPaging(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var lines, want []string
	for i := range 110 {
		slug := fmt.Sprintf("stall-%03d", i)
		lines = append(lines, fmt.Sprintf(`{"kind":"service","slug":%q,"name":"Stall %03d"}`, slug, i/3*3)) // three share a name
		want = append(want, slug)
	}
	w.load(t, lines...)
	for query, limit := range map[string]int{"": 24, "limit=100": 100, "limit=101": 100, "limit=100000": 100, "limit=1": 1, "limit=": 24} {
		p := read[page](t, w.get(t, "/api/directory/services?"+query), http.StatusOK)
		if p.Limit != limit || len(p.Entries) != limit || p.Total != 110 || p.Next == nil {
			t.Errorf("%q: limit %d, %d entries, total %d, next %v; want %d of 110", query, p.Limit, len(p.Entries), p.Total, p.Next, limit)
		}
	}
	found := map[string]int{}
	previous := ""
	for _, p := range follow(t, w.instance, "/api/directory/services?q=stall&limit=7&colour=red") {
		for _, e := range p.Entries {
			found[e.Slug]++
			if e.Name < previous {
				t.Errorf("%s comes after %s", e.Name, previous)
			}
			previous = e.Name
		}
	}
	for _, slug := range want {
		if found[slug] != 1 {
			t.Errorf("%s was seen %d times", slug, found[slug])
		}
	}
	past := read[page](t, w.get(t, "/api/directory/services?offset=500"), http.StatusOK)
	if past.Total != 110 || len(past.Entries) != 0 || past.Next != nil || past.Offset != 500 {
		t.Errorf("past the end: total %d, %d entries, next %v, offset %d", past.Total, len(past.Entries), past.Next, past.Offset)
	}
	if a := w.get(t, "/api/directory/services?offset=9223372036854775807"); a.status != http.StatusOK {
		t.Errorf("an offset beyond everything gives %d", a.status)
	}
}

// follow walks a list by next, and checks that Link says the same.
func follow(t *testing.T, in instance, target string) (pages []page) {
	t.Helper()
	for range 200 {
		a := in.get(t, target)
		p := read[page](t, a, http.StatusOK)
		pages = append(pages, p)
		if p.Next == nil {
			if link := a.header.Get("Link"); link != "" {
				t.Errorf("the last page has a Link: %s", link)
			}
			return pages
		}
		if want := "<" + *p.Next + `>; rel="next"`; a.header.Get("Link") != want {
			t.Errorf("Link is %q, want %q", a.header.Get("Link"), want)
		}
		if !strings.HasPrefix(*p.Next, base+"/api/") || strings.Contains(*p.Next, "colour") {
			t.Errorf("next is %s", *p.Next)
		}
		target = *p.Next
	}
	t.Fatal("the list never ends")
	return nil
}

func TestListSaysHowTheZIPWasUnderstood(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	p := read[page](t, w.get(t, "/api/directory/businesses?zip=30030"), http.StatusOK)
	if p.ZIP == nil || p.ZIP.ZIP != "30030" || !p.ZIP.Resolved || *p.ZIP.MetroCity != "Atlanta" || *p.ZIP.MetroRegion != "GA" || p.ZIP.Scope != "metro" {
		t.Errorf("Decatur's ZIP is understood as %+v, want the metro of Atlanta", p.ZIP)
	}
	if p := read[page](t, w.get(t, "/api/directory/businesses"), http.StatusOK); p.ZIP != nil {
		t.Errorf("without a zip it says %+v", p.ZIP)
	}
	for _, zip := range []string{"00000", "3030", "303030", "3030x", "30303-1234", "09012", "59301", "-1", "%25", "%00", "%FF", "'", "%F0%9F%8F%A0", strings.Repeat("9", 3000)} {
		for _, list := range []string{"businesses?zip=", "search?zip="} {
			p := read[page](t, w.get(t, "/api/directory/"+list+zip), http.StatusOK)
			if p.ZIP == nil || p.ZIP.Resolved || p.ZIP.Scope != "none" || p.ZIP.MetroCity != nil || p.Total != len(street) {
				t.Errorf("%s%.20s: total %d, %+v; want everything, unresolved", list, zip, p.Total, p.ZIP)
			}
		}
	}
	if p := read[page](t, w.get(t, "/api/directory/businesses?zip=%zz"), http.StatusOK); p.Total != len(street) {
		t.Errorf("a zip that cannot be decoded narrows the list to %d", p.Total)
	}
}

func TestListsOfKinds(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t,
		`{"kind":"business","slug":"a-shop","name":"A Shop"}`, `{"kind":"landmark","slug":"a-bridge","name":"A Bridge"}`,
		`{"kind":"person","slug":"a-poet","name":"A Poet"}`, `{"kind":"service","slug":"a-clinic","name":"A Clinic"}`,
		`{"kind":"event","slug":"a-fair","name":"A Fair","starts_at":"2026-08-01T10:00:00-04:00"}`,
		`{"kind":"business","slug":"a-draft","name":"A Draft","status":"draft"}`)
	for path, want := range map[string]string{"businesses": "a-shop", "landmarks": "a-bridge", "people": "a-poet", "services": "a-clinic", "events": "a-fair"} {
		p := read[page](t, w.get(t, "/api/directory/"+path), http.StatusOK)
		if p.slugs() != want || p.Total != 1 || p.Entries[0].KindSlug != path {
			t.Errorf("%s lists %q (%d in all), want %q", path, p.slugs(), p.Total, want)
		}
	}
	for _, path := range []string{"planets", "business", "person", "Businesses", "%00", "%FF", "..%2Fme", strings.Repeat("x", 2000)} {
		refused(t, w.get(t, "/api/directory/"+path), http.StatusNotFound, "not_found", "")
	}
}

func TestCategories(t *testing.T) {
	t.Parallel()
	w := setup(t)
	lists := read[map[string][]struct{ Slug, Label string }](t, w.get(t, "/api/directory/categories"), http.StatusOK)
	if len(lists) != 5 {
		t.Fatalf("there are %d lists, want 5", len(lists))
	}
	for kind, list := range lists {
		var labels []string
		for _, c := range list {
			labels = append(labels, strings.ToLower(c.Label))
		}
		if len(list) == 0 || labels[0] > labels[len(labels)-1] {
			t.Errorf("%s are empty or not in order: %v", kind, labels)
		}
	}
	if !strings.Contains(fmt.Sprint(lists["businesses"]), "{bakery Bakeries}") {
		t.Errorf("businesses lack bakeries: %v", lists["businesses"])
	}
	empty := pgEmpty(t)
	none := read[map[string][]any](t, empty.get(t, "/api/directory/categories"), http.StatusOK)
	want := map[string][]any{"businesses": {}, "landmarks": {}, "people": {}, "services": {}, "events": {}}
	if diff := cmp.Diff(want, none); diff != "" {
		t.Errorf("without categories:\n%s", diff)
	}
}
