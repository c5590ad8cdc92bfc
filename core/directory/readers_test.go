package directory

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"homeplace/core"
	"homeplace/core/geo"
)

// events at noon of 1 March: what is on, what comes, what is over, and what
// has no time.
var events = []string{
	event("on-now", "2026-02-27T10:00:00Z", "2026-03-02T10:00:00Z"),
	event("tomorrow", "2026-03-02T18:00:00Z", ""),
	event("tonight", "2026-03-01T20:00:00Z", "2026-03-01T22:00:00Z"),
	event("this-moment", "2026-03-01T12:00:00Z", ""),
	event("only-its-end", "", "2026-03-05T10:00:00Z"),
	event("over-today", "2026-03-01T08:00:00Z", "2026-03-01T11:59:59Z"),
	event("over-long-ago", "2020-01-01T08:00:00Z", ""),
	event("began-an-hour-ago", "2026-03-01T11:00:00Z", ""),
	event("some-day", "", ""),
}

const (
	upcomingSlugs = "on-now this-moment tonight tomorrow only-its-end"
	pastSlugs     = "over-today began-an-hour-ago over-long-ago"
)

func TestUpcoming(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, events...)
	list, err := w.Upcoming(t.Context(), 10)
	if got := slugsOf(list, summarySlug); err != nil || got != upcomingSlugs {
		t.Errorf("upcoming are %q, %v", got, err)
	}
	if list, _ = w.Upcoming(t.Context(), 2); slugsOf(list, summarySlug) != "on-now this-moment" {
		t.Errorf("the next two are %q", slugsOf(list, summarySlug))
	}
	if err := w.Hide(t.Context(), core.TheSystem(), w.entry(t, "on-now").ID); err != nil {
		t.Fatal(err)
	}
	w.clock.forward(time.Hour)
	if list, _ = w.Upcoming(t.Context(), 10); slugsOf(list, summarySlug) != "tonight tomorrow only-its-end" {
		t.Errorf("an hour later, one of them hidden: %q", slugsOf(list, summarySlug))
	}
}

func TestListByTime(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, append(slices.Clone(events), `{"kind":"event","name":"Zydeco Night","city":"Houston","starts_at":"2026-03-03T01:00:00Z","category":"music"}`)...)
	facets := func(l Listing) (n int) {
		for _, f := range l.Facets {
			n += f.Count
		}
		return n
	}
	for _, c := range []struct {
		filter      Filter
		want        string
		total, with int // with a category
	}{
		{Filter{When: Upcoming}, strings.Replace(upcomingSlugs, "only-", "zydeco-night-houston only-", 1), 6, 1},
		{Filter{When: Past}, pastSlugs, 3, 0},
		{Filter{When: Upcoming, Page: core.Page{Limit: 2, Offset: 1}}, "this-moment tonight", 6, 1},
		{Filter{When: Past, Page: core.Page{Limit: 1, Offset: 1}}, "began-an-hour-ago", 3, 0},
		{Filter{When: Upcoming, Query: "houston"}, "zydeco-night-houston", 1, 1},
		{Filter{When: Upcoming, Letter: "z"}, "zydeco-night-houston", 1, 1},
		{Filter{When: Past, Letter: "z"}, "", 0, 0},
		{Filter{When: Upcoming, ZIP: "30303", Page: core.Page{Limit: 1}}, "on-now", 5, 0},
	} {
		c.filter.Kind = KindEvent
		got, err := w.List(t.Context(), c.filter)
		if err != nil {
			t.Errorf("%+v: %v", c.filter, err)
			continue
		}
		if slugs := slugsOf(got.Items, summarySlug); slugs != c.want || got.Total != c.total || facets(got) != c.with {
			t.Errorf("%+v gives %q, %d in all, %d with a category", c.filter, slugs, got.Total, facets(got))
		}
	}
	_, err := w.List(t.Context(), Filter{Kind: KindBusiness, When: Past})
	wantError(t, "past businesses", err, core.Invalid, "validation_failed")
	_, err = w.List(t.Context(), Filter{Kind: KindEvent, When: "soon"})
	wantError(t, "an unknown time", err, core.Invalid, "validation_failed")
}

