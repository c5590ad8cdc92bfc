package text

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                 "",
		"Plain WORDS, 12.": "plain words, 12.",
		"Café Ñandú":       "cafe nandu",
		"ｆｕｌｌ ｗｉｄｔｈ":       "full width",
		"𝐛𝐨𝐥𝐝 𝓼𝓬𝓻𝓲𝓹𝓽 𝔣𝔯𝔞𝔨𝔱 𝟙𝟚": "bold script frakt 12",
		"ⓒⓘⓡⓒⓛⓔⓓ 🅑🅛🅐🅒🅚 🆂🆀":     "circled black sq",
		"zero\u200bwidth\ufeff":    "zerowidth",
		"a\u202eb\u2066c\u2069":    "abc",
		"ѕсаm раураl":              "scam paypal", // Cyrillic letters among Latin ones
		"νιρ":                      "vip",         // Greek
		"z̷a̸l̶g̴o̵":               "zalgo",
		"“quoted” – ‘so’":          `"quoted" - 'so'`,
		"tab\there\r\nline":        "tab here\n\nline",
		"blank\u00a0and\u3000wide": "blank and wide",
		"bad \xff byte":            "bad \ufffd byte",
		"日本":                       "日本",
	} {
		if got := Normalize(in).Plain; got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSpan_leadsBackToTheOriginal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"so scam here":                   "scam",
		"so ѕсаm here":                   "ѕсаm",
		"so s\u200bc\u200ba\u200bm here": "s\u200bc\u200ba\u200bm",
		"ça va ｓｃａｍ ja":                  "ｓｃａｍ",
		"ﬁne S\u0301cam":                 "S\u0301cam",
	} {
		text := Normalize(in)
		at := strings.Index(text.Plain, "scam")
		span := text.Span(at, at+4)
		if got := in[span.Start:span.End]; got != want {
			t.Errorf("in %q the word comes from %q, want %q", in, got, want)
		}
	}
}

// hostile are texts that have broken other readers of text.
var hostile = []string{
	strings.Repeat("\u0301", 1<<15), strings.Repeat("a\u200b", 1<<14), strings.Repeat("f*", 1<<15), strings.Repeat("a.", 1<<15),
	strings.Repeat("\"", 1<<16), strings.Repeat("@", 1<<16), strings.Repeat("1", 1<<16), strings.Repeat("x", 1<<16),
	strings.Repeat("ﷺ", 1<<14), strings.Repeat("\xff\xf0", 1<<15), strings.Repeat("i h a t e ", 6500), strings.Repeat("a-", 1<<15) + "$",
	strings.Repeat("http://", 9000), strings.Repeat("가\u11a8", 9000), strings.Repeat("(((", 1<<14),
}

// TestTokens_boundedTime allows far more than is needed, a tenth of a second,
// for slow machines and the race detector.
func TestTokens_boundedTime(t *testing.T) {
	t.Parallel()
	for _, s := range hostile {
		start := time.Now()
		Normalize(s).Tokens()
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%.20q… of %d bytes took %v", s, len(s), took)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"", "Hello w0rld", "f.a.k.e w*rd @somebody www.example.org", "ѕсаm\u200b \"q\" don't", "\xff\u0301İ", "ϴ ᾳ ﬀ Ǆ ㍿"} {
		f.Add(seed)
	}
	for _, s := range hostile {
		f.Add(s[:200])
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := Normalize(s)
		if again := Normalize(text.Plain).Plain; again != text.Plain {
			t.Fatalf("%q becomes %q, and that %q", s, text.Plain, again)
		}
		if !utf8.ValidString(text.Plain) || len(text.spans) != len(text.Plain) {
			t.Fatalf("%q becomes %q with %d spans", s, text.Plain, len(text.spans))
		}
		last := Span{}
		for _, span := range text.spans {
			if span.Start < last.Start || span.End > len(s) || span.Start >= span.End {
				t.Fatalf("the spans of %q are not in order: %v after %v", s, span, last)
			}
			last = span
		}
		for _, token := range text.Tokens() {
			if token.Span.Start >= token.Span.End || token.Span.End > len(s) || len(token.Word) > maxWord && token.Kind == Word {
				t.Fatalf("%q has the token %+v", s, token)
			}
		}
	})
}
