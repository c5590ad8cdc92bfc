package rowfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

// value shows what a value type holds: nil, or what its pointer points to.
func value(v any) string {
	switch v := v.(type) {
	case *Number:
		return deref(v.Value)
	case *Whole:
		return deref(v.Value)
	case *Flag:
		return deref(v.Value)
	case *Moment:
		if v.Value == nil {
			return "nil"
		}
		return v.Value.Format(time.RFC3339Nano)
	case *Object:
		return string(*v)
	}
	return "?"
}

func deref[T any](p *T) string {
	if p == nil {
		return "nil"
	}
	return fmt.Sprint(*p)
}

func TestValues(t *testing.T) {
	t.Parallel()
	const refused = "refused"
	number, whole, flag, moment, object := func() any { return new(Number) }, func() any { return new(Whole) },
		func() any { return new(Flag) }, func() any { return new(Moment) }, func() any { return new(Object) }
	tests := []struct {
		into       func() any
		json, want string
	}{
		{number, `1.5`, "1.5"}, {number, `"-90.25"`, "-90.25"}, {number, `" 2 "`, "2"}, {number, `null`, "nil"}, {number, `""`, "nil"},
		{number, `"1,5"`, refused}, {number, `"NaN"`, refused}, {number, `"Inf"`, refused}, {number, `true`, refused},
		{number, `[1]`, refused}, {number, `{}`, refused}, {number, `"1e400"`, refused},

		{whole, `1921`, "1921"}, {whole, `"-4000"`, "-4000"}, {whole, `null`, "nil"}, {whole, `" "`, "nil"},
		{whole, `1.5`, refused}, {whole, `"x"`, refused}, {whole, `"99999999999999999999"`, refused},

		{flag, `true`, "true"}, {flag, `"Yes"`, "true"}, {flag, `1`, "true"}, {flag, `"0"`, "false"}, {flag, `"NO"`, "false"},
		{flag, `""`, "nil"}, {flag, `null`, "nil"}, {flag, `"maybe"`, refused}, {flag, `2`, refused},

		{moment, `"2027-05-01T18:00:00Z"`, "2027-05-01T18:00:00Z"},
		{moment, `"2027-05-01T18:00:00.25-05:00"`, "2027-05-01T23:00:00.25Z"},
		{moment, `"2027-05-01T18:00:00-0500"`, "2027-05-01T23:00:00Z"},
		{moment, `"2027-05-01T18:00+02:00"`, "2027-05-01T16:00:00Z"},
		{moment, `"2027-05-01 18:00"`, "2027-05-01T18:00:00Z"},
		{moment, `"2027-05-01"`, "2027-05-01T00:00:00Z"},
		{moment, `null`, "nil"}, {moment, `"tomorrow"`, refused}, {moment, `"2027-02-30"`, refused}, {moment, `20270501`, refused},

		{object, `{"mon":[]}`, `{"mon":[]}`}, {object, `"{\"mon\":[]}"`, `{"mon":[]}`}, {object, `[1]`, `[1]`},
		{object, `null`, ""}, {object, `""`, ""}, {object, `"null"`, ""}, {object, `"{"`, refused},
	}
	for _, tt := range tests {
		v := tt.into()
		got := refused
		if err := json.Unmarshal([]byte(tt.json), v); err == nil {
			got = value(v)
		}
		if got != tt.want {
			t.Errorf("%T of %s is %s, want %s", v, tt.json, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`["a","b;c"]`: {"a", "b;c"}, `"a; b"`: {"a", " b"}, `"a"`: {"a"}, `7`: {"7"}, `""`: nil, `null`: nil, `[]`: {},
	} {
		var got Words
		if err := json.Unmarshal([]byte(text), &got); err != nil || !slices.Equal(got, want) {
			t.Errorf("Words of %s are %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`{}`, `[1]`} {
		var got Words
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("Words of %s are %q, want an error", text, got)
		}
	}
}
