package views

import (
	"unicode"
	"unicode/utf8"

	"homeplace/views/ui"
)

// Refusal says why a form was not taken. The zero value is a form that was not
// sent yet.
type Refusal struct {
	Problem string // about the form as a whole
	Fields  []FieldProblem
	Misfits []Misfit // where a file does not fit its schema
}

// Misfit is a place in a file, such as places[3].name, and what is wrong there.
type Misfit struct{ Path, Reason string }

// FieldProblem is what is wrong with one field: either a sentence of its own,
// or words that follow the label, such as "is required".
type FieldProblem struct{ Name, Label, Text string }

func (p FieldProblem) sentence() string {
	first, size := utf8.DecodeRuneInString(p.Text)
	return string(unicode.ToUpper(first)) + p.Text[size:]
}

func (p FieldProblem) named() string {
	if p.sentence() == p.Text {
		return p.Text
	}
	return p.Label + " " + p.Text
}

// at is what stands at the field of the name.
func (r Refusal) at(name string) string {
	for _, p := range r.Fields {
		if p.Name == name {
			return p.sentence()
		}
	}
	return ""
}

func (r Refusal) summary() []ui.FieldError {
	var list []ui.FieldError
	for _, p := range r.Fields {
		list = append(list, ui.FieldError{ID: p.Name, Text: p.named()})
	}
	return list
}
