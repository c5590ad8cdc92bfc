package web

import (
	"slices"
	"strings"

	"homeplace/core/directory"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/ui"
)

// entriesProps is a list as its page shows it, but for the rows.
func (h *handlers) entriesProps(f filter, listing directory.Listing) views.EntriesProps {
	words := wordsOf[f.kind]
	p := views.EntriesProps{Title: words.title, Lead: leadOf(f, listing), Action: listPath(f.kind),
		Crumbs: []ui.Link{{Text: "Directory", Href: "/directory"}, {Text: words.title}},
		Words:  f.words, ZIP: f.zip, Letter: f.letter, Removes: removeLinks(f, listing), Shown: shownText(f, listing)}
	if f.kind == directory.KindEvent {
		p.When = string(f.input().When)
	}
	if len(f.categories) == 1 {
		p.Category = f.categories[0]
		if label := labelOf(listing.Facets, p.Category); label != "" {
			p.Title = label
			p.Crumbs = []ui.Link{{Text: "Directory", Href: "/directory"}, {Text: words.title, Href: listPath(f.kind)}, {Text: label}}
		}
	}
	p.Categories = []ui.Option{{Text: "All " + thousands(len(listing.Facets))}}
	for _, facet := range listing.Facets {
		p.Categories = append(p.Categories, ui.Option{Value: facet.Slug, Text: facet.Label + " (" + thousands(facet.Count) + ")"})
	}
	if len(p.Removes) > 0 {
		p.Clear = listPath(f.kind)
	}
	if z := listing.ZIPFilter; z != nil && !z.Resolved {
		p.Notice = &ui.NoticeProps{Title: "We could not place " + z.ZIP,
			Text: "Near takes a ZIP of the United States, within reach of a big city. The list is not narrowed by it; to look in a town by name, use the search."}
	}
	h.addMap(&p, f, listing)
	if len(listing.Items) == 0 {
		h.addEmpty(&p, f)
	}
	return p
}

func labelOf(facets []directory.Facet, slug string) string {
	for _, f := range facets {
		if f.Slug == slug {
			return f.Label
		}
	}
	return ""
}

// leadOf counts what the list holds: "312 businesses around Atlanta, the
// nearest city to 30303".
func leadOf(f filter, listing directory.Listing) string {
	text := countOf(listing.Total, f.kind)
	switch {
	case f.past:
		text += " in the past"
	case f.kind == directory.KindEvent:
		text += " coming up"
	}
	if z := listing.ZIPFilter; z != nil && z.Resolved {
		text += " around " + value(z.MetroCity) + ", the nearest city to " + z.ZIP
	}
	return text
}

func shownText(f filter, listing directory.Listing) string {
	if len(listing.Items) == 0 {
		return "Nothing to show"
	}
	first := (f.page-1)*directory.ListRule.Default + 1
	order := "from A to Z"
	switch {
	case f.past:
		order = "latest first"
	case f.kind == directory.KindEvent:
		order = "soonest first"
	}
	if listing.Total <= directory.ListRule.Default {
		return "All " + thousands(listing.Total) + ", " + order
	}
	return thousands(first) + "–" + thousands(first+len(listing.Items)-1) + " of " + thousands(listing.Total) + ", " + order
}

func letterLinks(f filter, present []string) []ui.Letter {
	links := []ui.Letter{{Text: "All", Href: f.with(func(f *filter) { f.letter = "" }), Current: f.letter == ""}}
	for _, c := range "abcdefghijklmnopqrstuvwxyz#" {
		letter := ui.Letter{Text: strings.ToUpper(string(c)), Current: f.letter == string(c)}
		if letter.Current || slices.Contains(present, string(c)) {
			letter.Href = f.with(func(f *filter) { f.letter = string(c) })
		}
		links = append(links, letter)
	}
	return links
}

func removeLinks(f filter, listing directory.Listing) []ui.Link {
	var links []ui.Link
	add := func(is bool, text string, change func(*filter)) {
		if is {
			links = append(links, ui.Link{Text: text, Href: f.with(change)})
		}
	}
	add(f.words != "", "“"+excerpt(f.words, 40)+"”", func(f *filter) { f.words = "" })
	for _, c := range f.categories {
		label := labelOf(listing.Facets, c)
		if label == "" {
			label = excerpt(c, 40)
		}
		add(true, label, func(f *filter) {
			f.categories = slices.DeleteFunc(slices.Clone(f.categories), func(s string) bool { return s == c })
		})
	}
	add(f.zip != "", "Near "+excerpt(f.zip, 20), func(f *filter) { f.zip = "" })
	add(f.letter != "", "Begins with "+strings.ToUpper(f.letter), func(f *filter) { f.letter = "" })
	add(f.past, "In the past", func(f *filter) { f.past = false })
	return links
}

// addMap draws the entries of the page that have a point.
func (h *handlers) addMap(p *views.EntriesProps, f filter, listing directory.Listing) {
	var points []ui.Point
	for _, s := range listing.Items {
		if s.Lat != nil && s.Lng != nil {
			points = append(points, ui.Point{Name: s.Name, Lat: *s.Lat, Lng: *s.Lng})
		}
	}
	if len(points) == 0 {
		return
	}
	p.Views = []ui.Link{{Text: "As a list", Href: f.with(func(n *filter) { n.asMap, n.page = false, f.page }), Current: !f.asMap},
		{Text: "As a map", Href: f.with(func(n *filter) { n.asMap, n.page = true, f.page }), Current: f.asMap}}
	if !f.asMap {
		return
	}
	m := ui.MapProps{Label: countOf(len(points), f.kind) + " of this page on a map", Here: points[0], Others: points[1:],
		Tiles: h.Settings.Text(settings.MapTileURL), TilesAttribution: h.Settings.Text(settings.MapAttribution)}
	if z, ok := h.Places().ZIP(f.zip); ok && z.Located() {
		m.Here, m.Others = ui.Point{Name: f.zip, Lat: z.Lat, Lng: z.Lng}, points
	}
	p.Map = &m
}

// addEmpty says what to do where nothing fits.
func (h *handlers) addEmpty(p *views.EntriesProps, f filter) {
	words := wordsOf[f.kind]
	p.Empty = ui.EmptyProps{Title: "No " + words.many + " here yet", Text: "Be the one who lists the first: it takes two minutes and no money.", Seed: "no-" + words.many}
	p.Ways = []ui.LinkButtonProps{{Text: "Add a listing", Href: "/directory/new", Look: ui.Solid}}
	if len(p.Removes) > 0 {
		p.Empty.Title = "No " + words.many + " fit all of that"
		p.Empty.Text = "Take a filter away, look for other words, or be the one who lists the first."
		p.Ways = append(p.Ways, ui.LinkButtonProps{Text: "All " + words.many, Href: listPath(f.kind)})
		if f.words != "" {
			p.Ways = append(p.Ways, ui.LinkButtonProps{Text: "Search everywhere", Href: searchPath(f.words, f.zip)})
		}
	} else if f.kind == directory.KindEvent {
		p.Empty.Title = "Nothing is coming up yet"
		p.Empty.Text = "Know of a fish fry, a reading or a parade? Put it on the calendar for everyone."
		p.Ways = append(p.Ways, ui.LinkButtonProps{Text: "Look at the past", Href: f.with(func(f *filter) { f.past = true })})
	}
}
