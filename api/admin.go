package api

import (
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/core/recent"
	"homeplace/web/httpx"
)

// recentItem is something that was sent in (CONTRACT.md §3).
type recentItem struct {
	Source      string    `json:"source"`
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Status      string    `json:"status"`
	SubmittedBy *string   `json:"submitted_by"` // null where nobody is known
	CreatedAt   time.Time `json:"created_at"`
	PageURL     string    `json:"page_url"`
}

type recentList struct {
	envelope
	Items   []recentItem `json:"items"`
	Sources []string     `json:"sources"` // all that can be asked for
	Skipped []string     `json:"skipped"`
}

func (h *handlers) recentSubmissions(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	if !v.IsStaff() { // before anything is said about the parameters
		return nil, core.Forbiddenf("Only moderators see what was sent in.")
	}
	q := httpx.ParseQuery(r)
	f := recent.Filter{Source: q.Enum("source", recent.Keys()...), Page: q.Page(recent.Rule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Recent.List(r.Context(), v, f)
	if err != nil {
		return nil, err
	}
	items := make([]recentItem, len(found.Items))
	for i, s := range found.Items {
		items[i] = recentItem{Source: s.Source, ID: s.ID, Title: s.Title, Status: s.Status, CreatedAt: s.CreatedAt.UTC(),
			PageURL: h.Addresses.Base() + s.Path}
		if s.SubmittedBy != "" {
			items[i].SubmittedBy = &s.SubmittedBy
		}
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(recentList{e, items, recent.Keys(), found.Skipped}, e)
}
