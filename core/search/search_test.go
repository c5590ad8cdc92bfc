package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/rowfile"
	"homeplace/core/search"
)

// reading is how a query was understood, on one line.
func reading(r search.Reading) string {
	parts := []string{"-"}
	if r.Place != nil {
		parts[0] = strings.TrimRight(r.Place.City+"/"+r.Place.Region+"/"+r.Place.ZIP, "/")
	}
	parts = append(parts, string(r.Step))
	for _, word := range slices.Sorted(maps.Keys(r.Corrections)) {
		parts = append(parts, word+"→"+r.Corrections[word])
	}
	return strings.Join(parts, " ")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, tt := range []struct{ query, found, read string }{
		// Where the place stands, and how it is written.
		{"barber shops in atlanta", "crown", "Atlanta/GA exact"},
		{"atlanta barber", "crown", "Atlanta/GA exact"},
		{"Barbers, Atlanta, GA", "crown", "Atlanta/GA exact"},
		{"barber 30310", "crown", "Atlanta/GA/30310 exact"},
		{"barbers in ga", "crown", "/GA exact"},
		{"bakery in georgia", "sweet decatur", "/GA exact"},
		{"books chicago il", "juniper", "Chicago/IL exact"},
		{"coffee New Orleans", "cafe", "New Orleans/LA exact"},
		{"detroit", "joes motown pepper", "Detroit/MI exact"},

		// What carries no meaning.
		{"where can I find a good barber in Atlanta please?", "crown", "Atlanta/GA exact"},
		{"crown comb atlanta near me tonight", "crown", "Atlanta/GA exact"},
		{"black owned barber atlanta", "crown", "Atlanta/GA exact"},
		{"African-American owned barber in Atlanta", "crown", "Atlanta/GA exact"},
		{"Joe's Barbecue LLC", "joes-bbq", "- exact"},

		// One name in many spellings.
		{"joes", "joes joes-bbq", "- exact"},
		{"Joe's", "joes joes-bbq", "- exact"},
		{"JOE’S, L.L.C.", "joes joes-bbq", "- exact"},
		{"cafe ole", "cafe", "- exact"},
		{"CAFÉ OLÉ", "cafe", "- exact"},
		{"salt & pepper", "pepper", "- exact"},
		{"salt and pepper diner", "pepper", "- exact"},
		{"bbq pit", "bbq-pit", "- exact"},
		{"The B.B.Q. Pit, Inc.", "bbq-pit", "- exact"},

		// Synonyms, categories, tags and texts.
		{"bbq", "bbq-pit joes-bbq", "- exact"},
		{"haircut", "crown fade", "- exact"},
		{"nigerian food houston", "jollof", "Houston/TX exact"},
		{"book store", "juniper", "- exact"},
		{"bookstores in chicago", "juniper", "Chicago/IL exact"},
		{"vegan", "pepper", "- exact"},
		{"hitsville", "motown", "- exact"},
		{"14 edgewood", "sweet", "Edgewood/MD exact"},

		// The looser steps.
		{"sparkl", "sparkle", "- exact"}, // the stem of sparkle
		{"hous of joll", "jollof", "- prefix"},
		{"bakery atlanta", "sweet atlanta-bread decatur", "Atlanta/GA nearby"},
		{"bakery 30303", "sweet decatur", "Atlanta/GA/30303 nearby"},
		{"junipr boks", "juniper", "- spelling boks→books junipr→juniper"},
		{"motwn museum", "motown", "- spelling motwn→motown"},
		{"jollofhouse", "jollof", "- spelling jollofhouse→jollof house"},
		{"sweet auburn cookie bakery", "sweet", "- partial"},
		{"salt pepper grill detroit", "pepper", "Detroit/MI partial"},
	} {
		r := w.search(t, search.Query{Text: tt.query})
		if slugs(r.Items) != tt.found || reading(r.Reading) != tt.read || r.Total != len(strings.Fields(tt.found)) {
			t.Errorf("%q: %d, %s (%s)\nwant %s (%s)", tt.query, r.Total, slugs(r.Items), reading(r.Reading), tt.found, tt.read)
		}
	}
}

