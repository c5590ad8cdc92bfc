package web

import (
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/reports"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// categoryWords are what people read for a category of reports.
var categoryWords = map[reports.Category]string{"not_black_owned": "It is not Black-owned", "misleading": "It is wrong or misleading",
	"spam": "It is advertising or spam", "duplicate": "It is here twice", "abusive": "It insults or harms someone", "other": "Something else"}

// reportAddress is the form that reports a thing.
func reportAddress(kind reports.Type, id string) string {
	return views.ReportPage + "?" + url.Values{"type": {string(kind)}, "id": {id}}.Encode()
}

// targetPath is the page of a target; empty for a type without pages.
func targetPath(kind reports.Type, t core.Reportable) string {
	switch kind {
	case reports.TypeEntry:
		return entryPath(directory.Kind(t.Kind), t.Slug)
	case reports.TypeApp:
		return appPath(t.Slug)
	}
	return ""
}

// reportPage asks what is wrong with a thing.
func (h *handlers) reportPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	p, err := h.reportProps(r, v, reports.Type(lenient(q, "type")), lenient(q, "id"))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.Report(p))
}

func (h *handlers) reportProps(r *http.Request, v core.Viewer, kind reports.Type, id string) (views.ReportProps, error) {
	t, err := h.Reports.Target(r.Context(), v, kind, id)
	if err != nil {
		return views.ReportProps{}, err
	}
	p := views.ReportProps{Type: string(kind), ID: id, Name: t.Title, Back: targetPath(kind, t), MostDetail: reports.MaxDetail,
		Frame: h.frame(r, v, layout.FrameProps{Title: "Report " + t.Title, NoIndex: true})}
	p.Crumbs = []ui.Link{{Text: t.Title, Href: p.Back}, {Text: "Report"}}
	if t.OwnerID == v.ID {
		p.Problem = "This is yours. You can change it, or take it back, instead of reporting it."
	}
	for _, c := range reports.Categories {
		p.Categories = append(p.Categories, ui.Option{Value: string(c), Text: categoryWords[c]})
	}
	return p, nil
}

func (h *handlers) sendReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	in := reports.Input{Type: reports.Type(values.Get("type")), TargetID: values.Get("id"),
		Category: reports.Category(values.Get("reason")), Detail: pastedText(values, "detail")}
	p, err := h.reportProps(r, v, in.Type, in.TargetID)
	if err != nil {
		return nil, err
	}
	out, err := h.Reports.Send(r.Context(), v, in)
	switch {
	case err == nil && out.Duplicate:
		return then(r, p.Back, "You have reported this before. A moderator looks at it, or has.")
	case err == nil:
		return then(r, submissionsPath+"#reports", "Thank you. A moderator will look at "+p.Name+".")
	case core.KindOf(err) == core.Forbidden:
		p.Problem = core.AsError(err).Msg
		return show(r, http.StatusForbidden, views.Report(p))
	}
	fields, message, ok := refused(err)
	if !ok {
		return nil, err
	}
	p.Category, p.Detail = values.Get("reason"), in.Detail
	if fields["reason_category"] != "" {
		p.NoCategory = "Choose what is wrong with it."
		p.Errors = append(p.Errors, ui.FieldError{ID: "reason", Text: p.NoCategory})
	}
	if fields["reason_detail"] != "" {
		p.WrongDetail = "What you wrote " + fields["reason_detail"] + "."
		p.Errors = append(p.Errors, ui.FieldError{ID: "detail", Text: p.WrongDetail})
	}
	if len(p.Errors) == 0 {
		p.Problem = message
	}
	return show(r, formStatus(err), views.Report(p))
}

func (h *handlers) sentReport(sent reports.Report) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "Report", Name: sent.Title, About: joined(" · ", categoryWords[sent.Category], excerpt(sent.Detail, 120)),
		Reason: sent.Reason, Sent: h.moment(sent.CreatedAt), Reader: "A moderator"}
	p.State, p.Tone = reportState(sent.Status)
	if sent.DecidedAt != nil {
		p.Decided = h.moment(*sent.DecidedAt)
	}
	if sent.Status == reports.Open {
		p.Withdraw = submissionsPath + "/reports/" + sent.ID + "/withdraw"
	}
	return p
}

// reportState says what became of a report, with the class that colours it.
func reportState(s reports.Status) (words, tone string) {
	switch s {
	case reports.Upheld:
		return "It is out of sight now, thank you", "state-good"
	case reports.Dismissed:
		return "It stays", "state-over"
	case reports.Withdrawn:
		return "You took it back", "state-over"
	}
	return "Waiting for a moderator", ""
}

func (h *handlers) withdrawReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.Reports.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, submissionsPath, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, submissionsPath, "Taken back.")
}
