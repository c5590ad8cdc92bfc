package web

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// managedFile shows one file with its history.
func (h *handlers) managedFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	return h.showFile(r, v, m, http.StatusOK, views.FileFormProps{})
}

func (h *handlers) showFile(r *http.Request, v core.Viewer, m managed, status int, left views.FileFormProps) (*httpx.Answer, error) {
	name, page := chi.URLParam(r, "filename"), pageNumber(httpx.ParseQuery(r))
	list, err := h.Apps.Versions(r.Context(), v, m.Slug, name, managedPage(page))
	if err != nil {
		return nil, err
	}
	f := list.File
	if len(list.Items) == 0 && page > 1 {
		return httpx.Redirect(http.StatusSeeOther, m.file(f.Filename)), nil
	}
	p := views.ManageFileProps{Name: f.Filename, Path: m.file(f.Filename), Form: left, Changed: h.moment(f.UpdatedAt), Open: m.version(f.Filename, f.Version),
		Manage:  h.manageView(r, v, m, views.FilesTab, f.Filename, ui.Link{Text: "Files", Href: m.files()}, ui.Link{Text: f.Filename}),
		Facts:   []views.FileFact{{Label: "Version", Text: strconv.Itoa(f.Version)}, {Label: "Size", Text: exactSize(f.SizeBytes)}, {Label: "SHA-256", Text: f.SHA256}},
		Schema:  ui.Link{Text: "None yet: attach one", Href: m.schema(f.Filename)},
		History: "History, " + strconv.Itoa(list.Total) + plural(list.Total, " version", " versions"),
		Pager:   managedPager(page, list.Total, func(n int) string { return listAddress(m.file(f.Filename), "", "", n) })}
	if f.HasSchema {
		p.Schema.Text = "New versions must fit it"
	}
	if m.Public() {
		p.Address = h.Addresses.API("apps", m.Slug, "data", f.Filename)
	}
	for _, version := range list.Items {
		p.Rows = append(p.Rows, h.versionRow(m, f.Filename, version))
	}
	return show(r, status, views.ManageFile(p))
}

// exactSize is a size as people say it with the number of bytes, where that
// says more.
func exactSize(bytes int) string {
	if bytes < 1000 {
		return ui.Size(bytes)
	}
	return ui.Size(bytes) + ", " + thousands(bytes) + " bytes"
}

func (h *handlers) versionRow(m managed, filename string, version apps.Version) views.VersionRow {
	row := views.VersionRow{Number: strconv.Itoa(version.Number), Size: ui.Size(version.SizeBytes), Message: version.Message, When: h.moment(version.CreatedAt),
		Open: m.version(filename, version.Number), Current: version.Current, Who: "a member who left"}
	row.Source = map[apps.Source]string{apps.FromUpload: "Uploaded", apps.FromSubmission: "Submitted", apps.FromRestore: "Restored"}[version.Source]
	if version.AuthorName != nil {
		row.Who, row.Profile = *version.AuthorName, "/u/"+*version.AuthorName
	}
	return row
}

// replaceFile stores what was sent as the next version of the file.
func (h *handlers) replaceFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	values, files, err := fileForm(r)
	if err != nil {
		return nil, err
	}
	left := views.FileFormProps{Filename: chi.URLParam(r, "filename"), Content: pastedText(values, "content"), Message: values.Get("message")}
	chosen := len(files) > 0
	if files, err = toStore(files[:min(len(files), 1)], left); err == nil {
		var stored apps.Stored
		stored, err = h.Apps.Upload(r.Context(), v, m.Slug, apps.UploadInput{Filename: left.Filename, Content: files[0].content, Message: left.Message})
		if err == nil {
			return then(r, m.file(stored.File.Filename), storedNotice(stored))
		}
	}
	refusal, ok := refusedFile(err, chosen)
	if !ok {
		return nil, err
	}
	left.Refusal = refusal
	return h.showFile(r, v, m, formStatus(err), left)
}

func (h *handlers) askRemoveFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	f, err := h.Apps.File(r.Context(), v, m.Slug, chi.URLParam(r, "filename"))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.ManageAsk(views.ManageAskProps{
		Manage: h.manageView(r, v, m, views.FilesTab, "Remove "+f.Filename, ui.Link{Text: "Files", Href: m.files()}, ui.Link{Text: f.Filename, Href: m.file(f.Filename)}, ui.Link{Text: "Remove"}),
		Title:  "Remove " + f.Filename + "?",
		Texts:  []string{"The file goes for good, with all its earlier versions. Programs that read it find nothing at its address any more."},
		Action: m.file(f.Filename) + "/remove", Button: "Remove the file", Keep: ui.Link{Text: "Keep it", Href: m.file(f.Filename)}}))
}

func (h *handlers) removeFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug, name := chi.URLParam(r, "slug"), chi.URLParam(r, "filename")
	if err := h.Apps.RemoveFile(r.Context(), v, slug, name); err != nil {
		return nil, err
	}
	return then(r, managePath(slug)+views.FilesTab, name+" is removed.")
}

// restoreVersion makes an earlier version the current one again.
func (h *handlers) restoreVersion(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	name := chi.URLParam(r, "filename")
	number, err := versionNumber(values.Get("version"))
	if err != nil {
		return nil, err
	}
	stored, err := h.Apps.Restore(r.Context(), v, m.Slug, name, number)
	if err != nil {
		refusal, ok := refusedFile(err, true)
		if !ok {
			return nil, err
		}
		problem := views.Refusal{Problem: "Version " + strconv.Itoa(number) + " cannot be restored. " + refusal.Sentence()}
		return h.showFile(r, v, m, formStatus(err), views.FileFormProps{Refusal: problem})
	}
	notice := "Version " + strconv.Itoa(number) + " is back, as version " + strconv.Itoa(stored.File.Version) + "."
	if stored.Unchanged {
		notice = "The file is the same as version " + strconv.Itoa(number) + " already."
	}
	return then(r, m.file(name), notice)
}

func versionNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, core.NotFoundf("The file has no such version.")
	}
	return int(n), nil
}

// versionBytes are the bytes of a version, whether the app is public or not.
func (h *handlers) versionBytes(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	number, err := versionNumber(chi.URLParam(r, "number"))
	if err != nil {
		return nil, err
	}
	d, err := h.Apps.VersionData(r.Context(), v, m.Slug, chi.URLParam(r, "filename"), number)
	if err != nil {
		return nil, err
	}
	return jsonBytes(d.Filename, d.Content), nil
}

// jsonBytes are shown by a browser, and saved under the name.
func jsonBytes(filename string, content []byte) *httpx.Answer {
	a := &httpx.Answer{Status: http.StatusOK, ContentType: apps.ContentType, Body: content}
	a.SetHeader("Content-Disposition", `inline; filename="`+filename+`"`)
	return a
}
