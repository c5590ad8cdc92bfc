package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/moderation"
	wordlist "homeplace/core/moderation/words"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// wordRoutes are the word rules, for administrators.
func (h *handlers) wordRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: views.WordsPage, guard: admin, page: h.wordRules},
		{method: get, pattern: views.WordsPage + "/new", guard: admin, page: h.newWordRule},
		{method: post, pattern: views.WordsPage + "/new", guard: admin, page: h.addWordRule},
		{method: get, pattern: views.WordsPage + "/{id}", guard: admin, page: h.wordRule},
		{method: post, pattern: views.WordsPage + "/{id}", guard: admin, page: h.changeWordRule},
		{method: post, pattern: views.WordsPage + "/{id}/switch", guard: admin, page: h.switchWordRule},
		{method: post, pattern: views.WordsPage + "/{id}/remove", guard: admin, page: h.removeWordRule},
	}
}

var (
	wordActions = []ui.Option{{Value: string(wordlist.Review), Text: "Holds for a person"}, {Value: string(wordlist.Deny), Text: "Refuses"},
		{Value: string(wordlist.Allow), Text: "Lets through"}}
	wordSeverities = []ui.Option{{Value: "1", Text: "Mild"}, {Value: "2", Text: "Medium"}, {Value: "3", Text: "Grave: never for the language model"}}
	wordOrigins    = []ui.Option{{Text: "Everywhere"}, {Value: string(moderation.OriginAdded), Text: "Added here"}, {Value: string(moderation.OriginOurs), Text: "Built in"}}
)

// wordRules lists the rules.
func (h *handlers) wordRules(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, moderation.RulePaging.Default)
	if err != nil {
		return nil, err
	}
	q := httpx.ParseQuery(r)
	f := moderation.RuleFilter{Query: lenient(q, "q"), Action: wordlist.Action(lenient(q, "action")), Category: lenient(q, "category"),
		Origin: moderation.Origin(lenient(q, "origin")), Page: page}
	list, err := h.Moderation.WordRules(r.Context(), v, f)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("The list of rules has fewer pages.")
	}
	p := views.WordRulesProps{Query: f.Query, Action: string(f.Action), Category: f.Category, Origin: string(f.Origin),
		Actions: append([]ui.Option{{Text: "Anything"}}, wordActions...), Categories: []ui.Option{{Text: "Anything"}}, Origins: wordOrigins,
		Shown: rangeOf(list.Page, len(list.Items), list.Total, "rule"),
		Pager: ui.PagerProps{Page: number, Pages: pagesOf(list.Total, list.Page.Limit), Href: func(n int) string { return wordsAddress(f, n) }}}
	for _, c := range list.Categories {
		p.Categories = append(p.Categories, ui.Option{Value: c, Text: categoryText(c)})
	}
	for _, rule := range list.Items {
		p.Rows = append(p.Rows, wordRow(rule))
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Word rules", NoIndex: true})
	return show(r, http.StatusOK, views.WordRules(p))
}

func wordsAddress(f moderation.RuleFilter, n int) string {
	values := url.Values{}
	for name, value := range map[string]string{"q": f.Query, "action": string(f.Action), "category": f.Category, "origin": string(f.Origin)} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	return addressWith(views.WordsPage, values)
}

func wordRow(r moderation.WordRule) views.WordRuleRow {
	row := views.WordRuleRow{Href: views.WordsPage + "/" + r.ID, Term: r.Term, Note: r.Note, Category: categoryText(r.Category), Scope: r.Scope,
		Origin: "Added", State: "Draft", Does: "Lets through"}
	severity := [...]string{1: "mild", 2: "medium", 3: "grave"}[r.Severity]
	switch r.Action {
	case wordlist.Deny:
		row.Does = "Refuses, " + severity
	case wordlist.Review:
		row.Does = "Holds, " + severity
	}
	if row.Scope == "" {
		row.Scope = "everywhere"
	}
	if r.Origin == moderation.OriginOurs {
		row.Origin = "Built in"
	}
	switch r.State {
	case moderation.StateOn:
		row.State, row.Tone = "On", "state-good"
	case moderation.StateOff:
		row.State, row.Tone = "Off", "state-over"
	}
	return row
}

