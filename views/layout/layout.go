// Package layout is the frame around every page: what stands in the head, the
// woven band, the header with the ways through the site, and the footer.
package layout

import (
	"slices"

	"homeplace/views/ui"
)

// FrameProps are what a page tells its frame. Pages that are cached for
// everyone leave Viewer empty.
type FrameProps struct {
	SiteName    string
	Tagline     string // one sentence about the site, in the footer and on the first page's title
	Title       string // of the page; empty on the first page
	Description string // one or two plain sentences for search engines and previews
	Canonical   string // absolute address; empty leaves it and Open Graph's out
	Image       string // absolute address of a preview picture; may be empty
	ImageAlt    string
	Article     bool             // Open Graph's kind: article instead of website
	NoIndex     bool             // search engines leave the page out
	JSONLD      any              // schema.org data, encoded as JSON; nil for none
	Feeds       []Feed           // offered to feed readers
	Section     string           // address of the Nav link that the page belongs to
	Viewer      Viewer           // who is signed in
	Flash       []ui.NoticeProps // what just happened
	Footer      []Column         // replaces the usual columns where given
}

// Viewer is who looks at the page. The zero value is nobody.
type Viewer struct {
	SignedIn    bool
	Username    string
	DisplayName string // Username where empty
	Staff       bool   // may work the moderators' queues
	Admin       bool   // may administer the site
	Waiting     string // how much waits in the queues, such as "27"; may be empty
}

// Name is how the viewer is called on the page.
func (v Viewer) Name() string {
	if v.DisplayName != "" {
		return v.DisplayName
	}
	return v.Username
}

// Feed is a feed that belongs to a page.
type Feed struct{ Title, Type, Href string }

// Column is one column of the footer.
type Column struct {
	Title string
	Links []ui.Link
}

// Nav are the main ways through the site.
func Nav() []ui.Link {
	return []ui.Link{
		{Text: "Directory", Href: "/directory"},
		{Text: "Landmarks", Href: "/directory/landmarks"},
		{Text: "People", Href: "/directory/people"},
		{Text: "Events", Href: "/directory/events"},
		{Text: "Apps", Href: "/apps"},
		{Text: "Sayings", Href: "/sayings"},
		{Text: "Polls", Href: "/polls"},
		{Text: "Reviews", Href: "/reviews"},
		{Text: "Search", Href: "/search"},
	}
}

func columns(p FrameProps) []Column {
	if p.Footer != nil {
		return p.Footer
	}
	return []Column{
		{"Find", slices.Insert(Nav(), len(Nav())-1, ui.Link{Text: "Shout-outs", Href: "/shout-outs"})}, // before Search
		{"Take part", []ui.Link{
			{Text: "Add a listing", Href: "/directory/new"},
			{Text: "Add your app", Href: "/apps/new"},
			{Text: "Bring a saying", Href: "/sayings/new"},
			{Text: "Ask the community", Href: "/polls/new"},
			{Text: "Report fake content", Href: "/report-fake"},
			{Text: "Give a shout-out", Href: "/shout-outs?give=1#give"},
			{Text: "Review a product", Href: "/reviews/products"},
			{Text: "Leaderboard", Href: "/leaderboard"},
			{Text: "Sign up", Href: "/sign-up"},
			{Text: "Your account", Href: "/account"},
		}},
		{"Build", []ui.Link{
			{Text: "API", Href: "/docs/api"},
			{Text: "What moderators decide", Href: "/moderation-log"},
			{Text: "Credits", Href: "/credits"},
		}},
	}
}

func (p FrameProps) title() string {
	switch {
	case p.Title != "":
		return p.Title + " · " + p.SiteName
	case p.Tagline != "":
		return p.SiteName + ": " + p.Tagline
	}
	return p.SiteName
}

// ogTitle is the title in a preview, which names the site beside it.
func (p FrameProps) ogTitle() string {
	if p.Title != "" {
		return p.Title
	}
	return p.title()
}

func (p FrameProps) kind() string {
	if p.Article {
		return "article"
	}
	return "website"
}
