// Package sample shows every part of the pages, with invented content, and
// three whole pages made of them. It is mounted while the pages are worked on
// and never on a public site.
package sample

import (
	"time"

	"github.com/a-h/templ"

	"homeplace/core/markdown"
	"homeplace/views/layout"
	"homeplace/views/ui"
)

// Pages are the samples by path.
func Pages() map[string]templ.Component {
	return map[string]templ.Component{
		"/kit":        kit(),
		"/kit/home":   home(),
		"/kit/list":   list(),
		"/kit/detail": detail(),
		"/kit/desk":   desk(),
	}
}

var now = time.Date(2026, time.November, 21, 16, 4, 0, 0, time.UTC)

func frame(title, section string) layout.FrameProps {
	return layout.FrameProps{
		SiteName: "Homeplace", Tagline: "A directory kept by the neighbours who live with it.",
		Title: title, Description: "A sample of the pages.", Section: section, NoIndex: true,
	}
}

func detailFrame() layout.FrameProps {
	f := frame("Blue Heron Bakery", "/directory")
	f.Canonical = "https://example.org/directory/businesses/blue-heron-bakery"
	f.JSONLD = map[string]any{"@context": "https://schema.org", "@type": "Bakery", "name": "Blue Heron </script> Bakery"}
	return f
}

func signedIn() layout.FrameProps {
	f := frame("Desk", "")
	f.Viewer = layout.Viewer{SignedIn: true, Username: "dee", DisplayName: "Dee Okafor", Staff: true, Waiting: "27"}
	f.Flash = []ui.NoticeProps{{Tone: ui.Good, Title: "Kept and restored", Text: "Three reports were closed."}}
	return f
}

var entries = []ui.EntryProps{
	{Href: "#1", Title: "Zora Lane Books", Slug: "zora-lane-books", Tag: "Bookshop", Verified: true, Summary: "Independent shop with readings on Thursdays", Strong: "1.2 km", Meta: "open until 8"},
	{Href: "#2", Title: "Crown & Comb", Slug: "crown-and-comb", Tag: "Barber", Verified: true, Summary: "Cuts, fades and quiet conversation", Strong: "9.6 km", Meta: "open until 7"},
	{Href: "#3", Title: "Old Mill Bridge", Slug: "old-mill-bridge", Tag: "Landmark", Summary: "Stone bridge of 1871 over Proctor Creek", Strong: "3.4 km", Meta: "always open"},
	{Href: "#4", Title: "Northside Legal Aid", Slug: "northside-legal-aid", Tag: "Service", Verified: true, Summary: "Free advice on housing, Tuesdays", Strong: "4.1 km", Meta: "opens 9 tomorrow"},
	{Href: "#5", Title: "Harvest Street Fair", Slug: "harvest-street-fair", Tag: "Event", Summary: "Food, music and crafts on Edgewood", Strong: "Sat 28 Nov", Meta: "noon to 9"},
	{Href: "#6", Title: "Étoile Creole Kitchen", Slug: "etoile-creole-kitchen", Tag: "Restaurant", Verified: true, Summary: "Gumbo, étouffée, Sunday brunch", Strong: "2.8 km", Meta: "open until 10"},
}

func letters() []ui.Letter {
	all := []ui.Letter{{Text: "All", Href: "/kit/list", Current: true}}
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ#" {
		l := ui.Letter{Text: string(r), Href: "/kit/list?letter=" + string(r)}
		if r == 'Q' || r == 'X' {
			l.Href = ""
		}
		if r == '#' {
			l.Href = "/kit/list?letter=%23"
		}
		all = append(all, l)
	}
	return all
}

func page(n int) string { return "/kit/list?page=" + string(rune('0'+n%10)) }

var chips = []ui.Chip{
	{Strong: "Soul food", Text: "in Detroit", Href: "#"}, {Strong: "Barbers", Text: "near 30030", Href: "#"},
	{Strong: "This weekend", Text: "in Oakland", Href: "#"}, {Strong: "Landmarks", Text: "before 1900", Href: "#"},
}

