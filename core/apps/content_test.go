package apps

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"homeplace/core"
)

func TestContentOf(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, tt := range []struct{ name, sent, want string }{
		{"an object as sent", `{ "b":1.0,"a" : 1e2, "a":2 }`, `{ "b":1.0,"a" : 1e2, "a":2 }`},
		{"an array", `[1,  2]`, `[1,  2]`},
		{"escapes stay", `{"n":"\u00e9\/\ud83d\ude00"}`, `{"n":"\u00e9\/\ud83d\ude00"}`},
		{"half a pair inside an object", `{"n":"\ud800"}`, `{"n":"\ud800"}`},
		{"a string's own text", `" {\"a\" :\n1.0}\t"`, " {\"a\" :\n1.0}\t"},
		{"escapes within a string", `"[\"\\u00e9\", \"\u00e9\"]"`, `["\u00e9", "é"]`},
		{"a pair in a string", `"[\"\ud83d\ude00\"]"`, `["😀"]`},
		{"64 levels", deep, deep},
		{"brackets in strings", `["[[[[{{{{\"[[["]`, `["[[[[{{{{\"[[["]`},
	} {
		got, err := contentOf(json.RawMessage(tt.sent))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestContentRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, sent, want string }{
		{"nothing", ``, "is required"},
		{"null", `null`, "is required"},
		{"a number", `7`, "line 1, column 1: must be a JSON object or array"},
		{"a string of a number", `"7"`, "must be a JSON object or array"},
		{"a string of a string", `"\"{}\""`, "must be a JSON object or array"},
		{"an empty string", `""`, "is empty"},
		{"blanks", `" \n "`, "is empty"},
		{"half a pair", `"[\"\ud800\"]"`, "surrogate"},
		{"a second half alone", `"[\"\ude00\"]"`, "surrogate"},
		{"half a pair at the end", `"[1]\ud800"`, "surrogate"},
		{"65 levels", strings.Repeat("[", 65) + strings.Repeat("]", 65), "line 1, column 65: is nested more than 64 levels deep"},
		{"far too deep", `"` + strings.Repeat("[", 100_000) + `"`, "column 65: is nested"},
		{"a comma too many", `"{\"a\": 1,\n \"b\": 2,\n}"`, "line 3, column 1: a name in double quotes should stand here"},
		{"no comma", `"[1\n2]"`, "line 2, column 1: a comma or ] is missing here"},
		{"no comma in an object", `"{\"ä\":1 \"b\":2}"`, "line 1, column 8: a comma or } is missing here"},
		{"no colon", `"{\"a\" 1}"`, "line 1, column 6: a colon is missing"},
		{"two documents", `"{}\n[]"`, "line 2, column 1: something follows after the end"},
		{"not closed", `"{\"a\": [1, 2}"`, "column 12: a comma or ] is missing"},
		{"ends early", `"{\"a\": [1, 2\n"`, "line 2, column 1: ends too early"},
		{"single quotes", `"{'a': 1}"`, "column 2: a name in double quotes"},
		{"a comment", `"[1] // one"`, "column 5: something follows"},
		{"NaN", `"[NaN]"`, "column 2: a value should stand here"},
		{"a number that is none", `"[01]"`, "column 3: a comma or ] is missing"},
		{"a bare word", `"[trie]"`, "column 4: only true, false and null"},
		{"a new line in a string", `"[\"a\nb\"]"`, "line 1, column 4: a control character must be escaped"},
		{"no such escape", `"[\"\\x\"]"`, "there is no such escape"},
		{"a byte order mark", `"\ufeff{}"`, "byte order mark"},
	} {
		_, err := contentOf(json.RawMessage(tt.sent))
		if e := core.AsError(err); err == nil || e.Kind != core.Invalid || !strings.Contains(e.Fields["content"], tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if msg := contentProblem([]byte("{\"a\":\n \"\xff\"}")); msg != "line 2, column 3: is not valid UTF-8 text" {
		t.Errorf("bytes that are no text: %s", msg)
	}
	full := "[" + strings.Repeat(" ", MaxFileBytes-2) + "]"
	if err := checkContent([]byte(full)); err != nil {
		t.Errorf("a file of 1 MB: %v", err)
	}
	wantError(t, "a byte more", checkContent([]byte(full+" ")), core.TooLarge, "too_large")
}

// Whatever is taken is JSON of the right kind, and is what was sent.
func FuzzContentOf(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `"[1]"`, `"\ud800"`, `[[[]]]`, `"{\"a\":\"\\ud83d\"}"`, `nul`, "\"\\ufeff[]\"", `"\\`, `"\u12`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		if !json.Valid(sent) { // a body is decoded before its content is looked at
			if msg := contentProblem(sent); msg == "" {
				t.Errorf("%q passes as a file", sent)
			}
			return
		}
		got, err := contentOf(sent)
		if err != nil {
			return
		}
		if !json.Valid(got) || !utf8.Valid(got) || len(got) > MaxFileBytes {
			t.Errorf("%q gives %q", sent, got)
		}
		if text := string(got); sent[len(sent)-1] == '"' {
			var decoded string
			if json.Unmarshal(sent, &decoded) != nil || decoded != text {
				t.Errorf("%q gives %q", sent, got)
			}
		}
	})
}
