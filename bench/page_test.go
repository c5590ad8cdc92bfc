package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// someMonday stands still, since pages say until when something is open.
func someMonday() time.Time { return time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC) }

func TestPageAddresses(t *testing.T) {
	t.Parallel()
	got, err := pageAddresses([]string{
		"/api/directory/people",
		"/api/directory/businesses?category=barber-shop&offset=24",
		"/api/directory/events?letter=a",
		"/api/directory/services?letter=%23&offset=456",
	})
	want := []string{"/directory/people", "/directory/businesses?category=barber-shop&page=2", "/directory/services?letter=%23&page=20"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// The rods of the pages write the program's bytes, and the one with a database
// sends it what the program sends.
func TestPageRodsDoTheSameWork(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	program, err := newRecorder(t.Context(), d.URL, someMonday)
	if err != nil {
		t.Fatal(err)
	}
	defer program.db.Close()
	memory, err := newMemoryRod(t.Context(), d.URL, cachedPage, someMonday)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := chooseAddresses(t.Context(), d.URL)
	if err != nil {
		t.Fatal(err)
	}
	if len(chosen.pages) != connections*pagesPerConnection || slices.Contains(chosen.pages, cachedPage) {
		t.Fatalf("%d pages: %q", len(chosen.pages), chosen.pages)
	}
	pages := chosen.pages[:each]
	sql, err := newPageRod(t.Context(), d.URL, pages, someMonday)
	if err != nil {
		t.Fatal(err)
	}
	sql.db.Close()
	sql.db = program.db // so that its statements are recorded too
	if got := answered(t, program, memory, cachedPage); len(got) > 0 {
		t.Errorf("from memory: %d round trips", len(got))
	}
	seen := map[string]string{} // page → address
	for _, address := range pages {
		got, want := answered(t, program, sql, address), sql.works[address].rounds
		if len(want) < 2 || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: the rod sent %v, the program %v", address, got, want)
		}
		page := string(sql.works[address].answer)
		if other, twice := seen[page]; twice {
			t.Errorf("%s is the same page as %s", address, other)
		}
		seen[page] = address
		if !strings.Contains(page, `class="rows"`) {
			t.Errorf("%s lists nothing", address)
		}
	}
}

// answered compares a rod's page with the program's and returns what the rod
// asked the program's database.
func answered(t *testing.T, program *recorder, rod http.Handler, address string) [][]statement {
	t.Helper()
	want := program.answer(address)
	if program.err != nil {
		t.Fatal(program.err)
	}
	program.rounds = nil
	w := httptest.NewRecorder()
	rod.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	if !bytes.Equal(w.Body.Bytes(), want.Body.Bytes()) {
		t.Fatalf("%s\nrod     %s\nprogram %s", address, w.Body, want.Body)
	}
	if h := w.Header(); len(h) != 2 || h.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%s: headers %v, want Content-Type and Content-Length alone", address, h)
	}
	return program.rounds
}
