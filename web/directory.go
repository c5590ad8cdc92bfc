package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/polls"
	"homeplace/core/sayings"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// directoryRoutes are the pages that show the directory, and what other
// programs read of it.
func (h *handlers) directoryRoutes() []route {
	const get, age = http.MethodGet, httpx.OpenReadAge
	entries := []string{directory.Area, settings.Area}
	list := []route{
		{method: get, pattern: "/", page: h.home, areas: append(entries, apps.Area, sayings.Area, polls.Area, shoutouts.Area, accounts.Area), maxAge: age},
		{method: get, pattern: "/search", page: h.find, areas: entries, params: []string{"q", "where", "kinds", "page"}, maxAge: age},
		{method: get, pattern: "/directory", page: h.directory, areas: entries, maxAge: age},
		{method: get, pattern: "/directory/places", page: h.oldPlaces},
		{method: get, pattern: "/directory/places/{slug}", page: h.oldPlace},
		{method: get, pattern: "/directory/{category}", page: h.entries, areas: entries, maxAge: age,
			params: []string{"q", "category", "zip", "letter", "when", "view", "page"}},
		{method: get, pattern: "/directory/{category}/{slug}", page: h.entry, areas: append(entries, shoutouts.Area, accounts.Area), maxAge: age},
	}
	for _, r := range list[1:] {
		list = append(list, route{method: get, pattern: r.pattern + "/", page: withoutSlash})
	}
	return append(list,
		route{method: get, pattern: "/directory/{category}/{slug}.ics", page: h.eventCalendar, areas: entries, maxAge: age},
		route{method: get, pattern: "/events.ics", page: h.eventsCalendar, areas: entries, maxAge: age},
		route{method: get, pattern: "/preview/{category}/{file}", page: h.preview, areas: entries, maxAge: previewAge},
		route{method: get, pattern: "/sitemap.xml", page: h.sitemap, areas: entries, maxAge: sitemapAge},
		route{method: get, pattern: "/sitemaps/{file}", page: h.sitemapFile},
		route{method: get, pattern: "/robots.txt", page: h.robots, areas: []string{settings.Area}, maxAge: settingsAge},
		route{method: get, pattern: "/site.webmanifest", page: h.manifest, areas: []string{settings.Area}, maxAge: settingsAge},
	)
}

// withoutSlash leads from an address with a slash at its end to the one
// without.
func withoutSlash(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	path := "/" + strings.Trim(r.URL.EscapedPath(), "/")
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	return httpx.Redirect(http.StatusMovedPermanently, path), nil
}

// kindOf reads the kind in the address of a page.
func kindOf(r *http.Request) (directory.Kind, error) {
	segment := chi.URLParam(r, "category")
	kind, ok := directory.KindOfSegment(segment)
	if !ok {
		return "", core.NotFoundf("The directory holds businesses, landmarks, services, events and people, but nothing called %q.", excerpt(segment, 40))
	}
	return kind, nil
}

// oldPlaces and oldPlace answer addresses from the time when businesses and
// landmarks were one list.
func (h *handlers) oldPlaces(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	kind, err := h.Directory.CategoryKind(r.Context(), httpx.ParseQuery(r).List("category"))
	if err != nil {
		return nil, err
	}
	if kind != directory.KindBusiness {
		kind = directory.KindLandmark
	}
	return httpx.Redirect(http.StatusMovedPermanently, withQuery(listPath(kind), r)), nil
}

func (h *handlers) oldPlace(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	kind, err := h.Directory.KindOf(r.Context(), slug)
	if err != nil {
		return nil, err
	}
	return httpx.Redirect(http.StatusMovedPermanently, withQuery(entryPath(kind, slug), r)), nil
}

func withQuery(path string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return path
	}
	return path + "?" + r.URL.RawQuery
}

const (
	overviewNewest = 6
	overviewChips  = 18
)

// directory is the overview of the five kinds.
func (h *handlers) directory(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	ctx := r.Context()
	counts, err := h.Directory.Counts(ctx)
	if err != nil {
		return nil, err
	}
	popular, err := h.popular(r, overviewChips)
	if err != nil {
		return nil, err
	}
	newest, err := h.Directory.Newest(ctx, overviewNewest)
	if err != nil {
		return nil, err
	}
	cards, err := h.cards(ctx, newest)
	if err != nil {
		return nil, err
	}
	p := views.DirectoryProps{Kinds: kindWays(counts), Popular: popular, Newest: cards,
		Lead: thousands(total(counts)) + " listings, kept by the neighbours who live with them."}
	if total(counts) == 1 {
		p.Lead = "One listing so far, and room for more."
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Directory", Section: "/directory",
		Description: "Businesses, landmarks, people, services and events, by kind and category."})
	return show(r, http.StatusOK, views.Directory(p))
}

// popular are the categories with the most entries, whatever their kind.
func (h *handlers) popular(r *http.Request, most int) ([]ui.Chip, error) {
	type counted struct {
		directory.Facet
		kind directory.Kind
	}
	var all []counted
	for _, kind := range directory.Kinds {
		page, err := h.Directory.List(r.Context(), directory.Filter{Kind: kind, Page: core.Page{Limit: 1}})
		if err != nil {
			return nil, err
		}
		for _, f := range page.Facets {
			all = append(all, counted{f, kind})
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int { return b.Count - a.Count })
	var chips []ui.Chip
	for _, c := range all[:min(most, len(all))] {
		chips = append(chips, ui.Chip{Strong: c.Label, Text: thousands(c.Count),
			Href: listPath(c.kind) + "?" + url.Values{"category": {c.Slug}}.Encode()})
	}
	return chips, nil
}
