package schema

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("parse %.200s: %v", text, err)
	}
	return s
}

const places = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object", "required": ["places", "version"],
	"properties": {
		"version": {"const": 1},
		"places": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/place"}}
	},
	"$defs": {"place": {
		"type": "object", "required": ["id", "kind"], "additionalProperties": false,
		"properties": {
			"id": {"type": "integer", "minimum": 1},
			"kind": {"enum": ["park", "shop", null, {"other": 1.0}]},
			"code": {"type": "string", "pattern": "^[A-Z]{2}$", "maxLength": 4},
			"at": {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]},
			"old": false
		}}}}`

func TestCheck(t *testing.T) {
	t.Parallel()
	s := parse(t, places)
	for _, fits := range []string{
		`{"version":1,"places":[]}`, `{"version":1.0,"places":[{"id":1,"kind":"park"},{"id":2.0,"kind":null,"code":"GA","at":[1,2]}],"more":true}`,
		`{"version":1,"places":[{"id":3,"kind":{"other":1}}]}`,
	} {
		if err := s.Check([]byte(fits)); err != nil {
			t.Errorf("%s: %v", fits, err)
		}
	}
	for _, tt := range []struct {
		content string
		want    []Failure
	}{
		{`[]`, []Failure{{"", "must be an object, not an array"}}},
		{`{"places":[{"id":1,"kind":"park"}]}`, []Failure{{"version", "is missing"}}},
		{`{"version":2,"places":{}}`, []Failure{{"places", "must be an array, not an object"}, {"version", "is not the one value that is allowed"}}},
		{`{"version":1,"places":[{"id":0,"kind":"pub","code":"ga","at":"x","old":1,"new":2}]}`, []Failure{
			{"places[0].at", "fits none of the forms that are allowed"}, {"places[0].code", "must have the form ^[A-Z]{2}$"},
			{"places[0].id", "must be at least 1"}, {"places[0].kind", "is not one of the values that are allowed"},
			{"places[0].new", "is not expected here"}, {"places[0].old", "must not be there"}}},
		{`{"version":1,"places":[{"id":1,"kind":"park"},{"kind":"park","id":1.0}]}`, []Failure{{"places", "has the same element twice"}}},
		{`{"version":1,"places":[{"id":1e999999,"kind":"park"}]}`, []Failure{{"places[0].id", "has a number that is too long or too large to be checked: 1e999999"}}},
	} {
		var misfit *Misfit
		if err := s.Check([]byte(tt.content)); !errors.As(err, &misfit) {
			t.Errorf("%s: %v", tt.content, err)
		} else if diff := cmp.Diff(tt.want, misfit.Failures); diff != "" || misfit.Total != len(tt.want) {
			t.Errorf("%s: %d in all\n%s", tt.content, misfit.Total, diff)
		}
	}
}

func TestManyFailures(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"items":{"type":"string"}}`)
	var misfit *Misfit
	if err := s.Check([]byte("[" + strings.Repeat("1,", 499) + "1]")); !errors.As(err, &misfit) || len(misfit.Failures) != MaxFailures || misfit.Total != 500 {
		t.Errorf("%v", err)
	}
	if got := misfit.Error(); got != "[0] must be a string, not a number; [1] must be a string, not a number; [2] must be a string, not a number; and 497 more" {
		t.Error(got)
	}
}

func TestBadSchemas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, want string }{
		{`{"type":"strnig"}`, "type "},
		{`{"properties":{"a":{"minimum":"1"}}}`, "properties.a.minimum must be a number, not a string"},
		{`[]`, "must be"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#"}`, "$schema: must be"},
		{`{"$ref":"#/$defs/none"}`, "refers to #/$defs/none, which is not in it"},
		{`{"properties":{"a":{"pattern":"(["}}}`, "pattern"},
		{`{"pattern":"` + strings.Repeat("[a-z]{1000}", 5) + `"}`, "pattern"},
		{`{"$dynamicRef":"#node","$dynamicAnchor":"node"}`, "$dynamicRef"},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, "$dynamicRef"},
		{`{"maximum":1e500}`, "a number that is too long or too large"},
		{`{"allOf":[` + strings.Repeat(`{},`, 4000) + `{}]}`, "more than 4000 parts"},
		{strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), "nested more than"},
	} {
		if _, err := Parse([]byte(tt.schema)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.100s: %v, want %q", tt.schema, err, tt.want)
		}
	}
}

