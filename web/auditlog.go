package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/auditlog"
	"homeplace/core/reports"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// rulingWords are what a decision is called where its own word does not read
// well.
var rulingWords = map[string]string{
	"edit_approved": "Change of a listing approved", "edit_refused": "Change of a listing refused",
	"still_open_approved": "Word about a place confirmed", "still_open_refused": "Word about a place refused",
	"app_shown": "App shown again", "hidden_by_reports": "Hidden by three reports",
	"report_upheld": "Hidden after reports", "report_dismissed": "Kept after reports", "report_closed": "Reports of something gone closed",
	"block_lifted": "Block of an address lifted", "fake_report_confirmed": "Report of fake content confirmed", "fake_report_refused": "Report of fake content refused",
	"fake_report_abusive": "Report of fake content taken for abuse", "fake_report_restored": "Report of fake content confirmed after all", "sessions_ended": "Signed out everywhere",
}

// rulingText is what a kind of decision is called: "Listing approved".
func rulingText(kind string) string {
	if words, ok := rulingWords[kind]; ok {
		return words
	}
	words := strings.ReplaceAll(kind, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// auditLog shows staff what was decided.
func (h *handlers) auditLog(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, auditlog.Rule.Default)
	if err != nil {
		return nil, err
	}
	kind := lenient(httpx.ParseQuery(r), "kind")
	list, err := h.AuditLog.List(r.Context(), v, auditlog.Filter{Kind: kind, Page: page})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("The log has fewer pages.")
	}
	kinds, err := h.AuditLog.Kinds(r.Context())
	if err != nil {
		return nil, err
	}
	p := views.LogProps{Kind: kind, Kinds: []ui.Option{{Text: "All"}}, Shown: rangeOf(list.Page, len(list.Items), list.Total, "decision"),
		Pager: ui.PagerProps{Page: number, Pages: pagesOf(list.Total, list.Page.Limit), Href: func(n int) string { return logAddress(kind, n) }}}
	for _, k := range kinds {
		p.Kinds = append(p.Kinds, ui.Option{Value: k, Text: rulingText(k)})
	}
	for _, record := range list.Items {
		p.Rows = append(p.Rows, h.ruling(record))
	}
	var counts map[string]int
	if p.Queues, counts, err = h.queues(r.Context(), v, views.LogPage); err != nil {
		return nil, err
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Log of decisions", NoIndex: true})
	p.Frame.Viewer.Waiting = waitingText(counts)
	return show(r, http.StatusOK, views.Log(p))
}

func logAddress(kind string, n int) string {
	values := url.Values{}
	if kind != "" {
		values.Set("kind", kind)
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	return addressWith(views.LogPage, values)
}

func (h *handlers) ruling(record auditlog.Record) views.RulingProps {
	p := views.RulingProps{When: h.moment(record.CreatedAt), Who: record.Username, What: rulingText(record.Kind), Title: record.Title, Reason: record.Reason}
	switch {
	case record.AccountID == "":
		p.Who = "the site"
	case p.Who == "":
		p.Who = "a former moderator"
	}
	switch record.AboutType {
	case "account":
		p.Href = "/u/" + record.Title
	case "directory_contribution":
		p.Href = caseAddress(record.AboutID, 1)
	case string(reports.TypeEntry), string(reports.TypeApp):
		if strings.Contains(record.Kind, "report") {
			p.Href = reportCaseAddress(reports.Type(record.AboutType), record.AboutID)
		}
	}
	return p
}

// moderationLog shows everybody how many decisions there were.
func (h *handlers) moderationLog(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	counts, err := h.AuditLog.Counts(r.Context())
	if err != nil {
		return nil, err
	}
	var p views.ModerationLogProps
	total := 0
	for _, c := range counts {
		id := c.Month.UTC().Format("2006-01")
		if len(p.Months) == 0 || p.Months[len(p.Months)-1].ID != id {
			p.Months, total = append(p.Months, views.MonthProps{ID: id, Name: c.Month.UTC().Format("January 2006")}), 0
		}
		m := &p.Months[len(p.Months)-1]
		m.Counts = append(m.Counts, [2]string{rulingText(c.Kind), thousands(c.Decisions)})
		total += c.Decisions
		if m.Total = thousands(total) + " decisions"; total == 1 {
			m.Total = "1 decision"
		}
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "What moderators decide",
		Description: "How many listings, apps and reports the moderators decided about, month by month, without names."})
	return show(r, http.StatusOK, views.ModerationLog(p))
}
