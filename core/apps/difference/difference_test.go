package difference

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func of(t *testing.T, before, after string) Difference {
	t.Helper()
	d, err := Of([]byte(before), []byte(after))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string
		want                []Change
	}{
		{"an added member", `{"a":1}`, `{"a":1,"b":{"c":[1,2]}}`, []Change{{Added, "b", "", `{"c": [1, 2]}`}}},
		{"a removed member", `{"a":1,"b":null}`, `{"a":1}`, []Change{{Removed, "b", "null", ""}}},
		{"a changed one, deep", `{"a":{"b":{"c":"x"}}}`, `{"a":{"b":{"c":"y"}}}`, []Change{{Changed, "a.b.c", `"x"`, `"y"`}}},
		{"another type", `{"a":1}`, `{"a":"1"}`, []Change{{Changed, "a", "1", `"1"`}}},
		{"true and false", `[true]`, `[false]`, []Change{{Changed, "[0]", "true", "false"}}},
		{"null and none", `{"a":null}`, `{}`, []Change{{Removed, "a", "null", ""}}},
		{"the whole document", `{"a":1}`, `[1]`, []Change{{Changed, "", `{"a": 1}`, "[1]"}}},
		{"odd keys", `{"two words":1,"":2}`, `{"two words":2,"":3}`, []Change{{Changed, `[""]`, "2", "3"}, {Changed, `["two words"]`, "1", "2"}}},
		{"digits that a float64 loses", `[9007199254740993]`, `[9007199254740992]`, []Change{{Changed, "[0]", "9007199254740993", "9007199254740992"}}},
		{"by id", `{"p":[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"}]}`, `{"p":[{"id":1,"n":"a"},{"id":3,"n":"C"},{"id":4,"n":"d"}]}`,
			[]Change{{Changed, "p[id=3].n", `"c"`, `"C"`}, {Added, "p[id=4]", "", `{"id": 4, "n": "d"}`}, {Removed, "p[id=2]", `{"id": 2, "n": "b"}`, ""}}},
		{"by slug, where ids repeat", `[{"id":1,"slug":"a"},{"id":1,"slug":"b"}]`, `[{"id":1,"slug":"a"},{"id":2,"slug":"b"}]`,
			[]Change{{Changed, "[slug=b].id", "1", "2"}}},
		{"another order", `[{"id":1},{"id":2},{"id":3}]`, `[{"id":3},{"id":1},{"id":2}]`, []Change{{Changed, " (order)", "[1, 2, 3]", "[3, 1, 2]"}}},
		{"an element in the middle", `["a","b","c"]`, `["a","x","b","c"]`, []Change{{Added, "[1]", "", `"x"`}}},
		{"elements that go and come", `[1,2,3,4,5,6]`, `[2,3,9,5,6,7]`, []Change{{Removed, "[0]", "1", ""}, {Changed, "[2]", "4", "9"}, {Added, "[5]", "", "7"}}},
		{"rows without a name", `[{"x":1,"y":1},{"x":2,"y":2}]`, `[{"x":1,"y":1},{"x":2,"y":3}]`, []Change{{Changed, "[1].y", "2", "3"}}},
		{"all of an array", `[1]`, `[]`, []Change{{Removed, "[0]", "1", ""}}},
	} {
		d := of(t, tt.before, tt.after)
		if diff := cmp.Diff(tt.want, d.Changes); diff != "" || d.Same || d.FormattingOnly || d.Total() != len(tt.want) {
			t.Errorf("%s: %+v\n%s", tt.name, d, diff)
		}
	}
}

func TestFormattingOnly(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{`{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`}, {`[1.0, 100, 0.5, -0]`, `[1,1e2,5e-1,0]`}, {`["\u00e9"]`, `["é"]`},
		{`{"a":1,"a":2}`, `{"a":2}`}, {`[1e400]`, `[10e399]`}, {`[0.0]`, `[0e5]`},
	} {
		if d := of(t, pair[0], pair[1]); !d.FormattingOnly || d.Same || d.Total() != 0 {
			t.Errorf("%s and %s: %+v", pair[0], pair[1], d)
		}
	}
	if d := of(t, `{"a":1}`, `{"a":1}`); !d.Same || d.FormattingOnly {
		t.Errorf("the same bytes: %+v", d)
	}
	d, err := Of(nil, []byte(`{"b":[1],"a":2}`))
	if diff := cmp.Diff([]Change{{Added, "a", "", "2"}, {Added, "b", "", "[1]"}}, d.Changes); err != nil || diff != "" || d.Added != 2 {
		t.Errorf("a new document: %v %s", err, diff)
	}
	if _, err := Of([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("half a document is compared")
	}
}

func TestLongValuesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100_000)
	d := of(t, `{"a":1}`, fmt.Sprintf(`{"a":%q,%q:{"list":[%q,%q]}}`, long, long, long, long))
	for _, c := range d.Changes {
		if n := len([]rune(c.Path)); n > 80 {
			t.Errorf("a path of %d characters", n)
		}
		if n := len([]rune(c.After)); n > maxValue || !strings.HasSuffix(c.After, "…") {
			t.Errorf("%d characters: %s", n, c.After)
		}
	}
}

// What differs is found from either side, and what does not is none.
func TestBothWays(t *testing.T) {
	t.Parallel()
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.IntRange(0, 3), func(i int) any { return i }),
			rapid.Map(rapid.SampledFrom([]string{"", "a", "b"}), func(s string) any { return s }), rapid.Map(rapid.Bool(), func(b bool) any { return b }))
		if depth == 0 {
			return leaf
		}
		next := value(depth - 1)
		return rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(next, 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"id", "name", "x"}), next, 0, 3), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := value(3).Draw(rt, "a"), value(3).Draw(rt, "b")
		before, _ := json.Marshal(a)
		after, _ := json.MarshalIndent(b, "", " ")
		there, err := Of(before, after)
		if err != nil {
			rt.Fatal(err)
		}
		back, err := Of(after, before)
		if err != nil {
			rt.Fatal(err)
		}
		equal := cmp.Equal(decoded(before), decoded(after))
		if (there.Total() == 0) != equal || (back.Total() == 0) != equal {
			rt.Fatalf("%s and %s: %+v and %+v", before, after, there, back)
		}
	})
}

func decoded(document []byte) (value any) {
	if err := json.Unmarshal(document, &value); err != nil {
		panic(err)
	}
	return value
}

// large documents of nearly 1 MB, each nasty in its own way.
func large() map[string][2]string {
	records := func(change int) string {
		var b strings.Builder
		for i := 0; b.Len() < 1_000_000; i++ {
			fmt.Fprintf(&b, `,{"id":%d,"name":"place %d","lat":%d.5,"tags":["a","b"]}`, i, (i+change)%5000, i%90)
		}
		return `{"places":[` + b.String()[1:] + `]}`
	}
	numbers := func(from int) string {
		var b strings.Builder
		for i := from; b.Len() < 1_000_000; i++ {
			fmt.Fprintf(&b, ",%d", i*7919%100_000)
		}
		return "[" + b.String()[1:] + "]"
	}
	lists := func(from int) string {
		var b strings.Builder
		for i := from; b.Len() < 1_000_000; i++ {
			fmt.Fprintf(&b, ",[%s]", strings.Repeat(fmt.Sprintf("%d,", i%7), 700)+fmt.Sprint(i))
		}
		return "[" + b.String()[1:] + "]"
	}
	keys := func(change int) string {
		var b strings.Builder
		for i := 0; b.Len() < 1_000_000; i++ {
			fmt.Fprintf(&b, `,"k%d":%d`, i*change, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	ones := "[" + strings.Repeat("1,", 499_000) + "1]"
	return map[string][2]string{
		"records": {records(0), records(1)}, "numbers": {numbers(0), numbers(3)}, "lists": {lists(0), lists(1)},
		"keys": {keys(1), keys(3)}, "ones and twos": {ones, strings.ReplaceAll(ones, "1", "2")},
	}
}

func TestLargeDocuments(t *testing.T) {
	t.Parallel()
	for name, pair := range large() {
		start := time.Now()
		d := of(t, pair[0], pair[1])
		if took := time.Since(start); took > 30*time.Second { // products of lengths would take minutes; the benchmark tells the real time
			t.Errorf("%s took %v", name, took)
		}
		if len(d.Changes) > MaxChanges || d.Total() == 0 {
			t.Errorf("%s: %d listed of %d", name, len(d.Changes), d.Total())
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for name, pair := range large() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Of([]byte(pair[0]), []byte(pair[1])); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
