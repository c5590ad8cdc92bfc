package contributions

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeplace/core/directory"
)

// field is one of the things that people may say of an entry.
type field struct {
	name, label string
	at          func(in *directory.Input) any // points to the value
}

// fields are all of them, in the order in which they are compared and shown.
// The slug, the owner, the status and the mark "verified" are not among them.
var fields = []field{
	{"kind", "Kind", func(in *directory.Input) any { return &in.Kind }},
	{"name", "Name", func(in *directory.Input) any { return &in.Name }},
	{"category", "Category", func(in *directory.Input) any { return &in.Category }},
	{"summary", "Summary", func(in *directory.Input) any { return &in.Summary }},
	{"description", "Description", func(in *directory.Input) any { return &in.Description }},
	{"address", "Street address", func(in *directory.Input) any { return &in.Address }},
	{"city", "City", func(in *directory.Input) any { return &in.City }},
	{"region", "State or region", func(in *directory.Input) any { return &in.Region }},
	{"zip", "ZIP", func(in *directory.Input) any { return &in.Zip }},
	{"country", "Country", func(in *directory.Input) any { return &in.Country }},
	{"lat", "Latitude", func(in *directory.Input) any { return &in.Lat }},
	{"lng", "Longitude", func(in *directory.Input) any { return &in.Lng }},
	{"phone", "Phone", func(in *directory.Input) any { return &in.Phone }},
	{"email", "E-mail", func(in *directory.Input) any { return &in.Email }},
	{"website", "Website", func(in *directory.Input) any { return &in.Website }},
	{"image_url", "Picture", func(in *directory.Input) any { return &in.ImageURL }},
	{"links", "Links", func(in *directory.Input) any { return &in.Links }},
	{"tags", "Tags", func(in *directory.Input) any { return &in.Tags }},
	{"hours", "Opening hours", func(in *directory.Input) any { return &in.Hours }},
	{"starts_at", "Starts", func(in *directory.Input) any { return &in.StartsAt }},
	{"ends_at", "Ends", func(in *directory.Input) any { return &in.EndsAt }},
	{"year_start", "From the year", func(in *directory.Input) any { return &in.YearStart }},
	{"year_end", "To the year", func(in *directory.Input) any { return &in.YearEnd }},
}

// value is what the field holds; nil where it is not set.
func (f field) value(in *directory.Input) any {
	value := reflect.ValueOf(f.at(in)).Elem()
	switch held := value.Interface().(type) {
	case *time.Time:
		if held != nil {
			return held.UTC().Truncate(time.Microsecond)
		}
		return nil
	case *directory.Hours:
		if held == nil || len(held.Days) == 0 && held.Note == "" {
			return nil
		}
	}
	if value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0 {
		return nil
	}
	return value.Interface()
}

// encoded is the value as JSON; two inputs agree on a field when it is equal.
func (f field) encoded(in *directory.Input) json.RawMessage {
	data, err := json.Marshal(f.value(in))
	if err != nil {
		return nil // a number that is none; Validate refuses it
	}
	return data
}

func (f field) text(in *directory.Input) string {
	switch held := f.value(in).(type) {
	case string:
		return held
	case directory.Kind:
		return string(held)
	case *float64:
		return strconv.FormatFloat(*held, 'f', -1, 64)
	case *int:
		return strconv.Itoa(*held)
	case time.Time:
		return held.Format("Mon 2 Jan 2006, 15:04 MST")
	case []string:
		return strings.Join(held, ", ")
	case []directory.Link:
		lines := make([]string, len(held))
		for i, l := range held {
			lines[i] = l.Label + ": " + l.URL
		}
		return strings.Join(lines, "\n")
	case *directory.Hours:
		return held.Text()
	}
	return ""
}

// Patch changes some fields of an entry: each that Fields names takes the value
// that it has in Input, and an empty value clears it.
type Patch struct {
	Fields []string // names of CONTRACT.md §3, such as "image_url"
	Input  directory.Input
}

// Changed is the patch that makes after from before. Call Normalize on both.
func Changed(before, after directory.Input) Patch {
	p := Patch{Fields: []string{}, Input: after}
	for _, f := range fields {
		if !bytes.Equal(f.encoded(&before), f.encoded(&after)) {
			p.Fields = append(p.Fields, f.name)
		}
	}
	return p
}

// Apply changes the input.
func (p Patch) Apply(to *directory.Input) {
	for _, f := range fields {
		if slices.Contains(p.Fields, f.name) {
			reflect.ValueOf(f.at(to)).Elem().Set(reflect.ValueOf(f.at(&p.Input)).Elem())
		}
	}
}

// with is the patch whose fields the other one overrides and completes.
func (p Patch) with(other Patch) Patch {
	both := Patch{Fields: slices.Clone(p.Fields), Input: p.Input}
	other.Apply(&both.Input)
	for _, name := range other.Fields {
		if !slices.Contains(both.Fields, name) {
			both.Fields = append(both.Fields, name)
		}
	}
	return both
}

// MarshalJSON writes an object of the named fields, null for one that is
// cleared.
func (p Patch) MarshalJSON() ([]byte, error) {
	object := map[string]json.RawMessage{}
	for _, f := range fields {
		if slices.Contains(p.Fields, f.name) {
			object[f.name] = f.encoded(&p.Input)
		}
	}
	return json.Marshal(object)
}

// UnmarshalJSON reads what MarshalJSON writes; other members are ignored.
func (p *Patch) UnmarshalJSON(data []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*p = Patch{Fields: []string{}}
	for _, f := range fields {
		raw, ok := object[f.name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, f.at(&p.Input)); err != nil {
			return err
		}
		p.Fields = append(p.Fields, f.name)
	}
	return nil
}

// change is one field of a difference, for people: empty = not set.
type change struct {
	field, label  string
	before, after string
}

// difference lists what differs, in the order of an entry's page.
func difference(before, after directory.Input, labels map[directory.Kind][]directory.Category) (changes []change) {
	for _, f := range fields {
		if bytes.Equal(f.encoded(&before), f.encoded(&after)) {
			continue
		}
		c := change{field: f.name, label: f.label, before: f.text(&before), after: f.text(&after)}
		if f.name == "category" {
			c.before, c.after = labelOf(labels[before.Kind], c.before), labelOf(labels[after.Kind], c.after)
		}
		changes = append(changes, c)
	}
	return changes
}

// labelOf is what people call a category: the slug itself where it is not known.
func labelOf(categories []directory.Category, slug string) string {
	for _, c := range categories {
		if c.Slug == slug {
			return c.Label
		}
	}
	return slug
}
