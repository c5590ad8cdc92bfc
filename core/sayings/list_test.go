package sayings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeplace/core"
)

func TestListFindsEveryWord(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t,
		`{"slug":"rivers","text":"Rivers find the sea.","meaning":"What is meant to come, comes: piéce by pièce.","region":"West Africa","category":"patience","published_at":"2026-01-01"}`,
		`{"slug":"elders","text":"Listen to the elders.","meaning":"The river knows its bed.","region":"Côte d’Ivoire","category":"wisdom","published_at":"2026-01-03"}`,
		`{"slug":"doors","text":"Don't knock; walk in.","region":"west africa","published_at":"2026-01-02"}`,
		`{"slug":"waiting","text":"Rivers wait.","status":"pending"}`,
		`{"slug":"hidden","text":"Rivers hide.","hidden":true}`,
		`{"slug":"half","text":"Rivers are half written.","status":"draft"}`,
	)
	for _, tt := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "elders doors rivers"},
		{Filter{Query: "RIVER"}, "elders rivers"},
		{Filter{Query: "river elders"}, "elders"},
		{Filter{Query: "piece"}, "rivers"},
		{Filter{Query: "pièce sea"}, "rivers"},
		{Filter{Query: "sea elders"}, ""},
		{Filter{Query: "don't"}, "doors"},
		{Filter{Query: "dont"}, "doors"},
		{Filter{Query: "%"}, ""},
		{Filter{Query: "_"}, ""},
		{Filter{Query: "wait"}, ""},
		{Filter{Category: "patience"}, "rivers"},
		{Filter{Category: "nonsense"}, "elders doors rivers"},
		{Filter{Region: "WEST  AFRICA"}, "doors rivers"},
		{Filter{Region: "cote d'ivoire"}, "elders"},
		{Filter{Region: "west"}, ""},
		{Filter{Region: "West Africa", Category: "patience", Query: "sea"}, "rivers"},
		{Filter{Page: core.Page{Limit: 1, Offset: 1}}, "doors"},
	} {
		if got := w.found(t, tt.f); got != tt.want {
			t.Errorf("%+v finds %q, want %q", tt.f, got, tt.want)
		}
	}
	_, err := w.List(t.Context(), Filter{Query: strings.Repeat("a", core.MaxQuery+1)})
	wantError(t, "a long query", err, core.Invalid, "validation_failed")
	counts := map[string]int{}
	list, err := w.Categories(t.Context())
	if err != nil || len(list) < 10 {
		t.Fatalf("%d categories, %v", len(list), err)
	}
	for _, c := range list {
		counts[c.Slug] = c.Count
	}
	if counts["patience"] != 1 || counts["wisdom"] != 1 || counts["freedom"] != 0 {
		t.Errorf("counted %v", counts)
	}
	regions, err := w.Regions(t.Context())
	if err != nil || len(regions) != 2 || regions[0] != (Region{"Côte d’Ivoire", 1}) || regions[1].Count != 2 {
		t.Errorf("regions %+v, %v", regions, err)
	}
}

func TestPagesRepeatNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for n := range 11 { // published at one moment, so that only the last sort key tells them apart
		w.load(t, fmt.Sprintf(`{"text":"Saying number %d","published_at":"2026-01-01"}`, n))
	}
	seen := map[string]bool{}
	for offset := 0; offset < 11; offset += 3 {
		for _, slug := range strings.Fields(w.found(t, Filter{Page: core.Page{Limit: 3, Offset: offset}})) {
			if seen[slug] {
				t.Errorf("%s comes twice", slug)
			}
			seen[slug] = true
		}
	}
	if len(seen) != 11 {
		t.Errorf("%d of 11 were listed", len(seen))
	}
	if list, err := w.List(t.Context(), Filter{Page: core.Page{Limit: 1000}}); err != nil || list.Page.Limit != 100 || list.Total != 11 {
		t.Errorf("%+v, %v", list.Page, err)
	}
	if list, err := w.List(t.Context(), Filter{}); err != nil || list.Page.Limit != 24 {
		t.Errorf("%+v, %v", list.Page, err)
	}
}

func TestRandomIsFair(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, err := w.Random(t.Context())
	wantError(t, "none to choose from", err, core.NotFound, "not_found")
	_, err = w.Today(t.Context())
	wantError(t, "no saying of the day", err, core.NotFound, "not_found")
	w.load(t, `{"slug":"aa","text":"One"}`, `{"slug":"bb","text":"Two"}`, `{"slug":"cc","text":"Three"}`, `{"slug":"dd","text":"Four"}`,
		`{"slug":"hidden","text":"Five","hidden":true}`, `{"slug":"draft","text":"Six","status":"draft"}`)
	counts := map[string]int{}
	const draws = 1200
	for range draws {
		s, err := w.Random(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		counts[s.Slug]++
	}
	// 300 each are expected; 6 standard deviations of 15 on either side.
	for _, slug := range []string{"aa", "bb", "cc", "dd"} {
		if n := counts[slug]; n < 210 || n > 390 {
			t.Errorf("%s was drawn %d times of %d", slug, n, draws)
		}
	}
	if len(counts) != 4 {
		t.Errorf("drew %v", counts)
	}
}

func TestTodayIsTheSameAllDayAndNoneComesTwiceInARound(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for n := range 5 {
		w.load(t, fmt.Sprintf(`{"text":"Saying %d","published_at":"2026-01-0%d"}`, n, n+1))
	}
	w.clock.now = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	seen := map[string]int{}
	var days []string
	for day := range 10 {
		first, err := w.Today(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.clock.sleep(23 * time.Hour)
		if day == 0 { // what is published today does not change the day's choice
			w.load(t, `{"slug":"newest","text":"A new one"}`)
		}
		last, err := w.second(t).Today(t.Context())
		if err != nil || last.Slug != first.Slug {
			t.Errorf("day %d begins with %s and ends with %s: %v", day, first.Slug, last.Slug, err)
		}
		if day == 0 {
			if _, err := w.database.Exec(t, core.TheSystem(), `delete from sayings where slug = 'newest'`); err != nil {
				t.Fatal(err)
			}
		}
		seen[first.Slug]++
		days = append(days, first.Slug)
		w.clock.now = w.clock.now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	if len(seen) != 5 || strings.Join(days[:5], " ") != strings.Join(days[5:], " ") {
		t.Errorf("ten days bring %v", days)
	}
}
