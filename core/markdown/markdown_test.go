package markdown

import (
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestRender(t *testing.T) {
	t.Parallel()
	const rel = ` rel="nofollow ugc noopener noreferrer"`
	cases := []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"paragraphs", "One\ntwo\n\nthree", "<p>One\ntwo</p>\n<p>three</p>"},
		{"hard break", "One  \ntwo", "<p>One<br>\ntwo</p>"},
		{"emphasis", "*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>"},
		{"headings move down", "# a\n## b\n### c\n#### d\n##### e\n###### f",
			"<h3>a</h3>\n<h4>b</h4>\n<h5>c</h5>\n<h6>d</h6>\n<h6>e</h6>\n<h6>f</h6>"},
		{"underlined headings", "a\n===\n\nb\n---", "<h3>a</h3>\n<h4>b</h4>"},
		{"list", "- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"numbered list", "7. a\n8. b", "<ol start=\"7\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"quote", "> a", "<blockquote>\n<p>a</p>\n</blockquote>"},
		{"code without its class", "```go\nx < 1\n```", "<pre><code>x &lt; 1\n</code></pre>"},
		{"table", "| a | b |\n|---|--:|\n| 1 | 2 |",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>"},
		{"link", "[a](https://example.org/x?y=1&z=2 \"t\")",
			`<p><a href="https://example.org/x?y=1&amp;z=2" title="t"` + rel + `>a</a></p>`},
		{"link by reference", "[a]\n\n[a]: http://example.org", `<p><a href="http://example.org"` + rel + `>a</a></p>`},
		{"bare link", "see https://example.org/a.", `<p>see <a href="https://example.org/a"` + rel + `>https://example.org/a</a>.</p>`},
		{"mail", "<a@example.org>", `<p><a href="mailto:a@example.org"` + rel + `>a@example.org</a></p>`},
		{"no other scheme", "[a](ftp://example.org) [b](tel:1) [c](/here) [d](#part) [e](//example.org)", "<p>a b c d e</p>"},
		{"no other scheme without brackets", "<tel:1> <javascript:x&amp;y> ftp://example.org", "<p>tel:1 javascript:x&amp;amp;y ftp://example.org</p>"},
		{"image", "![a cat](https://example.org/c.png \"t\")",
			`<p><img src="https://example.org/c.png" alt="a cat" title="t" loading="lazy" referrerpolicy="no-referrer"></p>`},
		{"image without https is its text", "![a *cat*](http://example.org/c.png)", "<p>a <em>cat</em></p>"},
		{"image from here is its text", "![a cat](/c.png)", "<p>a cat</p>"},
		{"HTML is text", "<b>x</b>\n\n<div>y</div>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n<p>&lt;div&gt;y&lt;/div&gt;</p>"},
		{"HTML comment is text", "<!-- a -->", "<p>&lt;!-- a --&gt;</p>"},
		{"entities", "&copy; &lt;b&gt; &amp; &#65;", "<p>© &lt;b&gt; &amp; A</p>"},
		{"no ids", "# Part {#one}", "<h3>Part {#one}</h3>"},
		{"NUL and broken UTF-8", "a\x00b\xffc", "<p>a\uFFFDb\uFFFDc</p>"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Render(c.src)
			inspect(t, c.src, got)
			if string(got) != c.want {
				t.Errorf("Render(%q)\n got %s\nwant %s", c.src, got, c.want)
			}
		})
	}
}

func TestRenderCutsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	exact := strings.Repeat("é", MaxSource)
	if got, want := string(Render(exact)), "<p>"+exact+"</p>"; got != want {
		t.Errorf("a text of MaxSource characters changed: %d bytes, want %d", len(got), len(want))
	}
	if got, want := string(Render(exact+"x")), "<p>"+exact+"</p>"; got != want {
		t.Errorf("a text over MaxSource gives %d bytes, want %d", len(got), len(want))
	}
}

