package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/sayings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// sayingReplies are reasons that fit often.
var sayingReplies = []string{
	"We have this saying already, in other words.",
	"This is a line from a song, a book or a speech that belongs to somebody. We take what has no author.",
	"We could not find out whether it is really said there. Tell us where you heard it.",
	"This puts people down. We do not publish that.",
	"This is not a saying.",
}

// sayingVisit is what a visit to the queue of sayings knows besides the
// address.
type sayingVisit struct {
	id        string // the chosen saying; "" = the oldest
	notice    string // what the last decision met with
	err       error  // what was wrong with it
	reply     string
	reason    string
	corrected *sayings.Words // err came from approving with these
}

// sayingQueue shows the sayings that wait, and one of them.
func (h *handlers) sayingQueue(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showSayingDesk(r, v, http.StatusOK, sayingVisit{id: httpx.ParseQuery(r).String("id")})
}

func (h *handlers) showSayingDesk(r *http.Request, v core.Viewer, status int, d sayingVisit) (*httpx.Answer, error) {
	number, size := pageNumber(httpx.ParseQuery(r)), sayings.QueueRule.Default
	list, err := h.Sayings.Queue(r.Context(), v, core.Page{Limit: size, Offset: (number - 1) * size})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && list.Total > 0 { // the last of this page was decided
		return httpx.Redirect(http.StatusSeeOther, sayingDeskPath), nil
	}
	p := views.SayingQueueProps{Desk: views.DeskProps{Chosen: d.id != "", Back: pageAddress(sayingDeskPath, number),
		Pager: pagerOf(sayingDeskPath, number, list.Total, list.Page), Browse: ui.Link{Text: "Browse the sayings", Href: views.SayingsPage}}}
	var counts map[string]int
	if p.Desk.Queues, counts, err = h.queues(r.Context(), v, sayingDeskPath); err != nil {
		return nil, err
	}
	var oldest time.Time
	if len(list.Items) > 0 {
		oldest = list.Items[0].CreatedAt
		if d.id == "" {
			d.id = list.Items[0].ID
		}
	}
	p.Desk.Lead = h.queueLead(list.Total, oldest, number)
	for _, c := range list.Items {
		p.Desk.Waiting = append(p.Desk.Waiting, views.WaitingProps{Href: sayingCaseAddress(c.ID, number), Name: excerpt(oneLine(c.Text), 90),
			Current: c.ID == d.id, About: joined(" · ", sayingSender(c), ui.Ago(c.CreatedAt, h.Now(), nil))})
	}
	if d.id != "" {
		if p.Case, err = h.sayingCase(r.Context(), v, d); err != nil {
			return nil, err
		}
	}
	frame := layout.FrameProps{Title: "Desk", NoIndex: true}
	if d.notice != "" {
		frame.Flash = []ui.NoticeProps{{Tone: ui.Warn, Text: d.notice}}
	}
	p.Frame = h.frame(r, v, frame)
	p.Frame.Viewer.Waiting = waitingText(counts)
	return show(r, status, views.SayingQueue(p))
}

func sayingCaseAddress(id string, number int) string {
	address := sayingDeskPath + "?id=" + id
	if number > 1 {
		address += "&page=" + strconv.Itoa(number)
	}
	return address
}

func sayingSender(c sayings.Case) string {
	if c.Username == nil {
		return "a former member"
	}
	return *c.Username
}

// sayingCase lays out the saying that the moderator looks at.
func (h *handlers) sayingCase(ctx context.Context, v core.Viewer, d sayingVisit) (*views.SayingCaseProps, error) {
	c, err := h.Sayings.Case(ctx, v, d.id)
	if err != nil {
		return nil, err
	}
	path := sayingDeskPath + "/" + c.ID
	p := &views.SayingCaseProps{Text: c.Text, Meaning: c.Meaning, Attribution: c.Attribution, Region: c.Region, Category: c.CategoryLabel,
		By: sayingSender(c), Signed: joined(", ", c.SubmitterName, c.SubmitterEmail), Before: approvedBefore(c.ApprovedBefore), Sent: h.moment(c.CreatedAt),
		Mine: c.Status == sayings.Pending && !sayings.CanDecide(v, c), Approve: path + "/approve", Refuse: path + "/refuse", Abusive: path + "/abusive",
		Replies: []ui.Option{{Text: "None"}}, Reply: d.reply, Reason: d.reason}
	if c.Username != nil {
		p.Page = "/u/" + *c.Username
	}
	if c.Verdict != nil {
		p.Judged, p.Reasons = judged(*c.Verdict)
	}
	if c.Status != sayings.Pending {
		p.Decided = "This no longer waits: it is " + string(c.Status) + "."
	}
	for _, reply := range sayingReplies {
		p.Replies = append(p.Replies, ui.Option{Value: reply, Text: reply})
	}
	words := sayings.WordsOf(c.Saying)
	if d.corrected != nil {
		words = *d.corrected
	}
	if p.Fields, err = h.sayingFields(ctx, words); err != nil {
		return nil, err
	}
	showSayingRefusal(p, d)
	return p, nil
}

