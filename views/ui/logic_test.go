package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 21, 16, 4, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{now.Add(-30 * time.Second), "just now"},
		{now.Add(-time.Minute), "1 minute ago"},
		{now.Add(-59 * time.Minute), "59 minutes ago"},
		{now.Add(-15 * time.Hour), "15 hours ago"},
		{now.Add(-17 * time.Hour), "yesterday"},
		{now.AddDate(0, 0, -6), "6 days ago"},
		{now.AddDate(0, 0, -7), "14 November"},
		{now.AddDate(-1, 0, 0), "21 November 2025"},
		{now.Add(30 * time.Second), "now"},
		{now.Add(2 * time.Hour), "in 2 hours"},
		{now.Add(8 * time.Hour), "tomorrow"},
		{now.AddDate(0, 0, 3), "in 3 days"},
		{now.AddDate(0, 2, 0), "21 January 2027"},
	} {
		if got := Ago(c.at, now, nil); got != c.want {
			t.Errorf("%v: %q, want %q", c.at, got, c.want)
		}
	}
}

// Late in the evening in Chicago it is the next day in London already.
func TestDaysChangeAtMidnightOfTheZone(t *testing.T) {
	t.Parallel()
	chicago := time.FixedZone("CST", -6*60*60)
	now := time.Date(2026, time.November, 21, 7, 0, 0, 0, time.UTC) // 01:00 in Chicago
	at := now.Add(-6 * time.Hour)                                   // 19:00 the day before
	if got := Ago(at, now, chicago); got != "yesterday" {
		t.Errorf("in Chicago %q", got)
	}
	if got := Exactly(at, chicago); got != "Friday 20 November 2026, 19:00 CST" {
		t.Errorf("exactly %q", got)
	}
}

func TestPageNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, pages int
		want        []int
	}{
		{1, 2, []int{1, 2}},
		{1, 9, []int{1, 2, 0, 9}},
		{3, 9, []int{1, 2, 3, 4, 0, 9}},
		{4, 9, []int{1, 2, 3, 4, 5, 0, 9}}, // a gap of one is no gap
		{5, 9, []int{1, 0, 4, 5, 6, 0, 9}},
		{9, 9, []int{1, 0, 8, 9}},
	} {
		if got := pageNumbers(c.page, c.pages); !slices.Equal(got, c.want) {
			t.Errorf("page %d of %d: %v, want %v", c.page, c.pages, got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	got := compare("pies and coffee since 1996", "pies and strong coffee since 1998")
	want := []part{{same, "pies and "}, {added, "strong "}, {same, "coffee since "}, {removed, "1996"}, {added, "1998"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// What is kept and removed is the text before, what is kept and added is the
// text after, for all texts.
func TestCompareLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([ab ]{0,4}[c\n]?){0,12}`)
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		var b, a strings.Builder
		for _, p := range compare(before, after) {
			if p.kind != added {
				b.WriteString(p.text)
			}
			if p.kind != removed {
				a.WriteString(p.text)
			}
		}
		if b.String() != before || a.String() != after {
			t.Fatalf("%q, %q from %q, %q", b.String(), a.String(), before, after)
		}
	})
}

func TestMapFitsItsDots(t *testing.T) {
	t.Parallel()
	here := Point{Lat: 0, Lng: 179.999}
	p := MapProps{Here: here, Others: []Point{{Lat: 0, Lng: -179.991}, {Lat: .001, Lng: 179.999}}}
	plan := p.plan()
	// The farther one lies 0.010 degrees to the east, over the date line.
	if len(plan.Dots) != 2 || plan.Dots[0].X != "308.0" || plan.Dots[0].Y != "100.0" {
		t.Errorf("dots %v", plan.Dots)
	}
	if plan.Dots[1].X != "160.0" || plan.Dots[1].Y != "85.2" {
		t.Errorf("the one to the north stands at %v", plan.Dots[1])
	}
	if plan.ScaleText != "500 m" {
		t.Errorf("scale %q", plan.ScaleText)
	}
	if alone := (MapProps{Here: here, Others: []Point{here}}).plan(); alone.ScaleText == "" || alone.Dots[0].X != "160.0" {
		t.Errorf("one point on another: %+v", alone)
	}
}
