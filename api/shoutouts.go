package api

import (
	"context"
	"net/http"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/shoutouts"
	"homeplace/web/httpx"
)

// shoutOutItem is a shout-out in the feed (CONTRACT.md §3).
type shoutOutItem struct {
	ID           string    `json:"id"`
	BusinessName string    `json:"business_name"`
	BusinessSlug *string   `json:"business_slug"`
	Rating       float64   `json:"rating"`
	City         *string   `json:"city"`
	Body         *string   `json:"body"`
	DisplayName  *string   `json:"display_name"`
	CreatedAt    time.Time `json:"created_at"`
}

type shoutOutList struct {
	envelope
	ShoutOuts []shoutOutItem `json:"shoutouts"`
}

func (h *handlers) listShoutOuts(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := shoutouts.Filter{Page: q.Page(shoutouts.ListRule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.ShoutOuts.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	items := make([]shoutOutItem, len(found.Items))
	for i, s := range found.Items {
		items[i] = shoutOutItem{ID: s.ID, BusinessName: s.BusinessName, BusinessSlug: optional(s.BusinessSlug), Rating: s.Rating,
			City: optional(s.City), Body: optional(s.Body), DisplayName: optional(s.DisplayName), CreatedAt: s.CreatedAt.UTC()}
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(shoutOutList{e, items}, e)
}

// shoutOutStatistics are part of an entry's detail.
type shoutOutStatistics struct {
	Count   int      `json:"count"`
	Average *float64 `json:"average"`
}

// shoutOutsOf sums up an entry's shout-outs; businesses alone have any.
func (h *handlers) shoutOutsOf(ctx context.Context, e directory.Entry) (shoutOutStatistics, error) {
	if e.Kind != directory.KindBusiness {
		return shoutOutStatistics{}, nil
	}
	sum, err := h.ShoutOuts.SummaryOf(ctx, e.ID)
	if err != nil || sum.Count == 0 {
		return shoutOutStatistics{}, err
	}
	return shoutOutStatistics{Count: sum.Count, Average: &sum.Average}, nil
}

type shoutOutInput struct {
	BusinessName  string   `json:"business_name"`
	Rating        *float64 `json:"rating"`
	City          string   `json:"city"`
	Body          string   `json:"body"`
	SubmitterName string   `json:"submitter_name"`
	EntryID       string   `json:"directory_entry_id"`
}

type shoutOutPosted struct {
	OK           bool             `json:"ok"`
	ID           string           `json:"id"`
	Status       shoutouts.Status `json:"status"`
	SignedIn     bool             `json:"signedIn"`
	DraftListing *draftListing    `json:"draft_listing"`
}

type draftListing struct {
	Slug string `json:"slug"`
}

// postShoutOut takes a shout-out from anybody. A browser that comes without a
// mark gets one, by which an account can adopt the shout-out later.
func (h *handlers) postShoutOut(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	var body shoutOutInput
	if err := httpx.DecodeJSON(r, &body, httpx.DefaultBody); err != nil {
		return nil, err
	}
	in := shoutouts.Input{BusinessName: body.BusinessName, City: body.City, Body: body.Body, SubmitterName: body.SubmitterName,
		EntryID: body.EntryID, From: httpx.OriginOf(r)}
	if body.Rating != nil {
		in.Rating = *body.Rating
	}
	var cookie *http.Cookie
	if !v.SignedIn() {
		in.Mark, cookie = h.Ballots.Browser(r)
	}
	posted, err := h.ShoutOuts.Post(r.Context(), v, in)
	if err != nil {
		return nil, err
	}
	answer := shoutOutPosted{OK: true, ID: posted.ID, Status: posted.Status, SignedIn: v.SignedIn()}
	if posted.Draft != "" {
		answer.DraftListing = &draftListing{posted.Draft}
	}
	a, err := httpx.JSON(http.StatusCreated, answer)
	if err == nil && cookie != nil {
		a.SetHeader("Set-Cookie", cookie.String())
	}
	return a, err
}
