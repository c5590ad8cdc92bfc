package web

import (
	"net/http"
	"net/url"
	"strconv"

	"homeplace/core"
	"homeplace/core/polls"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// sentPolls are the polls that the viewer made, a page at a time.
func (h *handlers) sentPolls(r *http.Request, v core.Viewer) (views.SubmissionPart, int, error) {
	number, size := max(httpx.ParseQuery(r).Int("polls", 1, core.MaxOffset/polls.MineRule.Default, 1), 1), polls.MineRule.Default
	list, err := h.Polls.Mine(r.Context(), v, core.Page{Limit: size, Offset: (number - 1) * size})
	part := views.SubmissionPart{Title: "Polls", ID: "polls", Pager: ui.PagerProps{Page: number, Pages: pagesOf(list.Total, size),
		Href: func(n int) string {
			values := url.Values{}
			if n > 1 {
				values.Set("polls", strconv.Itoa(n))
			}
			return addressWith(submissionsPath, values) + "#polls"
		}}}
	for _, p := range list.Items {
		part.Items = append(part.Items, h.pollSubmission(p))
	}
	return part, list.Total, err
}

// sentComments are what the viewer said with their latest votes.
func (h *handlers) sentComments(r *http.Request, v core.Viewer) (views.SubmissionPart, int, error) {
	list, err := h.Polls.MyComments(r.Context(), v, core.Page{Limit: polls.MineRule.Max})
	part := views.SubmissionPart{Title: "Said with a vote", ID: "said"}
	for _, c := range list.Items {
		part.Items = append(part.Items, h.commentSubmission(c))
	}
	return part, list.Total, err
}

func (h *handlers) pollSubmission(p polls.Poll) views.SubmissionProps {
	s := views.SubmissionProps{Kind: "Poll", Name: p.Question, Href: pollPath(p.Slug), Sent: h.moment(p.CreatedAt), Reason: p.Reason, State: "Waiting for a moderator"}
	switch {
	case p.HiddenAt != nil:
		s.State, s.Tone = "Hidden by a moderator", "state-bad"
	case p.Status == polls.Refused:
		s.State, s.Tone = "Not taken", "state-bad"
	case p.State == polls.Open:
		s.State, s.Tone = "Open until "+untilWords(p.Summary), "state-good"
	case p.Status == polls.Published:
		s.State, s.Tone = "Closed", "state-over"
	}
	if p.DecidedAt != nil {
		s.Decided = h.moment(*p.DecidedAt)
	}
	return s
}

func (h *handlers) commentSubmission(c polls.Comment) views.SubmissionProps {
	s := views.SubmissionProps{Kind: "Comment", Name: c.Question, Href: pollPath(c.PollSlug), About: excerpt(c.Body, 120), Sent: h.moment(c.CreatedAt),
		Reason: c.Reason, State: "Waiting for a moderator"}
	switch c.Status {
	case polls.CommentApproved:
		s.State, s.Tone = "Shown", "state-good"
	case polls.CommentRejected:
		s.State, s.Tone = "Not shown", "state-bad"
	}
	if c.DecidedAt != nil {
		s.Decided = h.moment(*c.DecidedAt)
	}
	return s
}
