package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// filesOnPage is how many files a page of an app lists.
const filesOnPage = 50

// fileFilter is what narrows and orders the files of an app. Values that
// nobody knows change nothing.
type fileFilter struct {
	slug, words, letter, order string
	page                       int
}

// fileOrder is one of the offered orders.
type fileOrder struct {
	value, text, phrase string
	sort                apps.FileSort
	dir                 apps.Direction
}

var fileOrders = []fileOrder{
	{"", "Name, from A", "from A to Z", apps.SortName, apps.Ascending},
	{"name-desc", "Name, from Z", "from Z to A", apps.SortName, apps.Descending},
	{"updated", "Latest changed", "latest changed first", apps.SortUpdated, apps.Descending},
	{"size", "Largest", "largest first", apps.SortSize, apps.Descending},
	{"size-asc", "Smallest", "smallest first", apps.SortSize, apps.Ascending},
}

func readFileFilter(r *http.Request, slug string) fileFilter {
	q := httpx.ParseQuery(r)
	f := fileFilter{slug: slug, words: lenient(q, "q"), letter: strings.ToLower(lenient(q, "letter")), order: lenient(q, "sort"), page: pageNumber(q)}
	if len(f.letter) != 1 || f.letter != "#" && (f.letter[0] < 'a' || f.letter[0] > 'z') {
		f.letter = ""
	}
	f.order = f.chosen().value
	return f
}

func (f fileFilter) chosen() fileOrder {
	for _, o := range fileOrders {
		if o.value == f.order {
			return o
		}
	}
	return fileOrders[0]
}

func (f fileFilter) narrowed() bool {
	return f.words != "" || f.letter != "" || f.order != "" || f.page > 1
}

func (f fileFilter) input() apps.FileFilter {
	o := f.chosen()
	return apps.FileFilter{Query: f.words, Letter: f.letter, Sort: o.sort, Dir: o.dir,
		Page: core.Page{Limit: filesOnPage, Offset: (f.page - 1) * filesOnPage}}
}

func (f fileFilter) address(page int) string {
	values := url.Values{}
	for name, value := range map[string]string{"q": f.words, "letter": f.letter, "sort": f.order} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return addressWith(appPath(f.slug), values) + "#files"
}

// filesOf reads the page of files that is asked for, or the last one there is.
func (h *handlers) filesOf(r *http.Request, v core.Viewer, f *fileFilter) (apps.FileList, error) {
	list, err := h.Apps.Files(r.Context(), v, f.slug, f.input())
	if last := max(pagesOf(list.Total, filesOnPage), 1); err == nil && f.page > last {
		f.page = last
		list, err = h.Apps.Files(r.Context(), v, f.slug, f.input())
	}
	return list, err
}

func (h *handlers) appFilesProps(f fileFilter, list apps.FileList) views.AppFilesProps {
	p := views.AppFilesProps{Action: appPath(f.slug), Any: list.App.Files > 0, Narrow: list.App.Files > 1, Words: f.words, Letter: f.letter, Order: f.order,
		Letters: []ui.Option{{Text: "Any letter"}, {Value: "#", Text: "0–9"}},
		Pager:   ui.PagerProps{Page: f.page, Pages: pagesOf(list.Total, filesOnPage), Href: f.address}}
	for c := 'a'; c <= 'z'; c++ {
		p.Letters = append(p.Letters, ui.Option{Value: string(c), Text: strings.ToUpper(string(c))})
	}
	for _, o := range fileOrders {
		p.Orders = append(p.Orders, ui.Option{Value: o.value, Text: o.text})
	}
	if f.words != "" || f.letter != "" {
		p.Clear = appPath(f.slug) + "#files"
	}
	p.Shown = "Nothing to show"
	if len(list.Items) > 0 {
		p.Shown = rangeText(f.page, filesOnPage, len(list.Items), list.Total) + ", " + f.chosen().phrase
	}
	for _, file := range list.Items {
		p.Rows = append(p.Rows, views.AppFileRow{Name: file.Filename, Href: filePath(f.slug, file.Filename), Size: ui.Size(file.SizeBytes),
			Version: strconv.Itoa(file.Version), Updated: h.moment(file.UpdatedAt), Data: dataPath(list.App, file.Filename, 0)})
	}
	return p
}

// dataPath is where the bytes of a file are read: in the API, or while the app
// is not public, as a download for those who see it. Version 0 is the current
// one.
func dataPath(a apps.Summary, filename string, version int) string {
	path := "/api/apps/" + a.Slug + "/data/" + filename
	if !a.Public() || version > 0 {
		path = filePath(a.Slug, filename) + "/download"
	}
	if version > 0 {
		path += "?version=" + strconv.Itoa(version)
	}
	return path
}

// previewBytes is how much of a file its page shows.
const previewBytes = 100_000

