package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/reviews"
	"homeplace/views"
	"homeplace/web/httpx"
)

func (h *handlers) sentReview(s reviews.Sent) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "Review", Name: s.ProductName, About: starCount(s.Rating) + " · " + excerpt(oneLine(joined(" ", s.Title, s.Body)), 120),
		Reason: s.Reason, Sent: h.moment(s.CreatedAt), Reader: "A moderator"}
	if p.Name == "" {
		p.Name = "A product that is no longer here"
	} else {
		p.Href = productPath(s.ProductSlug) + "#write"
	}
	p.State, p.Tone = reviewState(s)
	if s.DecidedAt != nil {
		p.Decided = h.moment(*s.DecidedAt)
	}
	if reviews.CanWithdraw(s) {
		p.Withdraw = sentReviewsPath + "/" + s.ID + "/withdraw"
	}
	if s.Status == reviews.Refused || s.Status == reviews.Spam || s.HiddenAt != nil {
		p.Appeal = appealAddress(reviews.Scope, s.ID)
	}
	if s.Public() {
		p.Reader = "Everybody"
	}
	return p
}

// reviewState says what became of a review, with the class that colours it.
func reviewState(s reviews.Sent) (words, tone string) {
	switch {
	case s.Status == reviews.Refused:
		return "Not taken", "state-bad"
	case s.Status == reviews.Spam:
		return "Taken for spam", "state-bad"
	case s.HiddenAt != nil:
		return "Hidden by a moderator", "state-bad"
	case s.Status == reviews.Approved:
		return "Published", "state-good"
	}
	return "Waiting for a moderator", ""
}

// withdrawReview takes a review back, from the list of what was sent or from
// the product's page.
func (h *handlers) withdrawReview(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	back := submissionsPath
	if slug := values.Get("product"); core.ValidSlug(slug) {
		back = productPath(slug)
	}
	err = h.Reviews.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, back, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, back, "Taken back.")
}
