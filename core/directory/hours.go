package directory

import (
	"encoding/json"
	"fmt"
	"regexp"
	_ "time/tzdata" // zones must be known on machines without a zone database

	"homeplace/core"
)

// Weekdays are the keys of opening hours, Monday first.
var Weekdays = [7]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// Span is a stretch of opening in local time, such as {"09:00", "17:30"}. A
// close at or before the opening lies on the next day.
type Span [2]string

// Hours are the opening hours of a week. A day that is not named is unknown,
// one with no span is closed.
type Hours struct {
	Timezone string // IANA name
	Note     string
	Days     map[string][]Span
}

var clockTime = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)

// MarshalJSON writes one flat object: the days, timezone and note.
func (h Hours) MarshalJSON() ([]byte, error) {
	flat := map[string]any{}
	for day, spans := range h.Days {
		if spans == nil {
			spans = []Span{}
		}
		flat[day] = spans
	}
	if h.Timezone != "" {
		flat["timezone"] = h.Timezone
	}
	if h.Note != "" {
		flat["note"] = h.Note
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON writes and refuses anything else with a
// message for a person.
func (h *Hours) UnmarshalJSON(data []byte) error {
	var flat map[string]json.RawMessage
	if err := json.Unmarshal(data, &flat); err != nil {
		return fmt.Errorf("must be an object with the days mon to sun")
	}
	*h = Hours{Days: map[string][]Span{}}
	for key, raw := range flat {
		var err error
		switch {
		case key == "timezone":
			err = json.Unmarshal(raw, &h.Timezone)
		case key == "note":
			err = json.Unmarshal(raw, &h.Note)
		case isWeekday(key):
			h.Days[key], err = parseSpans(key, raw)
		default:
			return fmt.Errorf("has the unknown key %q; days are mon, tue, wed, thu, fri, sat, sun", key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isWeekday(s string) bool {
	for _, d := range Weekdays {
		if d == s {
			return true
		}
	}
	return false
}

const maxSpansPerDay = 6

func parseSpans(day string, raw json.RawMessage) ([]Span, error) {
	spans := []Span{}
	if err := json.Unmarshal(raw, &spans); err != nil {
		return nil, fmt.Errorf("%s must be a list of pairs such as [[\"09:00\", \"17:30\"]]", day)
	}
	if len(spans) > maxSpansPerDay {
		return nil, fmt.Errorf("%s has more than %d stretches", day, maxSpansPerDay)
	}
	for _, s := range spans {
		if !clockTime.MatchString(s[0]) || !clockTime.MatchString(s[1]) {
			return nil, fmt.Errorf("%s has the time %q to %q; write HH:MM of 24 hours", day, s[0], s[1])
		}
	}
	return spans, nil
}

func (h *Hours) check(p *core.Problems, field string) {
	if h == nil {
		return
	}
	if h.Timezone != "" {
		if _, ok := loadZone(h.Timezone); !ok {
			p.Add(field, "has the unknown time zone %q; use a name such as America/Chicago", h.Timezone)
		}
	}
	p.Line(field, &h.Note, 0, 200)
}
