package web

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/search"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// question is what a search page was asked.
type question struct {
	what, where string
	kind        directory.Kind // "" for all
	page        int
}

func readQuestion(r *http.Request) question {
	q := httpx.ParseQuery(r)
	asked := question{what: lenient(q, "q"), where: lenient(q, "where"), page: pageNumber(q)}
	if kind, ok := directory.ParseKind(lenient(q, "kinds")); ok {
		asked.kind = kind
	}
	return asked
}

func (q question) asked() bool { return q.what != "" || q.where != "" }

// input joins the thing and the place. A ZIP as the place keeps what lies
// around its city; any other place is read like the end of a sentence.
func (q question) input() search.Query {
	in := search.Query{Text: q.what, Kinds: directory.Kinds, Page: core.Page{Limit: search.Rule.Default, Offset: (q.page - 1) * search.Rule.Default}}
	switch {
	case isZIP(q.where):
		in.ZIP = q.where
	case q.what == "":
		in.Text = q.where
	case q.where != "":
		in.Text = q.what + " in " + q.where
	}
	letters := []rune(in.Text)
	in.Text = string(letters[:min(len(letters), core.MaxQuery)])
	if q.kind != "" {
		in.Kinds = []directory.Kind{q.kind}
	}
	return in
}

func isZIP(s string) bool {
	return len(s) == 5 && strings.Trim(s, "0123456789") == ""
}

func (q question) address() string {
	v := url.Values{}
	for name, value := range map[string]string{"q": q.what, "where": q.where, "kinds": string(q.kind)} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.page > 1 {
		v.Set("page", strconv.Itoa(q.page))
	}
	if len(v) == 0 {
		return "/search"
	}
	return "/search?" + v.Encode()
}

// searchPath is the address of a search for a thing and a place.
func searchPath(what, where string) string {
	return question{what: what, where: where}.address()
}

// find is the search page.
func (h *handlers) find(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := readQuestion(r)
	p := views.SearchProps{What: q.what, Where: q.where, Asked: q.asked(), Title: "Search", Add: "/directory/new"}
	frame := layout.FrameProps{Title: "Search", Section: "/search", NoIndex: q.asked(),
		Description: "Look for businesses, landmarks, people, services and events by what they are and where."}
	var err error
	if !q.asked() {
		p.Ideas, p.Categories, err = h.ideas(r)
	} else {
		frame.Title = headline(q)
		p.Title = frame.Title
		err = h.answer(r, q, &p)
	}
	if err != nil {
		return nil, err
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Search(p))
}

// headline says what was asked: "Soul food in Detroit".
func headline(q question) string {
	what, where := excerpt(q.what, 60), excerpt(q.where, 40)
	switch {
	case what == "":
		return "In and around " + where
	case where == "":
		return "“" + what + "”"
	case isZIP(where):
		return "“" + what + "” near " + where
	}
	return "“" + what + "” in " + where
}

func (h *handlers) ideas(r *http.Request) (ideas, categories []ui.Chip, err error) {
	if ideas, err = h.tries(r.Context()); err != nil {
		return nil, nil, err
	}
	const popular = 12
	categories, err = h.popular(r, popular)
	return ideas, categories, err
}

func (h *handlers) answer(r *http.Request, q question, p *views.SearchProps) error {
	result, err := h.Search.Search(r.Context(), q.input())
	if err != nil {
		return err
	}
	pages := pagesOf(result.Total, search.Rule.Default)
	if q.page > max(pages, 1) {
		q.page = max(pages, 1)
		if result, err = h.Search.Search(r.Context(), q.input()); err != nil {
			return err
		}
	}
	if p.Rows, err = h.rows(r.Context(), result.Items); err != nil {
		return err
	}
	p.Tabs = kindTabs(q)
	p.Count = resultsText(result.Total)
	p.Read = strings.Join(understood(result), " ")
	p.Pager = ui.PagerProps{Page: q.page, Pages: pages, Target: "results",
		Href: func(n int) string { q := q; q.page = n; return q.address() }}
	if len(p.Rows) == 0 {
		return h.suggest(r, q, result, p)
	}
	return nil
}

func resultsText(n int) string {
	switch {
	case n == 0:
		return "No results"
	case n == 1:
		return "1 result"
	case n >= search.MaxRanked:
		return thousands(search.MaxRanked) + " results or more, the best first"
	}
	return thousands(n) + " results, the best first"
}

