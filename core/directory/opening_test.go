package directory

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const chicago = "America/Chicago"

func week(zone string, days map[string][]Span) *Hours { return &Hours{Timezone: zone, Days: days} }

func everyDay(spans ...Span) map[string][]Span {
	days := map[string][]Span{}
	for _, d := range Weekdays {
		days[d] = spans
	}
	return days
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	if s == "" {
		return time.Time{}
	}
	moment, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// In Chicago clocks go from 02:00 to 03:00 on Sunday 8 March 2026, and back
// from 02:00 to 01:00 on Sunday 1 November.
func TestOpenAt(t *testing.T) {
	t.Parallel()
	office := map[string][]Span{"sat": {}}
	for _, d := range Weekdays[:5] {
		office[d] = []Span{{"09:00", "17:30"}}
	}
	bar := map[string][]Span{"fri": {{"18:00", "02:00"}}, "sat": {{"18:00", "00:00"}}, "sun": {}}
	lunch := map[string][]Span{"mon": {{"17:00", "22:00"}, {"11:00", "14:00"}}}
	for _, c := range []struct {
		name        string
		hours       *Hours
		at          string
		state       string // open, closed, always, unknown
		until, next string
	}{
		{"no hours", nil, "2026-06-10T12:00:00Z", "unknown", "", ""},
		{"no zone", week("", office), "2026-06-10T15:00:00Z", "unknown", "", ""},
		{"a zone that is none", week("Mars/Base", office), "2026-06-10T15:00:00Z", "unknown", "", ""},
		{"the zone of this machine", week("Local", office), "2026-06-10T15:00:00Z", "unknown", "", ""},
		{"only a note", &Hours{Timezone: chicago, Note: "by appointment"}, "2026-06-10T15:00:00Z", "unknown", "", ""},

		{"opens on the minute", week(chicago, office), "2026-06-10T09:00:00-05:00", "open", "2026-06-10T17:30:00-05:00", ""},
		{"a second before", week(chicago, office), "2026-06-10T08:59:59-05:00", "closed", "", "2026-06-10T09:00:00-05:00"},
		{"closes on the minute", week(chicago, office), "2026-06-10T17:30:00-05:00", "closed", "", "2026-06-11T09:00:00-05:00"},
		{"asked from another zone", week(chicago, office), "2026-06-10T22:29:59Z", "open", "2026-06-10T17:30:00-05:00", ""},
		{"Friday evening", week(chicago, office), "2026-06-12T20:00:00-05:00", "closed", "", "2026-06-15T09:00:00-05:00"},
		{"a closed day", week(chicago, office), "2026-06-13T12:00:00-05:00", "closed", "", "2026-06-15T09:00:00-05:00"},
		{"an unknown day", week(chicago, office), "2026-06-14T12:00:00-05:00", "unknown", "", "2026-06-15T09:00:00-05:00"},
		{"between two stretches, written in any order", week(chicago, lunch), "2026-06-08T14:00:00-05:00", "closed", "", "2026-06-08T17:00:00-05:00"},
		{"after the only day", week(chicago, lunch), "2026-06-08T22:00:00-05:00", "closed", "", "2026-06-15T11:00:00-05:00"},
		{"closed all week", week(chicago, everyDay()), "2026-06-10T12:00:00-05:00", "closed", "", ""},
		{"half-hour zone", week("Asia/Kolkata", office), "2026-06-10T03:30:00Z", "open", "2026-06-10T12:00:00Z", ""},

		{"over midnight, before it", week(chicago, bar), "2026-06-12T23:00:00-05:00", "open", "2026-06-13T02:00:00-05:00", ""},
		{"over midnight, after it", week(chicago, bar), "2026-06-13T01:59:00-05:00", "open", "2026-06-13T02:00:00-05:00", ""},
		{"over midnight, done", week(chicago, bar), "2026-06-13T02:00:00-05:00", "closed", "", "2026-06-13T18:00:00-05:00"},
		{"until midnight", week(chicago, bar), "2026-06-13T23:59:00-05:00", "open", "2026-06-14T00:00:00-05:00", ""},
		{"at midnight", week(chicago, bar), "2026-06-14T00:00:00-05:00", "closed", "", "2026-06-19T18:00:00-05:00"},
		{"into an unknown day", week(chicago, map[string][]Span{"fri": {{"22:00", "04:00"}}}), "2026-06-13T03:00:00-05:00", "open", "2026-06-13T04:00:00-05:00", ""},
		{"and then unknown", week(chicago, map[string][]Span{"fri": {{"22:00", "04:00"}}}), "2026-06-13T04:00:00-05:00", "unknown", "", "2026-06-19T22:00:00-05:00"},
		{"two days that touch are one stretch", week(chicago, map[string][]Span{"fri": {{"18:00", "00:00"}}, "sat": {{"00:00", "03:00"}}}),
			"2026-06-12T20:00:00-05:00", "open", "2026-06-13T03:00:00-05:00", ""},
		{"stretches that overlap", week(chicago, map[string][]Span{"fri": {{"09:00", "15:00"}, {"12:00", "18:00"}, {"13:00", "14:00"}}}),
			"2026-06-12T10:00:00-05:00", "open", "2026-06-12T18:00:00-05:00", ""},
		{"a whole day", week(chicago, map[string][]Span{"sat": {{"00:00", "00:00"}}, "sun": {}}), "2026-06-13T12:00:00-05:00", "open", "2026-06-14T00:00:00-05:00", ""},
		{"always", week(chicago, everyDay(Span{"00:00", "00:00"})), "2026-06-13T12:00:00-05:00", "always", "", ""},
		{"always, in spring", week(chicago, everyDay(Span{"00:00", "00:00"})), "2026-03-08T08:00:00Z", "always", "", ""},
		{"always, from nine to nine", week(chicago, everyDay(Span{"09:00", "09:00"})), "2026-11-01T06:30:00Z", "always", "", ""},
		{"six days of seven", week(chicago, map[string][]Span{"mon": {{"00:00", "00:00"}}, "tue": {{"00:00", "00:00"}}, "wed": {{"00:00", "00:00"}},
			"thu": {{"00:00", "00:00"}}, "fri": {{"00:00", "00:00"}}, "sat": {{"00:00", "00:00"}}, "sun": {}}), "2026-06-08T00:00:00-05:00", "open", "2026-06-14T00:00:00-05:00", ""},

		{"spring: closes in the hour that is skipped", week(chicago, map[string][]Span{"sat": {{"20:00", "02:30"}}}), "2026-03-08T07:59:00Z", "open", "2026-03-08T08:00:00Z", ""},
		{"spring: opens in it", week(chicago, map[string][]Span{"sun": {{"02:30", "10:00"}}}), "2026-03-08T07:59:00Z", "closed", "", "2026-03-08T08:00:00Z"},
		{"spring: lies within it", week(chicago, map[string][]Span{"sun": {{"02:15", "02:45"}}}), "2026-03-08T07:30:00Z", "closed", "", "2026-03-15T07:15:00Z"},
		{"spring: the day has 23 hours", week(chicago, map[string][]Span{"sun": {{"00:00", "00:00"}}}), "2026-03-08T06:00:00Z", "open", "2026-03-09T05:00:00Z", ""},
		{"autumn: the day has 25 hours", week(chicago, map[string][]Span{"sun": {{"00:00", "00:00"}}}), "2026-11-01T05:00:00Z", "open", "2026-11-02T06:00:00Z", ""},
		{"autumn: closes at the first half past one", week(chicago, map[string][]Span{"sat": {{"20:00", "01:30"}}, "sun": {}}), "2026-11-01T06:29:00Z", "open", "2026-11-01T06:30:00Z", ""},
		{"autumn: and stays closed at the second", week(chicago, map[string][]Span{"sat": {{"20:00", "01:30"}}, "sun": {}}), "2026-11-01T07:10:00Z", "closed", "", "2026-11-08T02:00:00Z"},
		{"autumn: opens at the first", week(chicago, map[string][]Span{"sun": {{"01:30", "03:00"}}}), "2026-11-01T06:30:00Z", "open", "2026-11-01T09:00:00Z", ""},
		{"autumn: two o'clock comes once", week(chicago, map[string][]Span{"sat": {{"20:00", "02:00"}}}), "2026-11-01T07:59:00Z", "open", "2026-11-01T08:00:00Z", ""},
		// There clocks go forward by half an hour, at 02:00 on 4 October 2026.
		{"Lord Howe", week("Australia/Lord_Howe", map[string][]Span{"sun": {{"02:15", "09:00"}}}), "2026-10-03T15:29:00Z", "closed", "", "2026-10-03T15:30:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := c.hours.OpenAt(at(t, c.at))
			state := map[bool]string{true: "closed", false: "unknown"}[got.Known]
			if got.Open {
				state = "open"
			}
			if got.Always {
				state = "always"
			}
			if state != c.state || !got.Until.Equal(at(t, c.until)) || !got.Next.Equal(at(t, c.next)) {
				t.Errorf("%s until %v, next %v; want %s until %q, next %q", state, got.Until, got.Next, c.state, c.until, c.next)
			}
			if got.Open && !got.Known {
				t.Error("open, but not known")
			}
			if zone := got.Until.Location().String(); got.Open && !got.Always && zone != c.hours.Timezone {
				t.Errorf("until is told in %s", zone)
			}
		})
	}
}

