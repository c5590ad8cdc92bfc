package web

import (
	"net/http"
	"net/url"
	"strconv"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// managedRows is how many files, versions or submissions stand on a page.
const managedRows = 24

// managedFiles lists the files.
func (h *handlers) managedFiles(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	return h.showFiles(r, v, m, http.StatusOK, filesShown{})
}

// filesShown is what stands beside the list of files.
type filesShown struct {
	form     views.FileFormProps
	outcomes []views.OutcomeProps
}

func (h *handlers) showFiles(r *http.Request, v core.Viewer, m managed, status int, shown filesShown) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	words, page := lenient(q, "q"), pageNumber(q)
	list, err := h.Apps.Files(r.Context(), v, m.Slug, apps.FileFilter{Query: words, Page: managedPage(page)})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && list.Total > 0 { // a list that has become shorter
		return httpx.Redirect(http.StatusSeeOther, listAddress(m.files(), "q", words, 1)), nil
	}
	p := views.ManageFilesProps{Manage: h.manageView(r, v, m, views.FilesTab, "Files", ui.Link{Text: "Files"}), Query: words,
		Count: strconv.Itoa(list.Total) + plural(list.Total, " file", " files"), Outcomes: shown.outcomes, Form: shown.form, Most: maxUploads,
		Narrow: words != "" || list.Total > managedRows/2,
		Pager:  managedPager(page, list.Total, func(n int) string { return listAddress(m.files(), "q", words, n) })}
	if words != "" {
		p.Count += " with “" + words + "” in the name"
	}
	for _, f := range list.Items {
		row := views.FileRow{Name: f.Filename, Href: m.file(f.Filename), Size: ui.Size(f.SizeBytes), Version: strconv.Itoa(f.Version), Changed: h.moment(f.UpdatedAt)}
		if f.HasSchema {
			row.Schema = m.schema(f.Filename)
		}
		p.Rows = append(p.Rows, row)
	}
	return show(r, status, views.ManageFiles(p))
}

func managedPage(number int) core.Page {
	return core.Page{Limit: managedRows, Offset: (number - 1) * managedRows}
}

func managedPager(page, total int, address func(int) string) ui.PagerProps {
	return ui.PagerProps{Page: page, Pages: pagesOf(total, managedRows), Href: address}
}

// listAddress is a page of a list that is narrowed by at most one parameter.
func listAddress(path, name, value string, page int) string {
	q := url.Values{}
	if value != "" {
		q.Set(name, value)
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