func TestRenderBoundsNesting(t *testing.T) {
	t.Parallel()
	var lists strings.Builder
	for i := range 120 {
		lists.WriteString(strings.Repeat(" ", 2*i) + "- item\n")
	}
	sources := map[string]string{
		"quotes":   strings.Repeat(">", 5000) + " end",
		"lists":    lists.String() + "\nend",
		"list row": strings.Repeat("- ", 5000) + "end",
		"emphasis": strings.Repeat("*a ", 3000) + "end" + strings.Repeat(" a*", 3000),
		"strong":   strings.Repeat("**a _b ", 1000) + "end" + strings.Repeat(" b_ a**", 1000),
		"mixed":    strings.Repeat("> - ", 2000) + "end",
		"images":   strings.Repeat("![", 3000) + "end" + strings.Repeat("](https://example.org/)", 300),
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := Render(src)
			inspect(t, src, out)
			if !strings.Contains(string(out), "end") {
				t.Error("the innermost text is lost")
			}
			nodes, err := html.ParseFragment(strings.NewReader(string(out)), nil)
			if err != nil {
				t.Fatal(err)
			}
			// A list takes two levels; html, body, paragraph and text stand around.
			if got, most := depth(nodes[0]), 2*maxBlocks+maxInlines+4; got > most {
				t.Errorf("nested %d deep, want at most %d", got, most)
			}
		})
	}
}

func TestRenderKeepsUsualNesting(t *testing.T) {
	t.Parallel()
	got := string(Render("> - 1. > **a *b ~~c [d](https://example.org)~~***"))
	for _, tag := range []string{"<blockquote>", "<ul>", "<ol>", "<strong>", "<em>", "<del>", "<a "} {
		if !strings.Contains(got, tag) {
			t.Errorf("%s is lost: %s", tag, got)
		}
	}
	if quotes := string(Render(strings.Repeat("> ", maxBlocks+1) + "a")); strings.Count(quotes, "<blockquote>") != maxBlocks || !strings.Contains(quotes, "&gt; a") {
		t.Errorf("%d quotes in each other: %s", maxBlocks+1, quotes)
	}
}

func depth(n *html.Node) int {
	deepest := 0
	for child := range n.ChildNodes() {
		deepest = max(deepest, depth(child))
	}
	return deepest + 1
}

// The worst that is known for Markdown parsers, a megabyte of each.
func TestRenderIsFast(t *testing.T) {
	for _, piece := range []string{
		"[", "]", "(", "![", "[a](", "[a](b", "[]", "> ", ">", "- ", "* ", "*", "**", "_", "*a ", "a_", "~~", "~", "`", "` ``", "`` ` ", "#", "# ",
		"|", "|-", "a|b\n", "|a\n|-\n", "1. ", "<", "<a ", "<!--", "&", "&#", "\\", "\n", "> \n", "- \n\n", "  ", "\t", "http://", "www.a.", "a@b.c ", "@", "a.",
		"[a]: b\n", "[a]:", "[a][b]", "![a](https://a)", "[[a](", "<http://a>", "**a _b ", "$", "\u0000", "\xff", "é", "```\n", "~~~\n", "===\n", "a\n===\n",
	} {
		src := strings.Repeat(piece, 1<<20/len(piece))
		if took := fastest(func() { Render(src) }); took > slowdown*time.Second {
			t.Errorf("a megabyte of %q takes %v", piece, took)
		}
		inspect(t, src, Render(src))
	}
}

// fastest of three runs: a busy machine is not the renderer's fault.
func fastest(run func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
		if best < 200*time.Millisecond {
			break
		}
	}
	return best
}

func BenchmarkRender(b *testing.B) {
	src := strings.Repeat("## A heading\n\nSome *words* with a [link](https://example.org/a), and\n\n- a list\n- of **two**\n\n", 40)
	for b.Loop() {
		Render(src)
	}
}
