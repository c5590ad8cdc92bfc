package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	shoutOutsOnPage  = 12
	shoutOutsOnEntry = 3
	shoutOutsOnHome  = 3
	sentShoutOutPath = submissionsPath + "/shout-outs"
)

// shoutOutRoutes are the page of the shout-outs with the form of a new one.
func (h *handlers) shoutOutRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: views.ShoutOutsPage, page: h.shoutOuts, maxAge: httpx.OpenReadAge, params: []string{"business", "give", "sent", "page"},
			areas: []string{shoutouts.Area, directory.Area, accounts.Area, settings.Area}},
		{method: get, pattern: views.ShoutOutsPage + "/", page: withoutSlash},
		{method: post, pattern: views.ShoutOutsPage, page: h.giveShoutOut},
		{method: post, pattern: sentShoutOutPath + "/{id}/withdraw", guard: member, page: h.withdrawShoutOut},
	}
}

// shoutOuts is the list of the public shout-outs, or of those for one business.
func (h *handlers) shoutOuts(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	var form views.ShoutOutFormProps
	form.Open = lenient(q, "give") != ""
	return h.showShoutOuts(r, v, http.StatusOK, lenient(q, "business"), form)
}

// showShoutOuts draws the list with a form; of is the slug of the business that
// it is narrowed to, "" for all.
func (h *handlers) showShoutOuts(r *http.Request, v core.Viewer, status int, of string, form views.ShoutOutFormProps) (*httpx.Answer, error) {
	p := views.ShoutOutsProps{Form: form}
	filter, page := shoutouts.Filter{}, pageNumber(httpx.ParseQuery(r))
	frame := layout.FrameProps{Title: "Shout-outs", Section: views.ShoutOutsPage,
		Description: "Businesses that neighbours are glad to have, and why. Give a shout-out of your own; no account is needed."}
	if of != "" {
		e, err := h.Directory.Get(r.Context(), directory.KindBusiness, of)
		if err != nil {
			return nil, err
		}
		filter.EntryID, frame.Title, frame.NoIndex = e.ID, "Shout-outs for "+e.Name, true
		p.Of = ui.Link{Text: e.Name, Href: entryPath(e.Kind, e.Slug)}
		p.Form.For = &ui.Option{Value: e.ID, Text: joined(", ", e.Name, placeOf(e.Summary))}
		if p.Stars, err = h.starsOf(r.Context(), e.ID); err != nil {
			return nil, err
		}
	}
	filter.Page = core.Page{Limit: shoutOutsOnPage, Offset: (page - 1) * shoutOutsOnPage}
	list, err := h.ShoutOuts.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && page > 1 {
		return nil, core.NotFoundf("There are fewer pages of shout-outs.")
	}
	p.List = h.shoutOutCards(list.Items, of == "")
	p.Shown = rangeText(page, shoutOutsOnPage, len(list.Items), list.Total) + ", the newest first"
	address := func(n int) string { return shoutOutsAddress(of, n) }
	p.Pager = ui.PagerProps{Page: page, Pages: pagesOf(list.Total, shoutOutsOnPage), Href: address}
	if page > 1 {
		frame.Title += ", page " + strconv.Itoa(page)
	}
	if !frame.NoIndex {
		frame.Canonical = h.Addresses.Base() + address(page)
	}
	if notice, ok := shoutOutNotices[lenient(httpx.ParseQuery(r), "sent")]; ok {
		frame.Flash = []ui.NoticeProps{notice}
	}
	p.Form.MaxBusiness, p.Form.MaxCity, p.Form.MaxBody, p.Form.MaxName = shoutouts.MaxBusiness, shoutouts.MaxCity, shoutouts.MaxBody, shoutouts.MaxName
	p.Form.SignedIn = v.Username
	p.Frame = h.frame(r, v, frame)
	return show(r, status, views.ShoutOuts(p))
}

func shoutOutsAddress(business string, page int) string {
	values := url.Values{}
	if business != "" {
		values.Set("business", business)
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return addressWith(views.ShoutOutsPage, values)
}

// shoutOutCards lay shout-outs out, with the business where they are of several.
func (h *handlers) shoutOutCards(list []shoutouts.ShoutOut, named bool) []views.ShoutOutProps {
	cards := make([]views.ShoutOutProps, len(list))
	for i, s := range list {
		cards[i] = views.ShoutOutProps{Rating: s.Rating, Body: s.Body, When: h.moment(s.CreatedAt), By: ui.Link{Text: "a neighbour"}}
		if s.DisplayName != "" {
			cards[i].By.Text = s.DisplayName
		}
		if s.Username != "" {
			cards[i].By.Href = "/u/" + s.Username
		}
		if !named {
			continue
		}
		cards[i].Business.Text, cards[i].City = s.BusinessName, s.City
		if s.BusinessSlug != "" {
			cards[i].Business.Href = entryPath(directory.KindBusiness, s.BusinessSlug)
		}
	}
	return cards
}

// starsOf is what the shout-outs for an entry come to; nil where there are none.
func (h *handlers) starsOf(ctx context.Context, entryID string) (*views.ShoutOutStars, error) {
	sum, err := h.ShoutOuts.SummaryOf(ctx, entryID)
	if err != nil || sum.Count == 0 {
		return nil, err
	}
	from := thousands(sum.Count) + " shout-outs"
	if sum.Count == 1 {
		from = "1 shout-out"
	}
	return &views.ShoutOutStars{Count: sum.Count, Average: sum.Average,
		Words: strconv.FormatFloat(sum.Average, 'f', -1, 64) + " of 5 stars, from " + from}, nil
}

// ratingSchema tells search engines what the shout-outs for a business come to.
func ratingSchema(s views.ShoutOutStars) thing {
	return thing{"@type": "AggregateRating", "ratingValue": s.Average, "ratingCount": s.Count, "bestRating": shoutouts.MaxRating, "worstRating": shoutouts.MinRating}
}

// addShoutOuts fills in what a public business got.
func (h *handlers) addShoutOuts(ctx context.Context, p *views.EntryProps, e directory.Entry) error {
	if e.Kind != directory.KindBusiness || !public(e) {
		return nil
	}
	latest, err := h.ShoutOuts.List(ctx, shoutouts.Filter{EntryID: e.ID, Page: core.Page{Limit: shoutOutsOnEntry}})
	if err != nil {
		return err
	}
	p.ShoutOuts = &views.EntryShoutOuts{List: h.shoutOutCards(latest.Items, false),
		Give: addressWith(views.ShoutOutsPage, url.Values{"business": {e.Slug}, "give": {"1"}}) + "#give"}
	if latest.Total > shoutOutsOnEntry {
		p.ShoutOuts.All = shoutOutsAddress(e.Slug, 1)
	}
	p.ShoutOuts.Stars, err = h.starsOf(ctx, e.ID)
	return err
}

// latestShoutOuts are those on the first page.
func (h *handlers) latestShoutOuts(ctx context.Context) ([]views.ShoutOutProps, error) {
	list, err := h.ShoutOuts.List(ctx, shoutouts.Filter{Page: core.Page{Limit: shoutOutsOnHome}})
	return h.shoutOutCards(list.Items, true), err
}
