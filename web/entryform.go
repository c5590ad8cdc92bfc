package web

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/views"
	"homeplace/views/ui"
)

// entryForm is what stands in the controls of an entry's form, by name.
type entryForm map[string]string

// readEntryForm takes the controls that the kind has.
func readEntryForm(values url.Values, kind directory.Kind) entryForm {
	f := entryForm{}
	for _, field := range views.EntryFields(string(kind)) {
		f[field.Name] = strings.ReplaceAll(values.Get(field.Name), "\r\n", "\n")
	}
	return f
}

// entryFormOf fills the form from an entry.
func entryFormOf(in directory.Input) entryForm {
	f := entryForm{
		"name": in.Name, "category": in.Category, "summary": in.Summary, "description": in.Description,
		"tags": strings.Join(in.Tags, ", "), "address": in.Address, "city": in.City, "region": in.Region, "zip": in.Zip,
		"lat": decimalText(in.Lat), "lng": decimalText(in.Lng), "phone": in.Phone, "website": in.Website, "email": in.Email,
		"year_start": yearText(in.YearStart), "year_end": yearText(in.YearEnd),
	}
	if in.Hours != nil {
		f["timezone"], f["hours_note"] = in.Hours.Timezone, in.Hours.Note
		for day, spans := range in.Hours.Days {
			f["hours_"+day] = dayHoursText(spans, true)
		}
	}
	if in.StartsAt != nil || in.EndsAt != nil {
		f["event_zone"] = eventZone(in)
		zone, _ := loadZone(f["event_zone"])
		f["starts_at"], f["ends_at"] = momentText(in.StartsAt, zone), momentText(in.EndsAt, zone)
	}
	shown := entryForm{}
	for _, field := range views.EntryFields(string(in.Kind)) {
		shown[field.Name] = f[field.Name]
	}
	return shown
}

// eventZone is the zone in which an event's times are shown.
func eventZone(in directory.Input) string {
	if in.Hours != nil {
		if _, ok := loadZone(in.Hours.Timezone); ok {
			return in.Hours.Timezone
		}
	}
	if zone := zoneOfRegion(in.Region); zone != "" {
		return zone
	}
	return zones[0].name
}

const momentForm = "2006-01-02T15:04"

func momentText(at *time.Time, zone *time.Location) string {
	if at == nil || zone == nil {
		return ""
	}
	return at.In(zone).Format(momentForm)
}

