package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/sayings"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	sayingsOnPage   = 24
	sayingOthers    = 4
	sayingDeskPath  = views.DeskPage + "/sayings"
	sentSayingsPath = submissionsPath + "/sayings"
)

// sayingRoutes are the pages of the sayings for visitors, for those who bring
// one, and for staff.
func (h *handlers) sayingRoutes() []route {
	const get, post, age = http.MethodGet, http.MethodPost, httpx.OpenReadAge
	shown := []string{sayings.Area, settings.Area}
	list := []route{
		{method: get, pattern: views.SayingsPage, page: h.sayings, areas: shown, params: []string{"q", "category", "region", "page"}, maxAge: age},
		{method: get, pattern: views.SayingsPage + "/{slug}", page: h.saying, areas: shown, maxAge: age},
	}
	for _, r := range list {
		list = append(list, route{method: get, pattern: r.pattern + "/", page: withoutSlash})
	}
	return append(list,
		route{method: get, pattern: "/preview/sayings/{file}", page: h.sayingPreview, areas: shown, maxAge: previewAge},

		route{method: get, pattern: views.NewSayingPage, guard: member, page: h.newSaying},
		route{method: post, pattern: views.NewSayingPage, guard: member, page: h.bringSaying},
		route{method: post, pattern: sentSayingsPath + "/{id}/withdraw", guard: member, page: h.withdrawSaying},

		route{method: get, pattern: sayingDeskPath + "/{id}/amend", guard: staff, page: h.amendSaying},
		route{method: post, pattern: sayingDeskPath + "/{id}/amend", guard: staff, page: h.saveAmendedSaying},
		route{method: post, pattern: views.SayingsPage + "/{slug}/hide", guard: staff, page: h.hideSaying},
		route{method: post, pattern: views.SayingsPage + "/{slug}/unhide", guard: staff, page: h.unhideSaying},
	)
}

func sayingPath(slug string) string { return views.SayingsPage + "/" + slug }

// sayingsBy is the address of the list under a filter.
func sayingsBy(name, value string) string {
	return addressWith(views.SayingsPage, url.Values{name: {value}})
}

// sayings is the list of the public sayings.
func (h *handlers) sayings(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	f, page := sayings.Filter{Query: lenient(q, "q"), Category: lenient(q, "category"), Region: lenient(q, "region")}, pageNumber(q)
	read := func() (core.List[sayings.Saying], error) {
		f.Page = core.Page{Limit: sayingsOnPage, Offset: (page - 1) * sayingsOnPage}
		return h.Sayings.List(r.Context(), f)
	}
	list, err := read()
	if err != nil {
		return nil, err
	}
	pages := pagesOf(list.Total, sayingsOnPage)
	if page > max(pages, 1) { // a list that has become shorter
		page = max(pages, 1)
		if list, err = read(); err != nil {
			return nil, err
		}
	}
	p := views.SayingsProps{Words: f.Query, Category: f.Category, Region: f.Region, Narrowed: f.Query != "" || f.Category != "" || f.Region != "",
		Shown: rangeText(page, sayingsOnPage, len(list.Items), list.Total) + ", the latest first", List: samplers(list.Items, 2)}
	if p.Categories, p.Regions, err = h.sayingOptions(r.Context(), &p); err != nil {
		return nil, err
	}
	address := func(n int) string { return sayingsAddress(f, n) }
	p.Pager = ui.PagerProps{Page: page, Pages: pages, Href: address}
	frame := layout.FrameProps{Title: "Sayings", Section: views.SayingsPage, NoIndex: p.Narrowed,
		Description: "Proverbs and sayings of Black America, the Caribbean and Africa, with what they mean and where they come from."}
	if page > 1 {
		frame.Title += ", page " + strconv.Itoa(page)
	}
	if !p.Narrowed {
		frame.Canonical = h.Addresses.Base() + address(page)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Sayings(p))
}

func sayingsAddress(f sayings.Filter, n int) string {
	values := url.Values{}
	for name, value := range map[string]string{"q": f.Query, "category": f.Category, "region": f.Region} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	return addressWith(views.SayingsPage, values)
}

