package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/fakereports"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	fakesOnPage   = 20
	sentFakesPath = submissionsPath + "/fakes"
)

// fakeReportRoutes are the pages of reports of fake content. Nobody needs an
// account for them but to take back what they sent.
func (h *handlers) fakeReportRoutes() []route {
	const get, post, age = http.MethodGet, http.MethodPost, httpx.OpenReadAge
	return []route{
		{method: get, pattern: views.FakeReportsPage, page: h.fakeReports, areas: []string{fakereports.Area, settings.Area},
			params: []string{"category", "page"}, maxAge: age},
		{method: get, pattern: views.FakeReportsPage + "/", page: withoutSlash},
		{method: get, pattern: views.NewFakeReportPage, page: h.newFakeReport, areas: []string{settings.Area}, maxAge: settingsAge},
		{method: post, pattern: views.NewFakeReportPage, page: h.sendFakeReport},
		{method: get, pattern: views.FakeThanksPage, page: h.fakeThanks, areas: []string{settings.Area}, params: []string{"outcome"}, maxAge: settingsAge},
		{method: post, pattern: sentFakesPath + "/{id}/withdraw", guard: member, page: h.withdrawFakeReport},
	}
}

// fakeReports is the list of the reports that are confirmed.
func (h *handlers) fakeReports(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	f, page := fakereports.Filter{Category: fakereports.Category(lenient(q, "category"))}, pageNumber(q)
	if !slices.Contains(fakereports.Categories, f.Category) {
		f.Category = ""
	}
	read := func() (core.List[fakereports.Report], error) {
		f.Page = core.Page{Limit: fakesOnPage, Offset: (page - 1) * fakesOnPage}
		return h.FakeReports.List(r.Context(), f)
	}
	list, err := read()
	if err != nil {
		return nil, err
	}
	pages := pagesOf(list.Total, fakesOnPage)
	if page > max(pages, 1) { // a list that has become shorter
		page = max(pages, 1)
		if list, err = read(); err != nil {
			return nil, err
		}
	}
	address := func(n int) string { return fakesAddress(f.Category, n) }
	p := views.FakeReportsProps{Categories: fakeChips(f.Category), Narrowed: f.Category != "", Pager: ui.PagerProps{Page: page, Pages: pages, Href: address},
		Shown: rangeText(page, fakesOnPage, len(list.Items), list.Total) + ", the latest first"}
	for _, one := range list.Items {
		p.List = append(p.List, views.FakeReportProps{ID: one.ID, Category: one.Category.Label(), Confirmed: one.ConfirmedAt.UTC().Format("2 January 2006"),
			Description: one.Description, Platform: one.Platform, Handle: one.Handle, Address: defanged(one.ContentURL)})
	}
	frame := layout.FrameProps{Title: "Fake content", Section: views.FakeReportsPage, NoIndex: p.Narrowed,
		Description: "Fake profiles, scams and made-up content that people saw elsewhere and our moderators confirmed. Report one; you need no account."}
	if page > 1 {
		frame.Title += ", page " + strconv.Itoa(page)
	}
	if !p.Narrowed {
		frame.Canonical = h.Addresses.Base() + address(page)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.FakeReports(p))
}

func fakesAddress(c fakereports.Category, n int) string {
	values := url.Values{}
	if c != "" {
		values.Set("category", string(c))
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	return addressWith(views.FakeReportsPage, values)
}

func fakeChips(chosen fakereports.Category) []ui.Chip {
	chips := []ui.Chip{{Text: "Everything", Href: views.FakeReportsPage, Current: chosen == ""}}
	for _, c := range fakereports.Categories {
		chips = append(chips, ui.Chip{Text: c.Label(), Href: fakesAddress(c, 1), Current: c == chosen})
	}
	return chips
}

// defanged writes an address so that neither a click nor a program that looks
// for links leads there: hxxps://social[.]example/page.
func defanged(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	host, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host, path = rest[:end], rest[end:]
	}
	return strings.Replace(scheme, "tt", "xx", 1) + "://" + strings.ReplaceAll(host, ".", "[.]") + path
}
