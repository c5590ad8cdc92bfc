package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/ui"
)

// actionButtons are the decisions as buttons offer them.
var actionButtons = map[core.Action]views.ActionProps{
	core.ActionApprove: {Text: "Approve", Key: "A"},
	core.ActionReject:  {Text: "Reject", Key: "R", Asks: true},
	core.ActionAbusive: {Text: "Abusive", Key: "X", Look: ui.Danger, Confirm: "Mark this as abuse? It counts as spam, nobody sees it, and nothing can be sent from its address for a time."},
	core.ActionHide:    {Text: "Hide", Key: "H", Asks: true},
	core.ActionKeep:    {Text: "Keep", Key: "E"},
	core.ActionRestore: {Text: "Restore", Key: "S"},
}

// appealButtons are the words on them where the case is an appeal.
var appealButtons = map[core.Action]string{core.ActionApprove: "Grant it", core.ActionReject: "Decline it"}

// actionDone says that a decision was carried out: "“Blue Heron”: approved."
var actionDone = map[core.Action]string{core.ActionApprove: "approved", core.ActionReject: "rejected", core.ActionAbusive: "marked as abuse",
	core.ActionHide: "hidden", core.ActionKeep: "kept", core.ActionRestore: "restored"}

// buttons are the decisions in their order; the first is the usual one.
func buttons(kind string, actions []core.Action) []views.ActionProps {
	list := make([]views.ActionProps, 0, len(actions))
	for i, a := range actions {
		p := actionButtons[a]
		p.Value = string(a)
		if i == 0 && p.Look == ui.Plain {
			p.Look = ui.Solid
		}
		if words, ok := appealButtons[a]; ok && kind == desk.AppealType {
			p.Text = words
		}
		list = append(list, p)
	}
	return list
}

// several are the decisions that fit what is listed, for all that are checked.
func (h *handlers) several(ctx context.Context, v core.Viewer, in desk.Inbox, at deskPlace, d deskVisit) (views.SeveralProps, error) {
	sent, reported := []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}, []core.Action{core.ActionKeep, core.ActionHide}
	actions := sent
	switch {
	case at.queue == desk.AppealType:
		actions = sent[:2]
	case at.queue == reportQueue:
		actions = reported
	case at.queue == "" && in.Counts[reportQueue] > 0:
		actions = slices.Concat(sent, reported)
	}
	p := views.SeveralProps{Actions: buttons(at.queue, actions)}
	for i := range p.Actions { // the page has its one solid button beside the list
		if p.Actions[i].Look == ui.Solid {
			p.Actions[i].Look = ui.Plain
		}
	}
	var err error
	if p.Replies, err = h.replyOptions(ctx, v, at.queue); err != nil || !d.several {
		return p, err
	}
	p.Reply, p.Reason = d.reply, d.reason
	if fields, _, ok := refused(d.err); ok && fields["reason"] != "" {
		p.ReasonError = "The reason " + fields["reason"] + "."
	}
	return p, nil
}

// reportQueue is the queue of what members reported.
const reportQueue = "report"

func (h *handlers) replyOptions(ctx context.Context, v core.Viewer, queue string) ([]ui.Option, error) {
	list, err := h.Desk.Replies(ctx, v, queue)
	options := []ui.Option{{Text: "None"}}
	for _, reply := range list {
		options = append(options, ui.Option{Value: reply.Body, Text: reply.Body})
	}
	return options, err
}

// deskCase lays out the case that is looked at.
func (h *handlers) deskCase(ctx context.Context, v core.Viewer, items []desk.Item, at deskPlace, d deskVisit) (*views.CaseProps, error) {
	f, err := h.Desk.Open(ctx, v, d.chosen)
	if err != nil {
		return nil, err
	}
	p := &views.CaseProps{Target: targetText(f.Target), Kicker: f.Heading, Title: f.Title, Text: f.Text, Open: f.Path, Image: casePicture(f.ImageURL), By: caseSender(f),
		Sent: h.moment(f.SentAt), Claimed: f.Claimed, MaxNote: desk.MaxNote, Undo: f.Undo, Reply: d.reply, Reason: d.reason}
	if oneLine(p.Text) == oneLine(p.Title) {
		p.Text = ""
	}
	if f.ClaimedBy != nil && !f.Claimed {
		p.ClaimedBy = *f.ClaimedBy
	}
	p.Claimable = f.Waiting && len(f.Actions) > 0 && p.ClaimedBy == ""
	p.Prev, p.Next, p.NextTarget = beside(items, at, f.Target)
	for _, fact := range f.Facts {
		p.Facts = append(p.Facts, views.CaseFact(fact))
	}
	for _, change := range f.Changes {
		p.Changes = append(p.Changes, ui.Change(change))
	}
	h.addRemarks(p, f)
	p.Verdict, p.Reasons = verdictWords(f.Verdict)
	if p.Map, err = h.caseMap(ctx, f.Case); err != nil {
		return nil, err
	}
	h.addPast(p, f)
	if err := h.addDecision(ctx, v, p, f); err != nil {
		return nil, err
	}
	caseProblems(p, d)
	return p, nil
}

