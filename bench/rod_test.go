package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pgtest"
)

const (
	few  = 6000 // entries
	each = 200  // addresses of a scenario
)

func loaded(t *testing.T) *pgtest.Database {
	t.Helper()
	if testing.Short() {
		t.Skip("loads a database")
	}
	d := pgtest.New(t)
	if err := load(t.Context(), d.URL, few); err != nil {
		t.Fatal(err)
	}
	return d
}

// The rods do the same work as the program: their bytes are the program's, for
// many of the addresses that are measured.
func TestRodsAnswerLikeTheProgram(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	program, err := newRecorder(t.Context(), d.URL, core.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer program.db.Close()
	memory, err := newMemoryRod(t.Context(), d.URL, cachedAddress, core.Now)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := chooseAddresses(t.Context(), d.URL)
	if err != nil {
		t.Fatal(err)
	}
	chosen = addresses{lists: chosen.lists[:each], details: chosen.details[:each], searches: chosen.searches[:each]}
	sql, err := newSQLRod(t.Context(), d.URL, chosen)
	if err != nil {
		t.Fatal(err)
	}
	defer sql.db.Close()
	for _, scenario := range []struct {
		name      string
		rod       http.Handler
		addresses []string
	}{
		{"cached list", memory, []string{cachedAddress}},
		{"list", sql, chosen.lists},
		{"detail", sql, chosen.details},
		{"search", sql, chosen.searches},
	} {
		for _, address := range scenario.addresses {
			w := httptest.NewRecorder()
			scenario.rod.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
			want := program.answer(address).Body.Bytes()
			if program.err != nil {
				t.Fatal(program.err)
			}
			if !bytes.Equal(w.Body.Bytes(), want) {
				t.Fatalf("%s: %s\nrod     %s\nprogram %s", scenario.name, address, w.Body, want)
			}
			if got := w.Header(); len(got) != 2 || got.Get("Content-Type") != "application/json" {
				t.Fatalf("%s: headers %v, want Content-Type and Content-Length alone", scenario.name, got)
			}
		}
	}
}

// What is loaded is what the service itself would have stored.
func TestLoadedIndexAgrees(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	s := directory.New(d.DB, core.Now, geo.Builtin)
	state := func() directory.IndexState {
		t.Helper()
		state, err := s.CheckIndex(t.Context(), core.TheSystem())
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	if got, want := state(), (directory.IndexState{Public: few, Documents: few}); got != want {
		t.Fatalf("the index is %+v, want %+v", got, want)
	}
	documents := func() string {
		t.Helper()
		return pgtest.Value[string](t, d, core.TheSystem(), `
			select md5(string_agg(d::text, ' ' order by entry_id)) || (select md5(string_agg(w::text, ' ' order by word)) from search_words w)
			from search_documents d`)
	}
	before := documents()
	if _, err := s.Reindex(t.Context(), core.TheSystem()); err != nil {
		t.Fatal(err)
	}
	if documents() != before {
		t.Error("writing the index anew changes what was loaded")
	}
	if n := pgtest.Value[int](t, d, core.TheSystem(), `
		select count(*) from directory_entries e
		where category is not null and not exists (select from directory_categories c where c.kind = e.kind and c.slug = e.category)`); n > 0 {
		t.Errorf("%d entries have a category that nobody curated", n)
	}
}
