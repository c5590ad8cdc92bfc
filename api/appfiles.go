package api

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/web/httpx"
)

// appFile is a data file in lists (SERVICE.md §2).
type appFile struct {
	Filename    string    `json:"filename"`
	SizeBytes   int       `json:"size_bytes"`
	ContentType string    `json:"content_type"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	URL         string    `json:"url"`
}

type appFileList struct {
	App appOfFiles `json:"app"`
	envelope
	Files []appFile `json:"files"`
}

type appOfFiles struct {
	Slug string `json:"slug"`
}

func (h *handlers) listAppFiles(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := apps.FileFilter{
		Query: q.String("q"), Letter: q.String("letter"),
		Sort: apps.FileSort(q.Enum("sort", string(apps.SortName), string(apps.SortSize), string(apps.SortUpdated))),
		Dir:  apps.Direction(q.Enum("dir", string(apps.Ascending), string(apps.Descending))),
		Page: q.Page(apps.FileRule),
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Apps.Files(r.Context(), core.Nobody(), chi.URLParam(r, "slug"), filter)
	if err != nil {
		return nil, err
	}
	slug, files := found.App.Slug, make([]appFile, len(found.Items))
	for i, f := range found.Items {
		files[i] = appFile{
			Filename: f.Filename, SizeBytes: f.SizeBytes, ContentType: apps.ContentType,
			CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC(), URL: h.Addresses.API("apps", slug, "data", f.Filename),
		}
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(appFileList{appOfFiles{slug}, e, files}, e)
}

// appData answers the stored bytes of a file, or of an earlier version of it.
func (h *handlers) appData(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	version := q.Int("version", 1, math.MaxInt, 0)
	if err := q.Err(); err != nil {
		return nil, err
	}
	d, err := h.Apps.Data(r.Context(), chi.URLParam(r, "slug"), chi.URLParam(r, "filename"), version)
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: apps.ContentType, Body: d.Content, File: &httpx.File{Tag: d.SHA256}}, nil
}

// fileSubmission is the body of a submission. Its content is kept byte for
// byte.
type fileSubmission struct {
	Filename string          `json:"filename"`
	Content  json.RawMessage `json:"content"`
	Message  string          `json:"message"`
}

type fileSubmitted struct {
	OK           bool   `json:"ok"`
	SubmissionID string `json:"submission_id"`
	Message      string `json:"message"`
}

func (h *handlers) submitFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body fileSubmission
	if err := httpx.DecodeJSON(r, &body, httpx.MaxFileBody); err != nil {
		return nil, err
	}
	s, err := h.Apps.Submit(r.Context(), v, chi.URLParam(r, "slug"),
		apps.SubmitInput{Filename: body.Filename, Content: body.Content, Message: body.Message, From: httpx.OriginOf(r)})
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusCreated, fileSubmitted{OK: true, SubmissionID: s.ID, Message: fmt.Sprintf(
		"Thank you. %s is waiting for whoever keeps %s to look at it; once they approve it, everybody can read it.", s.Filename, s.AppName)})
}

// refuseFile marks a refused submission as its first form did (SERVICE.md
// §7.4).
func refuseFile(r *http.Request, err error) *httpx.Answer {
	a := httpx.ErrorAnswer(r, err)
	a.Body = append([]byte(`{"ok":false,`), a.Body[1:]...)
	return a
}
