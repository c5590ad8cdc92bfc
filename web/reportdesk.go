package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/reports"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// reportVisit is what a visit to the reported things knows besides the address.
type reportVisit struct {
	kind   reports.Type // with id: the chosen case; "" = the oldest
	id     string
	hidden bool   // shows what is hidden instead of what waits
	notice string // what the last decision met with
	err    error  // what was wrong with it
	reason string
}

func reportCaseAddress(kind reports.Type, id string) string {
	return views.ReportsPage + "?" + url.Values{"type": {string(kind)}, "id": {id}}.Encode()
}

const hiddenReports = views.ReportsPage + "?view=hidden"

// reportQueue shows what members reported, and one case of it.
func (h *handlers) reportQueue(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	return h.showReports(r, v, http.StatusOK, reportVisit{kind: reports.Type(lenient(q, "type")), id: lenient(q, "id"), hidden: lenient(q, "view") == "hidden"})
}

func (h *handlers) showReports(r *http.Request, v core.Viewer, status int, d reportVisit) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, reports.QueueRule.Default)
	if err != nil {
		return nil, err
	}
	read, path := h.Reports.Queue, views.ReportsPage
	if d.hidden {
		read, path = h.Reports.Hidden, hiddenReports
	}
	list, err := read(r.Context(), v, page)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && list.Total > 0 { // the last of this page was decided
		return httpx.Redirect(http.StatusSeeOther, path), nil
	}
	p := views.ReportQueueProps{Other: ui.Link{Text: "What is hidden after reports", Href: hiddenReports},
		Desk: views.DeskProps{Chosen: d.id != "", Back: path, Browse: ui.Link{Text: "Browse the directory", Href: "/directory"},
			Pager: ui.PagerProps{Page: number, Pages: pagesOf(list.Total, list.Page.Limit), Href: func(n int) string { return pageOf(path, n) }}}}
	if d.hidden {
		p.Other = ui.Link{Text: "What waits for a decision", Href: views.ReportsPage}
	}
	var counts map[string]int
	if p.Desk.Queues, counts, err = h.queues(r.Context(), v, views.ReportsPage); err != nil {
		return nil, err
	}
	p.Desk.Lead = reportLead(list.Total, d.hidden)
	for i, c := range list.Items {
		if i == 0 && d.id == "" {
			d.kind, d.id = c.TargetType, c.TargetID
		}
		p.Desk.Waiting = append(p.Desk.Waiting, views.WaitingProps{Href: reportCaseAddress(c.TargetType, c.TargetID) + viewPart(d.hidden), Name: c.Title,
			Current: c.TargetID == d.id, About: joined(" · ", targetWords[c.TargetType], reportCount(c.Reports), h.latestReport(c))})
	}
	if d.id != "" {
		if p.Case, err = h.reportCase(r, v, d); err != nil {
			return nil, err
		}
	}
	frame := layout.FrameProps{Title: "Desk", NoIndex: true}
	if d.notice != "" {
		frame.Flash = []ui.NoticeProps{{Tone: ui.Warn, Text: d.notice}}
	}
	p.Frame = h.frame(r, v, frame)
	p.Frame.Viewer.Waiting = waitingText(counts)
	return show(r, status, views.ReportQueue(p))
}

func viewPart(hidden bool) string {
	if hidden {
		return "&view=hidden"
	}
	return ""
}

// pageOf is where page n of a list is whose address may have parameters.
func pageOf(path string, n int) string {
	if n > 1 && strings.Contains(path, "?") {
		return path + "&page=" + strconv.Itoa(n)
	}
	return pageAddress(path, n)
}

func reportLead(total int, hidden bool) string {
	switch {
	case hidden && total == 0:
		return "Nothing is hidden after reports."
	case hidden:
		return strconv.Itoa(total) + " hidden after reports."
	case total == 0:
		return "All done."
	}
	return strconv.Itoa(total) + " reported. What waits longest comes first."
}

func reportCount(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 report"
	}
	return strconv.Itoa(n) + " reports"
}

func (h *handlers) latestReport(c reports.Case) string {
	if c.Reports == 0 {
		return ""
	}
	return ui.Ago(c.Latest, h.Now(), nil)
}

