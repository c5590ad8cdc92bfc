package web

import (
	"math"
	"time"

	"homeplace/core/directory"
)

// regionZones are the time zones of states and territories; of a state with
// two, that of most of its people.
var regionZones = zonesByRegion(map[string][]string{
	"America/New_York":    {"CT", "DC", "DE", "FL", "GA", "IN", "KY", "MA", "MD", "ME", "MI", "NC", "NH", "NJ", "NY", "OH", "PA", "RI", "SC", "VA", "VT", "WV"},
	"America/Chicago":     {"AL", "AR", "IA", "IL", "KS", "LA", "MN", "MO", "MS", "ND", "NE", "OK", "SD", "TN", "TX", "WI"},
	"America/Denver":      {"CO", "ID", "MT", "NM", "UT", "WY"},
	"America/Phoenix":     {"AZ"},
	"America/Los_Angeles": {"CA", "NV", "OR", "WA"},
	"America/Anchorage":   {"AK"},
	"Pacific/Honolulu":    {"HI"},
	"America/Puerto_Rico": {"PR", "VI"},
	"Pacific/Guam":        {"GU", "MP"},
	"Pacific/Pago_Pago":   {"AS"},
})

func zonesByRegion(table map[string][]string) map[string]*time.Location {
	zones := map[string]*time.Location{}
	for name, regions := range table {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic("web: " + err.Error()) // the zones are part of the program
		}
		for _, r := range regions {
			zones[r] = zone
		}
	}
	return zones
}

// zoneOf is the zone in which an event's times are shown: its times carry
// none. Abroad it is UTC, and the page says so.
func zoneOf(s directory.Summary) *time.Location {
	if s.Country == nil || *s.Country == "US" {
		if zone, ok := regionZones[value(s.Region)]; ok {
			return zone
		}
	}
	return time.UTC
}

// eventTimes are the times of an event where it takes place; end is zero where
// it is not known.
func eventTimes(s directory.Summary) (start, end time.Time) {
	zone := zoneOf(s)
	start = s.StartsAt.In(zone)
	if s.EndsAt != nil {
		end = s.EndsAt.In(zone)
	}
	return start, end
}

// dayText is a day as people say it: "today", "tomorrow", "Sat 28 Nov".
func dayText(t, now time.Time) string {
	switch now = now.In(t.Location()); {
	case sameDay(t, now):
		return "Today"
	case sameDay(t, now.AddDate(0, 0, 1)):
		return "Tomorrow"
	case t.Year() != now.Year():
		return t.Format("Mon 2 Jan 2006")
	}
	return t.Format("Mon 2 Jan")
}

func sameDay(a, b time.Time) bool {
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// clockText is a time of day as people say it: "6 pm", "6:30 pm", "noon".
func clockText(t time.Time) string {
	switch {
	case t.Minute() != 0:
		return t.Format("3:04 pm")
	case t.Hour() == 12:
		return "noon"
	case t.Hour() == 0:
		return "midnight"
	}
	return t.Format("3 pm")
}

func clockSpan(start, end time.Time) string {
	switch {
	case end.IsZero() || !end.After(start):
		return clockText(start)
	case sameDay(start, end) || end.Sub(start) < 12*time.Hour:
		return clockText(start) + " to " + clockText(end)
	}
	return clockText(start) + ", until " + end.Format("Mon 2 Jan")
}

// whenText is the time of an event in full.
func whenText(start, end time.Time) string {
	const day = "Monday, January 2, 2006"
	zone := " (" + start.Format("MST") + ")"
	switch {
	case end.IsZero() || !end.After(start):
		return start.Format(day) + ", " + clockText(start) + zone
	case sameDay(start, end) || end.Sub(start) < 12*time.Hour:
		return start.Format(day) + ", " + clockText(start) + " to " + clockText(end) + zone
	}
	return start.Format(day) + ", " + clockText(start) + ", to " + end.Format(day) + ", " + clockText(end) + zone
}

// openShort says in a few words whether a place is open: "open until 8 pm".
func openShort(o directory.OpenState, now time.Time) string {
	switch {
	case !o.Known:
		return ""
	case o.Always:
		return "always open"
	case o.Open:
		return "open until " + whenShort(o.Until, now)
	case !o.Next.IsZero():
		return "opens " + whenShort(o.Next, now)
	}
	return "closed"
}

// whenShort is a time of the coming week: "8 pm", "9 am tomorrow", "9 am Tue".
func whenShort(t, now time.Time) string {
	now = now.In(t.Location())
	switch {
	case sameDay(t, now):
		return clockText(t)
	case sameDay(t, now.AddDate(0, 0, 1)):
		if t.Hour() < 5 { // the same night
			return clockText(t)
		}
		return clockText(t) + " tomorrow"
	case math.Abs(t.Sub(now).Hours()) < 7*24:
		return clockText(t) + " " + t.Format("Mon")
	}
	return clockText(t) + " " + t.Format("2 Jan")
}

// wallText is a stored time of day, "17:30", as people say it.
func wallText(clock string) string {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return clock
	}
	return clockText(t)
}