// casePicture leaves out what a page would not load.
func casePicture(address string) string {
	if strings.HasPrefix(address, "https://") || ownPath(address, "") != "" {
		return address
	}
	return ""
}

func caseSender(f desk.File) ui.Link {
	switch {
	case f.History != nil:
		return ui.Link{Text: f.History.Username, Href: "/u/" + f.History.Username}
	case f.Sender != "" && f.SenderID == "":
		return ui.Link{Text: f.Sender + ", who was not signed in"}
	case f.Sender != "":
		return ui.Link{Text: f.Sender}
	}
	return ui.Link{Text: "somebody without an account"}
}

// beside are the cases before and after the one that is looked at. After one
// that is not on the list comes its first.
func beside(items []desk.Item, at deskPlace, here core.Target) (prev, next, target string) {
	i := slices.IndexFunc(items, func(item desk.Item) bool { return item.Target == here })
	if i > 0 {
		prev = at.caseAt(items[i-1].Target)
	}
	if i+1 < len(items) {
		next, target = at.caseAt(items[i+1].Target), targetText(items[i+1].Target)
	}
	return prev, next, target
}

// verdictWords say what the moderation pipeline found: "The rules want somebody
// to look: 0.62 of 1", with the reasons. Empty where it did not judge.
func verdictWords(verdict *core.Verdict) (words string, reasons []string) {
	if verdict == nil {
		return "", nil
	}
	for _, reason := range verdict.Reasons {
		reasons = append(reasons, joined(": ", strings.ReplaceAll(reason.Code, "_", " "), reason.Detail))
	}
	words = map[core.Decision]string{core.DecisionApprove: "The rules find nothing", core.DecisionReview: "The rules want somebody to look",
		core.DecisionReject: "The rules would reject it"}[verdict.Decision]
	return words + ": " + strconv.FormatFloat(verdict.Score, 'f', 2, 64) + " of 1", reasons
}

// caseNeighbours is how many dots a map has besides the place itself.
const caseNeighbours = 14

// caseMap draws where the place is, among what is listed around it.
func (h *handlers) caseMap(ctx context.Context, c core.Case) (*ui.MapProps, error) {
	if c.Point == nil {
		return nil, nil
	}
	near, err := h.Directory.Near(ctx, c.Point.Lat, c.Point.Lng, "", caseNeighbours)
	if err != nil {
		return nil, err
	}
	m := &ui.MapProps{Here: ui.Point{Name: c.Title, Lat: c.Point.Lat, Lng: c.Point.Lng}, Label: c.Title + " and " + strconv.Itoa(len(near)) + " entries around it"}
	for _, n := range near {
		m.Others = append(m.Others, ui.Point{Name: n.Name, Lat: *n.Lat, Lng: *n.Lng})
	}
	return m, nil
}

// addDecision adds the buttons, or says why there are none.
func (h *handlers) addDecision(ctx context.Context, v core.Viewer, p *views.CaseProps, f desk.File) (err error) {
	switch {
	case f.Waiting && f.SenderID == v.ID:
		p.StateTitle, p.State = "This is yours", "Nobody decides about their own. Another moderator will."
		return nil
	case f.Waiting && len(f.Actions) == 0:
		p.StateTitle, p.State = "Another moderator decides about this", "You decided about it before, or it is yours."
		return nil
	case f.Waiting && p.ClaimedBy != "":
		p.StateTitle, p.State = p.ClaimedBy+" works on this", "Once they give it back, or after half an hour, you can decide."
		return nil
	case !f.Waiting:
		p.StateTitle, p.State = "This does not wait any more", joined(" ", "It is "+f.State+".", quoted(f.Reason))
	}
	p.Actions = buttons(f.Type, f.Actions)
	if f.Waiting {
		p.Edit = f.Edit
	}
	p.Replies, err = h.replyOptions(ctx, v, f.Type)
	return err
}

// caseProblems says what was wrong with the last form of the case.
func caseProblems(p *views.CaseProps, d deskVisit) {
	fields, message, ok := refused(d.err)
	if !ok || d.several {
		return
	}
	if d.noting {
		if p.Note, p.NoteError = d.note, message; fields["note"] != "" {
			p.NoteError = "The note " + fields["note"] + "."
		}
		p.Errors = []ui.FieldError{{ID: "note", Text: p.NoteError}}
		return
	}
	if fields["reason"] != "" {
		p.Asking, p.ReasonError = true, "The reason "+fields["reason"]+"."
		p.Errors = []ui.FieldError{{ID: "reason", Text: p.ReasonError}}
		return
	}
	p.Problem = joined(" ", "It cannot be decided as it is.", fieldSentences(fields))
	if len(fields) == 0 {
		p.Problem = message
	}
}

// fieldSentences say what is wrong with fields that stand elsewhere: "City is
// required."
func fieldSentences(fields map[string]string) string {
	var list []string
	for name, problem := range fields {
		words := strings.ReplaceAll(name, "_", " ")
		list = append(list, strings.ToUpper(words[:1])+words[1:]+" "+strings.TrimSuffix(problem, ".")+".")
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
