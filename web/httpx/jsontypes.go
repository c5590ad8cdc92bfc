package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"homeplace/core"
)

// checkTypes compares a body with the type that it will be decoded into and
// names every field that does not fit, which encoding/json does only for the
// first, and without the index in a list. The body is valid JSON.
func checkTypes(body []byte, dst any) error {
	c := checker{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	c.dec.UseNumber()
	if err := c.value(reflect.TypeOf(dst).Elem(), "", 0); err != nil {
		return err
	}
	return c.problems.Err()
}

type checker struct {
	body     []byte
	dec      *json.Decoder
	problems core.Problems
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	verbatimType    = reflect.TypeFor[Verbatim]()
	timeType        = reflect.TypeFor[time.Time]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textType        = reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()
)

// value checks the next value. Type nil stands for a value of any type.
func (c *checker) value(t reflect.Type, path string, depth int) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && decodesItself(t) {
		return c.custom(t, path, depth)
	}
	if t != nil && t.Kind() == reflect.Interface {
		t = nil
	}
	start := c.dec.InputOffset()
	token, err := c.dec.Token()
	if err != nil {
		return malformed("The body is not valid JSON.").Wrap(err)
	}
	switch v := token.(type) {
	case json.Delim:
		if depth++; depth > maxDepth {
			return tooDeep()
		}
		if v == '{' {
			return c.object(t, path, depth)
		}
		return c.list(t, path, depth)
	case string:
		c.text(t, path, v)
		if halved(v, c.body[start:c.dec.InputOffset()]) {
			c.problems.Add(path, `contains half of a character, an escape such as \ud83d without its other half; send the whole character`)
		}
	case json.Number:
		if t != nil && !numberFits(t, v) {
			c.mismatch(t, path)
		}
	case bool:
		if t != nil && t.Kind() != reflect.Bool {
			c.mismatch(t, path)
		}
	}
	return nil
}

func (c *checker) object(t reflect.Type, path string, depth int) error {
	isMap := t != nil && t.Kind() == reflect.Map
	if t != nil && !isMap && t.Kind() != reflect.Struct {
		c.mismatch(t, path)
		t = nil
	}
	for c.dec.More() {
		token, err := c.dec.Token()
		if err != nil {
			return malformed("The body is not valid JSON.").Wrap(err)
		}
		name := token.(string)
		inner := name
		if path != "" {
			inner = path + "." + name
		}
		var field reflect.Type
		switch {
		case isMap:
			field = t.Elem()
			c.text(nil, inner, name)
		case t != nil:
			field = fieldsOf(t).find(name)
		}
		if err := c.value(field, inner, depth); err != nil {
			return err
		}
	}
	_, err := c.dec.Token()
	return err
}

func (c *checker) list(t reflect.Type, path string, depth int) error {
	var element reflect.Type
	switch {
	case t == nil:
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		element = t.Elem()
	default:
		c.mismatch(t, path)
	}
	for i := 0; c.dec.More(); i++ {
		if err := c.value(element, fmt.Sprintf("%s[%d]", path, i), depth); err != nil {
			return err
		}
	}
	_, err := c.dec.Token()
	return err
}

func (c *checker) text(t reflect.Type, path, s string) {
	bytesField := t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
	if t != nil && t.Kind() != reflect.String && !bytesField {
		c.mismatch(t, path)
		return
	}
	if t == verbatimType {
		return
	}
	for i, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && (r != '\r' || !strings.HasPrefix(s[i:], "\r\n")) {
			c.problems.Add(path, "contains the control character U+%04X; remove it", r)
			return
		}
	}
}

// halved tells whether encoding/json put the replacement character where the
// text as it came has an unpaired surrogate, which is no character.
func halved(s string, raw []byte) bool {
	const replacement = "\ufffd"
	n := strings.Count(s, replacement)
	return n > 0 && n > bytes.Count(raw, []byte(replacement))+bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
}

// custom lets a type that decodes itself try the value.
func (c *checker) custom(t reflect.Type, path string, depth int) error {
	if t == rawType {
		return c.raw()
	}
	start := c.dec.InputOffset()
	if err := c.value(nil, path, depth); err != nil {
		return err
	}
	raw := bytes.TrimLeft(c.body[start:c.dec.InputOffset()], " \t\r\n:,")
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	var inner *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.As(err, &inner) && inner.Field == "":
		c.mismatch(inner.Type, path)
	default:
		c.mismatch(t, path)
	}
	return nil
}

// raw skips a value that is taken as it comes, but for its depth. It may be a
// whole file, so it is not cut into tokens, and its depth is counted by itself.
func (c *checker) raw() error {
	var value json.RawMessage
	if err := c.dec.Decode(&value); err != nil {
		return malformed("The body is not valid JSON.").Wrap(err)
	}
	depth, quoted := 0, false
	for i := 0; i < len(value); i++ {
		switch b := value[i]; {
		case b == '"':
			quoted = !quoted
		case quoted && b == '\\':
			i++
		case quoted:
		case b == '{', b == '[':
			if depth++; depth > maxDepth {
				return tooDeep()
			}
		case b == '}', b == ']':
			depth--
		}
	}
	return nil
}

func tooDeep() error { return malformed("The body is nested more than %d levels deep.", maxDepth) }

func (c *checker) mismatch(t reflect.Type, path string) {
	c.problems.Add(path, "%s", expected(t))
}

// expected says in words what a type takes.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == timeType:
		return "must be a time such as 2026-05-01T12:00:00Z"
	case decodesItself(t) && t.Kind() != reflect.String:
		return "has a value that is not taken here"
	case signed(t), unsigned(t):
		return "must be a whole number"
	}
	switch t.Kind() {
	case reflect.String:
		return "must be text"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Float32, reflect.Float64:
		return "must be a number"
	case reflect.Slice, reflect.Array:
		return "must be a list"
	case reflect.Map, reflect.Struct:
		return "must be an object"
	}
	return "has a value that is not taken here"
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshalerType) || p.Implements(textType)
}

func signed(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

func unsigned(t reflect.Type) bool { return t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr }

func numberFits(t reflect.Type, n json.Number) bool {
	switch v := reflect.New(t); {
	case signed(t), unsigned(t), t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return json.Unmarshal([]byte(n), v.Interface()) == nil
	default:
		return t == reflect.TypeFor[json.Number]()
	}
}

// fields are the members that encoding/json fills in a struct.
type fields map[string]reflect.Type

var structs sync.Map // reflect.Type → fields

func fieldsOf(t reflect.Type) fields {
	if known, ok := structs.Load(t); ok {
		return known.(fields)
	}
	f := fields{}
	visible := reflect.VisibleFields(t)
	slices.SortStableFunc(visible, func(a, b reflect.StructField) int { return len(a.Index) - len(b.Index) })
	for _, field := range visible {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		embedded := field.Anonymous && name == "" && indirect(field.Type).Kind() == reflect.Struct
		if embedded || !field.IsExported() || field.Tag.Get("json") == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		kind := field.Type
		if strings.Contains(options, "string") {
			kind = nil
		}
		if _, shallower := f[name]; !shallower {
			f[name] = kind
		}
	}
	structs.Store(t, f)
	return f
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// find prefers the exact name and falls back on another case, as encoding/json
// does.
func (f fields) find(name string) reflect.Type {
	if t, ok := f[name]; ok {
		return t
	}
	for known, t := range f {
		if strings.EqualFold(known, name) {
			return t
		}
	}
	return nil
}
