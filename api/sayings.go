package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/sayings"
	"homeplace/web/httpx"
)

// saying is the same in lists and on its own (SERVICE.md §2, CONTRACT.md §3).
type saying struct {
	ID          string  `json:"id"`
	Slug        string  `json:"slug"`
	Text        string  `json:"text"`
	Meaning     *string `json:"meaning"`
	Attribution *string `json:"attribution"`
	Region      *string `json:"region"`
	Category    *string `json:"category"`
	ImageURL    *string `json:"image_url"`
	URL         string  `json:"url"` // of the page
}

func (h *handlers) sayingItem(s sayings.Saying) saying {
	return saying{ID: s.ID, Slug: s.Slug, Text: s.Text, Meaning: optional(s.Meaning), Attribution: optional(s.Attribution),
		Region: optional(s.Region), Category: optional(s.Category), ImageURL: optional(s.ImageURL), URL: h.Addresses.Page("sayings", s.Slug)}
}

type sayingList struct {
	envelope
	Sayings []saying `json:"sayings"`
}

func (h *handlers) listSayings(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := sayings.Filter{Query: q.String("q"), Category: q.String("category"), Region: q.String("region"), Page: q.Page(sayings.ListRule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Sayings.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	items := make([]saying, len(found.Items))
	for i, s := range found.Items {
		items[i] = h.sayingItem(s)
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(sayingList{e, items}, e)
}

func (h *handlers) oneSaying(r *http.Request) (*httpx.Answer, error) {
	s, err := h.Sayings.Get(r.Context(), core.Nobody(), chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, h.sayingItem(s))
}

// randomSaying is not kept by anyone: a copy would be everybody's for a minute,
// and asking again would bring the same.
func (h *handlers) randomSaying(r *http.Request) (*httpx.Answer, error) {
	s, err := h.Sayings.Random(r.Context())
	if err != nil {
		return nil, err
	}
	a, err := httpx.JSON(http.StatusOK, h.sayingItem(s))
	if err == nil {
		a.Cache = httpx.Private()
	}
	return a, err
}

type sayingCategory struct {
	Slug  string `json:"slug"`
	Label string `json:"label"`
	Count int    `json:"count"`
}

type sayingCategories struct {
	Categories []sayingCategory `json:"categories"`
}

func (h *handlers) sayingCategories(r *http.Request) (*httpx.Answer, error) {
	found, err := h.Sayings.Categories(r.Context())
	if err != nil {
		return nil, err
	}
	items := make([]sayingCategory, len(found))
	for i, c := range found {
		items[i] = sayingCategory(c)
	}
	return httpx.JSON(http.StatusOK, sayingCategories{items})
}

// sayingSubmission is the body of a submission; the last two fields are of the
// archived form (SERVICE.md §9.2).
type sayingSubmission struct {
	Text           string `json:"text"`
	Meaning        string `json:"meaning"`
	Attribution    string `json:"attribution"`
	Region         string `json:"region"`
	Category       string `json:"category"`
	SubmitterName  string `json:"submitter_name"`
	SubmitterEmail string `json:"submitter_email"`
}

type sayingSubmitted struct {
	Status sayings.Status `json:"status"`
}

func (h *handlers) submitSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body sayingSubmission
	if err := httpx.DecodeJSON(r, &body, httpx.DefaultBody); err != nil {
		return nil, err
	}
	sent, err := h.Sayings.Submit(r.Context(), v, sayings.Input{
		Words:         sayings.Words{Text: body.Text, Meaning: body.Meaning, Attribution: body.Attribution, Region: body.Region, Category: body.Category},
		SubmitterName: body.SubmitterName, SubmitterEmail: body.SubmitterEmail,
		From: httpx.OriginOf(r)})
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusCreated, sayingSubmitted{sent.Status})
}