// What OpenAt says of the next change must be what it says at that moment.
func TestOpenAtAgreesWithItself(t *testing.T) {
	t.Parallel()
	clock := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%02d:%02d", rapid.IntRange(0, 23).Draw(t, "hour"), rapid.SampledFrom([]int{0, 15, 30, 45}).Draw(t, "minute"))
	})
	span := rapid.Custom(func(t *rapid.T) Span { return Span{clock.Draw(t, "from"), clock.Draw(t, "to")} })
	rapid.Check(t, func(t *rapid.T) {
		h := &Hours{
			Timezone: rapid.SampledFrom([]string{chicago, "Europe/London", "Australia/Lord_Howe", "Asia/Kolkata", "America/Phoenix"}).Draw(t, "zone"),
			Days:     rapid.MapOfN(rapid.SampledFrom(Weekdays[:]), rapid.SliceOfN(span, 0, 3), 1, 7).Draw(t, "days"),
		}
		night := rapid.SampledFrom([]string{"2026-03-08", "2026-11-01", "2026-03-29", "2026-10-25", "2026-10-04", "2026-04-05", "2026-06-10"}).Draw(t, "day")
		day, err := time.Parse(time.DateOnly, night)
		if err != nil {
			t.Fatal(err)
		}
		moment := day.Add(time.Duration(rapid.IntRange(-36*60, 36*60).Draw(t, "minutes")) * time.Minute)
		s := h.OpenAt(moment)
		switch {
		case s.Always:
		case s.Open:
			if !s.Until.After(moment) || h.OpenAt(s.Until).Open || !h.OpenAt(s.Until.Add(-1)).Open {
				t.Fatalf("open at %v until %v, which is not the end", moment, s.Until)
			}
		case !s.Next.IsZero():
			if !s.Next.After(moment) || !h.OpenAt(s.Next).Open || h.OpenAt(s.Next.Add(-1)).Open {
				t.Fatalf("closed at %v until %v, which is not the opening", moment, s.Next)
			}
		}
	})
}

