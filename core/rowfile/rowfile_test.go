package rowfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// outcome is one step of reading, as a line of text.
func outcome(row Row, err error) string {
	if err != nil {
		return err.Error()
	}
	fields := []string{fmt.Sprint(row.Line)}
	for _, name := range slices.Sorted(maps.Keys(row.Fields)) {
		fields = append(fields, name+"="+string(row.Fields[name]))
	}
	return strings.Join(fields, " ")
}

// steps reads to the end of the file, past bad lines.
func steps(r *Reader) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for {
			row, err := r.Next()
			var bad *LineError
			if err == io.EOF || !yield(row, err) || err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}
}

func readAll(t *testing.T, text string, format Format) []string {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), format)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for row, err := range steps(r) {
		got = append(got, outcome(row, err))
	}
	return got
}

func TestReader(t *testing.T) {
	t.Parallel()
	const bom = "\ufeff"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty file", "", nil},
		{"white space alone", " \n\t\r\n\n", nil},
		{"byte order mark alone", bom, nil},
		{"lines", `{"a":1}` + "\n" + `{"a":"x","b":null}` + "\n", []string{"1 a=1", `2 a="x" b=null`}},
		{"no line break at the end", `{"a":1}`, []string{"1 a=1"}},
		{"CRLF, blank lines and a mark", bom + "{\"a\":1}\r\n\r\n{\"a\":2}\r\n", []string{"1 a=1", "3 a=2"}},
		{"bad lines keep their numbers", "{\"a\":1}\n{\"a\":\n[1]\nnull\n{} {}\n{\"a\":2}", []string{
			"1 a=1", "line 2: is not a JSON object", "line 3: is not a JSON object", "line 4: is not a JSON object",
			"line 5: is not a JSON object", "6 a=2"}},
		{"invalid UTF-8", "{\"a\":\"\xff\"}\n{\"a\":2}", []string{"line 1: is not valid UTF-8", "2 a=2"}},

		{"CSV", "a,b\n1,x\n,\n", []string{`2 a="1" b="x"`, "3"}},
		{"CSV header alone", "a,b\n", nil},
		{"CSV with mark and CRLF", bom + "a,b\r\n1,\"x,y\"\r\n", []string{`2 a="1" b="x,y"`}},
		{"CSV with line breaks in quotes", "a,b\n\"1\n2\",x\n3,y\n", []string{`2 a="1\n2" b="x"`, `4 a="3" b="y"`}},
		{"CSV with quoted quotes", "a\n\"say \"\"hey\"\"\"\n", []string{`2 a="say \"hey\""`}},
		{"CSV with too few and too many fields", "a,b\n1\n1,2,3\n4,5\n", []string{
			"line 2: has 1 fields, the header names 2", "line 3: has 3 fields, the header names 2", `4 a="4" b="5"`}},
		{"CSV with a stray quote", "a,b\nx\"y,1\n2,3\n", []string{`line 2: bare " in non-quoted-field`, `3 a="2" b="3"`}},
		{"CSV with invalid UTF-8", "a,b\n1,\xff\n2,3\n", []string{`line 2: column "b" is not valid UTF-8`, `3 a="2" b="3"`}},
		{"CSV with a quote that never ends", "a,b\n1,2\n\"3,4\n5,6\n", []string{`2 a="1" b="2"`, `line 3: extraneous or missing " in quoted-field`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := readAll(t, tt.text, ""); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestReader_longLines(t *testing.T) {
	t.Parallel()
	line := func(length int) string { return `{"a":"` + strings.Repeat("x", length-8) + `"}` }
	for _, tt := range []struct {
		name, text string
		want       []int // length of field a with its quotes; 0 = refused
	}{
		{"at the limit", "{\"a\":1}\n" + line(MaxLine-1) + "\n{\"a\":2}\n", []int{1, MaxLine - 7, 1}},
		{"over the limit", "{\"a\":1}\n" + line(MaxLine+1) + "\n{\"a\":2}\n", []int{1, 0, 1}},
		{"9 MB at the end", "{\"a\":1}\n" + line(9<<20), []int{1, 0}},
		{"two in a row", line(9<<20) + "\n" + line(17<<20) + "\n{\"a\":2}", []int{0, 0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := NewReader(strings.NewReader(tt.text), "")
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for row, err := range steps(r) {
				if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("line %d: is longer than 8 MB", len(got)+1)) {
					t.Error(err)
				}
				got = append(got, len(row.Fields["a"]))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("lengths %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNewReader_formats(t *testing.T) {
	t.Parallel()
	if _, err := NewReader(strings.NewReader("a"), "xml"); err == nil || !strings.Contains(err.Error(), "jsonl or csv") {
		t.Errorf("format xml gives %v", err)
	}
	if got := readAll(t, "a\n{\"b\":1}\n", JSONLines); !slices.Equal(got, []string{"line 1: is not a JSON object", "2 b=1"}) {
		t.Errorf("read as JSON Lines: %q", got)
	}
	if got := readAll(t, "{a}\n1\n", CSV); !slices.Equal(got, []string{`2 {a}="1"`}) {
		t.Errorf("read as CSV: %q", got)
	}
	broken := errors.New("the disk is gone")
	if _, err := NewReader(iotest.ErrReader(broken), ""); !errors.Is(err, broken) {
		t.Errorf("a source that fails at once gives %v", err)
	}
	for _, start := range []string{"{\"a\":1}\n", "a\n1\n"} {
		r, err := NewReader(io.MultiReader(strings.NewReader(start+strings.Repeat(" ", 1024)), iotest.ErrReader(broken)), "")
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, broken) {
			t.Errorf("a source that fails after %q gives %v", start, err)
		}
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		names map[string]string
		want  string
	}{
		{nil, "7 a=1 b=2"},
		{map[string]string{"a": "name"}, "7 b=2 name=1"},
		{map[string]string{"missing": "name"}, "7 a=1 b=2"},
		{map[string]string{"a": "b"}, "7 b=1"},
		{map[string]string{"a": "b", "b": "a"}, "7 a=2 b=1"},
	} {
		row := Row{Line: 7, Fields: map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("2")}}
		row.Rename(tt.names)
		if got := outcome(row, nil); got != tt.want {
			t.Errorf("Rename(%v) gives %q, want %q", tt.names, got, tt.want)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", "{\"a\":1}\n{", "a,b\n1,2\n\"", "\ufeff{}", "\n\n\r\n[", "a\n\xff\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := NewReader(strings.NewReader(text), "")
		if err != nil {
			return
		}
		last, rows := 0, 0
		for row, err := range steps(r) {
			var bad *LineError
			line := row.Line
			if errors.As(err, &bad) {
				line = bad.Line
			}
			if line <= last {
				t.Fatalf("line %d follows line %d", line, last)
			}
			last = line
			if rows++; rows > strings.Count(text, "\n")+1 {
				t.Fatalf("%d rows in %q", rows, text)
			}
		}
	})
}
