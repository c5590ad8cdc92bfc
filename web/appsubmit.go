package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// editedBytes is how large a file may be to be changed in the browser: beyond
// that a text area is no place for it.
const editedBytes = 200_000

// submitPage is the form in which a member suggests a file. ?file= names one
// that is there, to be changed.
func (h *handlers) submitPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, files, err := h.openApp(r, v)
	if err != nil {
		return nil, err
	}
	p := h.submitProps(r, v, a, files)
	asked := httpx.ParseQuery(r).String("file")
	if i := slices.IndexFunc(files, func(f apps.File) bool { return f.Filename == asked }); i >= 0 {
		p.File = asked
		if files[i].SizeBytes > editedBytes {
			p.Note = asked + " is too large to be changed here. Download it, change it, then choose it above."
		} else if data, err := h.Apps.VersionData(r.Context(), v, a.Slug, asked, 0); err != nil {
			return nil, err
		} else {
			p.Content, p.Note = editable(data.Content), "This is "+asked+" as it is now. Change what is wrong or missing."
		}
	}
	return show(r, http.StatusOK, views.SubmitFile(p))
}

// editable is the text of a file as people can change it: one that a program
// wrote in a single line is laid out.
func editable(content []byte) string {
	if !bytes.Contains(bytes.TrimSpace(content), []byte("\n")) {
		if text, whole := layoutJSON(content, editedBytes); whole {
			return text
		}
	}
	return string(content)
}

// openApp is the app that the address names, with its files, where it takes
// what members send.
func (h *handlers) openApp(r *http.Request, v core.Viewer) (apps.App, []apps.File, error) {
	a, err := h.Apps.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err != nil {
		return a, nil, err
	}
	if !a.Public() && !apps.CanManage(v, a.Summary) {
		return a, nil, core.Conflictf("not_public", "%s is not public at the moment, so it takes no files.", a.Name)
	}
	list, err := h.Apps.Files(r.Context(), v, a.Slug, apps.FileFilter{Page: core.Page{Limit: apps.FileRule.Max}})
	return a, list.Items, err
}

func (h *handlers) submitProps(r *http.Request, v core.Viewer, a apps.App, files []apps.File) views.SubmitFileProps {
	p := views.SubmitFileProps{AppName: a.Name, Owner: ownerName(a.Summary), Crumbs: appCrumbs(a.Summary, "Suggest a file"),
		Action: appPath(a.Slug) + "/submit", Cancel: appPath(a.Slug), Mine: apps.CanManage(v, a.Summary), Manage: managePath(a.Slug),
		Files: []ui.Option{{Text: "A new file"}}}
	if a.OwnerID == nil {
		p.Owner = "A moderator"
	}
	for _, f := range files {
		p.Files = append(p.Files, ui.Option{Value: f.Filename, Text: f.Filename})
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Suggest a file for " + a.Name, Section: views.AppsPage, NoIndex: true})
	return p
}

// submitFile sends what was chosen or written. A chosen file counts before the
// text, which may still be the one that the form began with.
func (h *handlers) submitFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, files, err := h.openApp(r, v)
	if err != nil {
		return nil, err
	}
	values, chosen, err := fileForm(r)
	if err != nil {
		return nil, err
	}
	in := apps.SubmitInput{Filename: values.Get("of"), Message: pastedText(values, "message"), Content: json.RawMessage(pastedText(values, "content")),
		From: httpx.OriginOf(r)}
	named := in.Filename == ""
	if named {
		in.Filename = strings.TrimSpace(values.Get("filename"))
	}
	if len(chosen) > 0 {
		in.Content = chosen[0].content
		if in.Filename == "" {
			in.Filename = chosen[0].name
		}
	}
	if _, err = h.Apps.Submit(r.Context(), v, a.Slug, in); err == nil {
		return then(r, submissionsPath, "Thank you. "+in.Filename+" waits for "+decider(a.Summary)+" now.")
	}
	refusal, ok := refusedFile(err, len(chosen) > 0)
	if !ok {
		return nil, err
	}
	p := h.submitProps(r, v, a, files)
	p.File, p.Message, p.Content = values.Get("of"), in.Message, string(in.Content)
	p.Filename = values.Get("filename")
	if named {
		p.Filename = in.Filename
	}
	if len(chosen) > 0 {
		keepChosen(&p, chosen[0], values.Get("content"), &refusal)
	}
	for i, problem := range refusal.Fields {
		if problem.Name == "filename" && p.File != "" && len(p.Files) > 1 {
			refusal.Fields[i].Name = "of"
		}
	}
	p.Refusal = refusal
	return show(r, formStatus(err), views.SubmitFile(p))
}

// decider says in a sentence who looks at what members send to an app.
func decider(a apps.Summary) string {
	if a.OwnerID == nil {
		return "a moderator"
	}
	return ownerName(a)
}

// keepChosen puts a chosen file into the text area, since no page can choose
// it again for the person; what no text area can hold has to be chosen anew.
func keepChosen(p *views.SubmitFileProps, f sentFile, typed string, refusal *views.Refusal) {
	fits := len(f.content) <= apps.MaxFileBytes && utf8.Valid(f.content)
	if !fits {
		p.Content = typed
	} else {
		p.Note = "This is what stands in " + f.name + ", which you chose."
	}
	for i, problem := range refusal.Fields {
		if problem.Name == "file" && fits {
			refusal.Fields[i].Name, refusal.Fields[i].Label = "content", "JSON"
		}
	}
}
