package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/fakereports"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

var fakeReportLabels = []label{{"category", "What it is"}, {"description", "What is fake about it"}, {"platform", "Where it is"},
	{"handle", "The account behind it"}, {"content_url", "Its address"}, {"submitter_name", "Your name"}, {"submitter_email", "Your e-mail address"}}

// newFakeReport is the form with which somebody reports fake content.
func (h *handlers) newFakeReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, views.NewFakeReport(h.newFakeReportProps(r, v, fakereports.Input{})))
}

func (h *handlers) newFakeReportProps(r *http.Request, v core.Viewer, in fakereports.Input) views.NewFakeReportProps {
	p := views.NewFakeReportProps{Member: v.SignedIn(), Category: string(in.Category), Description: in.Description, Platform: in.Platform,
		ContentURL: in.ContentURL, Handle: in.Handle, Name: in.SubmitterName, Email: in.SubmitterEmail,
		MaxDescription: fakereports.MaxDescription, MaxPlatform: fakereports.MaxPlatform, MaxURL: fakereports.MaxURL, MaxHandle: fakereports.MaxHandle,
		MaxName: fakereports.MaxName, MaxEmail: fakereports.MaxEmail,
		Frame: h.frame(r, v, layout.FrameProps{Title: "Report fake content", Section: views.FakeReportsPage,
			Description: "Tell our moderators of a fake profile, a scam or made-up content that you saw elsewhere. You need no account."})}
	for _, c := range fakereports.Categories {
		p.Categories = append(p.Categories, ui.Option{Value: string(c), Text: c.Label()})
	}
	return p
}

// sendFakeReport leads to a page of thanks whose address says what became of the
// report: a notice would give everybody who sends one a session.
func (h *handlers) sendFakeReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	in := fakereports.Input{Category: fakereports.Category(values.Get("category")), Description: pastedText(values, "description"),
		Platform: values.Get("platform"), ContentURL: values.Get("content_url"), Handle: values.Get("handle"),
		SubmitterName: values.Get("submitter_name"), SubmitterEmail: values.Get("submitter_email"), From: httpx.OriginOf(r)}
	sent, err := h.takeFakeReport(r, v, in)
	if err != nil {
		return h.refuse(r, err, fakeReportLabels, func(refusal views.Refusal) templ.Component {
			for i, f := range refusal.Fields {
				if f.Name == "category" {
					refusal.Fields[i].Text = "Choose what it is"
				}
			}
			p := h.newFakeReportProps(r, v, in)
			p.Refusal = refusal
			return views.NewFakeReport(p)
		})
	}
	address := views.FakeThanksPage
	if sent.Status == fakereports.Spam {
		address += "?outcome=spam"
	}
	return httpx.Redirect(http.StatusSeeOther, address), nil
}

// takeFakeReport counts what is sent with what the API takes, once it is filled
// in well.
func (h *handlers) takeFakeReport(r *http.Request, v core.Viewer, in fakereports.Input) (fakereports.Sent, error) {
	if err := in.Check(); err != nil {
		return fakereports.Sent{}, err
	}
	limit, key := httpx.AnonymousLimit(h.Settings.Number(settings.AnonymousSubmissionsPerHour)), visitorKey(r)
	if v.SignedIn() {
		limit, key = httpx.MemberLimit(h.Settings.Number(settings.WritesPerHour)), httpx.MemberKey(v, "POST /api/report-fake")
	}
	if err := httpx.TakeLimit(r, h.Limiter, limit, key); err != nil {
		return fakereports.Sent{}, err
	}
	return h.FakeReports.Send(r.Context(), v, in)
}

func (h *handlers) fakeThanks(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p := views.FakeThanksProps{Spam: lenient(httpx.ParseQuery(r), "outcome") == "spam", Member: v.SignedIn(),
		Frame: h.frame(r, v, layout.FrameProps{Title: "Your report", Section: views.FakeReportsPage, NoIndex: true})}
	return show(r, http.StatusOK, views.FakeThanks(p))
}

func (h *handlers) sentFakeReport(sent fakereports.Sent) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "Report of fake content", Name: excerpt(oneLine(sent.Description), 120),
		About:  joined(" · ", sent.Category.Label(), sent.Platform, sent.Handle, defanged(sent.ContentURL)),
		Reason: sent.Reason, Sent: h.moment(sent.CreatedAt), Reader: "A moderator"}
	p.State, p.Tone = fakeReportState(sent.Status)
	if sent.DecidedAt != nil {
		p.Decided = h.moment(*sent.DecidedAt)
	}
	if sent.Status == fakereports.Refused || sent.Status == fakereports.Spam {
		p.Appeal = appealAddress(fakereports.Type, sent.ID)
	}
	if fakereports.CanWithdraw(sent) {
		p.Withdraw = sentFakesPath + "/" + sent.ID + "/withdraw"
	}
	return p
}

// fakeReportState says what became of a report, with the class that colours it.
func fakeReportState(s fakereports.Status) (words, tone string) {
	switch s {
	case fakereports.Confirmed:
		return "Confirmed", "state-good"
	case fakereports.Refused:
		return "Not confirmed", "state-bad"
	case fakereports.Spam:
		return "Taken for spam", "state-bad"
	}
	return "Waiting for a moderator", ""
}

func (h *handlers) withdrawFakeReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.FakeReports.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, submissionsPath, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, submissionsPath, "Taken back.")
}
