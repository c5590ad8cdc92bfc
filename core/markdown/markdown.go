// Package markdown turns what people write into HTML that is safe to show on a
// page: GitHub's tables, strikethrough and bare links are understood, HTML in
// the text is shown as text, and a strict sanitiser stands behind the renderer.
package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// HTML is sanitised HTML, ready to stand inside an element of a page. Only
// Render makes it; a column that Render filled may be read into it.
type HTML string

// Version grows whenever Render gives other HTML for the same text, so that
// stored HTML can be told to be stale.
const Version = 1

// MaxSource is the longest text, in Unicode characters, that areas take and
// Render reads. What goes beyond is cut: the parser's time grows faster than
// the text.
const MaxSource = 20_000

var engine = goldmark.New(
	goldmark.WithParser(newParser()),
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough,
		extension.Linkify,
	),
)

// newParser is CommonMark without the two parsers of raw HTML.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(shaper{}, 1000)),
	)
}

// lineEngine knows paragraphs, links and emphasis, and keeps the ends of lines.
var lineEngine = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithASTTransformers(util.Prioritized(shaper{plain: true}, 1000)),
	)),
	goldmark.WithExtensions(extension.Linkify),
	goldmark.WithRendererOptions(html.WithHardWraps()),
)

// Paragraphs is Render for a few words about oneself: paragraphs with links and
// emphasis. Every other mark is shown as text, and of a picture its
// description.
func Paragraphs(src string) HTML {
	// To the parser an indented line is code, and where that is not known, lost.
	var b strings.Builder
	for line := range strings.Lines(src) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return render(lineEngine, b.String())
}

// Render turns Markdown into HTML. It never fails: what is not Markdown is
// text. Headings begin at h3, below those of the page.
func Render(src string) HTML {
	return render(engine, src)
}

func render(engine goldmark.Markdown, src string) HTML {
	src = cut(src, MaxSource)
	var out bytes.Buffer
	out.Grow(len(src) + len(src)/4)
	if err := engine.Convert([]byte(src), &out); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return HTML(strings.TrimSpace(string(policy.SanitizeBytes(out.Bytes()))))
}

// cut keeps the first max characters of s, as valid UTF-8 without NUL.
func cut(s string, max int) string {
	count := 0
	for i := range s {
		if count == max {
			s = s[:i]
			break
		}
		count++
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
