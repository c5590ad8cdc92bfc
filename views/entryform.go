package views

import (
	"slices"

	"homeplace/views/ui"
)

// EntryField is a control of an entry's form.
type EntryField struct {
	Name, Label string
	Kinds       []string // that have it; nil = all
}

var (
	withHours = []string{"business", "landmark", "service"}
	withYears = []string{"landmark", "person"}
	inTime    = []string{"event"}
)

// entryFields are all controls, in the order of the form. The two of years
// have other words for a person.
var entryFields = []EntryField{
	{"name", "Name", nil},
	{"category", "Category", nil},
	{"summary", "Summary", nil},
	{"description", "Description", nil},
	{"tags", "Tags", nil},
	{"year_start", "From the year", withYears},
	{"year_end", "To the year", withYears},
	{"starts_at", "Start", inTime},
	{"ends_at", "End", inTime},
	{"event_zone", "Time zone", inTime},
	{"address", "Street address", nil},
	{"city", "City", nil},
	{"region", "State or territory", nil},
	{"zip", "ZIP", nil},
	{"lat", "Latitude", nil},
	{"lng", "Longitude", nil},
	{"phone", "Phone", nil},
	{"website", "Website", nil},
	{"email", "E-mail", nil},
	{"hours_mon", "Monday", withHours},
	{"hours_tue", "Tuesday", withHours},
	{"hours_wed", "Wednesday", withHours},
	{"hours_thu", "Thursday", withHours},
	{"hours_fri", "Friday", withHours},
	{"hours_sat", "Saturday", withHours},
	{"hours_sun", "Sunday", withHours},
	{"timezone", "Time zone", withHours},
	{"hours_note", "A word on the hours", withHours},
}

// EntryFields are the controls for a kind of entry.
func EntryFields(kind string) []EntryField {
	var list []EntryField
	for _, f := range entryFields {
		if f.Kinds != nil && !slices.Contains(f.Kinds, kind) {
			continue
		}
		if kind == "person" {
			switch f.Name {
			case "year_start":
				f.Label = "Year of birth"
			case "year_end":
				f.Label = "Year of death"
			}
		}
		list = append(list, f)
	}
	return list
}

// EntryFormProps are the controls of an entry's form with what stands in them.
type EntryFormProps struct {
	Kind       string
	Values     map[string]string
	Errors     map[string]string // by name of the control, as sentences
	Categories []ui.Option
	Regions    []ui.Option
	Zones      []ui.Option
}

// Summary lists what is wrong, in the order of the form.
func (p EntryFormProps) Summary() []ui.FieldError {
	var list []ui.FieldError
	for _, f := range EntryFields(p.Kind) {
		if text := p.Errors[f.Name]; text != "" {
			list = append(list, ui.FieldError{ID: f.Name, Text: text})
		}
	}
	if text := p.Errors["message"]; text != "" {
		list = append(list, ui.FieldError{ID: "message", Text: text})
	}
	return list
}

func (p EntryFormProps) has(name string) bool {
	return slices.ContainsFunc(EntryFields(p.Kind), func(f EntryField) bool { return f.Name == name })
}

// field is a control with its label, its text and what is wrong with it.
func (p EntryFormProps) field(name, help string) ui.FieldProps {
	props := ui.FieldProps{Name: name, Help: help, Value: p.Values[name], Error: p.Errors[name]}
	for _, f := range EntryFields(p.Kind) {
		if f.Name == name {
			props.Label = f.Label
		}
	}
	return props
}

// days are the controls of the opening hours, Monday first.
func (p EntryFormProps) days() []ui.FieldProps {
	var list []ui.FieldProps
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		list = append(list, p.field("hours_"+day, ""))
	}
	return list
}

func with(p ui.FieldProps, change func(*ui.FieldProps)) ui.FieldProps {
	change(&p)
	return p
}

func required(p *ui.FieldProps)  { p.Required = true }
func wholeYear(p *ui.FieldProps) { p.InputMode = "numeric" }
func decimals(p *ui.FieldProps)  { p.InputMode = "text" } // number pads have no minus
func moment(p *ui.FieldProps)    { p.Type = "datetime-local" }

func typed(kind, mode string) func(*ui.FieldProps) {
	return func(p *ui.FieldProps) { p.Type, p.InputMode, p.Autocomplete = kind, mode, "off" }
}