// appFile is the page of one file in one of its versions.
func (h *handlers) appFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug, filename := chi.URLParam(r, "slug"), chi.URLParam(r, "filename")
	q := httpx.ParseQuery(r)
	page, size := pageNumber(q), apps.VersionRule.Default
	history, err := h.Apps.Versions(r.Context(), v, slug, filename, core.Page{Limit: size, Offset: (page - 1) * size})
	if err != nil {
		return nil, err
	}
	data, err := h.Apps.VersionData(r.Context(), v, slug, filename, askedVersion(q))
	if err != nil {
		return nil, err
	}
	address := func(version, n int) string {
		values := url.Values{}
		if version != history.File.Version {
			values.Set("version", strconv.Itoa(version))
		}
		if n > 1 {
			values.Set("page", strconv.Itoa(n))
		}
		return addressWith(filePath(slug, filename), values)
	}
	p := h.appFileProps(history, data)
	p.Rows = h.versionRows(history, data.Version, address)
	p.Pager = ui.PagerProps{Page: page, Pages: pagesOf(history.Total, size), Href: func(n int) string { return address(data.Version, n) + "#history" }}
	p.Frame = h.frame(r, v, h.appFileFrame(history.App, data, page))
	return show(r, http.StatusOK, views.AppFile(p))
}

// appFileProps are the page of a file but for its history.
func (h *handlers) appFileProps(history apps.VersionList, data apps.Data) views.AppFileProps {
	a, path := history.App, filePath(history.App.Slug, data.Filename)
	p := views.AppFileProps{Name: data.Filename, Version: strconv.Itoa(data.Version), Size: ui.Size(len(data.Content)), SHA256: data.SHA256,
		Updated: h.moment(data.UpdatedAt), Schema: history.File.HasSchema, Download: path + "/download",
		Crumbs: []ui.Link{{Text: "Apps", Href: views.AppsPage}, {Text: a.Name, Href: appPath(a.Slug)}, {Text: data.Filename}}}
	if !data.Current {
		p.Download, p.Current = dataPath(a, data.Filename, data.Version), path
		p.Lead = "This is version " + p.Version + ", which is not the current one."
		p.Version += " of " + strconv.Itoa(history.File.Version)
	} else if a.Public() {
		p.Data = dataPath(a, data.Filename, 0)
		p.Submit = appPath(a.Slug) + "/submit?" + url.Values{"file": {data.Filename}}.Encode()
	}
	if !a.Public() {
		p.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This file is not public", Text: "Only the owner of " + a.Name + " and the moderators see it."}
	}
	var whole bool
	if p.Text, whole = layoutJSON(data.Content, previewBytes); !whole {
		p.Cut = "Here is the beginning. The whole file has " + p.Size + ": download it to read on."
	}
	return p
}

func (h *handlers) appFileFrame(a apps.Summary, data apps.Data, page int) layout.FrameProps {
	frame := layout.FrameProps{Title: data.Filename + " · " + a.Name, Section: views.AppsPage, NoIndex: !a.Public() || !data.Current || page > 1,
		Description: "A data file of " + a.Name + ": " + ui.Size(len(data.Content)) + ", version " + strconv.Itoa(data.Version) + ", open as JSON."}
	if a.Public() {
		frame.Canonical = h.Addresses.Page("apps", a.Slug, "files", data.Filename)
		frame.Image, frame.ImageAlt = h.Addresses.Page("preview", "apps", a.Slug+".png"), a.Name+", on woven cloth"
	}
	return frame
}

// askedVersion reads ?version=; 0 is the current one.
func askedVersion(q *httpx.Query) int {
	n, err := strconv.Atoi(lenient(q, "version"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (h *handlers) versionRows(history apps.VersionList, shown int, address func(version, page int) string) []views.AppVersionRow {
	sources := map[apps.Source]string{apps.FromUpload: "Uploaded", apps.FromSubmission: "Suggested", apps.FromRestore: "Brought back"}
	rows := make([]views.AppVersionRow, len(history.Items))
	for i, version := range history.Items {
		rows[i] = views.AppVersionRow{Number: strconv.Itoa(version.Number), Href: address(version.Number, 1), Size: ui.Size(version.SizeBytes),
			From: sources[version.Source], Note: version.Message, Shown: version.Number == shown, At: h.moment(version.CreatedAt)}
		if version.AuthorName != nil {
			rows[i].Author = ui.Link{Text: *version.AuthorName, Href: "/u/" + *version.AuthorName}
		}
	}
	return rows
}

// downloadFile hands out the bytes of a file to whoever sees its app. A page
// never shows them as they are: they are somebody else's.
func (h *handlers) downloadFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	data, err := h.Apps.VersionData(r.Context(), v, chi.URLParam(r, "slug"), chi.URLParam(r, "filename"), askedVersion(httpx.ParseQuery(r)))
	if err != nil {
		return nil, err
	}
	name := data.Filename
	if !data.Current {
		name = strings.TrimSuffix(name, ".json") + ".v" + strconv.Itoa(data.Version) + ".json"
	}
	a := &httpx.Answer{Status: http.StatusOK, ContentType: apps.ContentType, Body: data.Content, File: &httpx.File{Tag: data.SHA256}}
	a.SetHeader("Content-Disposition", `attachment; filename="`+name+`"`)
	return a, nil
}