// categoryText writes a category for people.
func categoryText(c string) string { return strings.ReplaceAll(c, "_", " ") }

// newWordRule shows the form for a rule.
func (h *handlers) newWordRule(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, views.WordRule(h.wordForm(r, v, moderation.RuleInput{Action: wordlist.Review, Severity: 1})))
}

// wordForm is the form with what was written in it.
func (h *handlers) wordForm(r *http.Request, v core.Viewer, in moderation.RuleInput) views.WordRuleProps {
	p := views.WordRuleProps{Heading: "A new word rule", Path: views.WordsPage + "/new", New: true,
		Crumbs: []ui.Link{{Text: "Word rules", Href: views.WordsPage}, {Text: "A new one"}},
		Term:   in.Term, Action: string(in.Action), Severity: strconv.Itoa(in.Severity), Category: in.Category, Scope: in.Scope, Note: in.Note,
		Actions: wordActions, Severities: wordSeverities, MaxTerm: moderation.MaxTerm, MaxScope: moderation.MaxScope, MaxNote: moderation.MaxNote}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Heading, NoIndex: true})
	return p
}

// storedWord is the page of a rule, with what was written in its form.
func (h *handlers) storedWord(r *http.Request, v core.Viewer, rule moderation.WordRule, in moderation.RuleInput) views.WordRuleProps {
	p := h.wordForm(r, v, in)
	p.Heading, p.Path, p.New, p.Row = rule.Term, views.WordsPage+"/"+rule.ID, false, wordRow(rule)
	p.Crumbs[1].Text = rule.Term
	p.BuiltIn, p.On, p.By = rule.Origin == moderation.OriginOurs, rule.State == moderation.StateOn, rule.CreatedBy
	p.Tried = rule.Tried || p.BuiltIn
	p.Frame.Title = "Word rule: " + rule.Term
	return p
}

func (h *handlers) wordRule(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	rule, err := h.Moderation.WordRule(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.WordRule(h.storedWord(r, v, rule, rule.Input())))
}

func ruleInput(values url.Values) moderation.RuleInput {
	severity, _ := strconv.Atoi(values.Get("severity")) // 0 is refused with a word at the field
	return moderation.RuleInput{Term: values.Get("term"), Action: wordlist.Action(values.Get("action")), Severity: severity,
		Category: strings.TrimSpace(values.Get("category")), Scope: values.Get("scope"), Note: pastedText(values, "note")}
}

// addWordRule tries what is in the form, or stores it as a draft.
func (h *handlers) addWordRule(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	in := ruleInput(values)
	draw := func() views.WordRuleProps { return h.wordForm(r, v, in) }
	if values.Get("do") == "try" {
		return h.tryWordRule(r, v, in, draw)
	}
	rule, err := h.Moderation.AddRule(r.Context(), v, in)
	if err != nil {
		return refuseWord(r, err, draw())
	}
	return then(r, views.WordsPage+"/"+rule.ID, "The rule is stored as a draft. Try it, then switch it on.")
}