// Nothing is fetched, from the network or from the disk.
func TestNothingIsFetched(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"type":"object"}`)
	}))
	defer server.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			asked.Add(1)
			conn.Close()
		}
	}()
	file := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(file, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{server.URL + "/s.json", "http://" + listener.Addr().String() + "/", "file://" + file, file, "other.json", "https://example.org/schema#/a"} {
		for _, schema := range []string{
			fmt.Sprintf(`{"$ref":%q}`, ref), fmt.Sprintf(`{"properties":{"a":{"items":{"$ref":%q}}}}`, ref),
			fmt.Sprintf(`{"$id":%q,"$ref":"elsewhere.json"}`, ref), fmt.Sprintf(`{"$defs":{"a":{"$schema":%q}},"$ref":"#/$defs/a"}`, ref),
		} {
			if _, err := Parse([]byte(schema)); err == nil {
				t.Errorf("%s is taken", schema)
			} else if strings.HasPrefix(schema, `{"$ref"`) && !strings.Contains(err.Error(), "nothing is fetched") {
				t.Errorf("%s: %v", schema, err)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	parse(t, `{"$id":"https://example.org/mine","$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}`)
}

// What is nasty ends soon, in an answer or in giving up.
func TestNasty(t *testing.T) {
	t.Parallel()
	doubling := `"d0":{"type":"integer"}`
	for i := range 40 {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	var enum, rows, brackets strings.Builder
	for i := range 9_000 {
		fmt.Fprintf(&enum, ",%d", i+1_000_000)
	}
	for i := range 120_000 {
		fmt.Fprintf(&rows, ",%d", i+2_000_000)
	}
	for i := range 1 << 13 { // equal once flattened
		brackets.WriteString(",[")
		for bit := range 13 {
			if i>>bit&1 == 1 {
				brackets.WriteString("[1],")
			} else {
				brackets.WriteString("1,")
			}
		}
		brackets.WriteString("1]")
	}
	ones := "[" + strings.Repeat("1,", 499_000) + "1]"
	deep := strings.Repeat(`{"a":[`, 31) + "1" + strings.Repeat("]}", 31)
	for _, tt := range []struct{ name, schema, content string }{
		{"doubling", `{"$ref":"#/$defs/d40","$defs":{` + doubling + `}}`, `7`},
		{"doubling for each of many", `{"items":{"$ref":"#/$defs/d12"},"$defs":{` + doubling + `}}`, ones},
		{"recursion", `{"anyOf":[{"type":"integer"},{"items":{"$ref":"#"}},{"properties":{"a":{"$ref":"#"}},"required":["b"]}],"oneOf":[{"items":{"$ref":"#"}},{"additionalProperties":{"$ref":"#"}}],"not":{"items":{"$ref":"#"},"type":"string"}}`, deep},
		{"recursion without end", `{"allOf":[{"$ref":"#"}]}`, `{}`},
		{"a big enum", `{"items":{"enum":[` + enum.String()[1:] + `]}}`, "[" + rows.String()[1:] + "]"},
		{"a big enum of the whole", `{"anyOf":[` + strings.Repeat(`{"enum":[[1]]},`, 1500) + `{"enum":[[2]]}]}`, ones},
		{"all wrong", `{"items":false}`, ones},
		{"all wrong in many ways", `{"items":{"allOf":[` + strings.Repeat(`{"type":"string"},`, 500) + `{}]}}`, ones},
		{"unique, hashing alike", `{"uniqueItems":true}`, "[" + brackets.String()[1:] + "]"},
		{"patterns", `{"items":{"pattern":"(x+x+)+y[a-z]{300}"}}`, `["` + strings.Repeat("x", 1_000_000) + `"]`},
		{"a long number", `{"items":{"multipleOf":7}}`, "[" + strings.Repeat("9", 1_000_000) + "]"},
		{"unevaluated", `{"unevaluatedItems":false,"allOf":[` + strings.Repeat(`{"contains":{"const":2}},`, 300) + `{}]}`, ones},
		{"names", `{"propertyNames":{"pattern":"^(a|b|c)*$"}}`, `{"` + strings.Repeat("abc", 300_000) + `d":1}`},
	} {
		s := parse(t, tt.schema)
		s.limit = 300 * time.Millisecond
		start := time.Now()
		err := s.Check([]byte(tt.content))
		took := time.Since(start)
		t.Logf("%s: %v, %.100v", tt.name, took.Round(time.Millisecond), err)
		if took > time.Minute { // the limit, and what one step takes on a busy machine; without the limit most take hours
			t.Errorf("%s took %v", tt.name, took)
		}
		if err == nil && tt.name != "a big enum of the whole" && !strings.HasPrefix(tt.name, "doubling") && !strings.HasPrefix(tt.name, "unique") && tt.name != "recursion" {
			t.Errorf("%s fits", tt.name)
		}
	}
}

func TestSlowestCompile(t *testing.T) {
	t.Parallel()
	start := time.Now()
	parse(t, `{"allOf":[`+strings.Repeat(`{"not":{}},`, 1990)+`{}]}`)
	t.Logf("4000 parts: %v", time.Since(start))
}

func FuzzParse(f *testing.F) {
	f.Add(places, `{"version":1,"places":[]}`)
	f.Add(`{"$ref":"#"}`, `1`)
	f.Fuzz(func(t *testing.T, schema, content string) {
		s, err := Parse([]byte(schema))
		if err != nil || len(schema) > 64<<10 {
			return
		}
		var misfit *Misfit
		if err := s.Check([]byte(content)); errors.As(err, &misfit) && (misfit.Total == 0 || len(misfit.Failures) == 0) {
			t.Errorf("%s does not fit %s, but nowhere", content, schema)
		}
	})
}

// An ordinary document of nearly 1 MB against an ordinary schema.
func BenchmarkCheck(b *testing.B) {
	s := parse(b, places)
	var text strings.Builder
	for i := 0; text.Len() < 1_000_000; i++ {
		fmt.Fprintf(&text, `,{"id":%d,"kind":"park","code":"GA","at":[33.%d,-84.%d]}`, i+1, i, i)
	}
	content := []byte(`{"version":1,"places":[` + text.String()[1:] + `]}`)
	for b.Loop() {
		if err := s.Check(content); err != nil {
			b.Fatal(err)
		}
	}
}