// sayingOptions are the choices of the list's form; those under which nothing
// stands are left out.
func (h *handlers) sayingOptions(ctx context.Context, p *views.SayingsProps) (about, from []ui.Option, err error) {
	list, err := h.Sayings.Categories(ctx)
	if err != nil {
		return nil, nil, err
	}
	about = []ui.Option{{Text: "Everything"}}
	for _, c := range list {
		if c.Count > 0 || c.Slug == p.Category {
			about = append(about, ui.Option{Value: c.Slug, Text: c.Label})
		}
	}
	regions, err := h.Sayings.Regions(ctx)
	from = []ui.Option{{Text: "Everywhere"}}
	for _, r := range regions {
		from = append(from, ui.Option{Value: r.Name, Text: r.Name})
	}
	return about, from, err
}

func samplers(list []sayings.Saying, eager int) []views.SamplerProps {
	all := make([]views.SamplerProps, len(list))
	for i, s := range list {
		all[i] = sampler(s)
		all[i].Eager = i < eager
	}
	return all
}

// sampler sets a saying. The region is left out where the attribution says it.
func sampler(s sayings.Saying) views.SamplerProps {
	p := views.SamplerProps{Slug: s.Slug, Text: s.Text, By: s.Attribution, Place: s.Region, Href: sayingPath(s.Slug)}
	if strings.Contains(strings.ToLower(p.By), strings.ToLower(p.Place)) {
		p.Place = ""
	}
	return p
}

// saying is the page of one saying: to everybody while it is not hidden, then
// to staff and who sent it.
func (h *handlers) saying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	s, err := h.Sayings.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	p := views.SayingProps{Sampler: sampler(s), Image: s.ImageURL, Meaning: s.Meaning}
	if s.PublishedAt != nil {
		p.Since = s.PublishedAt.UTC().Format("January 2006")
	}
	if s.Region != "" {
		p.Region = ui.Link{Text: s.Region, Href: sayingsBy("region", s.Region)}
	}
	if s.Category != "" {
		p.Category = ui.Link{Text: s.CategoryLabel, Href: sayingsBy("category", s.Category)}
		if p.Others, err = h.othersLike(r.Context(), s); err != nil {
			return nil, err
		}
	}
	switch {
	case s.HiddenAt != nil:
		p.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This saying is hidden", Text: "A moderator took it out of sight. Only the moderators and who sent it see it."}
		if v.IsStaff() {
			p.Unhide = sayingPath(s.Slug) + "/unhide"
		} else { // who sent it
			p.Appeal = appealAddress("saying", s.ID)
		}
	case v.IsStaff():
		p.Hide = sayingPath(s.Slug) + "/hide"
	}
	p.Frame = h.frame(r, v, h.sayingFrame(s))
	return show(r, http.StatusOK, views.Saying(p))
}

func (h *handlers) othersLike(ctx context.Context, s sayings.Saying) ([]views.SamplerProps, error) {
	list, err := h.Sayings.List(ctx, sayings.Filter{Category: s.Category, Page: core.Page{Limit: sayingOthers + 1}})
	if err != nil {
		return nil, err
	}
	var others []sayings.Saying
	for _, o := range list.Items {
		if o.ID != s.ID && len(others) < sayingOthers {
			others = append(others, o)
		}
	}
	return samplers(others, 0), nil
}

// sayingToday is the saying of the day for the first page; nil while there is
// none.
func (h *handlers) sayingToday(ctx context.Context) (*views.SamplerProps, error) {
	s, err := h.Sayings.Today(ctx)
	if core.KindOf(err) == core.NotFound && err != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := sampler(s)
	return &p, nil
}

func (h *handlers) hideSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Sayings.Hide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, sayingPath(slug), "Hidden. Only the moderators and who sent it see it now.")
}

func (h *handlers) unhideSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Sayings.Unhide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, sayingPath(slug), "It is no longer hidden.")
}