// changeWordRule tries or stores what is in the form; of a built-in rule there is
// none.
func (h *handlers) changeWordRule(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	rule, err := h.Moderation.WordRule(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	in := ruleInput(values)
	if rule.Origin == moderation.OriginOurs {
		in = rule.Input()
	}
	if values.Get("do") == "try" {
		return h.tryWordRule(r, v, in, func() views.WordRuleProps {
			if now, err := h.Moderation.WordRule(r.Context(), v, rule.ID); err == nil { // it may be tried now
				rule = now
			}
			return h.storedWord(r, v, rule, in)
		})
	}
	changed, err := h.Moderation.EditRule(r.Context(), v, rule.ID, in)
	if err != nil {
		return refuseWord(r, err, h.storedWord(r, v, rule, in))
	}
	notice := "The rule is saved."
	if changed.State == moderation.StateDraft {
		notice = "The rule is saved as a draft. Try it, then switch it on."
	}
	return then(r, views.WordsPage+"/"+rule.ID, notice)
}

// tryWordRule draws the page of the form with what the rule would have done.
func (h *handlers) tryWordRule(r *http.Request, v core.Viewer, in moderation.RuleInput, draw func() views.WordRuleProps) (*httpx.Answer, error) {
	found, err := h.Moderation.TryRule(r.Context(), v, in)
	if err != nil {
		return refuseWord(r, err, draw())
	}
	p := draw()
	p.Trial = h.trial(found)
	return show(r, http.StatusOK, views.WordRule(p))
}

var wordLabels = []label{{"term", "Term"}, {"action", "What it does"}, {"severity", "How grave"}, {"category", "What it is about"},
	{"scope", "Kinds of text"}, {"note", "Why it is there"}}

// refuseWord shows the page again with a word at each field.
func refuseWord(r *http.Request, err error, p views.WordRuleProps) (*httpx.Answer, error) {
	fields, message, ok := refused(err)
	if !ok {
		return nil, err
	}
	for _, l := range wordLabels {
		if text, wrong := fields[l.name]; wrong {
			p.Refusal.Fields = append(p.Refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: text})
		}
	}
	if len(p.Refusal.Fields) == 0 {
		p.Notices = append(p.Notices, ui.NoticeProps{Tone: ui.Warn, Text: message})
	}
	return show(r, formStatus(err), views.WordRule(p))
}

func (h *handlers) trial(t moderation.Trial) *views.TrialProps {
	p := &views.TrialProps{Lead: "Read " + textsOf(t.Texts) + ", all of the last 90 days that are still kept, and judged them by their words alone, whoever sent them."}
	if !t.Whole {
		p.Lead = "Read the latest " + thousands(t.Texts) + " texts of the last 90 days; there are more than one trial reads."
	}
	held, refused, through := 0, 0, 0
	for _, o := range t.Outcomes {
		held, refused, through = held+o.Held, refused+o.Refused, through+o.LetThrough
		p.Rows = append(p.Rows, [4]string{categoryText(o.Scope), thousands(o.Held), thousands(o.Refused), thousands(o.LetThrough)})
	}
	p.Sum = "It holds in " + textsOf(t.Matched) + ". Of all, " + thousands(held) + " would be newly held, " + thousands(refused) +
		" refused, and " + thousands(through) + " let through."
	for _, e := range t.Examples {
		p.Examples = append(p.Examples, views.TrialExample{Scope: categoryText(e.Scope), Change: decisionText(e.Was) + " before, " + decisionText(e.Becomes) + " with this rule",
			Before: e.Before, Match: e.Match, After: e.After, When: h.moment(e.SentAt)})
	}
	return p
}

func textsOf(n int) string {
	if n == 1 {
		return "1 text"
	}
	return thousands(n) + " texts"
}

func decisionText(d core.Decision) string {
	switch d {
	case core.DecisionReview:
		return "held"
	case core.DecisionReject:
		return "refused"
	}
	return "let through"
}

// switchWordRule puts a rule into force or out of it.
func (h *handlers) switchWordRule(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	id, on := chi.URLParam(r, "id"), values.Get("on") == "true"
	_, err = h.Moderation.SwitchRule(r.Context(), v, id, on)
	switch {
	case isConflict(err, "not_tried"):
		rule, readErr := h.Moderation.WordRule(r.Context(), v, id)
		if readErr != nil {
			return nil, readErr
		}
		return refuseWord(r, err, h.storedWord(r, v, rule, rule.Input()))
	case err != nil:
		return nil, err
	case on:
		return then(r, views.WordsPage+"/"+id, "The rule is on. Every text is judged by it from now on.")
	}
	return then(r, views.WordsPage+"/"+id, "The rule is off.")
}

func (h *handlers) removeWordRule(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	if err := h.Moderation.RemoveRule(r.Context(), v, chi.URLParam(r, "id")); err != nil {
		return nil, err
	}
	return then(r, views.WordsPage, "The rule is removed.")
}