func TestWeek(t *testing.T) {
	t.Parallel()
	day := []Span{{"09:00", "17:30"}}
	for _, c := range []struct {
		name string
		days map[string][]Span
		want []WeekRow
	}{
		{"nothing", nil, []WeekRow{}},
		{"working days", map[string][]Span{"mon": day, "tue": day, "wed": day, "thu": day, "fri": day, "sat": {}, "sun": {}},
			[]WeekRow{{"Mon–Fri", "09:00–17:30"}, {"Sat–Sun", "closed"}}},
		{"every day", everyDay(Span{"00:00", "00:00"}), []WeekRow{{"Every day", "open 24 hours"}}},
		{"an unknown day parts equal ones", map[string][]Span{"mon": day, "wed": day, "thu": day},
			[]WeekRow{{"Mon", "09:00–17:30"}, {"Wed–Thu", "09:00–17:30"}}},
		{"stretches in the order of the day", map[string][]Span{"mon": {{"17:00", "22:00"}, {"11:00", "14:00"}}, "tue": {{"11:00", "14:00"}, {"17:00", "22:00"}}},
			[]WeekRow{{"Mon–Tue", "11:00–14:00, 17:00–22:00"}}},
		{"over midnight", map[string][]Span{"fri": {{"18:00", "02:00"}}, "sat": {{"18:00", "00:00"}}},
			[]WeekRow{{"Fri", "18:00–02:00"}, {"Sat", "18:00–00:00"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, week(chicago, c.days).Week()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := (*Hours)(nil).Week(); len(got) != 0 {
		t.Errorf("no hours have the rows %v", got)
	}
}
