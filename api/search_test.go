package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// quarter has one entry of each kind that the word "river" finds, and street.
func quarter() []string {
	return append(slices.Clone(street),
		`{"kind":"business","slug":"river-cafe","name":"River Cafe","city":"Atlanta","region":"GA"}`,
		`{"kind":"landmark","slug":"river-bridge","name":"River Bridge","city":"Atlanta","region":"GA"}`,
		`{"kind":"service","slug":"river-clinic","name":"River Clinic","city":"Atlanta","region":"GA"}`,
		`{"kind":"event","slug":"river-fair","name":"River Fair","city":"Chicago","region":"IL"}`,
		`{"kind":"person","slug":"river-jones","name":"River Jones","city":"Chicago","region":"IL"}`)
}

func TestSearchKinds(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, quarter()...)
	for query, want := range map[string]string{
		"":                           "river-bridge river-cafe river-clinic river-fair",
		"&kinds=":                    "river-bridge river-cafe river-clinic river-fair",
		"&kinds=person":              "river-jones",
		"&kinds=business":            "river-cafe",
		"&kinds=place":               "river-bridge river-cafe",
		"&kinds=place,business":      "river-bridge river-cafe",
		"&kinds=event,person":        "river-fair river-jones",
		"&kinds=event&kinds=service": "river-clinic river-fair",
		"&kinds=business,landmark,service,event,person": "river-bridge river-cafe river-clinic river-fair river-jones",
	} {
		p := read[page](t, w.get(t, "/api/directory/search?q=river"+query), http.StatusOK)
		found := strings.Fields(p.slugs())
		slices.Sort(found)
		if got := strings.Join(found, " "); got != want || p.Total != len(found) || p.Limit != 20 {
			t.Errorf("%q finds %q (%d in all, limit %d), want %q", query, got, p.Total, p.Limit, want)
		}
	}
	for _, e := range read[page](t, w.get(t, "/api/directory/search?q=river+jones&kinds=person"), http.StatusOK).Results {
		if e.Kind != "person" || e.KindSlug != "people" {
			t.Errorf("a person has kind %q and kind_slug %q", e.Kind, e.KindSlug)
		}
	}
	for _, kinds := range []string{"planet", "businesses", "place,planet", "Business", "business,,planet"} {
		f := refused(t, w.get(t, "/api/directory/search?kinds="+kinds), http.StatusBadRequest, "validation_failed", "kinds")
		for _, allowed := range []string{"business", "landmark", "service", "event", "person", "place"} {
			if !strings.Contains(f.Fields["kinds"], allowed) {
				t.Errorf("%q is refused without naming %s: %s", kinds, allowed, f.Fields["kinds"])
			}
		}
	}
}

func TestSearchUnderstands(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, quarter()...)
	for query, c := range map[string]struct{ first, match string }{
		"blue heron bakery": {"blue-heron", "exact"},
		"BLUE   heron":      {"blue-heron", "exact"},
		"alamo books":       {"alamo-books", "exact"},
		"zoras den":         {"zoras-den", "exact"},
		"eastsi":            {"eastside-pie", "prefix"},
		"blu herron bakry":  {"blue-heron", "spelling"},
	} {
		p := read[page](t, w.get(t, "/api/directory/search?q="+url.QueryEscape(query)), http.StatusOK)
		if len(p.Results) == 0 || p.Results[0].Slug != c.first || p.Interpretation.Match == nil || *p.Interpretation.Match != c.match {
			t.Errorf("%q finds %q by %v, want %s first by %s", query, p.slugs(), p.Interpretation.Match, c.first, c.match)
		}
	}
	p := read[page](t, w.get(t, "/api/directory/search?q=bakery+in+chicago"), http.StatusOK)
	in := p.Interpretation
	if p.Results[0].Slug != "eastside-pie" || in.Place == nil || *in.Place.City != "Chicago" || in.Place.Region != "IL" || !slices.Contains(in.Categories, "bakery") {
		t.Errorf("a bakery in Chicago is read as %+v and finds %q", in, p.slugs())
	}
	p = read[page](t, w.get(t, "/api/directory/search?q=xylophonist"), http.StatusOK)
	if p.Total != 0 || p.Interpretation.Match != nil || p.Next != nil {
		t.Errorf("what nobody has is found: %+v", p)
	}
	p = read[page](t, w.get(t, "/api/directory/search?q=river&zip=60601"), http.StatusOK)
	if p.slugs() != "river-fair" || p.ZIP == nil || *p.ZIP.MetroCity != "Chicago" {
		t.Errorf("around 60601 the river finds %q, %+v", p.slugs(), p.ZIP)
	}
}

func TestSearchWithoutWordsListsByName(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, quarter()...)
	p := read[page](t, w.get(t, "/api/directory/search"), http.StatusOK)
	want := "juice-bar alamo-books blue-heron crown-comb eastside-pie river-bridge river-cafe river-clinic river-fair zoras-den"
	if p.slugs() != want || p.Total != 10 {
		t.Errorf("lists %q (%d in all), want %q", p.slugs(), p.Total, want)
	}
	past := read[page](t, w.get(t, "/api/directory/search?offset=50"), http.StatusOK)
	if past.Total != 10 || len(past.Results) != 0 || past.Next != nil {
		t.Errorf("past the end: %d in all, %d rows", past.Total, len(past.Results))
	}
}

