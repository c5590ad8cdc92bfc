package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// linkRel tells search engines not to follow a member's link, and browsers to
// give the other site neither our page nor its address.
const linkRel = "nofollow ugc noopener noreferrer"

// Where a link may lead and an image may come from.
var (
	linkSchemes  = []string{"http", "https", "mailto"}
	imageSchemes = []string{"https"}
)

// policy holds exactly what the renderer writes. Everything else is dropped:
// classes, ids, styles, events, and addresses that are not absolute.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "pre", "code",
		"em", "strong", "del", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")

	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.AllowURLSchemes(linkSchemes...)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("rel").Matching(exactly(linkRel)).OnElements("a")

	p.AllowAttrs("src").Matching(regexp.MustCompile(`^(?i:https)://`)).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("loading").Matching(exactly("lazy")).OnElements("img")
	p.AllowAttrs("referrerpolicy").Matching(exactly("no-referrer")).OnElements("img")
	p.AllowAttrs("title").OnElements("a", "img")
	return p
}

func exactly(value string) *regexp.Regexp {
	return regexp.MustCompile(`^` + regexp.QuoteMeta(value) + `$`)
}
