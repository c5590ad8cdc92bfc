package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// filter is what narrows a list. Values that nobody knows narrow nothing.
type filter struct {
	kind        directory.Kind
	words, zip  string
	categories  []string
	letter      string // lower case
	past, asMap bool
	page        int
}

func readFilter(r *http.Request, kind directory.Kind) filter {
	q := httpx.ParseQuery(r)
	f := filter{kind: kind, words: lenient(q, "q"), zip: lenient(q, "zip"), categories: q.List("category"),
		letter: strings.ToLower(lenient(q, "letter")), page: pageNumber(q),
		past: kind == directory.KindEvent && lenient(q, "when") == string(directory.Past), asMap: lenient(q, "view") == "map"}
	if len(f.letter) != 1 || f.letter != "#" && (f.letter[0] < 'a' || f.letter[0] > 'z') {
		f.letter = ""
	}
	f.categories = f.categories[:min(len(f.categories), 10)]
	return f
}

// lenient reads a text that a person may have written in any way: what no
// text should hold is left out, what is too long is cut.
func lenient(q *httpx.Query, name string) string {
	clean := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return ' '
		}
		return c
	}, q.String(name))
	letters := []rune(strings.Join(strings.Fields(clean), " "))
	return strings.TrimSpace(string(letters[:min(len(letters), core.MaxQuery)]))
}

// input is the filter as the directory takes it.
func (f filter) input() directory.Filter {
	in := directory.Filter{Kind: f.kind, Query: f.words, Letter: f.letter, Categories: f.categories, ZIP: f.zip,
		Page: core.Page{Limit: directory.ListRule.Default, Offset: (f.page - 1) * directory.ListRule.Default}}
	if f.kind == directory.KindEvent {
		in.When = directory.Upcoming
		if f.past {
			in.When = directory.Past
		}
	}
	return in
}

// address is the list under the filter.
func (f filter) address() string {
	q := url.Values{}
	set := func(name, value string, is bool) {
		if is {
			q.Set(name, value)
		}
	}
	set("q", f.words, f.words != "")
	for _, c := range f.categories {
		q.Add("category", c)
	}
	set("zip", f.zip, f.zip != "")
	set("letter", f.letter, f.letter != "")
	set("when", string(directory.Past), f.past)
	set("view", "map", f.asMap)
	set("page", strconv.Itoa(f.page), f.page > 1)
	if len(q) == 0 {
		return listPath(f.kind)
	}
	return listPath(f.kind) + "?" + q.Encode()
}

// with is the address of the list with something changed, from its first page.
func (f filter) with(change func(*filter)) string {
	f.page = 1
	change(&f)
	return f.address()
}

// deep tells whether search engines should leave the list out: of all the
// combinations, the whole list, its categories and their pages are enough.
func (f filter) deep() bool {
	return f.words != "" || f.zip != "" || f.letter != "" || f.past || f.asMap || len(f.categories) > 1
}

// entries is the list of one kind.
func (h *handlers) entries(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	kind, err := kindOf(r)
	if err != nil {
		return nil, err
	}
	f := readFilter(r, kind)
	listing, err := h.Directory.List(r.Context(), f.input())
	if err != nil {
		return nil, err
	}
	pages := pagesOf(listing.Total, directory.ListRule.Default)
	if f.page > max(pages, 1) { // a list that has become shorter
		f.page = max(pages, 1)
		if listing, err = h.Directory.List(r.Context(), f.input()); err != nil {
			return nil, err
		}
	}
	letters, err := h.Directory.Letters(r.Context(), f.input())
	if err != nil {
		return nil, err
	}
	rows, err := h.rows(r.Context(), listing.Items)
	if err != nil {
		return nil, err
	}
	p := h.entriesProps(f, listing)
	p.Letters, p.Rows = letterLinks(f, letters), rows
	p.Pager = ui.PagerProps{Page: f.page, Pages: pages, Target: "results",
		Href: func(n int) string { return f.with(func(f *filter) { f.page = n }) }}
	p.Frame = h.entriesFrame(r, v, f, p)
	a, err := show(r, http.StatusOK, views.Entries(p))
	if err == nil && !f.deep() {
		linkNeighbours(a, h.Addresses, p.Pager)
	}
	return a, err
}

// linkNeighbours names the pages before and after in the Link header.
func linkNeighbours(a *httpx.Answer, addresses httpx.Addresses, p ui.PagerProps) {
	var links []string
	if p.Page > 1 {
		links = append(links, "<"+addresses.Base()+p.Href(p.Page-1)+`>; rel="prev"`)
	}
	if p.Page < p.Pages {
		links = append(links, "<"+addresses.Base()+p.Href(p.Page+1)+`>; rel="next"`)
	}
	if links != nil {
		a.SetHeader("Link", strings.Join(links, ", "))
	}
}

func (h *handlers) entriesFrame(r *http.Request, v core.Viewer, f filter, p views.EntriesProps) layout.FrameProps {
	title := p.Title
	if f.page > 1 {
		title += ", page " + strconv.Itoa(f.page)
	}
	frame := layout.FrameProps{Title: title, Description: p.Lead, Section: sectionOf(f.kind), NoIndex: f.deep()}
	if !frame.NoIndex {
		frame.Canonical = h.Addresses.Base() + f.address()
	}
	if f.kind == directory.KindEvent {
		frame.Feeds = []layout.Feed{{Title: "Events", Type: "text/calendar", Href: "/events.ics"}}
	}
	return h.frame(r, v, frame)
}

// sectionOf is the link of the navigation that a kind belongs to.
func sectionOf(kind directory.Kind) string {
	for _, l := range layout.Nav() {
		if l.Href == listPath(kind) {
			return l.Href
		}
	}
	return "/directory"
}
