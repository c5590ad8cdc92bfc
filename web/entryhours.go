package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/views/ui"
)

// allDay is the stretch of a day that never closes.
var allDay = directory.Span{"00:00", "00:00"}

// dayHoursText is what a form shows of a day's opening hours: parseDay reads it
// back. A day that is not known is empty.
func dayHoursText(spans []directory.Span, known bool) string {
	switch {
	case !known:
		return ""
	case len(spans) == 0:
		return "closed"
	}
	texts := make([]string, len(spans))
	for i, s := range spans {
		if texts[i] = s[0] + "-" + s[1]; s == allDay {
			texts[i] = "24 hours"
		}
	}
	return strings.Join(texts, ", ")
}

var (
	spanForm  = regexp.MustCompile(`^(.+?)\s*(?:-|–|—|\bto\b|\buntil\b)\s*(.+)$`)
	clockForm = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2}))?\s*([ap])?\.?(?:m\.?)?$`)
)

// parseDay reads the hours of one day as people write them. known is false for
// an empty text.
func parseDay(day, text string) (spans []directory.Span, known bool, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "":
		return nil, false, nil
	case "closed":
		return []directory.Span{}, true, nil
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(text, ";", ","), ",") {
		span, err := parseSpan(strings.TrimSpace(part))
		if err != nil {
			return nil, true, err
		}
		spans = append(spans, span)
	}
	return spans, true, takenBack(day, spans)
}

// takenBack lets the directory itself read the hours: whatever it refuses must
// not be stored.
func takenBack(day string, spans []directory.Span) error {
	data, err := json.Marshal(directory.Hours{Days: map[string][]directory.Span{day: spans}})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, new(directory.Hours)); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), day+" "))
	}
	return nil
}

func parseSpan(text string) (directory.Span, error) {
	switch text {
	case "24 hours", "24h", "open 24 hours", "all day":
		return allDay, nil
	}
	m := spanForm.FindStringSubmatch(text)
	if m == nil {
		return directory.Span{}, fmt.Errorf("should look like 09:00-17:30, “closed” or “24 hours”, not %q", text)
	}
	from, knownFrom := parseClock(m[1])
	to, knownTo := parseClock(m[2])
	if !knownFrom || !knownTo {
		return directory.Span{}, fmt.Errorf("should have times such as 09:00-17:30 or 9am-5:30pm, not %q", text)
	}
	return directory.Span{from, to}, nil
}

// parseClock turns a time of day into HH:MM. A bare number such as 9 is
// refused, since it may be either half of the day.
func parseClock(text string) (string, bool) {
	switch text {
	case "noon":
		return "12:00", true
	case "midnight", "24:00":
		return "00:00", true
	}
	m := clockForm.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return "", false
	}
	hour, _ := strconv.Atoi(m[1]) // one or two digits
	if m[3] != "" {
		if hour < 1 || hour > 12 {
			return "", false
		}
		if hour %= 12; m[3] == "p" {
			hour += 12
		}
	}
	minute := m[2]
	if minute == "" {
		minute = "00"
	}
	if hour > 23 || minute > "59" {
		return "", false
	}
	return fmt.Sprintf("%02d:%s", hour, minute), true
}

// zones are the time zones of the United States.
var zones = []struct{ name, label string }{
	{"America/New_York", "Eastern"},
	{"America/Chicago", "Central"},
	{"America/Denver", "Mountain"},
	{"America/Phoenix", "Arizona"},
	{"America/Los_Angeles", "Pacific"},
	{"America/Anchorage", "Alaska"},
	{"Pacific/Honolulu", "Hawaii"},
	{"America/Puerto_Rico", "Atlantic (Puerto Rico, Virgin Islands)"},
	{"Pacific/Guam", "Chamorro (Guam, Northern Marianas)"},
	{"Pacific/Pago_Pago", "Samoa"},
}

// zoneOfRegion is the usual zone of a region, or empty.
func zoneOfRegion(region string) string {
	code, _ := geo.Region(region)
	if zone, ok := regionZones[code]; ok {
		return zone.String()
	}
	return ""
}

// zoneOptions are the choices of a form, with the one in use among them.
func zoneOptions(chosen string) []ui.Option {
	list := []ui.Option{{Text: "The usual one of its state"}}
	known := chosen == ""
	for _, z := range zones {
		list = append(list, ui.Option{Value: z.name, Text: z.label})
		known = known || z.name == chosen
	}
	if _, ok := loadZone(chosen); ok && !known {
		list = append(list, ui.Option{Value: chosen, Text: chosen})
	}
	return list
}

func regionOptions(chosen string) []ui.Option {
	var list []ui.Option
	known := chosen == ""
	for code := range regionZones {
		list = append(list, ui.Option{Value: code, Text: geo.RegionName(code)})
		known = known || code == chosen
	}
	slices.SortFunc(list, func(a, b ui.Option) int { return strings.Compare(a.Text, b.Text) })
	if !known {
		list = append(list, ui.Option{Value: chosen, Text: chosen})
	}
	return append([]ui.Option{{Text: "Not given"}}, list...)
}

func loadZone(name string) (*time.Location, bool) {
	if name == "" || name == "Local" {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}
