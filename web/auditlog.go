package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/auditlog"
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
	var waiting string
	if p.Queues, waiting, err = h.queues(r.Context(), v, views.LogPage); err != nil {
		return nil, err
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Log of decisions", NoIndex: true, Viewer: layout.Viewer{Waiting: waiting}})
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
	if p.Href = h.ruledCase(record); record.AboutType == "account" {
		p.Href = "/u/" + record.Title
	}
	return p
}

// ruledCase is where staff look at what was decided about; empty where it has no
// case.
func (h *handlers) ruledCase(record auditlog.Record) string {
	kind := record.AboutType
	switch {
	case kind == "directory_contribution":
		kind = "contribution"
	case strings.Contains(record.Kind, "report"):
		kind = reportQueue
	}
	for _, q := range h.Desk.Queues() {
		if q.Type == kind {
			return casePath(kind, record.AboutID)
		}
	}
	return ""
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