func TestLettersAndCounts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t,
		`{"kind":"business","name":"Blue Heron Bakery","city":"Atlanta","region":"GA","category":"bakery"}`,
		`{"kind":"business","name":"Éclair House","city":"Houston","region":"TX","category":"bakery"}`,
		`{"kind":"business","name":"24 Hour Gym","city":"Atlanta","region":"GA"}`,
		`{"kind":"person","name":"Ida B. Wells","year_start":1862}`,
		`{"kind":"business","name":"Aunt May's","city":"Atlanta","region":"GA","status":"draft"}`)
	for _, c := range []struct {
		filter Filter
		want   []string
	}{
		{Filter{Kind: KindBusiness}, []string{"b", "e", "#"}},
		{Filter{Kind: KindBusiness, Letter: "b"}, []string{"b", "e", "#"}},
		{Filter{Kind: KindBusiness, Categories: []string{"bakery"}}, []string{"b", "e"}},
		{Filter{Kind: KindBusiness, Query: "atlanta"}, []string{"b", "#"}},
		{Filter{Kind: KindBusiness, ZIP: "77002"}, []string{"e"}},
		{Filter{Kind: KindLandmark}, []string{}},
		{Filter{Kind: KindEvent, When: Upcoming}, []string{}},
	} {
		got, err := w.Letters(t.Context(), c.filter)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v %s", c.filter, err, diff)
		}
	}
	counts, err := w.Counts(t.Context())
	if diff := cmp.Diff(map[Kind]int{KindBusiness: 3, KindPerson: 1, KindEvent: 0, KindLandmark: 0, KindService: 0}, counts); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestNewestAndSitemap(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, name := range []string{"First", "Second", "Third", "Fourth"} {
		w.load(t, `{"kind":"landmark","name":"`+name+` House","slug":"`+strings.ToLower(name)+`"}`)
		w.clock.forward(time.Minute)
	}
	if err := w.Hide(t.Context(), core.TheSystem(), w.entry(t, "third").ID); err != nil {
		t.Fatal(err)
	}
	newest, err := w.Newest(t.Context(), 2)
	if got := slugsOf(newest, summarySlug); err != nil || got != "fourth second" {
		t.Errorf("the newest are %q, %v", got, err)
	}
	var all []string
	after := ""
	for {
		page, err := w.ForSitemap(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			all = append(all, string(e.Kind)+"/"+e.Slug)
		}
		after = page[len(page)-1].ID
	}
	if diff := cmp.Diff([]string{"landmark/first", "landmark/second", "landmark/fourth"}, all); diff != "" {
		t.Error(diff) // ids of version 7 sort by time
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t,
		`{"kind":"business","name":"Joe's Grill, LLC","city":"Atlanta","slug":"joes-atlanta"}`,
		`{"kind":"business","name":"Joe's Grill","city":"Houston","slug":"joes-houston"}`,
		`{"kind":"business","name":"JOES GRILL","slug":"joes-online"}`,
		`{"kind":"business","name":"Joe's Grill & Bar","city":"Atlanta","slug":"joes-bar"}`)
	for _, c := range []struct {
		in   Input
		want string
	}{
		{Input{Name: "The Joe’s Grill", City: "ATLANTA"}, "joes-atlanta joes-online"},
		{Input{Name: "Joes Grill Inc."}, "joes-online joes-atlanta joes-houston"},
		{Input{Name: "Joe's Grill", City: "Macon"}, "joes-online"},
		{Input{Name: "Joe"}, ""},
		{Input{Name: "!!!", City: "Atlanta"}, ""},
	} {
		list, err := w.Duplicates(t.Context(), c.in)
		got := strings.Fields(slugsOf(list, summarySlug))
		slices.Sort(got)
		want := strings.Fields(c.want)
		first := append(got, "")[0]
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v may be %v (%s first), %v; want %v", c.in, got, first, err, want)
		}
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t,
		`{"kind":"business","name":"Here","slug":"here","lat":33.749,"lng":-84.388}`,
		`{"kind":"business","name":"Same spot","slug":"same-spot","lat":33.749,"lng":-84.388}`,
		`{"kind":"landmark","name":"Athens","slug":"athens","lat":33.951,"lng":-83.357}`,
		`{"kind":"landmark","name":"Macon","slug":"macon","lat":32.841,"lng":-83.632}`,
		`{"kind":"landmark","name":"Decatur","slug":"decatur","lat":33.775,"lng":-84.296}`,
		`{"kind":"landmark","name":"Nowhere","slug":"nowhere"}`,
		`{"kind":"event","name":"Over","slug":"over","lat":33.75,"lng":-84.39,"starts_at":"2026-02-01T00:00:00Z"}`,
		`{"kind":"event","name":"Soon","slug":"soon","lat":33.76,"lng":-84.39,"starts_at":"2026-03-02T00:00:00Z"}`,
		`{"kind":"event","name":"Some day","slug":"some-day","lat":33.77,"lng":-84.39}`)
	near := func(exclude string, limit int) string {
		t.Helper()
		list, err := w.Near(t.Context(), 33.749, -84.388, exclude, limit)
		if err != nil {
			t.Fatal(err)
		}
		return slugsOf(list, func(n Near) string { return n.Slug })
	}
	if got := near(w.entry(t, "here").ID, 10); got != "same-spot soon some-day decatur athens" { // Macon lies 123 km away
		t.Errorf("near here are %q", got)
	}
	if got := near("", 2); got != "here same-spot" {
		t.Errorf("the nearest two are %q", got)
	}
	list, err := w.Near(t.Context(), 33.951, -83.357, "", 9)
	if err != nil || len(list) == 0 || list[0].DistanceKm != 0 {
		t.Errorf("Athens is %v from itself, %v", list, err)
	}
	// Athens to Atlanta by the haversine formula: 97.8 km.
	if last := list[len(list)-1]; math.Abs(last.DistanceKm-97.8) > 0.2 {
		t.Errorf("Atlanta is %.2f km from Athens", last.DistanceKm)
	}
}

