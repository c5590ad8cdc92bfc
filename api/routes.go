package api

import (
	"net/http"
	"time"

	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/fakereports"
	"homeplace/core/geography"
	"homeplace/core/points"
	"homeplace/core/polls"
	"homeplace/core/reviews"
	"homeplace/core/sayings"
	"homeplace/core/settings"
	"homeplace/core/shoutouts"
	"homeplace/web/ballot"
	"homeplace/web/httpx"
)

// How long open answers may be kept (SERVICE.md §1.4, CONTRACT.md §1).
const (
	categoriesAge = time.Hour
	zipAge        = 24 * time.Hour
	reverseAge    = time.Minute
)

// routes is the whole API. An open route is cached by its path and the named
// parameters, and dropped when one of its areas changes; one without areas is
// not cached and sees the address as it came.
func (h *handlers) routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	files := []string{apps.Area}
	entries := []string{directory.Area}
	list := []string{"q", "letter", "category", "zip", "when", "limit", "offset"}
	return []route{
		{method: get, pattern: "/api", handle: h.discover, areas: []string{settings.Area}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/openapi.json", handle: h.contract, areas: []string{settings.Area}, maxAge: httpx.OpenReadAge},

		{method: get, pattern: "/api/apps", handle: h.listApps, areas: files, params: []string{"q", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/apps/{slug}", handle: h.app, areas: []string{apps.Area, accounts.Area}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/apps/{slug}/files", handle: h.listAppFiles, areas: files,
			params: []string{"q", "letter", "sort", "dir", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/apps/{slug}/data/{filename}", handle: h.appData, areas: files,
			params: []string{"version"}, maxAge: httpx.OpenReadAge},
		{method: post, pattern: "/api/apps/{slug}/submit", guard: bearer, member: h.submitFile, refuse: refuseFile},

		{method: get, pattern: "/api/directory/categories", handle: h.categories, areas: entries, maxAge: categoriesAge},
		{method: get, pattern: "/api/directory/search", handle: h.search, areas: entries,
			params: []string{"q", "kinds", "zip", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/directory/places", handle: h.places},
		{method: get, pattern: "/api/directory/places/{slug}", handle: h.place},
		{method: get, pattern: "/api/directory/{category}", handle: h.listEntries, areas: entries, params: list, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/directory/{category}/{slug}", handle: h.entry, areas: []string{directory.Area, shoutouts.Area},
			maxAge: httpx.OpenReadAge},

		{method: get, pattern: "/api/geocode/zip", handle: h.geocodeZIP, areas: []string{geography.Area}, params: []string{"zip"}, maxAge: zipAge},
		{method: get, pattern: "/api/geocode/reverse", handle: h.geocodeReverse, areas: []string{geography.Area},
			params: []string{"lat", "lng", "precise"}, maxAge: reverseAge},

		{method: get, pattern: "/api/leaderboard", handle: h.leaderboard, areas: []string{points.Area, accounts.Area},
			params: []string{"limit", "offset"}, maxAge: httpx.OpenReadAge},

		{method: post, pattern: "/api/report", guard: bearer, member: h.report},
		{method: get, pattern: "/api/report-fake", handle: h.listFakeReports, areas: []string{fakereports.Area},
			params: []string{"category", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: post, pattern: "/api/report-fake", guard: anyone, member: h.sendFakeReport},
		{method: get, pattern: "/api/sayings", handle: h.listSayings, areas: []string{sayings.Area},
			params: []string{"q", "category", "region", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/sayings/random", handle: h.randomSaying},
		{method: get, pattern: "/api/sayings/categories", handle: h.sayingCategories, areas: []string{sayings.Area}, maxAge: categoriesAge},
		{method: get, pattern: "/api/sayings/{slug}", handle: h.oneSaying, areas: []string{sayings.Area}, maxAge: httpx.OpenReadAge},
		{method: post, pattern: "/api/sayings/submit", guard: bearer, member: h.submitSaying},
		{method: get, pattern: "/api/reviews", handle: h.listReviews, areas: []string{reviews.Area, accounts.Area},
			params: []string{"min_rating", "product", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/api/polls", handle: h.listPolls, areas: []string{polls.Area}, params: []string{"status", "limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: post, pattern: "/api/polls", guard: bearer, member: h.createPoll},
		{method: get, pattern: "/api/polls/{slug}", guard: anyone, member: h.poll, areas: []string{polls.Area, polls.Tallies, accounts.Area}, maxAge: httpx.OpenReadAge},
		{method: post, pattern: "/api/polls/{slug}/vote", guard: anyone, member: h.vote, refuse: refuseVote, limit: h.voteLimit},

		{method: get, pattern: "/api/business-shoutouts", handle: h.listShoutOuts, areas: []string{shoutouts.Area, directory.Area, accounts.Area},
			params: []string{"limit", "offset"}, maxAge: httpx.OpenReadAge},
		{method: post, pattern: "/api/business-shoutouts", guard: anyone, member: h.postShoutOut},

		{method: get, pattern: "/api/me", guard: bearer, member: h.me},
		{method: get, pattern: "/api/me/points", guard: bearer, member: h.pointsLog},
		{method: get, pattern: tokenPath, handle: h.token},

		{method: get, pattern: "/api/admin/recent-submissions", guard: bearer, member: h.recentSubmissions},
	}
}

func (h *handlers) voteLimit() httpx.Limit {
	return httpx.Limit{Name: ballot.LimitName, Max: h.Writes.Votes(), Per: time.Hour}
}
