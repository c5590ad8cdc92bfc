package web

import (
	"strings"
	"time"

	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/ui"
)

func (h *handlers) addRemarks(p *views.CaseProps, f desk.File) {
	for _, said := range f.Remarks {
		r := views.RemarkProps{What: remarkWords(said.Category), Text: said.Text, By: ui.Link{Text: "a former member"}, When: h.moment(said.At), State: said.State}
		if said.By != "" {
			r.By = ui.Link{Text: said.By, Href: "/u/" + said.By}
		}
		p.Remarks = append(p.Remarks, r)
	}
}

// remarkWords are what people read for a category of reports.
func remarkWords(category string) string {
	for known, words := range categoryWords {
		if string(known) == category {
			return words
		}
	}
	words := strings.ReplaceAll(category, "_", " ")
	if words == "" {
		return "Reported"
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// addPast adds what was decided before, what the sender sent, and the notes.
func (h *handlers) addPast(p *views.CaseProps, f desk.File) {
	p.Past = h.pasts(f.Past)
	if s := f.History; s != nil {
		p.History = &views.HistoryProps{By: p.By, Since: sinceWords(s.Joined), Latest: h.pasts(s.Latest),
			Counts: strings.Join([]string{countedOf(s.Approved, "approved"), countedOf(s.Refused, "refused"), countedOf(s.Abusive, "abusive"), countedOf(s.Waiting, "waiting")}, ", ")}
	}
	for _, n := range f.Notes {
		p.Notes = append(p.Notes, views.CaseNoteProps{By: moderatorName(n.Author), Text: n.Body, When: h.moment(n.CreatedAt)})
	}
}

func (h *handlers) pasts(list []desk.Past) []views.PastProps {
	rows := make([]views.PastProps, len(list))
	for i, d := range list {
		words := actionDone[d.Action]
		rows[i] = views.PastProps{What: strings.ToUpper(words[:1]) + words[1:], Title: excerpt(d.Title, 90), Href: casePath(d.TargetType, d.TargetID),
			By: moderatorName(d.By), When: h.moment(d.DecidedAt), Reason: d.Reason, Undone: d.UndoneAt != nil}
	}
	return rows
}

func moderatorName(name *string) string {
	if name == nil {
		return "a former moderator"
	}
	return *name
}

func countedOf(n int, what string) string {
	if n == 0 {
		return "none " + what
	}
	return thousands(n) + " " + what
}

// sinceWords is the month of a time: "March 2026".
func sinceWords(at time.Time) string { return at.UTC().Format("January 2006") }