// scatter stores n points: over the globe, in clusters at the date line, at a
// pole and in a city, and some on one spot.
func (w world) scatter(t *testing.T, n int) [][2]float64 {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	around := func(lat, lng, spread float64) [2]float64 {
		lng += (random.Float64()*2 - 1) * spread
		if lng > 180 {
			lng -= 360
		}
		return [2]float64{min(lat+(random.Float64()*2-1)*spread, 90), lng}
	}
	points := make([][2]float64, n)
	lats, lngs := make([]float64, n), make([]float64, n)
	for i := range points {
		switch i % 5 {
		case 0:
			points[i] = around(0, 0, 90)
		case 1:
			points[i] = around(-17, 179.8, 0.9)
		case 2:
			points[i] = [2]float64{89 + random.Float64(), random.Float64()*360 - 180}
		case 3:
			points[i] = around(33.75, -84.39, 0.7)
		case 4:
			points[i] = [2]float64{33.75, -84 - float64(i%50)/1000}
		}
		lats[i], lngs[i] = points[i][0], points[i][1]
	}
	for _, sql := range []string{
		`insert into directory_entries (id, slug, kind, name, lat, lng)
		select gen_random_uuid(), 'spot-' || n, 'landmark', 'Spot ' || n, lat, lng
		from unnest($1::float8[], $2::float8[]) with ordinality as p(lat, lng, n)`,
		`insert into search_documents (entry_id, kind, category, initial, sort_name, name_key, city_key, region, zip, lat, lng, haystack, words)
		select id, kind, '', 's', name, name, '', '', '', lat, lng, '', '' from directory_entries
		where $1::float8[] is not null and $2::float8[] is not null`,
	} {
		if _, err := w.database.Exec(t, core.TheSystem(), sql, lats, lngs); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.refreshStatistics(t.Context()); err != nil {
		t.Fatal(err)
	}
	return points
}

func TestNearIsTheOrderOfTheGlobe(t *testing.T) {
	t.Parallel()
	w := setup(t)
	points := w.scatter(t, 20_000)
	t.Run("as by brute force", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			from := rapid.SampledFrom(points).Draw(t, "near")
			spread := rapid.SampledFrom([]float64{0, 0.001, 0.3}).Draw(t, "off by")
			lat := min(max(from[0]+rapid.Float64Range(-1, 1).Draw(t, "lat")*spread, -90), 90)
			lng := min(max(from[1]+rapid.Float64Range(-1, 1).Draw(t, "lng")*spread, -180), 180)
			limit := rapid.IntRange(1, 40).Draw(t, "limit")
			want := make([]float64, 0, len(points))
			for _, p := range points {
				if km := geo.Distance(lat, lng, p[0], p[1]); km <= NearKm {
					want = append(want, km)
				}
			}
			slices.Sort(want)
			want = want[:min(limit, len(want))]
			list, err := w.Near(t.Context(), lat, lng, "", limit)
			if err != nil || len(list) != len(want) {
				t.Fatalf("%d are near %v, %v; want %d, %v", len(list), lat, lng, len(want), err)
			}
			for i, n := range list {
				own := geo.Distance(lat, lng, *n.Lat, *n.Lng)
				if math.Abs(n.DistanceKm-want[i]) > 1e-6 || math.Abs(n.DistanceKm-own) > 1e-6 {
					t.Fatalf("number %d is told to be at %.9f km, lies at %.9f, want %.9f", i, n.DistanceKm, own, want[i])
				}
			}
		})
	})
	t.Run("of one spot, by their ids", func(t *testing.T) {
		lat, lng := points[4][0], points[4][1] // one of 400 there
		rows, err := w.database.Public().Query(t.Context(), `
			select slug from directory_entries where lat = $1 and lng = $2 order by id limit 7`, lat, lng)
		if err != nil {
			t.Fatal(err)
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.Near(t.Context(), lat, lng, "", 7)
		if got := slugsOf(list, func(n Near) string { return n.Slug }); err != nil || got != strings.Join(want, " ") {
			t.Errorf("got %s, want %s, %v", got, strings.Join(want, " "), err)
		}
	})
	t.Run("by the index", func(t *testing.T) {
		rows, err := w.database.Public().Query(t.Context(), `explain (costs off) `+nearestDocuments, pgx.StrictNamedArgs{
			"lat": 33.75, "lng": -84.39, "exclude": noID, "now": w.clock.read(), "limit": 12})
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if plan := strings.Join(lines, "\n"); err != nil || !strings.Contains(plan, "Index Scan using search_documents_position") {
			t.Errorf("%v\n%s", err, plan)
		}
	})
}

// An older program writes documents without times; what it wrote stays
// readable, and the next reindex completes it.
func TestReindexCompletesTimes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, events...)
	if _, err := w.database.Exec(t, core.TheSystem(), `update search_documents set starts_at = null, over_at = null`); err != nil {
		t.Fatal(err)
	}
	if list, err := w.Upcoming(t.Context(), 9); err != nil || len(list) != 0 {
		t.Fatalf("without times %d are upcoming, %v", len(list), err)
	}
	if _, err := w.Reindex(t.Context(), core.TheSystem()); err != nil {
		t.Fatal(err)
	}
	if list, _ := w.Upcoming(t.Context(), 9); slugsOf(list, summarySlug) != upcomingSlugs {
		t.Errorf("after reindexing: %q", slugsOf(list, summarySlug))
	}
	w.wantSound(t)
}
