package rowfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The value types below take both what JSON has a type for and what a CSV
// cell says in text. Null and empty text leave them unset.

// Number is a number or its text.
type Number struct{ Value *float64 }

// UnmarshalJSON reads the number.
func (n *Number) UnmarshalJSON(data []byte) error {
	text, err := scalar(data)
	if err != nil || text == "" {
		return err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("must be a number, not %q", text)
	}
	n.Value = &f
	return nil
}

// Whole is a whole number or its text.
type Whole struct{ Value *int }

// UnmarshalJSON reads the number.
func (w *Whole) UnmarshalJSON(data []byte) error {
	text, err := scalar(data)
	if err != nil || text == "" {
		return err
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("must be a whole number, not %q", text)
	}
	w.Value = &i
	return nil
}

// Flag is true or false, or one of the words true, false, yes, no, 1, 0.
type Flag struct{ Value *bool }

// UnmarshalJSON reads the flag.
func (f *Flag) UnmarshalJSON(data []byte) error {
	text, err := scalar(data)
	if err != nil || text == "" {
		return err
	}
	var b bool
	switch strings.ToLower(text) {
	case "true", "yes", "1":
		b = true
	case "false", "no", "0":
	default:
		return fmt.Errorf("must be true or false, not %q", text)
	}
	f.Value = &b
	return nil
}

// Moment is a time: RFC 3339, or the same without seconds, colon in the
// offset, or time of day; without an offset it is UTC.
type Moment struct{ Value *time.Time }

var momentForms = []string{
	time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04-0700",
	"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
}

// UnmarshalJSON reads the time.
func (m *Moment) UnmarshalJSON(data []byte) error {
	text, err := scalar(data)
	if err != nil || text == "" {
		return err
	}
	for _, form := range momentForms {
		if t, err := time.Parse(form, text); err == nil {
			t = t.UTC()
			m.Value = &t
			return nil
		}
	}
	return fmt.Errorf("must be a time such as 2027-05-01T18:00:00Z, not %q", text)
}

// Words is a list of texts, or one text with semicolons between them.
type Words []string

// UnmarshalJSON reads the list.
func (w *Words) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*[]string)(w))
	}
	text, err := scalar(data)
	if err != nil || text == "" {
		return err
	}
	*w = strings.Split(text, ";")
	return nil
}

// Object is a JSON value of any shape, or the text of one.
type Object json.RawMessage

// UnmarshalJSON keeps the value.
func (o *Object) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		text, err := scalar(data)
		if err != nil || text == "" {
			return err
		}
		data = []byte(text)
	}
	if string(data) == "null" {
		return nil
	}
	if !json.Valid(data) {
		return fmt.Errorf("must be JSON")
	}
	*o = append(Object{}, data...)
	return nil
}

// scalar gives the text of a JSON string, number or boolean; "" for null.
func scalar(data []byte) (string, error) {
	switch {
	case string(data) == "null":
		return "", nil
	case len(data) > 0 && data[0] == '"':
		var s string
		err := json.Unmarshal(data, &s)
		return strings.TrimSpace(s), err
	case len(data) > 0 && (data[0] == '{' || data[0] == '['):
		return "", fmt.Errorf("must be a single value")
	}
	return string(data), nil
}
