package directory

import (
	"slices"
	"strings"
)

// WeekRow is one line of opening hours as people read them.
type WeekRow struct {
	Days  string // "Mon–Fri", "Sat", "Every day"
	Hours string // "09:00–17:30", "closed", "open 24 hours"
}

var dayNames = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// Week lists the hours from Monday on, days in a row with the same hours as
// one. Days of which nothing is known are left out.
func (h *Hours) Week() []WeekRow {
	rows := []WeekRow{}
	if h == nil {
		return rows
	}
	for first := 0; first < len(Weekdays); {
		spans, known := h.Days[Weekdays[first]]
		if !known {
			first++
			continue
		}
		hours := spansText(spans)
		last := first
		for last+1 < len(Weekdays) {
			next, known := h.Days[Weekdays[last+1]]
			if !known || spansText(next) != hours {
				break
			}
			last++
		}
		rows = append(rows, WeekRow{Days: daysText(first, last), Hours: hours})
		first = last + 1
	}
	return rows
}

func daysText(first, last int) string {
	switch {
	case first == 0 && last == len(Weekdays)-1:
		return "Every day"
	case first == last:
		return dayNames[first]
	}
	return dayNames[first] + "–" + dayNames[last]
}

func spansText(spans []Span) string {
	if len(spans) == 0 {
		return "closed"
	}
	texts := make([]string, len(spans))
	for i, s := range spans {
		if s == (Span{"00:00", "00:00"}) {
			return "open 24 hours"
		}
		texts[i] = s[0] + "–" + s[1]
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}

// Text is the whole of the hours in lines, the note and the zone included.
func (h *Hours) Text() string {
	var lines []string
	for _, row := range h.Week() {
		lines = append(lines, row.Days+" "+row.Hours)
	}
	if h.Note != "" {
		lines = append(lines, h.Note)
	}
	if h.Timezone != "" {
		lines = append(lines, "("+h.Timezone+")")
	}
	return strings.Join(lines, "\n")
}
