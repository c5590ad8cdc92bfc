package api

import (
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/core/fakereports"
	"homeplace/web/httpx"
)

// fakeReport is a confirmed report; nothing in it tells who sent it (CONTRACT.md
// §3).
type fakeReport struct {
	ID          string               `json:"id"`
	Category    fakereports.Category `json:"category"`
	Description string               `json:"description"`
	Platform    *string              `json:"platform"`
	ContentURL  *string              `json:"content_url"`
	Handle      *string              `json:"handle"`
	CreatedAt   time.Time            `json:"created_at"`
	ConfirmedAt time.Time            `json:"confirmed_at"`
}

func fakeReportItem(r fakereports.Report) fakeReport {
	return fakeReport{ID: r.ID, Category: r.Category, Description: r.Description, Platform: optional(r.Platform), ContentURL: optional(r.ContentURL),
		Handle: optional(r.Handle), CreatedAt: r.CreatedAt.UTC(), ConfirmedAt: r.ConfirmedAt.UTC()}
}

type fakeReportList struct {
	envelope
	Reports []fakeReport `json:"reports"`
}

func (h *handlers) listFakeReports(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := fakereports.Filter{Category: fakereports.Category(q.String("category")), Page: q.Page(fakereports.ListRule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.FakeReports.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	items := make([]fakeReport, len(found.Items))
	for i, one := range found.Items {
		items[i] = fakeReportItem(one)
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(fakeReportList{e, items}, e)
}

// fakeReportInput is the body of a report.
type fakeReportInput struct {
	Category       fakereports.Category `json:"category"`
	Description    string               `json:"description"`
	Platform       string               `json:"platform"`
	ContentURL     string               `json:"content_url"`
	Handle         string               `json:"handle"`
	SubmitterName  string               `json:"submitter_name"`
	SubmitterEmail string               `json:"submitter_email"`
}

type fakeReportSent struct {
	OK     bool               `json:"ok"`
	Status fakereports.Status `json:"status"`
}

func (h *handlers) sendFakeReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body fakeReportInput
	if err := httpx.DecodeJSON(r, &body, httpx.DefaultBody); err != nil {
		return nil, err
	}
	sent, err := h.FakeReports.Send(r.Context(), v, fakereports.Input{Category: body.Category, Description: body.Description, Platform: body.Platform,
		ContentURL: body.ContentURL, Handle: body.Handle, SubmitterName: body.SubmitterName, SubmitterEmail: body.SubmitterEmail, From: httpx.OriginOf(r)})
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusCreated, fakeReportSent{OK: true, Status: sent.Status})
}
