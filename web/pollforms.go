package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/polls"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

var pollLabels = []label{{"question", "Question"}, {"description", "What one should know"}, {"options", "The answers"}}

func (h *handlers) newPoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, h.pollForm(r, v, polls.Input{AllowComments: true}, views.Refusal{}))
}

func (h *handlers) pollForm(r *http.Request, v core.Viewer, in polls.Input, refusal views.Refusal) templ.Component {
	p := views.PollFormProps{Lead: "It is open for " + strconv.Itoa(h.Settings.Number(settings.PollDays)) + " days. Everybody can vote, and see how it stands.",
		Question: in.Question, Description: in.Description, Comments: in.AllowComments, Refusal: refusal, Options: make([]string, polls.MaxOptions)}
	copy(p.Options, in.Options)
	if h.Settings.Switch(settings.PollsRequireApproval) {
		p.Lead += " A moderator looks at it first."
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Ask the community", Section: views.PollsPage, NoIndex: true})
	return views.PollForm(p)
}

func (h *handlers) askPoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	in := polls.Input{Question: lineOf(values, "question"), Description: pastedText(values, "description"), Options: values["options"],
		AllowComments: values.Get("allow_comments") != "", From: httpx.OriginOf(r)}
	sent := in
	sent.Options = append([]string(nil), in.Options...)
	p, err := h.Polls.Create(r.Context(), v, in)
	if err != nil {
		return h.refuse(r, err, pollLabels, func(refusal views.Refusal) templ.Component { return h.pollForm(r, v, sent, refusal) })
	}
	if p.Status == polls.Draft {
		return then(r, pollPath(p.Slug), "Thank you. A moderator looks at it before everybody sees it.")
	}
	return then(r, pollPath(p.Slug), "Thank you. Your poll is open; yours can be the first vote.")
}

// lineOf takes a text that a wide field may have broken into lines.
func lineOf(values url.Values, name string) string {
	return strings.Join(strings.FieldsFunc(values.Get(name), func(r rune) bool { return r == '\r' || r == '\n' }), " ")
}

func (h *handlers) closePoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	_, err := h.Polls.Close(r.Context(), v, slug)
	if err != nil && !isConflict(err, "poll_closed") {
		return nil, err
	}
	return then(r, pollPath(slug), "The poll is closed.")
}

func (h *handlers) hidePoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.setPollHidden(r, v, true, "Hidden. Only its author and the moderators see it now.")
}

func (h *handlers) unhidePoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.setPollHidden(r, v, false, "It is no longer hidden.")
}

func (h *handlers) setPollHidden(r *http.Request, v core.Viewer, hidden bool, notice string) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if _, err := h.Polls.SetHidden(r.Context(), v, slug, hidden); err != nil {
		return nil, err
	}
	return then(r, pollPath(slug), notice)
}
