package markdown

import "testing"

func TestParagraphs(t *testing.T) {
	t.Parallel()
	const rel = ` rel="nofollow ugc noopener noreferrer"`
	for name, c := range map[string]struct{ src, want string }{
		"nothing":            {"", ""},
		"lines stay lines":   {"One\ntwo\n\nthree", "<p>One<br>\ntwo</p>\n<p>three</p>"},
		"emphasis":           {"*a* and **b**", "<p><em>a</em> and <strong>b</strong></p>"},
		"link":               {"[a](https://example.org)", `<p><a href="https://example.org"` + rel + `>a</a></p>`},
		"bare link":          {"see https://example.org.", `<p>see <a href="https://example.org"` + rel + `>https://example.org</a>.</p>`},
		"no other scheme":    {"[a](javascript:x) [b](/here) <tel:1>", "<p>a b tel:1</p>"},
		"a picture's words":  {"![a cat](https://example.org/c.png)", "<p>a cat</p>"},
		"HTML is text":       {"<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"},
		"no headings":        {"# a\n\nb\n===", "<p># a</p>\n<p>b<br>\n===</p>"},
		"no lists or quotes": {"- a\n\n> b\n\n1. c", "<p>- a</p>\n<p>&gt; b</p>\n<p>1. c</p>"},
		"no tables or code":  {"| a |\n|---|\n\n`c`\n\n    d", "<p>| a |<br>\n|---|</p>\n<p>`c`</p>\n<p>d</p>"},
	} {
		if got := string(Paragraphs(c.src)); got != c.want {
			t.Errorf("%s: Paragraphs(%q) = %s, want %s", name, c.src, got, c.want)
		}
	}
}

func TestParagraphs_tricks(t *testing.T) {
	t.Parallel()
	for _, src := range tricks {
		inspect(t, src, Paragraphs(src))
	}
}

func FuzzParagraphs(f *testing.F) {
	for _, trick := range tricks {
		f.Add(trick)
	}
	f.Add("a\n    b\n\n\tc\n \t[d](https://e)")
	f.Fuzz(func(t *testing.T, src string) { inspect(t, src, Paragraphs(src)) })
}