func TestSearch_categoriesAreNamedOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for query, want := range map[string]string{"bakery": "bakery", "bakery bakeries": "bakery", "book store": "bookstore", "zebra": ""} {
		if got := strings.Join(w.search(t, search.Query{Text: query}).Reading.Categories, " "); got != want {
			t.Errorf("%q names %q, want %q", query, got, want)
		}
	}
}

// Whoever types a name whole gets the thing of that name first.
func TestSearch_namesComeFirst(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, `{"kind":"business","name":"Barbecue","city":"Austin","region":"TX"}
{"kind":"business","name":"Barbecue Books","category":"barbecue","city":"Barbecue"}
{"kind":"business","name":"Chicago","city":"Reno","region":"NV","category":"pizza"}
{"kind":"business","name":"The","city":"Reno","region":"NV"}
{"kind":"business","name":"In or Out","city":"Reno","region":"NV"}
{"kind":"business","name":"30303","city":"Reno","region":"NV"}`)
	list, err := w.directory.List(t.Context(), directory.Filter{Kind: directory.KindBusiness, Page: core.Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Items {
		for _, query := range []string{e.Name, strings.ToUpper(e.Name), " " + e.Name + " LLC", e.Name + "!"} {
			if r := w.search(t, search.Query{Text: query}); len(r.Items) == 0 || r.Items[0].Name != e.Name {
				t.Errorf("%q finds %s, want %s first", query, slugs(r.Items), e.Slug)
			}
		}
	}
}

func TestSearch_nonsense(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, query := range []string{
		"zzzz", "qwertyuiop", "xylophone quartz", "asdf jkl", "9999999999", "zq", "blargh wibble flurb", "цирк", "鳥居", "🍕",
		"?!", "'", `\`, "%_%", "the", ") | !:* <->",
	} {
		if r := w.search(t, search.Query{Text: query}); r.Total != 0 || r.Items == nil {
			t.Errorf("%q finds %s (%s)", query, slugs(r.Items), reading(r.Reading))
		}
	}
}

func TestSearch_kindsAndZIP(t *testing.T) {
	t.Parallel()
	w := setup(t)
	person, event := directory.KindPerson, directory.KindEvent
	for _, tt := range []struct {
		name  string
		query search.Query
		found string
		total int
	}{
		{"people are left out", search.Query{Text: "juniper"}, "juniper fest", 2},
		{"people alone", search.Query{Text: "juniper", Kinds: []directory.Kind{person}}, "ada", 1},
		{"two kinds", search.Query{Text: "juniper", Kinds: []directory.Kind{person, event}}, "fest ada", 2},
		{"near a ZIP", search.Query{Text: "bakery", ZIP: "30303"}, "sweet decatur", 2},
		{"near a ZIP that is none", search.Query{Text: "bakery", ZIP: "nowhere"}, "sweet atlanta-bread decatur", 3},
		{"no words", search.Query{Page: core.Page{Limit: 3}}, "atlanta-bread bbq-pit cafe", 15},
		{"no words, past the end", search.Query{Page: core.Page{Limit: 3, Offset: 100}}, "", 15},
		{"no words, one kind", search.Query{Kinds: []directory.Kind{person}}, "ada", 1},
		{"no words, near a ZIP", search.Query{ZIP: "48201"}, "joes motown pepper", 3},
		{"a page", search.Query{Text: "detroit", Page: core.Page{Limit: 1, Offset: 1}}, "motown", 3},
	} {
		r := w.search(t, tt.query)
		if slugs(r.Items) != tt.found || r.Total != tt.total {
			t.Errorf("%s: %d of %s, want %d of %s", tt.name, r.Total, slugs(r.Items), tt.total, tt.found)
		}
	}
	if z := w.search(t, search.Query{Text: "bakery", ZIP: "nowhere"}).ZIPFilter; z == nil || z.Resolved {
		t.Errorf("the ZIP that is none is told as %+v", z)
	}
}

func TestSearch_hidden(t *testing.T) {
	t.Parallel()
	w := setup(t)
	query := search.Query{Text: "juniper books", Kinds: []directory.Kind{directory.KindBusiness}}
	found := w.search(t, query)
	if len(found.Items) != 1 {
		t.Fatalf("found %s", slugs(found.Items))
	}
	for _, step := range []struct {
		do   func(context.Context, core.Viewer, string) error
		want int
	}{{w.directory.Hide, 0}, {w.directory.Show, 1}} {
		if err := step.do(t.Context(), core.TheSystem(), found.Items[0].ID); err != nil {
			t.Fatal(err)
		}
		if r := w.search(t, query); r.Total != step.want {
			t.Errorf("%d found, want %d: %s (%s)", r.Total, step.want, slugs(r.Items), reading(r.Reading))
		}
	}
}

func TestSearch_refuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, text := range []string{strings.Repeat("x", core.MaxQuery+1), "a\x00b", "\xff", "a\u0007"} {
		if _, err := w.Search(t.Context(), search.Query{Text: text}); core.KindOf(err) != core.Invalid || err == nil {
			t.Errorf("%.20q gives %v, want Invalid", text, err)
		}
	}
}

// A category that one instance adds is understood by another.
func TestSearch_acrossInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.db.Instance(t)
	far := search.New(other, directory.New(other, core.Now, geo.Builtin), geo.Builtin)
	heard := make(chan string, 100)
	other.OnChange(func(area string) { heard <- area })
	ctx, stop := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { other.Listen(ctx, slog.New(slog.DiscardHandler)) })
	t.Cleanup(func() { stop(); listening.Wait() })
	<-heard // "everything", once it listens

	categories := func() string {
		r, err := far.Search(t.Context(), search.Query{Text: "juggling"})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Reading.Categories)
	}
	if got := categories(); got != "[]" {
		t.Fatalf("juggling names %s before it is a category", got)
	}
	r, err := rowfile.NewReader(strings.NewReader(`{"kind":"business","name":"Clubs","category":"juggling"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.directory.Import(t.Context(), core.TheSystem(), r, directory.ImportOptions{AddCategories: true}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); categories() != "[juggling]"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("juggling names %s on the other instance", categories())
		}
	}
}

// Whatever people type, the worst that happens is that nothing is found.
func FuzzSearch(f *testing.F) {
	w := setup(f)
	for _, seed := range []string{
		"", " ", "barber atlanta", "30303", "'", `"a" & b`, `\`, "a:*", "!a", "(", "a <-> b", "%", "\x00", "\xff", "ﷺ", strings.Repeat("㍿", 500),
		strings.Repeat("a ", 250), strings.Repeat("bakery ", 71), strings.Repeat("x", 500), strings.Repeat("𐐀", 500), strings.Repeat("ab'", 166),
		"क्षि भोजन", "e\u0301", "İ", "near me", "in in in", "llc", "the llc", "black owned", "ga", "st louis mo", "́", "books, 30303, GA, 64101", "ab cd ef gh ij kl mn op qr st uv wx yz",
	} {
		f.Add(seed, "30303", 5, 0)
	}
	f.Fuzz(func(t *testing.T, text, zip string, limit, offset int) {
		r, err := w.Search(t.Context(), search.Query{Text: text, ZIP: zip, Page: core.Page{Limit: limit, Offset: offset}})
		if err != nil {
			if core.KindOf(err) != core.Invalid {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if r.Items == nil || len(r.Items) > r.Page.Limit || len(r.Items) > r.Total {
			t.Errorf("%q: %d rows of %d on a page of %d", text, len(r.Items), r.Total, r.Page.Limit)
		}
	})
}