func decimalText(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func yearText(year *int) string {
	if year == nil {
		return ""
	}
	return strconv.Itoa(*year)
}

// apply writes the form over an entry, whose other fields stay. What cannot be
// read at all is added to p under the name of its control.
func (f entryForm) apply(in directory.Input, p *core.Problems) directory.Input {
	in.Name, in.Category, in.Summary, in.Description = f["name"], f["category"], f["summary"], f["description"]
	in.Tags = strings.FieldsFunc(f["tags"], func(r rune) bool { return r == ',' || r == '\n' })
	in.Address, in.City, in.Zip = f["address"], f["city"], f["zip"]
	if in.Region = f["region"]; in.Region != "" {
		if _, ok := geo.Region(in.Region); ok {
			in.Country = "US"
		}
	}
	in.Phone, in.Website, in.Email = f["phone"], f["website"], f["email"]
	f.applyPoint(&in, p)
	if _, ok := f["year_start"]; ok {
		in.YearStart, in.YearEnd = f.year("year_start", p), f.year("year_end", p)
	}
	if _, ok := f["starts_at"]; ok {
		f.applyTimes(&in, p)
	}
	if _, ok := f["hours_mon"]; ok {
		in.Hours = f.hours(in.Hours, in.Region, p)
	}
	return in
}

func (f entryForm) applyPoint(in *directory.Input, p *core.Problems) {
	in.Lat, in.Lng = f.decimal("lat", p), f.decimal("lng", p)
	switch {
	case in.Lat == nil && in.Lng != nil:
		p.Add("lat", "is missing; latitude and longitude come together")
	case in.Lat != nil && in.Lng == nil:
		p.Add("lng", "is missing; latitude and longitude come together")
	}
}

func (f entryForm) decimal(name string, p *core.Problems) *float64 {
	text := strings.TrimSpace(f[name])
	if text == "" {
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.Add(name, "must be a number such as 33.7490")
		return nil
	}
	return &value
}

func (f entryForm) year(name string, p *core.Problems) *int {
	text := strings.TrimSpace(f[name])
	if text == "" {
		return nil
	}
	year, err := strconv.Atoi(text)
	if err != nil {
		p.Add(name, "must be a year such as 1871")
		return nil
	}
	return &year
}

func (f entryForm) applyTimes(in *directory.Input, p *core.Problems) {
	if strings.TrimSpace(f["starts_at"]+f["ends_at"]) == "" {
		in.StartsAt, in.EndsAt = nil, nil
		return
	}
	name := f["event_zone"]
	if name == "" {
		name = zoneOfRegion(f["region"])
	}
	zone, ok := loadZone(name)
	if !ok {
		p.Add("event_zone", "is needed, so that the time is the same for everyone; choose one, or name the state")
		return
	}
	in.StartsAt = f.moment("starts_at", zone, in.StartsAt, p)
	in.EndsAt = f.moment("ends_at", zone, in.EndsAt, p)
}

// moment reads a time of the zone's clocks. A text that still shows the time
// before means that time, seconds included.
func (f entryForm) moment(name string, zone *time.Location, before *time.Time, p *core.Problems) *time.Time {
	text := strings.TrimSpace(f[name])
	if text == "" {
		return nil
	}
	if text == momentText(before, zone) {
		return before
	}
	at, err := time.ParseInLocation(momentForm, text, zone)
	if err != nil {
		p.Add(name, "must be a day and a time such as 2026-11-28T12:00")
		return nil
	}
	at = at.UTC()
	return &at
}

// hours reads the seven days. Hours that say the same as before stay as they
// were; others without a zone take the usual one of the region.
func (f entryForm) hours(before *directory.Hours, region string, p *core.Problems) *directory.Hours {
	h := directory.Hours{Timezone: f["timezone"], Note: strings.TrimSpace(f["hours_note"]), Days: map[string][]directory.Span{}}
	for _, day := range directory.Weekdays {
		spans, known, err := parseDay(day, f["hours_"+day])
		if err != nil {
			p.Add("hours_"+day, "%s", err)
		} else if known {
			h.Days[day] = spans
		}
	}
	if h.Timezone != "" {
		if _, ok := loadZone(h.Timezone); !ok {
			p.Add("timezone", "is not on the list; choose one of it")
			h.Timezone = ""
		}
	}
	if before != nil && h.Timezone == before.Timezone && h.Note == before.Note &&
		maps.EqualFunc(h.Days, before.Days, slices.Equal[[]directory.Span]) {
		return before
	}
	if len(h.Days) == 0 && h.Note == "" {
		return nil
	}
	if h.Timezone == "" {
		h.Timezone = zoneOfRegion(region)
	}
	return &h
}

// entryProblems says at each control what is wrong, as sentences. What no
// control shows is joined in other.
func entryProblems(kind directory.Kind, fields map[string]string) (shown map[string]string, other string) {
	words := strings.NewReplacer("starts_at", "the start", "year_start", "the first year")
	shown = map[string]string{}
	labels := map[string]string{"message": "Your note", "reason": "The reason"}
	for _, field := range views.EntryFields(string(kind)) {
		labels[field.Name] = field.Label
	}
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		control := name
		if name == "hours" { // the days and the zone were looked at before
			control = "hours_note"
		}
		label, ok := labels[control]
		if !ok {
			rest = append(rest, name+" "+fields[name]+".")
			continue
		}
		shown[control] = label + " " + words.Replace(fields[name]) + "."
	}
	return shown, strings.Join(rest, " ")
}

// entryDifference compares two forms control by control.
func entryDifference(kind directory.Kind, before, after entryForm, categories []ui.Option) []ui.Change {
	var list []ui.Change
	label := func(f entryForm) string {
		for _, o := range categories {
			if o.Value == f["category"] && o.Value != "" {
				return o.Text
			}
		}
		return f["category"]
	}
	for _, field := range views.EntryFields(string(kind)) {
		c := ui.Change{Label: field.Label, Before: before[field.Name], After: after[field.Name]}
		if field.Name == "category" {
			c.Before, c.After = label(before), label(after)
		}
		if c.Before != c.After {
			list = append(list, c)
		}
	}
	return list
}
