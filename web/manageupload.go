package web

import (
	"errors"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/web/httpx"
)

// maxUploads is how many files are stored at once.
const maxUploads = 5

// sentFile is a file that came with a form.
type sentFile struct {
	name    string // as the device calls it, without folders
	content []byte
}

// fileForm reads a form that may have files in its field "file".
func fileForm(r *http.Request) (url.Values, []sentFile, error) {
	err := r.ParseMultipartForm(uploadBody)
	if errors.Is(err, http.ErrNotMultipart) { // a form without files may be sent either way
		values, err := form(r)
		return values, nil, err
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, nil, (&core.Error{Kind: core.TooLarge, Code: "too_large", Msg: "That was more than can be sent at once. A file may have at most 1 MB."}).Wrap(err)
	case err != nil:
		return nil, nil, (&core.Error{Kind: core.Invalid, Code: "malformed_form", Msg: "The form did not arrive whole. Please send it again."}).Wrap(err)
	}
	var files []sentFile
	for _, head := range r.MultipartForm.File["file"] {
		f, err := readPart(head)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	return r.PostForm, files, nil
}

func readPart(head *multipart.FileHeader) (sentFile, error) {
	part, err := head.Open()
	if err != nil {
		return sentFile{}, err
	}
	defer part.Close()
	content, err := io.ReadAll(part)
	return sentFile{name: head.Filename, content: content}, err
}

// pastedText undoes what a browser does to the line ends of a text area. JSON
// has no line ends of its own that could be lost.
func pastedText(values url.Values, field string) string {
	return strings.ReplaceAll(values.Get(field), "\r\n", "\n")
}

// fileLabels are the fields of a form with a file in it.
var fileLabels = []label{{"file", "File"}, {"content", "JSON"}, {"filename", "File name"}, {"message", "What is new"}}

// refusedFile says at its field what is wrong with a file: where it was
// chosen, or else at the pasted text. Other errors are a page of their own.
func refusedFile(err error, chosen bool) (refusal views.Refusal, ok bool) {
	fields, message, ok := refused(err)
	if core.KindOf(err) == core.TooLarge {
		fields, ok = map[string]string{"content": core.AsError(err).Msg}, true
	}
	refusal.Misfits = misfits(fields)
	for _, l := range fileLabels {
		text, wrong := fields[l.name]
		if !wrong {
			continue
		}
		if l.name == "content" && chosen {
			l = fileLabels[0]
		}
		refusal.Fields = append(refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: text})
	}
	if ok && len(refusal.Fields) == 0 {
		refusal.Problem = message
	}
	return refusal, ok
}

// misfits are the places at which a file does not fit its schema: the fields
// below content.
func misfits(fields map[string]string) (list []views.Misfit) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if path, below := strings.CutPrefix(name, "content"); below && path != "" {
			list = append(list, views.Misfit{Path: strings.TrimPrefix(path, "."), Reason: fields[name]})
		}
	}
	return list
}

// uploadFiles stores one file or several, each by itself.
func (h *handlers) uploadFiles(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	values, files, err := fileForm(r)
	if err != nil {
		return nil, err
	}
	left := views.FileFormProps{Filename: values.Get("filename"), Content: pastedText(values, "content"), Message: values.Get("message")}
	chosen := len(files) > 0
	if files, err = toStore(files, left); err != nil {
		left.Refusal, _ = refusedFile(err, chosen)
		return h.showFiles(r, v, m, http.StatusUnprocessableEntity, filesShown{form: left})
	}
	if len(files) == 1 {
		stored, err := h.Apps.Upload(r.Context(), v, m.Slug, apps.UploadInput{Filename: files[0].name, Content: files[0].content, Message: left.Message})
		if err == nil {
			return then(r, m.file(stored.File.Filename), storedNotice(stored))
		}
		refusal, ok := refusedFile(err, chosen)
		if !ok {
			return nil, err
		}
		left.Refusal = refusal
		return h.showFiles(r, v, m, formStatus(err), filesShown{form: left})
	}
	return h.storeSeveral(r, v, m, files, left)
}

// toStore are the files that a form brings: those chosen, or else the text.
func toStore(files []sentFile, left views.FileFormProps) ([]sentFile, error) {
	name := strings.TrimSpace(left.Filename)
	switch {
	case len(files) == 0 && strings.TrimSpace(left.Content) == "":
		return nil, core.InvalidField("file", "Choose a file, or paste its text.")
	case len(files) > 0 && left.Content != "":
		return nil, core.InvalidField("file", "Choose a file or paste a text, not both.")
	case len(files) > maxUploads:
		return nil, core.InvalidField("file", "Choose at most %d files at once.", maxUploads)
	case len(files) > 1 && name != "":
		return nil, core.InvalidField("filename", "must stay empty for several files")
	case len(files) == 0:
		return []sentFile{{name, []byte(left.Content)}}, nil
	case name != "":
		files[0].name = name
	}
	return files, nil
}

func (h *handlers) storeSeveral(r *http.Request, v core.Viewer, m managed, files []sentFile, left views.FileFormProps) (*httpx.Answer, error) {
	shown, status := filesShown{}, http.StatusOK
	for _, f := range files {
		stored, err := h.Apps.Upload(r.Context(), v, m.Slug, apps.UploadInput{Filename: f.name, Content: f.content, Message: left.Message})
		outcome := views.OutcomeProps{Name: f.name, Href: m.file(f.name)}
		if err != nil {
			refusal, ok := refusedFile(err, false)
			if !ok {
				return nil, err
			}
			outcome = views.OutcomeProps{Name: f.name, Text: refusal.Sentence(), Failed: true}
			status = http.StatusUnprocessableEntity
		} else if outcome.Text = "is stored as version " + strconv.Itoa(stored.File.Version) + "."; stored.Unchanged {
			outcome.Text = "is the same as before, so nothing was stored."
		}
		shown.outcomes = append(shown.outcomes, outcome)
	}
	if status != http.StatusOK {
		shown.form.Message = left.Message
	}
	m, err := h.managed(r, v) // the number of files has changed
	if err != nil {
		return nil, err
	}
	return h.showFiles(r, v, m, status, shown)
}

func storedNotice(s apps.Stored) string {
	if s.Unchanged {
		return s.File.Filename + " is the same as before, so no new version was made."
	}
	return s.File.Filename + " is stored as version " + strconv.Itoa(s.File.Version) + "."
}
