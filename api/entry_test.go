package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
)

const heron = `{"id":"0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10","kind":"business","slug":"blue-heron","name":"Blue Heron Bakery",
	"category":"bread","summary":"Sourdough & <pies>","description":"Three **ovens**.","address":"214 Auburn Ave NE","city":"Atlanta",
	"region":"Georgia","zip":"30303","lat":33.7557,"lng":-84.3815,"phone":"(404) 555-0142","email":"hi@heron.test",
	"website":"heron.test","image_url":"https://heron.test/a.jpg","links":[{"label":"Pies","url":"https://heron.test/pies"}],
	"tags":["Bread","pies"],"hours":{"mon":[],"sat":[["06:00","12:00"],["22:00","02:00"]],"timezone":"America/New_York","note":"Ring"},
	"verified":true,"starts_at":"2026-08-01T10:00:00-04:00","ends_at":"2026-08-01T23:30:00-04:00","year_start":1998,"year_end":2030}`

func TestEntryShowsEveryField(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, strings.ReplaceAll(heron, "\n", " "))
	shown := read[map[string]any](t, w.get(t, "/api/directory/businesses/blue-heron"), http.StatusOK)
	for _, field := range []string{"created_at", "updated_at"} {
		if at, ok := shown[field].(string); !ok || !strings.HasSuffix(at, "Z") {
			t.Errorf("%s is %v, want a time in UTC", field, shown[field])
		}
		delete(shown, field)
	}
	shown["description_html"] = strings.TrimSpace(shown["description_html"].(string))
	want := map[string]any{
		"id": "0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10", "slug": "blue-heron", "name": "Blue Heron Bakery", "kind": "business",
		"kind_slug": "businesses", "summary": "Sourdough & <pies>", "category": "bakery", "category_label": "Bakeries",
		"address": "214 Auburn Ave NE", "city": "Atlanta", "region": "GA", "country": "US", "zip": "30303",
		"lat": 33.7557, "lng": -84.3815, "website": "https://heron.test", "phone": "(404) 555-0142",
		"image_url": "https://heron.test/a.jpg", "verified": true, "starts_at": "2026-08-01T14:00:00Z",
		"ends_at": "2026-08-02T03:30:00Z", "year_start": 1998.0, "year_end": 2030.0,
		"url":      base + "/api/directory/businesses/blue-heron",
		"page_url": base + "/directory/businesses/blue-heron",

		"description": "Three **ovens**.", "description_html": "<p>Three <strong>ovens</strong>.</p>", "email": "hi@heron.test",
		"links": []any{map[string]any{"label": "Pies", "url": "https://heron.test/pies"}}, "tags": []any{"bread", "pies"},
		"hours": map[string]any{"mon": []any{}, "sat": []any{[]any{"06:00", "12:00"}, []any{"22:00", "02:00"}},
			"timezone": "America/New_York", "note": "Ring"},
		"on_stage": false, "shoutouts": map[string]any{"count": 0.0, "average": nil},
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the entry differs (- wanted, + shown):\n%s", diff)
	}
}

func TestEntryWithoutAnything(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, `{"kind":"person","slug":"ada","name":"Ada"}`)
	shown := read[map[string]any](t, w.get(t, "/api/directory/people/ada"), http.StatusOK)
	for _, field := range []string{"category", "category_label", "address", "city", "region", "country", "zip", "lat", "lng", "website",
		"phone", "image_url", "starts_at", "ends_at", "year_start", "year_end", "email", "hours"} {
		if value, present := shown[field]; !present || value != nil {
			t.Errorf("%s is %v, want null", field, value)
		}
	}
	for _, field := range []string{"links", "tags"} {
		if list, ok := shown[field].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", field, shown[field])
		}
	}
	for _, field := range []string{"summary", "description", "description_html"} {
		if shown[field] != "" {
			t.Errorf("%s is %v, want empty text", field, shown[field])
		}
	}
}

// The list item must be the first part of the detail, field for field.
func TestListAndDetailAgree(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, strings.ReplaceAll(heron, "\n", " "))
	detail := read[map[string]any](t, w.get(t, "/api/directory/businesses/blue-heron"), http.StatusOK)
	var lists []map[string]any
	for target, name := range map[string]string{"/api/directory/businesses": "entries", "/api/directory/search?q=heron": "results"} {
		var rows []map[string]any
		body := read[map[string]json.RawMessage](t, w.get(t, target), http.StatusOK)
		if err := json.Unmarshal(body[name], &rows); err != nil || len(rows) != 1 {
			t.Fatalf("%s has %d rows: %v", target, len(rows), err)
		}
		lists = append(lists, rows[0])
	}
	for _, item := range lists {
		if len(item) != 26 {
			t.Errorf("an item has %d fields, want 26", len(item))
		}
		for field, value := range item {
			if diff := cmp.Diff(detail[field], value); diff != "" {
				t.Errorf("%s differs:\n%s", field, diff)
			}
		}
	}
}

