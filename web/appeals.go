package web

import (
	"context"
	"net/http"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// appealRoutes are the pages on which members ask for another look.
func (h *handlers) appealRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: views.AppealPage, guard: member, page: h.appealPage},
		{method: http.MethodPost, pattern: views.AppealPage, guard: member, page: h.sendAppeal},
	}
}

// appealAddress is the form that asks for another look at a thing.
func appealAddress(kind, id string) string {
	return views.AppealPage + "?about=" + targetText(core.Target{Type: kind, ID: id})
}

// appealPage asks why somebody should look again.
func (h *handlers) appealPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showAppeal(r, v, lenient(httpx.ParseQuery(r), "about"), "", nil)
}

func (h *handlers) sendAppeal(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	about, body := values.Get("about"), pastedText(values, "body")
	if err := h.Desk.Appeal(r.Context(), v, targetOf(about), body); err != nil {
		return h.showAppeal(r, v, about, body, err)
	}
	return then(r, submissionsPath+"#appeals", "Thank you. Another moderator looks at it again.")
}

// showAppeal is the form, or says why nothing can be asked. problem is what was
// wrong with the form that was sent.
func (h *handlers) showAppeal(r *http.Request, v core.Viewer, about, body string, problem error) (*httpx.Answer, error) {
	p, status := views.AppealProps{About: about, Body: body, MaxBody: desk.MaxAppeal}, http.StatusOK
	if problem != nil {
		fields, message, ok := refused(problem)
		if !ok {
			return nil, problem
		}
		status = formStatus(problem)
		if p.Problem = message; fields["body"] != "" {
			p.Problem, p.Error = "", "What you wrote "+fields["body"]+"."
			p.Errors = []ui.FieldError{{ID: "body", Text: p.Error}}
		}
	}
	c, err := h.Desk.Contested(r.Context(), v, targetOf(about))
	switch {
	case core.KindOf(err) == core.Conflict:
		p.Problem, status = core.AsError(err).Msg, http.StatusConflict
	case err != nil:
		return nil, err
	}
	p.Kicker, p.Title, p.State, p.Reason = c.Heading, c.Title, "It is "+c.State+".", c.Reason
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Ask for another look", NoIndex: true})
	return show(r, status, views.Appeal(p))
}

func (h *handlers) sentAppeal(a desk.Appeal) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "Asked for another look", Name: excerpt(a.Title, 120), About: excerpt(oneLine(a.Body), 240), Reason: a.Reason,
		Sent: h.moment(a.CreatedAt), State: "Waiting for another moderator"}
	switch a.Status {
	case desk.AppealGranted:
		p.State, p.Tone = "You were right: it is public now", "state-good"
	case desk.AppealDeclined:
		p.State, p.Tone = "It stays as it was", "state-bad"
	}
	if a.DecidedAt != nil {
		p.Decided = h.moment(*a.DecidedAt)
	}
	return p
}

// withoutAppealed takes away the way to an appeal where there was one. Of more
// appeals than are read here, the form says so.
func (h *handlers) withoutAppealed(ctx context.Context, v core.Viewer, parts []views.SubmissionPart) error {
	list, err := h.Desk.Appeals(ctx, v, core.Page{Limit: desk.AppealRule.Max})
	if err != nil {
		return err
	}
	made := map[string]bool{}
	for _, a := range list.Items {
		made[appealAddress(a.TargetType, a.TargetID)] = true
	}
	for _, part := range parts {
		for i := range part.Items {
			if made[part.Items[i].Appeal] {
				part.Items[i].Appeal = ""
			}
		}
	}
	return nil
}