func showSayingRefusal(p *views.SayingCaseProps, d sayingVisit) {
	fields, message, ok := refused(d.err)
	switch {
	case !ok:
	case d.corrected == nil:
		if p.ReasonError = message; fields["reason"] != "" {
			p.ReasonError = "The reason " + fields["reason"] + "."
		}
	default:
		p.Correcting = true
		for _, l := range sayingLabels {
			if fields[l.name] != "" {
				p.Fields.Refusal.Fields = append(p.Fields.Refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: fields[l.name]})
			}
		}
		if len(p.Fields.Refusal.Fields) == 0 {
			p.Problem = message
		}
	}
}

func approvedBefore(n int) string {
	switch n {
	case 0:
		return "none of theirs was approved before"
	case 1:
		return "one of theirs was approved before"
	}
	return thousands(n) + " of theirs were approved before"
}

var verdictWords = map[core.Decision]string{core.DecisionApprove: "Looks fine", core.DecisionReview: "Needs a look", core.DecisionReject: "Abuse"}

// judged says a verdict: "Needs a look, score 0.40", with its reasons.
func judged(verdict core.Verdict) (words string, reasons []string) {
	for _, reason := range verdict.Reasons {
		reasons = append(reasons, joined(": ", strings.ReplaceAll(reason.Code, "_", " "), reason.Detail))
	}
	return verdictWords[verdict.Decision] + ", score " + strconv.FormatFloat(verdict.Score, 'f', 2, 64), reasons
}

// approveSaying publishes as it is, or with the corrections of the form.
func (h *handlers) approveSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := sayingVisit{id: chi.URLParam(r, "id")}
	if values.Get("corrected") != "" {
		w := readWords(values)
		d.corrected = &w
	}
	_, err = h.Sayings.Approve(r.Context(), v, d.id, d.corrected)
	return h.sayingDecision(r, v, err, "The saying is published.", d)
}

// refuseSaying declines with a saved reply, the moderator's own words, or both.
func (h *handlers) refuseSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := sayingVisit{id: chi.URLParam(r, "id"), reply: values.Get("reply"), reason: values.Get("reason")}
	c, err := h.Sayings.Refuse(r.Context(), v, d.id, strings.TrimSpace(d.reply+"\n"+strings.TrimSpace(pastedText(values, "reason"))))
	return h.sayingDecision(r, v, err, "The saying is refused. "+sayingSender(c)+" reads why.", d)
}

func (h *handlers) abusiveSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	d := sayingVisit{id: chi.URLParam(r, "id")}
	_, err := h.Sayings.MarkAbusive(r.Context(), v, d.id)
	return h.sayingDecision(r, v, err, "It is marked as abuse. Nobody sees it.", d)
}

// sayingDecision leads on after a decision.
func (h *handlers) sayingDecision(r *http.Request, v core.Viewer, err error, notice string, d sayingVisit) (*httpx.Answer, error) {
	switch {
	case err == nil:
		return then(r, sayingDeskPath, notice)
	case isConflict(err, "already_decided"):
		return h.showSayingDesk(r, v, http.StatusConflict, sayingVisit{notice: core.AsError(err).Msg})
	case core.KindOf(err) == core.Invalid, isConflict(err, "already_here"):
		d.err = err
		return h.showSayingDesk(r, v, formStatus(err), d)
	}
	return nil, err
}

func (h *handlers) hideSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Sayings.Hide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, sayingPath(slug), "Hidden. Only the moderators and who sent it see it now.")
}

func (h *handlers) unhideSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Sayings.Unhide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, sayingPath(slug), "It is no longer hidden.")
}
