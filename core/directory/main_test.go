package directory_test

import (
	"fmt"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
)

// world is a database of its own with the curated categories and one instance
// of the service.
type world struct {
	*directory.Service
	db *pgtest.Database
}

func setup(t testing.TB) world {
	t.Helper()
	w := world{db: pgtest.New(t)}
	w.Service = newService(w.db.DB)
	if err := w.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func newService(db *pg.DB) *directory.Service { return directory.New(db, core.Now, geo.Builtin) }

// importRows imports a text and fails the test unless every row goes in.
func (w world) importRows(t testing.TB, text string) directory.ImportSummary {
	t.Helper()
	summary, err := w.Import(t.Context(), core.TheSystem(), rows(t, text), directory.ImportOptions{
		Problem: func(line int, err error) { t.Errorf("line %d: %v", line, err) }})
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

func rows(t testing.TB, text string) *rowfile.Reader {
	t.Helper()
	r, err := rowfile.NewReader(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// member makes an account.
func (w world) member(t testing.TB, name string, role accounts.Role) core.Viewer {
	t.Helper()
	a, err := accounts.New(w.db.DB, core.Now).Create(t.Context(), core.TheSystem(), accounts.Input{
		Email: name + "@example.org", Username: name, Password: "correct horse", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return a.Viewer()
}

// id is that of the entry with the slug.
func (w world) id(t testing.TB, slug string) string {
	t.Helper()
	return pgtest.Value[string](t, w.db, core.TheSystem(), `select id from directory_entries where slug = $1`, slug)
}

func (w world) list(t testing.TB, f directory.Filter) directory.Listing {
	t.Helper()
	l, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatalf("list %+v: %v", f, err)
	}
	return l
}

// wantInOrder fails the test when entries, documents and counts disagree.
func (w world) wantInOrder(t testing.TB) {
	t.Helper()
	state, err := w.CheckIndex(t.Context(), core.TheSystem())
	if err != nil || state.Public != state.Documents || state.Stray != 0 || state.Miscount != 0 {
		t.Errorf("the index is out of order: %+v, %v", state, err)
	}
}

// slugs joins what a page shows.
func slugs(items []directory.Summary) string {
	list := make([]string, len(items))
	for i, e := range items {
		list[i] = e.Slug
	}
	return strings.Join(list, " ")
}

// facets joins the categories with their counts.
func facets(list []directory.Facet) string {
	parts := make([]string, len(list))
	for i, f := range list {
		parts[i] = fmt.Sprintf("%s:%d", f.Slug, f.Count)
	}
	return strings.Join(parts, " ")
}

func wantKind(t testing.TB, what string, err error, want core.Kind) {
	t.Helper()
	if err == nil || core.KindOf(err) != want {
		t.Errorf("%s gives %v, want an error of kind %d", what, err, want)
	}
}
