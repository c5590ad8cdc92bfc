package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const ellipsis = "…"

// Plain is an excerpt of the text without its Markdown: one line of at most
// max characters, cut between words, with an ellipsis where it was cut.
func Plain(src string, max int) string {
	source := []byte(cut(src, MaxSource))
	var b strings.Builder
	gather(&b, engine.Parser().Parse(text.NewReader(source)), source)
	return excerpt(strings.Join(strings.Fields(b.String()), " "), max)
}

// gather writes the words below n; blocks and lines end with a blank.
func gather(b *strings.Builder, n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.Text:
		value := n.Segment.Value(source)
		if n.IsRaw() {
			b.Write(value)
		} else {
			b.Write(unescape(value))
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.AutoLink:
		b.Write(n.Label(source))
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		lines := n.Lines()
		for i := range lines.Len() {
			line := lines.At(i)
			b.Write(line.Value(source))
		}
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		gather(b, child, source)
	}
	if n.Type() != ast.TypeInline {
		b.WriteByte(' ')
	}
}

func unescape(value []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

func excerpt(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	if max < 1 {
		return ""
	}
	head := []rune(s)[:max]
	end := max - 1 // room for the ellipsis
	for end > 0 && !unicode.IsSpace(head[end]) {
		end--
	}
	if end < max/2 { // one long word: cut within it
		end = max - 1
	}
	return strings.TrimRightFunc(string(head[:end]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:-–—", r)
	}) + ellipsis
}
