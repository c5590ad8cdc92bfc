package searchtext_test

import (
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/searchtext"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestVector(t *testing.T) {
	t.Parallel()
	var v searchtext.Vector
	v.Add("Joe's Barbers", searchtext.InName)
	v.Add("", searchtext.InCategory)
	v.Add("Detroit", searchtext.InPlace)
	if got, want := v.String(), "'joes':1A 'joe':1A 'barbers':2A 'barber':2A 'detroit':7C"; got != want {
		t.Errorf("the vector is %s, want %s", got, want)
	}
}

// literal is a vector of the text in every part.
func literal(text string) string {
	var v searchtext.Vector
	for _, w := range []searchtext.Weight{searchtext.InName, searchtext.InCategory, searchtext.InPlace, searchtext.InText} {
		v.Add(text, w)
	}
	return v.String()
}

// Whatever the text, PostgreSQL takes its vector, and finds each of its words.
func FuzzVector(f *testing.F) {
	d := pgtest.New(f)
	for _, seed := range []string{
		"", "'", "it's 'quoted'", `back\slash`, "\x00nul", "\xff", "a:1A & b | !c <-> d", "日本 レストラン", "क्षि हिन्दी", "مرحبا", "ﷺ ㍿", "İ ẞ ŉ",
		"²³ ①", "B.B.Q. R&B", "\u0301\u0903 mark first", strings.Repeat("㍿", 600), strings.Repeat("word ", 5000), strings.Repeat("x", 10000),
		"emoji 🍕 👩‍👩‍👧", "a\nb\tc",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		vector := literal(text)
		var kept string
		if err := d.Public().QueryRow(t.Context(), `select $1::tsvector::text`, vector).Scan(&kept); err != nil {
			t.Fatalf("the vector of %q: %v", text, err)
		}
		for i, word := range searchtext.Words(text) {
			if i == 10 {
				break
			}
			found := pgtest.Value[bool](t, d, core.TheSystem(), `select $1::tsvector @@ $2::tsquery`, vector, "'"+word+"':A")
			if !found {
				t.Errorf("%q is not found in the vector of %q", word, text)
			}
		}
	})
}

func TestVector_ofLongTextsStaysInBounds(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	var v searchtext.Vector
	for range 20 {
		v.Add(strings.Repeat("alpha beta gamma ", 2000), searchtext.InText)
	}
	v.Add("omega", searchtext.InName)
	var last int
	err := d.Public().QueryRow(t.Context(), `select max(p) from unnest($1::tsvector) v, unnest(v.positions) p`, v.String()).Scan(&last)
	if err := pg.Err(err); err != nil || last >= 16383 {
		t.Errorf("the last position is %d, %v", last, err)
	}
}
