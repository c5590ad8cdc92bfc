package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	appsOnPage = 48 // on a page of the list: whole lines of three
	sentPath   = submissionsPath + "/files"
)

// appRoutes are the pages of the apps for visitors, for those who bring one in
// or suggest a file, and for staff.
func (h *handlers) appRoutes() []route {
	const get, post, age = http.MethodGet, http.MethodPost, httpx.OpenReadAge
	shown := []string{apps.Area, settings.Area}
	list := []route{
		{method: get, pattern: views.AppsPage, page: h.apps, areas: shown, params: []string{"q", "page"}, maxAge: age},
		{method: get, pattern: views.AppsPage + "/{slug}", page: h.app, areas: shown, params: []string{"q", "letter", "sort", "page"}, maxAge: age},
		{method: get, pattern: views.AppsPage + "/{slug}/files/{filename}", page: h.appFile, areas: shown, params: []string{"version", "page"}, maxAge: age},
	}
	for _, r := range list {
		list = append(list, route{method: get, pattern: r.pattern + "/", page: withoutSlash})
	}
	return append(list,
		route{method: get, pattern: views.AppsPage + "/{slug}/files/{filename}/download", page: h.downloadFile},
		route{method: get, pattern: "/preview/apps/{file}", page: h.appPreview, areas: shown, maxAge: previewAge},

		route{method: get, pattern: views.NewAppPage, guard: member, page: h.newApp},
		route{method: post, pattern: views.NewAppPage, guard: member, page: h.createApp},
		route{method: get, pattern: views.AppsPage + "/{slug}/edit", guard: member, page: h.editApp},
		route{method: post, pattern: views.AppsPage + "/{slug}/edit", guard: member, page: h.saveApp},
		route{method: get, pattern: views.AppsPage + "/{slug}/submit", guard: member, page: h.submitPage},
		route{method: post, pattern: views.AppsPage + "/{slug}/submit", guard: member, page: h.submitFile, body: fileBody},
		route{method: get, pattern: views.MyAppsPage, guard: member, page: h.myApps},
		route{method: get, pattern: sentPath + "/{id}", guard: member, page: h.sentFile},
		route{method: post, pattern: sentPath + "/{id}/withdraw", guard: member, page: h.withdrawFile},

		route{method: post, pattern: views.AppsPage + "/{slug}/hide", guard: staff, page: h.hideApp},
		route{method: post, pattern: views.AppsPage + "/{slug}/unhide", guard: staff, page: h.unhideApp},
	)
}

func appPath(slug string) string { return views.AppsPage + "/" + slug }

func filePath(slug, filename string) string { return appPath(slug) + "/files/" + filename }

// managePath is the owner's desk of an app.
func managePath(slug string) string { return appPath(slug) + "/manage" }

// apps is the list of the public apps.
func (h *handlers) apps(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	words, page := lenient(q, "q"), pageNumber(q)
	read := func() (core.List[apps.Summary], error) {
		return h.Apps.List(r.Context(), apps.Filter{Query: words, Page: core.Page{Limit: appsOnPage, Offset: (page - 1) * appsOnPage}})
	}
	list, err := read()
	if err != nil {
		return nil, err
	}
	pages := pagesOf(list.Total, appsOnPage)
	if page > max(pages, 1) { // a list that has become shorter
		page = max(pages, 1)
		if list, err = read(); err != nil {
			return nil, err
		}
	}
	address := func(n int) string {
		values := url.Values{}
		if words != "" {
			values.Set("q", words)
		}
		if n > 1 {
			values.Set("page", strconv.Itoa(n))
		}
		return addressWith(views.AppsPage, values)
	}
	p := views.AppsProps{Words: words, Shown: rangeText(page, appsOnPage, len(list.Items), list.Total) + ", from A to Z",
		Cards: h.appCards(list.Items), Pager: ui.PagerProps{Page: page, Pages: pages, Href: address}}
	frame := layout.FrameProps{Title: "Apps", Section: views.AppsPage, NoIndex: words != "",
		Description: "Tools that neighbours build, with their data open to everyone as JSON."}
	if page > 1 {
		frame.Title += ", page " + strconv.Itoa(page)
	}
	if words == "" {
		frame.Canonical = h.Addresses.Base() + address(page)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Apps(p))
}

func addressWith(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// rangeText says which rows of a list a page shows.
func rangeText(page, size, shown, total int) string {
	if total <= size {
		return "All " + thousands(total)
	}
	first := (page-1)*size + 1
	return thousands(first) + "–" + thousands(first+shown-1) + " of " + thousands(total)
}

func (h *handlers) appCards(list []apps.Summary) []ui.EntryProps {
	cards := make([]ui.EntryProps, len(list))
	for i, a := range list {
		cards[i] = ui.EntryProps{Href: appPath(a.Slug), Title: a.Name, Slug: a.Slug, Summary: a.Summary, Tag: "by " + ownerName(a),
			Strong: fileCount(a.Files), Meta: "updated " + ui.Ago(a.UpdatedAt, h.Now(), nil), Eager: i < 3}
	}
	return cards
}

// ownerName is how the owner of an app is called.
func ownerName(a apps.Summary) string {
	switch {
	case value(a.OwnerTitle) != "":
		return *a.OwnerTitle
	case value(a.OwnerName) != "":
		return *a.OwnerName
	}
	return "the community"
}

// ownerPage is the owner's name, with the address of their profile.
func ownerPage(a apps.Summary) ui.Link {
	l := ui.Link{Text: ownerName(a)}
	if a.OwnerName != nil {
		l.Href = "/u/" + *a.OwnerName
	}
	return l
}

func fileCount(n int) string {
	switch n {
	case 0:
		return "No files yet"
	case 1:
		return "1 file"
	}
	return thousands(n) + " files"
}

const (
	homeApps = 3
	// homeAppChoice is among how many apps the first page looks for the latest.
	homeAppChoice = 100
)

// latestApps are the apps that changed last and have something to read.
func (h *handlers) latestApps(ctx context.Context) ([]ui.EntryProps, error) {
	list, err := h.Apps.List(ctx, apps.Filter{Page: core.Page{Limit: homeAppChoice}})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list.Items, func(a, b apps.Summary) int {
		if (a.Files == 0) != (b.Files == 0) {
			return cmp.Compare(b.Files, a.Files)
		}
		return b.UpdatedAt.Compare(a.UpdatedAt)
	})
	return h.appCards(list.Items[:min(homeApps, len(list.Items))]), nil
}
