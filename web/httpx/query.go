package httpx

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"homeplace/core"
)

// Query reads the parameters of an address and gathers what is wrong with
// them. Parameters that nobody asks for are ignored, broken ones included.
// White space around a value is cut, and an empty value counts as absent.
type Query struct {
	params   []param
	asked    []string
	problems core.Problems
}

// param is one name=value of an address, decoded.
type param struct {
	name, value string
	broken      string // what is wrong with the encoding; empty = nothing
}

// ParseQuery never fails: what is wrong shows when the parameter is asked for.
func ParseQuery(r *http.Request) *Query { return &Query{params: parseParams(nil, r.URL.RawQuery, nil)} }

// parseParams appends the parameters in raw that are not empty. With known
// given, it leaves out all others.
func parseParams(params []param, raw string, known []string) []param {
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, err := unescape(name)
		if err != nil || (known != nil && !slices.Contains(known, name)) {
			continue
		}
		p := param{name: name}
		switch value, err := unescape(value); {
		case err != nil:
			p.broken = "is not encoded as an address asks; write a percent sign as %25"
		case !utf8.ValidString(value):
			p.broken = "is not valid UTF-8 text"
		case strings.IndexByte(value, 0) >= 0:
			p.broken = "contains the control character U+0000; remove it"
		default:
			p.value = strings.TrimSpace(value)
		}
		if p.value != "" || p.broken != "" {
			params = append(params, p)
		}
	}
	return params
}

func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// values gives every value of a parameter, in the order of the address.
func (q *Query) values(name string) []string {
	if !slices.Contains(q.asked, name) {
		q.asked = append(q.asked, name)
	}
	var values []string
	for _, p := range q.params {
		if p.name != name {
			continue
		}
		if p.broken != "" {
			q.problems.Add(name, "%s", p.broken)
			return nil
		}
		values = append(values, p.value)
	}
	return values
}

func (q *Query) first(name string) (string, bool) {
	values := q.values(name)
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// Asked lists the parameters that were asked for, in the order of asking.
func (q *Query) Asked() []string { return slices.Clone(q.asked) }

// Problem records what else is wrong with a parameter.
func (q *Query) Problem(name, format string, args ...any) { q.problems.Add(name, format, args...) }

// Err is nil or one Invalid error that names every parameter in question.
func (q *Query) Err() error { return q.problems.Err() }

// String is the first value, or empty.
func (q *Query) String(name string) string {
	s, _ := q.first(name)
	return s
}

// Page reads limit and offset. A limit over the maximum is cut to it.
func (q *Query) Page(rule core.PageRule) core.Page {
	return rule.Clamp(core.Page{
		Limit:  q.Int("limit", 1, math.MaxInt, rule.Default),
		Offset: q.Int("offset", 0, math.MaxInt, 0),
	})
}

// Int is a whole number from min to max, or def where the parameter is absent
// or wrong.
func (q *Query) Int(name string, min, max, def int) int {
	s, ok := q.first(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	switch {
	case err == nil && min <= n && n <= max && s[0] != '+':
		return n
	case max == math.MaxInt:
		q.problems.Add(name, "must be a whole number of at least %d", min)
	case min == math.MinInt:
		q.problems.Add(name, "must be a whole number of at most %d", max)
	default:
		q.problems.Add(name, "must be a whole number from %d to %d", min, max)
	}
	return def
}

// Float is a decimal number from min to max; present is false where the
// parameter is absent or wrong.
func (q *Query) Float(name string, min, max float64) (value float64, present bool) {
	s, ok := q.first(name)
	if !ok {
		return 0, false
	}
	value, err := strconv.ParseFloat(s, 64)
	decimal := strings.Trim(s, "0123456789+-.eE") == "" // neither NaN, Inf nor hexadecimal
	if err != nil || !decimal || value < min || value > max {
		q.problems.Add(name, "must be a number from %g to %g", min, max)
		return 0, false
	}
	return value, true
}

// Bool is true for true and 1, false for false and 0; present is false where
// the parameter is absent or wrong.
func (q *Query) Bool(name string) (value, present bool) {
	switch s, ok := q.first(name); {
	case !ok:
		return false, false
	case s == "true", s == "1":
		return true, true
	case s == "false", s == "0":
		return false, true
	}
	q.problems.Add(name, "must be true or false")
	return false, false
}

// Enum is one of the allowed values, or empty.
func (q *Query) Enum(name string, allowed ...string) string {
	s, ok := q.first(name)
	if ok && !slices.Contains(allowed, s) {
		q.problems.Add(name, "must be one of: %s", strings.Join(allowed, ", "))
		return ""
	}
	return s
}

// List is every value of a parameter that may be repeated or hold several
// values with commas between. Repetitions are dropped; nil when absent.
func (q *Query) List(name string) []string {
	var list []string
	for _, value := range q.values(name) {
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" && !slices.Contains(list, item) {
				list = append(list, item)
			}
		}
	}
	return list
}

// EnumList is List where every item must be one of the allowed values.
func (q *Query) EnumList(name string, allowed ...string) []string {
	list := q.List(name)
	for _, item := range list {
		if !slices.Contains(allowed, item) {
			q.problems.Add(name, "must hold only these: %s", strings.Join(allowed, ", "))
			return nil
		}
	}
	return list
}
