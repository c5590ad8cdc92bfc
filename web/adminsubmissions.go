package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/recent"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// sourceWords are what a source is called on pages.
var sourceWords = map[string]string{
	"app_file": "Data file", "app": "App", "directory_entry": "Listing", "saying": "Saying", "poll": "Poll", "poll_comment": "Comment on a poll",
	"yard_item": "Item for the yard", "report": "Report", "fake_report": "Report of a fake", "shoutout": "Shout-out", "review": "Review", "job": "Job",
}

// submissionsFeed shows the latest of what was sent in.
func (h *handlers) submissionsFeed(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, recent.Rule.Default)
	if err != nil {
		return nil, err
	}
	source := lenient(httpx.ParseQuery(r), "source")
	if !slices.Contains(recent.Keys(), source) {
		source = ""
	}
	list, err := h.Recent.List(r.Context(), v, recent.Filter{Source: source, Page: page})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("The list has fewer pages.")
	}
	p := views.SubmissionsFeedProps{Source: source, Sources: []ui.Option{{Text: "All"}}, Recent: h.recentProps(list),
		Pager: ui.PagerProps{Page: number, Pages: pagesOf(list.Total, list.Page.Limit), Href: func(n int) string { return feedAddress(source, n) }}}
	for _, key := range recent.Keys() {
		p.Sources = append(p.Sources, ui.Option{Value: key, Text: sourceWords[key]})
	}
	p.Frame = h.adminFrame(r, v, "Submissions")
	return show(r, http.StatusOK, views.SubmissionsFeed(p))
}

func feedAddress(source string, n int) string {
	values := url.Values{}
	if source != "" {
		values.Set("source", source)
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	if len(values) == 0 {
		return views.AdminSubmissionsPage
	}
	return views.AdminSubmissionsPage + "?" + values.Encode()
}

func (h *handlers) recentProps(l recent.List) views.RecentProps {
	p := views.RecentProps{Shown: rangeOf(l.Page, len(l.Items), l.Total, "submission")}
	if len(l.Skipped) > 0 {
		var words []string
		for _, key := range l.Skipped {
			words = append(words, sourceWords[key])
		}
		p.Skipped = "Left out this time: " + strings.Join(words, ", ") + ". Try again in a moment; the log of the server says why."
	}
	for _, s := range l.Items {
		row := views.RecentRow{Title: s.Title, Href: s.Path, Kind: sourceWords[s.Source], State: strings.ReplaceAll(s.Status, "_", " "),
			Who: s.SubmittedBy, When: h.moment(s.CreatedAt)}
		if row.Who == "" {
			row.Who = "not known"
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}
