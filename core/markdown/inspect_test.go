package markdown

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// allowed names every element that may come out, with its attributes.
var allowed = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "blockquote": nil,
	"pre": nil, "code": nil, "em": nil, "strong": nil, "del": nil, "ul": nil, "li": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil,
	"ol": {"start"}, "th": {"align"}, "td": {"align"},
	"a":   {"href", "rel", "title"},
	"img": {"src", "alt", "title", "loading", "referrerpolicy"},
}

// inspect parses out as a browser would and reports everything in it that
// must never reach a page.
func inspect(t *testing.T, src string, out HTML) {
	t.Helper()
	if strings.Contains(strings.ToLower(string(out)), "<script") {
		t.Errorf("Render(%.200q) has a script: %.400s", src, out)
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(string(out)), body)
	if err != nil {
		t.Fatalf("Render(%.200q) cannot be parsed: %v", src, err)
	}
	for _, top := range nodes {
		inspectNode(t, src, top)
		for n := range top.Descendants() {
			inspectNode(t, src, n)
		}
	}
}

func inspectNode(t *testing.T, src string, n *html.Node) {
	t.Helper()
	switch n.Type {
	case html.TextNode:
		return
	case html.ElementNode:
	default:
		t.Errorf("Render(%.200q) has a node of type %d: %.200q", src, n.Type, n.Data)
		return
	}
	names, ok := allowed[n.Data]
	if !ok {
		t.Errorf("Render(%.200q) has the element <%s>", src, n.Data)
	}
	rel := ""
	for _, a := range n.Attr {
		if !slices.Contains(names, a.Key) {
			t.Errorf("Render(%.200q) has the attribute %s=%.200q on <%s>", src, a.Key, a.Val, n.Data)
		}
		switch a.Key {
		case "href":
			wantScheme(t, src, a.Val, "http", "https", "mailto")
		case "src":
			wantScheme(t, src, a.Val, "https")
		case "rel":
			rel = a.Val
		}
	}
	if n.Data == "a" && rel != linkRel {
		t.Errorf("Render(%.200q) has a link with rel=%q, want %q", src, rel, linkRel)
	}
}

func wantScheme(t *testing.T, src, address string, schemes ...string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, u.Scheme) {
		t.Errorf("Render(%.200q) points to %.200q, want one of %v (%v)", src, address, schemes, err)
	}
}
