package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, src string
		max       int
		want      string
	}{
		{"nothing", "", 10, ""},
		{"markup goes", "# Title\n\nSome *words*, a [link](https://example.org) and `code`.", 100, "Title Some words, a link and code."},
		{"lines join", "one\ntwo  \nthree\n\n- four\n- five", 100, "one two three four five"},
		{"cells are apart", "|a|b|\n|-|-|\n|c|d|", 100, "a b c d"},
		{"code stays", "```\nx = 1\ny = 2\n```", 100, "x = 1 y = 2"},
		{"an image is its text", "![a cat](https://example.org/c.png) and ![a dog](/d.png)", 100, "a cat and a dog"},
		{"addresses stay", "see https://example.org or <a@example.org>", 100, "see https://example.org or a@example.org"},
		{"HTML is text", "<b>x</b> &amp; &copy; \\*", 100, "<b>x</b> & © *"},
		{"code is not unescaped", "`&amp; \\*`", 100, "&amp; \\*"},
		{"exactly max", "one two", 7, "one two"},
		{"cut between words", "one two three", 10, "one two…"},
		{"cut at the word's end", "one two three", 8, "one two…"},
		{"no comma before the ellipsis", "one two, three", 10, "one two…"},
		{"one long word", "abcdefghij", 5, "abcd…"},
		{"characters, not bytes", "éé éé éé", 6, "éé éé…"},
		{"one", "abc", 1, "…"},
		{"none", "abc", 0, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Plain(c.src, c.max); got != c.want {
				t.Errorf("Plain(%q, %d) = %q, want %q", c.src, c.max, got, c.want)
			}
		})
	}
}

func TestPlainHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.String(), rapid.StringMatching("[a-z *_>#\\[\\]()`|\\-\\n]*")).Draw(t, "src")
		max := rapid.IntRange(0, 50).Draw(t, "max")
		got := Plain(src, max)
		if n := utf8.RuneCountInString(got); n > max {
			t.Fatalf("Plain(%q, %d) has %d characters: %q", src, max, n, got)
		}
		if !utf8.ValidString(got) || strings.Contains(got, "\n") || strings.TrimSpace(got) != got {
			t.Fatalf("Plain(%q, %d) is not one trimmed line: %q", src, max, got)
		}
	})
}
