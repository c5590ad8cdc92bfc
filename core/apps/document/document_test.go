package document

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func hash(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n.Hash
}

func TestHash(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{`1`, ` 1.0 `, `10e-1`, `0.1E+1`, `1.000e0`}, {`0`, `-0`, `0.00`, `0e99`}, {`-1`, `-1.0`}, {`100`, `1e2`, `1E+2`}, {`0.5`, `5e-1`, `50e-2`},
		{`9007199254740993`}, {`9007199254740992`}, {`1e99999999999999999999`}, {`"1"`}, {`"é"`, `"\u00e9"`}, {`"/"`, `"\/"`}, {`""`}, {`true`}, {`false`}, {`null`},
		{`[]`, `[ ]`}, {`{}`, "{\n}"}, {`[[]]`}, {`[null]`}, {`[1,2]`, `[1.0, 2e0]`}, {`[2,1]`}, {`[[1],2]`}, {`[1,[2]]`}, {`[[1,2]]`},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`, `{"a":3,"b":2,"a":1}`}, {`{"a":2,"b":1}`}, {`{"a":{"b":1}}`}, {`{"b":{"a":1}}`}, {`{"a":1}`}, {`["a",1]`},
	} {
		for _, other := range group {
			if hash(t, group[0]) != hash(t, other) {
				t.Errorf("%s and %s are told apart", group[0], other)
			}
		}
	}
	seen := map[uint64]string{}
	for _, text := range []string{`1`, `0`, `-1`, `100`, `10`, `0.1`, `9007199254740993`, `9007199254740992`, `"1"`, `""`, `true`, `false`, `null`, `[]`, `{}`, `[[]]`,
		`[null]`, `[1,2]`, `[2,1]`, `[[1],2]`, `[1,[2]]`, `[[1,2]]`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":{"b":1}}`, `{"b":{"a":1}}`, `{"a":1}`, `["a",1]`, `[1e400]`, `[1e401]`} {
		if other, ok := seen[hash(t, text)]; ok {
			t.Errorf("%s and %s hash alike", text, other)
		}
		seen[hash(t, text)] = text
	}
}

func TestIsWhole(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]bool{"1": true, "-1.0": true, "1.50e1": true, "0.0": true, "1e300": true, "1.5": false, "15e-1": false, "-0.1": false} {
		if got := IsWhole(number); got != want {
			t.Errorf("%s is whole: %t", number, got)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for want, steps := range map[string][]string{
		"": {}, "a.b-c[3]": {MemberStep("a"), MemberStep("b-c"), IndexStep(3)}, `["two words"].é[id=x]`: {MemberStep("two words"), MemberStep("é"), IdentityStep("id", "x")},
	} {
		if got := JoinPath(steps); got != want {
			t.Errorf("%v is %s, want %s", steps, got, want)
		}
	}
}

// The parser reads what encoding/json reads.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\"y",null,true,{}],"a":1}`, `[]`, ` 1 `, `"\ud800"`, `[[["]"]]]`, `{"":{"":[]}}`, `nul`, `[1,]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Parse(text)
		if (err == nil) != (json.Valid(text) && utf8.Valid(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		decode := func(text []byte) (value any) {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			if err := decoder.Decode(&value); err != nil {
				t.Fatal(err)
			}
			return value
		}
		want := decode(text)
		if diff := cmp.Diff(want, valueOf(n)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		again, err := json.MarshalIndent(want, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := Parse(again); err != nil || other.Hash != n.Hash || HashOf(want) != HashOf(decode(again)) {
			t.Errorf("%q and %q are told apart, %v", text, again, err)
		}
	})
}

func valueOf(n Node) any {
	switch {
	case n.IsObject():
		object := map[string]any{}
		for _, m := range n.Children {
			object[m.Key] = valueOf(m)
		}
		return object
	case n.IsArray():
		list := []any{}
		for _, item := range n.Children {
			list = append(list, valueOf(item))
		}
		return list
	case n.IsString():
		return n.String()
	case n.IsNumber():
		return json.Number(n.String())
	case string(n.Text) == "null":
		return nil
	}
	return string(n.Text) == "true"
}
