package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// doneOf takes the notice of the last form, with the batch that can be undone.
func doneOf(r *http.Request, batch, of string) *views.DeskDoneProps {
	notice, err := session.TakeNotice(r)
	if err != nil || notice == "" {
		return nil
	}
	done := &views.DeskDoneProps{Tone: ui.Good, Text: notice, Target: of}
	if core.ValidID(batch) {
		done.Batch = batch
	}
	return done
}

// decide carries out a decision about one case, or about all that are checked.
func (h *handlers) decide(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	at, d := deskBack(values), deskVisit{several: values.Get("several") != "", reply: values.Get("reply"), reason: pastedText(values, "reason")}
	for _, text := range values["target"] {
		d.checked = append(d.checked, targetOf(text))
	}
	in, at, err := h.readInbox(r.Context(), v, at) // for the titles: what is decided is not listed any more
	if err != nil {
		return nil, err
	}
	decision := desk.Decision{Targets: d.checked, Action: core.Action(values.Get("action")), Reason: strings.TrimSpace(d.reply + "\n" + strings.TrimSpace(d.reason))}
	out, err := h.Desk.Decide(r.Context(), v, decision)
	if d.several || len(d.checked) != 1 {
		return h.decidedSeveral(r, v, at, d, in, decision, out, err)
	}
	switch d.chosen, d.checked = d.checked[0], nil; {
	case core.KindOf(err) == core.Invalid && err != nil:
		d.err = err
		return h.showDesk(r, v, formStatus(err), at, d)
	case core.KindOf(err) == core.Conflict:
		d.err = err
		return h.showDesk(r, v, http.StatusConflict, at, d)
	case err != nil:
		return nil, err
	}
	next, at, err := h.nextCase(r.Context(), v, at, targetOf(values.Get("next")))
	if err != nil {
		return nil, err
	}
	return then(r, at.with("case", targetText(next), "undo", out.Batch, "of", targetText(d.chosen)), titleIn(h, in, d.chosen)+": "+actionDone[decision.Action]+".")
}

// nextCase is the wanted one where it still waits for the viewer, else the first
// that nobody else works on.
func (h *handlers) nextCase(ctx context.Context, v core.Viewer, at deskPlace, wanted core.Target) (core.Target, deskPlace, error) {
	in, at, err := h.readInbox(ctx, v, at)
	free := func(item desk.Item) bool { return item.Target == wanted && (item.ClaimedBy == nil || item.Claimed) }
	if err == nil && slices.ContainsFunc(in.Items, free) {
		return wanted, at, nil
	}
	return firstFree(in.Items), at, err
}

// titleIn is what a case is called on a page of the inbox.
func titleIn(h *handlers, in desk.Inbox, t core.Target) string {
	for _, item := range in.Items {
		if item.Target == t {
			return excerpt(item.Title, 90)
		}
	}
	return h.queueLabel(t.Type)
}

// decidedSeveral tells how many went through, and what became of the others.
func (h *handlers) decidedSeveral(r *http.Request, v core.Viewer, at deskPlace, d deskVisit, in desk.Inbox, decision desk.Decision, out desk.Outcome, err error) (*httpx.Answer, error) {
	if err != nil && len(out.Failed) == 0 {
		if _, message, ok := refused(err); ok {
			d.err, d.done = err, &views.DeskDoneProps{Tone: ui.Warn, Text: message}
			if core.AsError(err).Fields["targets"] != "" {
				d.done.Text = "Choose at least one case, and at most 50."
			}
			return h.showDesk(r, v, formStatus(err), at, d)
		}
		return nil, err
	}
	text := casesText(out.Done) + " " + actionDone[decision.Action] + "."
	if len(out.Failed) == 0 {
		return then(r, at.with("undo", out.Batch), text)
	}
	status := http.StatusOK
	d.done = &views.DeskDoneProps{Tone: ui.Warn, Text: text + " " + casesText(len(out.Failed)) + " not:", Batch: out.Batch, Failed: h.failures(r, in, out.Failed)}
	if out.Done == 0 {
		d.done.Text, d.done.Batch, status = "Nothing was decided:", "", formStatus(out.Failed[0].Err)
	}
	d.checked = nil
	for _, f := range out.Failed {
		d.checked, d.err = append(d.checked, f.Target), f.Err
	}
	return h.showDesk(r, v, status, at, d)
}

// failures say which cases of several stayed as they were, and why. What went
// wrong on our side is written to the log as well.
func (h *handlers) failures(r *http.Request, in desk.Inbox, failed []desk.Failure) []views.DeskFailureProps {
	list := make([]views.DeskFailureProps, len(failed))
	for i, f := range failed {
		e := httpx.Report(r, f.Err)
		list[i] = views.DeskFailureProps{Title: titleIn(h, in, f.Target), Why: e.Msg}
		if len(e.Fields) > 0 {
			list[i].Why = fieldSentences(e.Fields)
		}
	}
	return list
}

func casesText(n int) string {
	if n == 1 {
		return "1 case"
	}
	return thousands(n) + " cases"
}

// undo puts back what the viewer decided a moment ago.
func (h *handlers) undo(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	at, target := deskBack(values), targetOf(values.Get("target"))
	out, err := h.Desk.Undo(r.Context(), v, values.Get("batch"))
	switch kind := core.KindOf(err); {
	case err != nil && (kind == core.NotFound || kind == core.Conflict):
		d := deskVisit{done: &views.DeskDoneProps{Tone: ui.Warn, Text: core.AsError(err).Msg}}
		return h.showDesk(r, v, httpx.Status(kind), at, d)
	case err != nil:
		return nil, err
	case len(out.Failed) > 0:
		d := deskVisit{done: &views.DeskDoneProps{Tone: ui.Warn, Text: casesText(out.Done) + " put back. " + casesText(len(out.Failed)) + " not:",
			Failed: h.failures(r, desk.Inbox{}, out.Failed)}}
		return h.showDesk(r, v, http.StatusOK, at, d)
	}
	return then(r, at.with("case", targetText(target)), casesText(out.Done)+" put back to where it was before.")
}

// about reads the case that a form of the desk names.
func about(values url.Values) (at deskPlace, t core.Target) {
	return deskBack(values), targetOf(values.Get("target"))
}

func (h *handlers) claim(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.holding(r, v, h.Desk.Claim, "It is yours for half an hour: nobody else decides about it meanwhile.")
}

func (h *handlers) release(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.holding(r, v, h.Desk.Release, "Given back. Anybody can decide about it.")
}

func (h *handlers) holding(r *http.Request, v core.Viewer, do func(context.Context, core.Viewer, core.Target) error, notice string) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	at, t := about(values)
	switch err := do(r.Context(), v, t); {
	case err != nil && core.KindOf(err) == core.Conflict:
		return h.showDesk(r, v, http.StatusConflict, at, deskVisit{chosen: t, err: err})
	case err != nil:
		return nil, err
	}
	return then(r, at.caseAt(t), notice)
}

// note leaves something for the other moderators.
func (h *handlers) note(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	at, t := about(values)
	body := pastedText(values, "note")
	switch err := h.Desk.Note(r.Context(), v, t, body); {
	case err != nil && core.KindOf(err) == core.Invalid:
		return h.showDesk(r, v, formStatus(err), at, deskVisit{chosen: t, err: err, noting: true, note: body})
	case err != nil:
		return nil, err
	}
	return then(r, at.caseAt(t)+"#notes", "The note is there for the other moderators.")
}
