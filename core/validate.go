package core

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problems gathers what is wrong with an input, all fields at once. The zero
// value is ready for use.
type Problems struct{ fields map[string]string }

// Add names what is wrong with a field. The first message about a field wins.
func (p *Problems) Add(field, format string, args ...any) {
	if _, ok := p.fields[field]; ok {
		return
	}
	if p.fields == nil {
		p.fields = map[string]string{}
	}
	p.fields[field] = fmt.Sprintf(format, args...)
}

// Err is nil when nothing was added, else an Invalid *Error whose message
// reads well on its own.
func (p *Problems) Err() error {
	switch len(p.fields) {
	case 0:
		return nil
	case 1:
		for field, msg := range p.fields {
			return &Error{Kind: Invalid, Code: "validation_failed", Msg: field + ": " + msg, Fields: p.fields}
		}
	}
	return &Error{Kind: Invalid, Code: "validation_failed",
		Msg: fmt.Sprintf("%d fields need another look.", len(p.fields)), Fields: p.fields}
}

// Line trims a one-line text in place and checks its length in Unicode
// characters. A line break in it is refused like any control character.
func (p *Problems) Line(field string, s *string, min, max int) {
	p.text(field, s, min, max, false)
}

// Text is Line for texts of several lines: newline and tab are welcome, and
// CRLF becomes LF.
func (p *Problems) Text(field string, s *string, min, max int) {
	*s = strings.ReplaceAll(*s, "\r\n", "\n")
	p.text(field, s, min, max, true)
}

func (p *Problems) text(field string, s *string, min, max int, multiline bool) {
	*s = strings.TrimSpace(*s)
	if !utf8.ValidString(*s) {
		p.Add(field, "is not valid UTF-8 text")
		return
	}
	if r, bad := controlCharacter(*s, multiline); bad {
		p.Add(field, "contains the control character U+%04X; remove it", r)
		return
	}
	switch n := utf8.RuneCountInString(*s); {
	case n == 0 && min > 0:
		p.Add(field, "is required")
	case n < min:
		p.Add(field, "must have at least %d characters, has %d", min, n)
	case n > max:
		p.Add(field, "must have at most %d characters, has %d", max, n)
	}
}

func controlCharacter(s string, multiline bool) (rune, bool) {
	for _, r := range s {
		if unicode.IsControl(r) && !(multiline && (r == '\n' || r == '\t')) {
			return r, true
		}
	}
	return 0, false
}

// MaxQuery is the longest search text that is taken, in Unicode characters,
// the same as that of the ask endpoint (SERVICE.md §8).
const MaxQuery = 500

// Query checks a search text in place: it may be empty, and has at most
// MaxQuery characters. White space of every kind becomes one blank.
func (p *Problems) Query(field string, s *string) {
	*s = strings.Join(strings.Fields(*s), " ")
	p.Line(field, s, 0, MaxQuery)
}