func TestSearchPaging(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var lines []string
	for i := range 43 {
		lines = append(lines, fmt.Sprintf(`{"kind":"business","slug":"lantern-%02d","name":"Lantern House","city":"Macon","region":"GA"}`, i))
	}
	w.load(t, lines...)
	for _, query := range []string{"?q=lantern&limit=5", "?limit=5", "?q=lantern+macon&limit=9&kinds=business,event"} {
		seen := map[string]int{}
		for _, p := range follow(t, w.instance, "/api/directory/search"+query) {
			if p.Total != 43 {
				t.Errorf("%s: a page says %d in all", query, p.Total)
			}
			for _, e := range p.Results {
				seen[e.Slug]++
			}
		}
		if len(seen) != 43 {
			t.Errorf("%s shows %d of 43", query, len(seen))
		}
		for slug, n := range seen {
			if n != 1 {
				t.Errorf("%s shows %s %d times", query, slug, n)
			}
		}
	}
	for query, limit := range map[string]int{"": 20, "&limit=100": 43, "&limit=1000": 43} {
		p := read[page](t, w.get(t, "/api/directory/search?q=lantern"+query), http.StatusOK)
		if len(p.Results) != limit || p.Limit != min(100, max(20, p.Limit)) {
			t.Errorf("%q gives %d rows at limit %d", query, len(p.Results), p.Limit)
		}
	}
	for query, field := range map[string]string{"limit=0": "limit", "limit=-1": "limit", "limit=many": "limit", "offset=-1": "offset", "offset=1.5": "offset"} {
		refused(t, w.get(t, "/api/directory/search?"+query), http.StatusBadRequest, "validation_failed", field)
	}
}

// oddTexts are what fuzzers, pasted texts and attackers send.
var oddTexts = []string{
	"'", "''", `"`, `""`, `\`, `\\`, `\'`, "%", "%%", "_", "__", "*", ":*", "a:*", "a:*b", "&", "|", "!", "!a", "a & b", "a | b", "a & ! b", "a <-> b",
	"<->", "(", ")", "()", "(a", "a)", ":", "::", ":A", "a:b:c", "'a':*", "'a' & 'b'", "<", ">", "<script>alert(1)</script>", "; drop table accounts; --",
	"' or '1'='1", "$1", "@kinds", "@q::tsquery", "{}", "[]", "null", "true", "-1", "0", "1e309", "NaN", "../../etc/passwd", "%s%d%n", "${x}", "#", "/", "//", "?",
	"\t", "\n", "a\nb", "\u0000", "a\u0000b", "\u0007", "\u200b", "\u200bword", "\ufeff", "\u202eabc", "مخبز", "שלום", "面包店", "パン", "नमस्ते", "สวัสดี",
	"🥐", "👩🏾‍🍳", "a🥐b", "e\u0301", "\u0301", "Ǆ", "ß", "İstanbul", "ﬁsh", "１２３", "Ⅻ", "\xff", "a\xffb", "\xc3\x28", "\xed\xa0\x80", "i'm", "b.b.q.", "...", "a.b.c.d.e.f",
	"the", "the and of", "near me", "in", "in in in", "ga", "in ga", "30303", "30303 30303", "00000", "bakery 30303 in chicago il near me now", "co", "llc inc", "black owned",
	strings.Repeat("a", 500), strings.Repeat("é", 500), strings.Repeat("a ", 250), strings.Repeat("'", 500), strings.Repeat("(", 500),
	strings.Repeat("abcdefghi ", 50), strings.Repeat("9", 500), strings.Repeat("🥐", 500), strings.Repeat("a", 501), strings.Repeat("\u0301", 500),
}

func TestOddTextsAreAnsweredOrRefused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, quarter()...)
	if len(oddTexts) < 60 {
		t.Fatalf("only %d texts", len(oddTexts))
	}
	for _, text := range oddTexts {
		for _, target := range []string{"/api/directory/search?q=", "/api/directory/businesses?q=", "/api/directory/search?kinds=person&zip=30303&q=",
			"/api/directory/businesses?category=", "/api/directory/places?category=", "/api/directory/businesses?letter=", "/api/geocode/zip?zip="} {
			a := w.get(t, target+url.QueryEscape(text))
			if a.status != http.StatusOK && a.status != http.StatusBadRequest && a.status != http.StatusMovedPermanently && a.status != http.StatusNotFound {
				t.Errorf("%s%.40q gives %d: %.200s", target, text, a.status, a.body)
			}
		}
	}
	for _, text := range []string{strings.Repeat("a", 501), strings.Repeat("é", 501), "\u0000", "\xff", "a\u0007"} {
		refused(t, w.get(t, "/api/directory/search?q="+url.QueryEscape(text)), http.StatusBadRequest, "validation_failed", "q")
	}
	if a := w.get(t, "/api/directory/search?q=%zz"); a.status != http.StatusBadRequest {
		t.Errorf("a broken escape gives %d", a.status)
	}
}

// FuzzSearchText holds for every text: it is answered or refused, as the
// contract says, and never an error of ours.
func FuzzSearchText(f *testing.F) {
	for _, text := range oddTexts {
		f.Add(text)
	}
	w := setup(f)
	w.load(f, quarter()...)
	f.Fuzz(func(t *testing.T, text string) {
		for _, target := range []string{"/api/directory/search?q=", "/api/directory/businesses?q="} {
			if a := w.get(t, target+url.QueryEscape(text)); a.status != http.StatusOK && a.status != http.StatusBadRequest {
				t.Errorf("%q gives %d: %s", text, a.status, a.body)
			}
		}
	})
}
