package markdown

import (
	"net/url"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxBlocks and maxInlines are how deep quotes and lists, and emphasis and
	// links, may nest. Browsers cut off at 512 open elements; nobody means more
	// than a few.
	maxBlocks  = 20
	maxInlines = 20
	// headingShift puts a text's headings below the page's h1 and h2.
	headingShift    = 2
	smallestHeading = 6
)

// shaper fits a parsed text to the page: headings move down, links and images
// get their fixed attributes or, where the sanitiser would drop their address,
// become the text that they show, and emphasis that is nested too deep is
// flattened.
type shaper struct {
	plain bool // without pictures
}

// Transform implements parser.ASTTransformer.
func (s shaper) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	s.shape(doc, r.Source(), 0)
}

func (s shaper) shape(parent ast.Node, source []byte, inlines int) {
	for n := parent.FirstChild(); n != nil; {
		if inlines >= maxInlines && n.HasChildren() || !s.welcome(n, source) {
			n = unwrap(parent, n, source)
			continue
		}
		decorate(n)
		if n.Type() == ast.TypeInline {
			s.shape(n, source, inlines+1)
		} else {
			s.shape(n, source, 0)
		}
		n = n.NextSibling()
	}
}

// welcome tells whether the policy takes the address of a link or an image.
func (s shaper) welcome(n ast.Node, source []byte) bool {
	switch n := n.(type) {
	case *ast.Link:
		return hasScheme(n.Destination, linkSchemes)
	case *ast.Image:
		return !s.plain && hasScheme(n.Destination, imageSchemes)
	case *ast.AutoLink:
		return n.AutoLinkType == ast.AutoLinkEmail || hasScheme(n.URL(source), linkSchemes)
	}
	return true
}

func hasScheme(address []byte, schemes []string) bool {
	u, err := url.Parse(string(util.URLEscape(address, true)))
	return err == nil && slices.Contains(schemes, u.Scheme)
}

// unwrap puts the children of n in its place and returns the first of them,
// or what follows n where it has none.
func unwrap(parent, n ast.Node, source []byte) ast.Node {
	if link, ok := n.(*ast.AutoLink); ok {
		label := ast.NewString(link.Label(source))
		label.SetRaw(true)
		n.AppendChild(n, label)
	}
	next := n.NextSibling()
	for child := n.LastChild(); child != nil; child = n.LastChild() {
		n.RemoveChild(n, child)
		if next == nil {
			parent.AppendChild(parent, child)
		} else {
			parent.InsertBefore(parent, next, child)
		}
		next = child
	}
	parent.RemoveChild(parent, n)
	return next
}

func decorate(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		n.Level = min(n.Level+headingShift, smallestHeading)
	case *ast.Link, *ast.AutoLink:
		n.SetAttributeString("rel", []byte(linkRel))
	case *ast.Image:
		n.SetAttributeString("loading", []byte("lazy"))
		n.SetAttributeString("referrerpolicy", []byte("no-referrer"))
	}
}

// shallow keeps a parser of quotes or lists from opening one more inside
// maxBlocks others: its sign is then plain text. It stands in the parser and
// not in shaper, since the parser's time grows with the square of the depth.
type shallow struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (s shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		switch n.(type) {
		case *ast.Blockquote, *ast.List:
			depth++
		}
	}
	if depth >= maxBlocks {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}