var crumbs = []ui.Link{{Text: "Directory", Href: "/directory"}, {Text: "Businesses", Href: "/directory/businesses"}, {Text: "Bakeries"}}

var kinds = []ui.Link{
	{Text: "All", Href: "#", Current: true, Count: "312"}, {Text: "Restaurants", Href: "#", Count: "58"},
	{Text: "Barbers and salons", Href: "#", Count: "41"}, {Text: "Bookshops", Href: "#", Count: "7"},
}

var options = []ui.Option{{Value: "", Text: "All 41"}, {Value: "food", Text: "Restaurants (58)"}, {Value: "books", Text: "Bookshops (7)"}}

var reasons = []ui.Option{
	{Value: "closed", Text: "It has closed", Help: "The door is shut for good."},
	{Value: "moved", Text: "It has moved"},
	{Value: "wrong", Text: "Something on the page is wrong", Disabled: true},
}

func surroundings() ui.MapProps {
	p := ui.MapProps{Label: "Blue Heron Bakery and 14 neighbours within 2 km", Here: ui.Point{Name: "Blue Heron Bakery", Lat: 33.7556, Lng: -84.3733},
		Tiles: "/kit/tile/{z}/{x}/{y}.png", TilesAttribution: "The makers of the map", Elsewhere: "https://example.org/map"}
	for i := range 14 {
		f := float64(i)
		p.Others = append(p.Others, ui.Point{Name: "A neighbour", Lat: 33.7556 + float64((i*37)%23-11)/1100, Lng: -84.3733 + float64((i*53)%29-14)/900 + f/90000})
	}
	return p
}

func story() markdown.HTML {
	return markdown.Render("Three ovens, one family, *twenty-eight years* on Auburn Avenue. The rye starter is older than the shop; ask for the heel of the loaf and you get a story with it.\n\n" +
		"Closed on the first Monday of the month, when the ovens are swept.\n\n# What to ask for\n\n- Sourdough with [benne seed](https://example.org)\n- Sweet potato pie, from October to March\n\n> We bake before the street wakes, so that it wakes to bread.\n\n" +
		"| Day | Hours |\n| --- | --- |\n| Weekdays | 6 to 6 |\n| Saturday | 6 to 2 |\n")
}

func tokens() ui.TableProps {
	cell := ui.Text
	return ui.TableProps{Caption: "Your tokens", Columns: []ui.Column{{Label: "Name"}, {Label: "Last used"}, {Label: "Calls", Number: true}},
		Rows: [][]templ.Component{
			{cell("Kitchen tablet"), ui.Moment(now.Add(-3*time.Minute), now, nil), cell("1,204")},
			{cell("Newsletter script"), ui.Moment(now.Add(-30*time.Hour), now, nil), cell("88")},
			{cell("An old laptop"), ui.Moment(now.AddDate(-1, -2, 0), now, nil), cell("9")},
		}}
}

var changes = []ui.Change{
	{Label: "Summary", Before: "Sourdough, pies and coffee since 1996", After: "Sourdough, pies and strong coffee since 1998"},
	{Label: "Telephone", Before: "", After: "(404) 555-0142"},
}

var members = ui.ChangesProps{Added: 1, Removed: 1, Changed: 41, Rows: []ui.ChangeRow{
	{Kind: ui.MemberChanged, Path: "places[id=3].name", Before: `"Zora Lane Books"`, After: `"Zora Lane Books and Tea"`},
	{Kind: ui.MemberAdded, Path: "places[id=77]", After: `{"id": 77, "name": "Harvest Corner"}`},
	{Kind: ui.MemberRemoved, Path: "places[id=9].hours", Before: `"9 to 5"`},
}}

func signedInKit() layout.FrameProps {
	f := signedIn()
	f.Title = "The kit"
	return f
}