// reportCase lays out the case that the moderator looks at.
func (h *handlers) reportCase(r *http.Request, v core.Viewer, d reportVisit) (*views.ReportCaseProps, error) {
	c, err := h.Reports.Get(r.Context(), v, d.kind, d.id)
	if err != nil {
		return nil, err
	}
	p := &views.ReportCaseProps{Kicker: targetWords[c.TargetType], Title: c.Title, Reason: d.reason,
		Action: views.ReportsPage + "/" + string(c.TargetType) + "/" + c.TargetID, Mine: !c.Gone && !reports.CanDecide(v, c.Target)}
	if !c.Gone {
		p.Title, p.Href = c.Target.Title, targetPath(c.TargetType, c.Target)
	}
	decisions(p, c)
	for _, said := range c.All {
		p.Said = append(p.Said, h.reportSaid(said))
	}
	if fields, message, ok := refused(d.err); ok {
		if p.ReasonError = message; fields["reason"] != "" {
			p.ReasonError = "The reason " + fields["reason"] + "."
		}
		p.Errors = []ui.FieldError{{ID: "reason", Text: p.ReasonError}}
	}
	return p, nil
}

// decisions tells how things stand with a case and what can be decided.
func decisions(p *views.ReportCaseProps, c reports.Case) {
	by := value(c.HiddenBy)
	p.KeepWords, p.HideWords = "Keep it", "Hide it"
	switch {
	case c.Gone && c.Reports > 0:
		p.State = &ui.NoticeProps{Title: "It is gone", Text: "It was taken away, or is not public any more. You can close the reports."}
		p.CanHide, p.HideWords = true, "Close the reports"
	case c.Gone:
		p.Decided = "It was taken away, or is not public any more, and nothing waits here."
	case c.Reports > 0 && c.Target.Hidden:
		p.State = &ui.NoticeProps{Tone: ui.Warn, Title: "It is hidden", Text: "Only its owner and the moderators see it at the moment."}
		if by == "reports" {
			p.State.Text = "Three members reported it, so it is out of sight until you decide. Only its owner and the moderators see it."
		}
		p.CanKeep, p.CanHide, p.KeepWords, p.HideWords = true, true, "Show it again", "Leave it hidden"
	case c.Reports > 0:
		p.CanKeep, p.CanHide = true, true
	case c.Target.Hidden:
		p.State = &ui.NoticeProps{Tone: ui.Warn, Title: "It is hidden", Text: "Only its owner and the moderators see it."}
		p.CanRestore = true
	default:
		p.Decided = "No report of this waits: it was decided, and everybody sees it."
	}
}

func (h *handlers) reportSaid(said reports.Report) views.ReportSaidProps {
	p := views.ReportSaidProps{What: categoryWords[said.Category], Detail: said.Detail, By: "a former member", When: h.moment(said.CreatedAt)}
	if said.Username != "" {
		p.By, p.Page = said.Username, "/u/"+said.Username
	}
	var at time.Time
	if said.DecidedAt != nil {
		at = *said.DecidedAt
	}
	switch said.Status {
	case reports.Upheld:
		p.State = "upheld " + ui.Ago(at, h.Now(), nil)
	case reports.Dismissed:
		p.State = "dismissed " + ui.Ago(at, h.Now(), nil)
	}
	return p
}

// decideReport keeps, hides or restores a reported thing.
func (h *handlers) decideReport(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := reportVisit{kind: reports.Type(chi.URLParam(r, "type")), id: chi.URLParam(r, "id"), reason: pastedText(values, "reason")}
	var notice string
	switch values.Get("decision") {
	case "keep":
		notice, err = "It stays, and everybody sees it.", h.Reports.Keep(r.Context(), v, d.kind, d.id, d.reason)
	case "hide":
		notice, err = "It is out of sight. Whoever reported it reads why.", h.Reports.Hide(r.Context(), v, d.kind, d.id, d.reason)
	case "restore":
		notice, err = "Everybody sees it again.", h.Reports.Restore(r.Context(), v, d.kind, d.id, d.reason)
	default:
		return nil, &core.Error{Kind: core.Invalid, Code: "validation_failed", Msg: "Press one of the buttons of the case."}
	}
	switch {
	case err == nil:
		return then(r, views.ReportsPage, notice)
	case isConflict(err, "already_decided"):
		return h.showReports(r, v, http.StatusConflict, reportVisit{notice: core.AsError(err).Msg})
	case core.KindOf(err) == core.Invalid:
		d.err = err
		return h.showReports(r, v, formStatus(err), d)
	}
	return nil, err
}