func TestEntryIsNotFound(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, `{"kind":"business","slug":"shop","name":"Shop"}`,
		`{"kind":"business","slug":"draft","name":"Draft","status":"draft"}`,
		`{"kind":"business","slug":"waiting","name":"Waiting","status":"pending"}`,
		`{"kind":"business","slug":"gone","name":"Gone","status":"archived"}`)
	for _, path := range []string{"landmarks/shop", "people/shop", "businesses/nothing", "businesses/draft", "businesses/waiting",
		"businesses/gone", "planets/shop", "business/shop", "businesses/SHOP", "businesses/%00", "businesses/%FF", "businesses/a",
		"businesses/" + strings.Repeat("a", 81), "businesses/..", "businesses/", "businesses/shop/", "businesses/shop%2F", "businesses/'--"} {
		refused(t, w.get(t, "/api/directory/"+path), http.StatusNotFound, "not_found", "")
	}
	read[map[string]any](t, w.get(t, "/api/directory/businesses/shop?x=%zz"), http.StatusOK)
}

func TestHiddenEntryIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, `{"id":"0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10","kind":"business","slug":"shop","name":"Corner Shop"}`)
	visible := func(want int) {
		t.Helper()
		status := map[int]int{0: http.StatusNotFound, 1: http.StatusOK}[want]
		if a := w.get(t, "/api/directory/businesses/shop"); a.status != status {
			t.Errorf("the entry gives %d, want %d", a.status, status)
		}
		for _, list := range []string{"businesses", "businesses?q=corner", "search?q=corner", "search"} {
			if p := read[page](t, w.get(t, "/api/directory/"+list), http.StatusOK); p.Total != want {
				t.Errorf("%s has %d, want %d", list, p.Total, want)
			}
		}
	}
	visible(1)
	if err := w.directory.Hide(t.Context(), core.TheSystem(), "0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10"); err != nil {
		t.Fatal(err)
	}
	visible(0)
	if err := w.directory.Show(t.Context(), core.TheSystem(), "0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10"); err != nil {
		t.Fatal(err)
	}
	visible(1)
}

func TestPlacesLeadToTheirKind(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, `{"kind":"business","slug":"shop","name":"Shop"}`, `{"kind":"landmark","slug":"bridge","name":"Bridge"}`,
		`{"kind":"person","slug":"ada","name":"Ada"}`, `{"kind":"business","slug":"draft","name":"Draft","status":"draft"}`)
	for from, to := range map[string]string{
		"":                                  "landmarks",
		"?":                                 "landmarks",
		"?category=bakery":                  "businesses?category=bakery",
		"?category=bakery,cafe&limit=5&q=a": "businesses?category=bakery,cafe&limit=5&q=a",
		"?category=bakery&category=cafe":    "businesses?category=bakery&category=cafe",
		"?category=museum":                  "landmarks?category=museum",
		"?category=bakery,museum":           "landmarks?category=bakery,museum",
		"?category=spaceport":               "landmarks?category=spaceport",
		"?category=bakery,spaceport":        "landmarks?category=bakery,spaceport",
		"?zip=30303&utm=x%20y&b=2&a=1":      "landmarks?zip=30303&utm=x%20y&b=2&a=1",
		"/shop":                             "businesses/shop",
		"/shop?ref=old":                     "businesses/shop?ref=old",
		"/bridge":                           "landmarks/bridge",
		"/ada":                              "people/ada",
	} {
		a := w.get(t, "/api/directory/places"+from)
		if want := base + "/api/directory/" + to; a.status != http.StatusMovedPermanently || a.header.Get("Location") != want {
			t.Errorf("places%s gives %d to %q, want 301 to %q", from, a.status, a.header.Get("Location"), want)
		}
	}
	for _, slug := range []string{"nothing", "draft", "%00", "SHOP", "%FF"} {
		refused(t, w.get(t, "/api/directory/places/"+slug), http.StatusNotFound, "not_found", "")
	}
	refused(t, w.get(t, "/api/directory/places?category=%FF"), http.StatusBadRequest, "validation_failed", "category")
}
