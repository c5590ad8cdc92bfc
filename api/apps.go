package api

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/web/httpx"
)

// appItem is an app in lists (SERVICE.md §2, CONTRACT.md §3).
type appItem struct {
	ID          string    `json:"id"`
	Slug        string    `json:"slug"`
	Name        string    `json:"name"`
	Summary     string    `json:"summary"`
	HomepageURL *string   `json:"homepage_url"`
	RepoURL     *string   `json:"repo_url"`
	UpdatedAt   time.Time `json:"updated_at"`
	URL         string    `json:"url"`
	PageURL     string    `json:"page_url"`
}

func (h *handlers) appItem(a apps.Summary) appItem {
	return appItem{
		ID: a.ID, Slug: a.Slug, Name: a.Name, Summary: a.Summary, HomepageURL: a.HomepageURL, RepoURL: a.RepoURL,
		UpdatedAt: a.UpdatedAt.UTC(), URL: h.Addresses.API("apps", a.Slug), PageURL: h.Addresses.Page("apps", a.Slug),
	}
}

type appList struct {
	envelope
	Apps []appItem `json:"apps"`
}

func (h *handlers) listApps(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := apps.Filter{Query: q.String("q"), Page: q.Page(apps.ListRule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Apps.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	items := make([]appItem, len(found.Items))
	for i, a := range found.Items {
		items[i] = h.appItem(a)
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(appList{e, items}, e)
}

// appDetail is an app on its own.
type appDetail struct {
	appItem
	Description string    `json:"description"`
	Owner       *appOwner `json:"owner"`
	CreatedAt   time.Time `json:"created_at"`
	FilesURL    string    `json:"files_url"`
}

type appOwner struct {
	Username    string  `json:"username"`
	DisplayName *string `json:"display_name"`
	ProfileURL  string  `json:"profile_url"`
}

func (h *handlers) app(r *http.Request) (*httpx.Answer, error) {
	a, err := h.Apps.Get(r.Context(), core.Nobody(), chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, appDetail{
		appItem: h.appItem(a.Summary), Description: a.Description, Owner: h.appOwner(a.Summary),
		CreatedAt: a.CreatedAt.UTC(), FilesURL: h.Addresses.API("apps", a.Slug, "files"),
	})
}

// appOwner is nil for an app whose owner has left.
func (h *handlers) appOwner(a apps.Summary) *appOwner {
	if a.OwnerName == nil {
		return nil
	}
	return &appOwner{Username: *a.OwnerName, DisplayName: a.OwnerTitle, ProfileURL: h.Addresses.Page("u", *a.OwnerName)}
}
