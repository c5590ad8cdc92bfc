package web

import (
	"homeplace/core/polls"
	"homeplace/views"
)

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
	if p.HiddenAt != nil || p.Status == polls.Refused {
		s.Appeal = appealAddress("poll", p.ID)
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
		s.State, s.Tone, s.Appeal = "Not shown", "state-bad", appealAddress("poll_comment", c.ID)
	}
	if c.DecidedAt != nil {
		s.Decided = h.moment(*c.DecidedAt)
	}
	return s
}
