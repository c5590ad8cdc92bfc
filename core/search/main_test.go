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

func TestMain(m *testing.M) { pgtest.Main(m) }

// town is a small directory in which it can be told by hand what a query finds.
const town = `kind,slug,name,category,city,region,zip,lat,lng,tags,summary,address
business,joes-bbq,Joe's Barbecue,barbecue,Macon,GA,31201,32.84,-83.63,,Ribs over oak.,
business,joes,Joe's LLC,grocery,Detroit,MI,,42.33,-83.05,,,
business,sweet,Sweet Auburn Bakery,bakery,Atlanta,GA,30303,33.755,-84.375,cakes,Sweet potato pies.,14 Edgewood Ave
business,decatur,Decatur Bakes,bakery,Decatur,GA,30030,33.775,-84.296,,,
business,crown,Crown & Comb,barber-shop,Atlanta,GA,30310,33.74,-84.41,,,
business,fade,Fade Masters,barber-shop,Chicago,IL,60615,41.8,-87.6,,,
business,atlanta-bread,Atlanta Bread,bakery,Chicago,IL,60615,41.8,-87.6,,,
business,juniper,Juniper Books,bookstore,Chicago,IL,60615,41.8,-87.6,,,
business,jollof,Jollof House,african,Houston,TX,77002,29.76,-95.36,,,
business,pepper,Salt & Pepper Diner,restaurant,Detroit,MI,,,,vegan,,
business,bbq-pit,B.B.Q. Pit,barbecue,Memphis,TN,,35.14,-90.05,,,
business,cafe,Café Olé,cafe,New Orleans,LA,,29.95,-90.07,,,
landmark,motown,Motown Museum,museum,Detroit,MI,,42.36,-83.09,,Hitsville.,
service,sparkle,Sparkle Cleaning,cleaning,Atlanta,GA,,,,,,
event,fest,Juniper Street Fair,festival,Atlanta,GA,,,,,,
person,ada,Ada Juniper,,Atlanta,GA,,,,,,
`

// world is the town with one instance of the search.
type world struct {
	*search.Service
	directory *directory.Service
	db        *pgtest.Database
}

func setup(t testing.TB) world {
	t.Helper()
	w := world{db: pgtest.New(t)}
	w.directory = directory.New(w.db.DB, core.Now, geo.Builtin)
	w.Service = search.New(w.db.DB, w.directory, geo.Builtin)
	if err := w.directory.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.importRows(t, town)
	return w
}

func (w world) importRows(t testing.TB, text string) {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.directory.Import(t.Context(), core.TheSystem(), r, directory.ImportOptions{
		Problem: func(line int, err error) { t.Errorf("line %d: %v", line, err) }}); err != nil {
		t.Fatal(err)
	}
}

func (w world) search(t testing.TB, q search.Query) search.Result {
	t.Helper()
	r, err := w.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	return r
}

// slugs joins what a page shows.
func slugs(items []directory.Summary) string {
	list := make([]string, len(items))
	for i, e := range items {
		list[i] = e.Slug
	}
	return strings.Join(list, " ")
}