func kindTabs(q question) []ui.Link {
	q.page = 1
	tab := func(kind directory.Kind, text string) ui.Link {
		to := q
		to.kind = kind
		return ui.Link{Text: text, Href: to.address(), Current: q.kind == kind}
	}
	tabs := []ui.Link{tab("", "Everything")}
	for _, kind := range directory.Kinds {
		tabs = append(tabs, tab(kind, wordsOf[kind].title))
	}
	return tabs
}

// understood says how the words were read, in sentences.
func understood(result search.Result) []string {
	reading := result.Reading
	var said []string
	if len(result.Items) > 0 && len(reading.Corrections) > 0 {
		mended := make([]string, 0, len(reading.Corrections))
		for _, typed := range slices.Sorted(maps.Keys(reading.Corrections)) {
			mended = append(mended, "“"+reading.Corrections[typed]+"” instead of “"+typed+"”")
		}
		said = append(said, "Showing results for "+strings.Join(mended, ", ")+".")
	}
	place := placeText(reading.Place)
	if z := result.ZIPFilter; z != nil {
		if z.Resolved {
			place = value(z.MetroCity) + ", the nearest city to " + z.ZIP
			said = append(said, "Around "+place+".")
		} else {
			said = append(said, "We do not know the ZIP "+z.ZIP+", so this looks everywhere.")
		}
	}
	if len(result.Items) == 0 {
		return said
	}
	switch reading.Step {
	case search.Nearby:
		said = append(said, "Nothing fits in "+place+" itself; these are nearby.")
	case search.Partial:
		said = append(said, "Nothing has all of these words; these have most of them.")
	default:
		if place != "" && result.ZIPFilter == nil {
			said = append(said, "Looking in "+place+".")
		}
	}
	return said
}

func placeText(p *search.Place) string {
	switch {
	case p == nil:
		return ""
	case p.City == "" && p.ZIP == "":
		return cmp.Or(geo.RegionName(p.Region), p.Region)
	}
	return joined(", ", p.City, joined(" ", p.Region, p.ZIP))
}

// suggest fills in what else to look for where nothing fits.
func (h *handlers) suggest(r *http.Request, q question, result search.Result, p *views.SearchProps) (err error) {
	p.Empty = ui.EmptyProps{Title: "Nothing fits yet", Seed: "no-results",
		Text: "Try fewer words, or another way to say it. If you know the place, add it: the next neighbour will find it."}
	if q.kind != "" {
		p.Empty.Title = "No " + wordsOf[q.kind].many + " fit"
	}
	p.Cities = h.citiesNear(q, result)
	labels, err := h.Directory.Categories(r.Context())
	if err != nil {
		return err
	}
	for _, kind := range directory.Kinds {
		for _, c := range labels[kind] {
			if slices.Contains(result.Reading.Categories, c.Slug) {
				p.Categories = append(p.Categories, ui.Chip{Strong: c.Label, Href: listPath(kind) + "?" + url.Values{"category": {c.Slug}}.Encode()})
			}
		}
	}
	if len(p.Categories) == 0 {
		const popular = 8
		p.Categories, err = h.popular(r, popular)
	}
	return err
}

const (
	nearbyCities = 4
	// ownCityKm is within how far a big city is the place itself.
	ownCityKm = 15.0
)

// citiesNear leads to the same search in the big cities around the place.
func (h *handlers) citiesNear(q question, result search.Result) []ui.Chip {
	lat, lng, ok := h.pointOf(q, result)
	if !ok || q.what == "" {
		return nil
	}
	metros := h.Places().Metros()
	slices.SortFunc(metros, func(a, b geo.Metro) int {
		return cmp.Compare(geo.Distance(lat, lng, a.Lat, a.Lng), geo.Distance(lat, lng, b.Lat, b.Lng))
	})
	var chips []ui.Chip
	for _, m := range metros {
		km := geo.Distance(lat, lng, m.Lat, m.Lng)
		if km < ownCityKm {
			continue
		}
		chips = append(chips, ui.Chip{Strong: m.City + ",", Text: m.Region + " · " + distanceText(km), Href: searchPath(q.what, m.City+", "+m.Region)})
		if len(chips) == nearbyCities {
			break
		}
	}
	return chips
}

func (h *handlers) pointOf(q question, result search.Result) (lat, lng float64, ok bool) {
	code := q.where
	if p := result.Reading.Place; p != nil {
		if p.ZIP == "" {
			city, found := h.Places().City(p.City, p.Region)
			return city.Lat, city.Lng, found && p.City != ""
		}
		code = p.ZIP
	}
	z, found := h.Places().ZIP(code)
	return z.Lat, z.Lng, found && z.Located()
}
