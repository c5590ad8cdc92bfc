package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLayoutJSON(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`{}`:    "{}",
		` [ ] `: "[]",
		`{"a":[1,-2.5e3,{"b":{}}],"c":"x, {y}: \"z\" \\"}`: "{\n  \"a\": [\n    1,\n    -2.5e3,\n    {\n      \"b\": {}\n    }\n  ],\n  \"c\": \"x, {y}: \\\"z\\\" \\\\\"\n}",
		"{\"key\"\n:\ttrue , \"n\" : null}":                "{\n  \"key\": true,\n  \"n\": null\n}",
	} {
		if got, whole := layoutJSON([]byte(src), 1000); got != want || !whole {
			t.Errorf("%s is laid out as %q, whole %v; want %q", src, got, whole, want)
		}
	}
}

func TestLayoutJSONStops(t *testing.T) {
	t.Parallel()
	if got, whole := layoutJSON([]byte(`["aa","bb","cc"]`), 12); got != "[\n  \"aa\"," || whole {
		t.Errorf("cut to %q, whole %v", got, whole)
	}
	if got, whole := layoutJSON([]byte(`"éé"`), 4); got != `"é` || whole { // the second letter would be halved
		t.Errorf("cut to %q, whole %v", got, whole)
	}
	deep := strings.Repeat("[", 64) + strings.Repeat("1,", 500_000) + "1" + strings.Repeat("]", 64)
	if got, whole := layoutJSON([]byte(deep), 100_000); len(got) > 100_000 || whole {
		t.Errorf("a deep file gives %d bytes, whole %v", len(got), whole)
	}
}

func FuzzLayoutJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\\"}],"c":{}}`, `[[],[[]],"\"",true]`, `"é"`, ` 1 `, "[\"\\u00e9\",\n2]"} {
		f.Add(seed, 20)
	}
	f.Fuzz(func(t *testing.T, src string, most int) {
		if !json.Valid([]byte(src)) || !utf8.ValidString(src) {
			t.Skip()
		}
		var want bytes.Buffer
		if err := json.Indent(&want, bytes.TrimSpace([]byte(src)), "", "  "); err != nil {
			t.Skip()
		}
		if got, whole := layoutJSON([]byte(src), want.Len()); got != want.String() || !whole {
			t.Errorf("%q is laid out as %q, want %q", src, got, want.String())
		}
		most = 1 + (most & 0xff)
		got, whole := layoutJSON([]byte(src), most)
		if len(got) > most || !utf8.ValidString(got) || !strings.HasPrefix(want.String(), got) || whole != (want.Len() <= most) {
			t.Errorf("%q cut at %d is %q, whole %v", src, most, got, whole)
		}
	})
}
