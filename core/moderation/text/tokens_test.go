package text

import (
	"slices"
	"strings"
	"testing"
)

func words(s string) string {
	var list []string
	for _, token := range Normalize(s).Tokens() {
		list = append(list, token.Word)
	}
	return strings.Join(list, " ")
}

func TestTokens_words(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                              "",
		"?! ... --":                     "",
		"Hello, world!":                 "hello world",
		"one,two;three":                 "one two three",
		"#NoSpamHere ok":                "nospamhere ok",
		"I'm sure they're not, don't":   "i am sure they are not do not",
		"im sure y'all wont":            "i am sure you all will not",
		"Joe's and the Joneses'":        "joe and the joneses",
		"*emphasis* and **more**":       "emphasis and more",
		"w e l c o m e home":            "welcome home",
		"a b only":                      "a b only",
		"s.p.a.m s_p_a_m s-p-a-m s p a": "spam spam spam spa",
		"see www.example.org/a?b=c now": "see www.example.org/a?b=c now",
		"example.com and node.js":       "example.com and node js",
		"50% of 3.5 km":                 "50 of 3 5 km",
	} {
		if got := words(in); got != want {
			t.Errorf("the words of %q are %q, want %q", in, got, want)
		}
	}
}

func TestTokens_readings(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"sp4m":   "spam",
		"$p@m":   "spam",
		"sp1ll":  "spill",
		"c1ick":  "click",
		"w*rd":   "w*rd",
		"sh**":   "sh**",
		"trvck":  "truck",
		"sp.am":  "spam",
		"5c4m3r": "scamer",
		"h0t$":   "hots",
		"@ss":    "ass",
	} {
		tokens := Normalize(in).Tokens()
		if len(tokens) == 0 || !slices.Contains(tokens[0].Readings, want) {
			t.Errorf("%q is read as %+v, want %q among the readings", in, tokens, want)
		}
	}
	for _, plain := range []string{"word", "2024", "don't", "e-mail"} {
		for _, token := range Normalize(plain).Tokens() {
			if slices.ContainsFunc(token.Readings, func(r string) bool { return strings.Contains(r, "*") }) {
				t.Errorf("%q is taken for masked: %+v", plain, token)
			}
		}
	}
}

func TestTokens_sentencesAndQuotes(t *testing.T) {
	t.Parallel()
	tokens := Normalize("He said “never again”. Did 'she mean it'? It's fine").Tokens()
	var quoted []string
	sentences := make(map[string]int)
	for _, token := range tokens {
		if token.Quoted {
			quoted = append(quoted, token.Word)
		}
		sentences[token.Word] = token.Sentence
	}
	if got := strings.Join(quoted, " "); got != "never again she mean it" {
		t.Errorf("quoted is %q", got)
	}
	if sentences["again"] != 0 || sentences["mean"] != 1 || sentences["fine"] != 2 {
		t.Errorf("sentences are %v", sentences)
	}
}

func TestTokens_kinds(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Kind{
		"@somebody": Mention, "https://example.org/x": Link, "www.example.org": Link, "example.xyz": Link, "bit.ly/abc": Link,
		"word": Word, "end.Next": Word, "J.R.": Word, "#tag": Word,
	} {
		if got := Normalize(in).Tokens()[0].Kind; got != want {
			t.Errorf("%q is of kind %d, want %d", in, got, want)
		}
	}
}
