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
	"homeplace/views/ui"
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

// pollDesk is what a visit to the desk knows besides the address.
type pollDesk struct {
	id, reason string // of the case whose decision met with err
	err        error
	notice     string
}

// pollQueue shows the polls and comments that wait, each to be decided on the
// spot.
func (h *handlers) pollQueue(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showPollDesk(r, v, http.StatusOK, pollDesk{})
}

func (h *handlers) showPollDesk(r *http.Request, v core.Viewer, status int, d pollDesk) (*httpx.Answer, error) {
	drafts, err := h.Polls.Drafts(r.Context(), v, core.Page{})
	if err != nil {
		return nil, err
	}
	comments, err := h.Polls.PendingComments(r.Context(), v, core.Page{})
	if err != nil {
		return nil, err
	}
	p := views.PollDeskProps{Lead: "All done."}
	if n := drafts.Total + comments.Total; n > 0 {
		p.Lead = thousands(n) + " waiting, the oldest first."
		if more := n - len(drafts.Items) - len(comments.Items); more > 0 {
			p.More = "More follow once these are decided: " + thousands(more) + "."
		}
	}
	for _, c := range drafts.Items {
		p.Polls = append(p.Polls, h.draftCase(v, c, d))
	}
	for _, c := range comments.Items {
		p.Comments = append(p.Comments, h.commentCase(v, c, d))
	}
	var counts map[string]int
	if p.Queues, counts, err = h.queues(r.Context(), v, pollDeskPath); err != nil {
		return nil, err
	}
	frame := layout.FrameProps{Title: "Desk", NoIndex: true}
	if d.notice != "" {
		frame.Flash = []ui.NoticeProps{{Tone: ui.Warn, Text: d.notice}}
	}
	p.Frame = h.frame(r, v, frame)
	p.Frame.Viewer.Waiting = waitingText(counts)
	return show(r, status, views.PollDesk(p))
}

func (h *handlers) draftCase(v core.Viewer, c polls.Case[polls.Poll], d pollDesk) views.PollCaseProps {
	by := asker(c.Item.Summary)
	p := views.PollCaseProps{ID: "poll-" + c.Item.Slug, Title: c.Item.Question, Text: c.Item.Description, Href: pollPath(c.Item.Slug), By: by.Text, Page: by.Href,
		Sent: h.moment(c.Item.CreatedAt), Mine: !polls.CanModerate(v, c.Item.Summary),
		Approve: pollDeskPath + "/" + c.Item.Slug + "/approve", Reject: pollDeskPath + "/" + c.Item.Slug + "/reject"}
	for _, o := range c.Item.Options {
		p.Options = append(p.Options, o.Label)
	}
	judgedPoll(&p, c.Verdict, c.Item.Slug, d)
	return p
}

func (h *handlers) commentCase(v core.Viewer, c polls.Case[polls.Comment], d pollDesk) views.PollCaseProps {
	by := commenter(c.Item)
	p := views.PollCaseProps{ID: "comment-" + c.Item.ID, Title: c.Item.Question, Text: c.Item.Body, Href: pollPath(c.Item.PollSlug), By: by.Text, Page: by.Href,
		Sent: h.moment(c.Item.CreatedAt), Mine: !polls.CanJudge(v, c.Item), Comment: true,
		Approve: pollDeskPath + "/comments/" + c.Item.ID + "/approve", Reject: pollDeskPath + "/comments/" + c.Item.ID + "/reject"}
	judgedPoll(&p, c.Verdict, c.Item.ID, d)
	return p
}

// judgedPoll adds what the moderation pipeline said, and what was wrong with the
// last decision.
func judgedPoll(p *views.PollCaseProps, verdict *core.Verdict, id string, d pollDesk) {
	p.Verdict = "Not judged by the rules"
	if verdict != nil {
		p.Verdict = map[core.Decision]string{core.DecisionApprove: "The rules find nothing", core.DecisionReview: "The rules want somebody to look",
			core.DecisionReject: "The rules would reject it"}[verdict.Decision] + ": " + strconv.FormatFloat(verdict.Score, 'f', 2, 64) + " of 1"
		for _, reason := range verdict.Reasons {
			p.Reasons = append(p.Reasons, joined(": ", strings.ReplaceAll(reason.Code, "_", " "), reason.Detail))
		}
	}
	if fields, message, ok := refused(d.err); ok && d.id == id {
		p.Reason, p.ReasonError = d.reason, message
		if fields["reason"] != "" {
			p.ReasonError = "The reason " + fields["reason"] + "."
		}
	}
}

// pollDecision leads on after a decision.
func (h *handlers) pollDecision(r *http.Request, v core.Viewer, err error, notice string, d pollDesk) (*httpx.Answer, error) {
	switch {
	case err == nil:
		return then(r, pollDeskPath, notice)
	case isConflict(err, "already_decided"):
		return h.showPollDesk(r, v, http.StatusConflict, pollDesk{notice: core.AsError(err).Msg})
	case core.KindOf(err) == core.Invalid:
		d.err = err
		return h.showPollDesk(r, v, formStatus(err), d)
	}
	return nil, err
}

func (h *handlers) approvePoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	_, err := h.Polls.Approve(r.Context(), v, chi.URLParam(r, "slug"))
	return h.pollDecision(r, v, err, "The poll is open.", pollDesk{})
}

func (h *handlers) refusePoll(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := pollDesk{id: chi.URLParam(r, "slug"), reason: pastedText(values, "reason")}
	_, err = h.Polls.Refuse(r.Context(), v, d.id, d.reason)
	return h.pollDecision(r, v, err, "The poll is not taken. Its author reads why.", d)
}

func (h *handlers) approveComment(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	_, err := h.Polls.ApproveComment(r.Context(), v, chi.URLParam(r, "id"))
	return h.pollDecision(r, v, err, "The comment shows now.", pollDesk{})
}

func (h *handlers) rejectComment(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := pollDesk{id: chi.URLParam(r, "id"), reason: pastedText(values, "reason")}
	_, err = h.Polls.RejectComment(r.Context(), v, d.id, d.reason)
	return h.pollDecision(r, v, err, "The comment stays out of sight.", d)
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
