package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/markdown"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const deskPath = "/moderation/listings"

// savedReplies are reasons that fit often.
var savedReplies = []string{
	"We have this already. If something is wrong there, open it and suggest a change.",
	"We could not find out whether this is right. A website or a phone number would help.",
	"This is about a private address, which we do not publish without the consent of who lives there.",
	"This reads like an advertisement. Tell in plain words what neighbours find there.",
	"This is not the kind of thing that the directory lists.",
}

// moderation leads to the first queue in which something waits.
func (h *handlers) moderation(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	_, counts, err := h.queues(r.Context(), v, deskPath)
	if err != nil {
		return nil, err
	}
	for _, queue := range deskQueues {
		if counts[queue.Href] > 0 {
			return httpx.Redirect(http.StatusSeeOther, queue.Href), nil
		}
	}
	return httpx.Redirect(http.StatusSeeOther, deskPath), nil
}

// deskQueues are the queues of the desk, in their order.
var deskQueues = []ui.Link{{Text: "Listings", Href: deskPath}, {Text: "Apps", Href: appDeskPath}, {Text: "Sayings", Href: sayingDeskPath},
	{Text: "Polls", Href: pollDeskPath}, {Text: "Reports", Href: views.ReportsPage}}

// deskPages are the pages beside them, in which nothing waits.
var deskPages = []ui.Link{{Text: "Blocked addresses", Href: views.BlocksPage}, {Text: "Log", Href: views.LogPage}}

// queues leads to the queues of the desk, each with how much waits in it, and to
// its other pages; here is the one open.
func (h *handlers) queues(ctx context.Context, v core.Viewer, here string) (links []ui.Link, counts map[string]int, err error) {
	one := core.Page{Limit: 1}
	listings, err := h.Contributions.Queue(ctx, v, one)
	if err != nil {
		return nil, nil, err
	}
	waiting, err := h.Apps.PendingApps(ctx, v, one)
	if err != nil {
		return nil, nil, err
	}
	reported, err := h.Reports.Queue(ctx, v, one)
	if err != nil {
		return nil, nil, err
	}
	said, err := h.Sayings.Queue(ctx, v, one)
	if err != nil {
		return nil, nil, err
	}
	drafts, err := h.Polls.Drafts(ctx, v, one)
	if err != nil {
		return nil, nil, err
	}
	comments, err := h.Polls.PendingComments(ctx, v, one)
	if err != nil {
		return nil, nil, err
	}
	counts = map[string]int{deskPath: listings.Total, appDeskPath: waiting.Total, sayingDeskPath: said.Total,
		pollDeskPath: drafts.Total + comments.Total, views.ReportsPage: reported.Total}
	for _, queue := range deskQueues {
		queue.Current, queue.Count = queue.Href == here, strconv.Itoa(counts[queue.Href])
		links = append(links, queue)
	}
	for _, page := range deskPages {
		page.Current = page.Href == here
		links = append(links, page)
	}
	return links, counts, nil
}

// listingVisit is what a visit to the queue knows besides the address.
type listingVisit struct {
	id      string // the chosen contribution; "" = the oldest
	notice  string // what the last decision met with
	err     error  // what was wrong with it
	reply   string
	reason  string
	refused bool // err came from refusing
}

// listingQueue shows what waits, and one item of it.
func (h *handlers) listingQueue(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showDesk(r, v, http.StatusOK, listingVisit{id: httpx.ParseQuery(r).String("id")})
}

func (h *handlers) showDesk(r *http.Request, v core.Viewer, status int, d listingVisit) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, contributions.Rule.Default)
	if err != nil {
		return nil, err
	}
	list, err := h.Contributions.Queue(r.Context(), v, page)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && list.Total > 0 { // the last of this page was decided
		return httpx.Redirect(http.StatusSeeOther, deskPath), nil
	}
	p := views.ListingQueueProps{Desk: views.DeskProps{Chosen: d.id != "", Back: pageAddress(deskPath, number),
		Pager: pagerOf(deskPath, number, list.Total, list.Page), Browse: ui.Link{Text: "Browse the directory", Href: "/directory"}}}
	var counts map[string]int
	if p.Desk.Queues, counts, err = h.queues(r.Context(), v, deskPath); err != nil {
		return nil, err
	}
	if d.id == "" && len(list.Items) > 0 {
		d.id = list.Items[0].ID
	}
	var oldest time.Time
	if len(list.Items) > 0 {
		oldest = list.Items[0].CreatedAt
	}
	p.Desk.Lead = h.queueLead(list.Total, oldest, number)
	for _, c := range list.Items {
		p.Desk.Waiting = append(p.Desk.Waiting, views.WaitingProps{Href: caseAddress(c.ID, number), Name: c.EntryName, Current: c.ID == d.id,
			About: contributionKind(c) + " · " + senderName(c) + " · " + ui.Ago(c.CreatedAt, h.Now(), nil)})
	}
	if d.id != "" {
		if p.Case, err = h.deskCase(r.Context(), v, d); err != nil {
			return nil, err
		}
	}
	frame := layout.FrameProps{Title: "Desk", NoIndex: true}
	if d.notice != "" {
		frame.Flash = []ui.NoticeProps{{Tone: ui.Warn, Text: d.notice}}
	}
	p.Frame = h.frame(r, v, frame)
	p.Frame.Viewer.Waiting = waitingText(counts)
	return show(r, status, views.ListingQueue(p))
}

// waitingText is how much waits in all queues.
func waitingText(counts map[string]int) string {
	n := 0
	for _, c := range counts {
		n += c
	}
	return strconv.Itoa(n)
}

func caseAddress(id string, number int) string {
	address := deskPath + "?id=" + id
	if number > 1 {
		address += "&page=" + strconv.Itoa(number)
	}
	return address
}

// queueLead says how much waits; oldest is when the first of the page came in.
func (h *handlers) queueLead(total int, oldest time.Time, number int) string {
	switch {
	case total == 0:
		return "All done."
	case number > 1:
		return strconv.Itoa(total) + " waiting, page " + strconv.Itoa(number) + "."
	}
	return strconv.Itoa(total) + " waiting. The oldest came in " + ui.Ago(oldest, h.Now(), nil) + "."
}

func senderName(c contributions.Contribution) string {
	if c.Username == "" {
		return "a former member"
	}
	return c.Username
}

func entryKindOf(c contributions.Contribution) directory.Kind {
	if c.EntryKind != nil {
		return *c.EntryKind
	}
	return c.Patch.Input.Kind
}

// deskCase lays out the contribution that the moderator looks at.
func (h *handlers) deskCase(ctx context.Context, v core.Viewer, d listingVisit) (*views.CaseProps, error) {
	c, err := h.Contributions.Get(ctx, v, d.id)
	if err != nil {
		return nil, err
	}
	kind := entryKindOf(c)
	p := &views.CaseProps{ID: c.ID, Kicker: contributionKind(c), Title: c.EntryName, By: senderName(c),
		Sent: ui.Moment(c.CreatedAt, h.Now(), nil), Stale: c.Stale, Message: c.Message, Approve: approveWords(c),
		Amend: c.Kind != contributions.KindStillOpen, Duplicates: duplicateRows(c.Duplicates),
		Mine: c.AccountID == v.ID, Reply: d.reply, Reason: d.reason, Refusing: d.refused}
	if c.EntryKind != nil && c.EntrySlug != nil {
		p.Href = entryPath(*c.EntryKind, *c.EntrySlug)
	}
	if c.Username != "" {
		p.Page = "/u/" + c.Username
	}
	if c.Status != contributions.Pending {
		p.Decided = "This no longer waits: it was " + string(c.Status) + "."
	}
	p.Replies = []ui.Option{{Text: "None"}}
	for _, reply := range savedReplies {
		p.Replies = append(p.Replies, ui.Option{Value: reply, Text: reply})
	}
	h.proposal(p, c)
	shown := c.Patch.Input
	if p.Href != "" {
		e, err := h.Directory.GetFor(ctx, v, kind, *c.EntrySlug)
		if err != nil {
			return nil, err
		}
		shown = directory.FormOf(e)
		c.Patch.Apply(&shown)
	}
	p.Meta = joined(" · ", wordsOf[kind].label, joined(", ", shown.City, shown.Region))
	if err := h.caseMap(ctx, p, shown); err != nil {
		return nil, err
	}
	caseProblems(p, kind, d)
	return p, nil
}

// proposal shows what is proposed: of a listing every field, of an edit the
// difference, of a word about a place what it says.
func (h *handlers) proposal(p *views.CaseProps, c contributions.Contribution) {
	switch c.Kind {
	case contributions.KindListing:
		p.Facts = listingFacts(c)
		p.Text = markdown.Render(c.Patch.Input.Description)
		return
	case contributions.KindStillOpen:
		p.Claim = senderName(c) + " says that it has closed. Approving takes the entry out of the directory."
		if *c.Open {
			p.Claim = senderName(c) + " says that it is still there. Approving marks the entry as verified today."
		}
	}
	for _, change := range c.Difference {
		p.Changes = append(p.Changes, ui.Change{Label: change.Label, Before: change.Before, After: change.After})
	}
	p.Unchanged = c.Kind == contributions.KindEdit && len(p.Changes) == 0
}

// listingFacts are what is proposed of a listing, beside its name and its
// description. What makes up an address stands in one line.
func listingFacts(c contributions.Contribution) []views.CaseFact {
	in := c.Patch.Input
	var list []views.CaseFact
	where := joined(", ", in.Address, in.City, joined(" ", in.Region, in.Zip))
	for _, change := range c.Difference {
		fact := views.CaseFact{Label: change.Label, Text: change.After}
		switch change.Field {
		case "kind", "name", "description", "country":
			continue
		case "address", "city", "region", "zip":
			if where == "" {
				continue
			}
			fact.Label, fact.Text, where = "Where", where, ""
		case "website":
			fact.Href = change.After
		}
		list = append(list, fact)
	}
	return list
}

func approveWords(c contributions.Contribution) string {
	switch {
	case c.Kind == contributions.KindListing:
		return "Approve and publish"
	case c.Kind == contributions.KindEdit:
		return "Approve"
	case *c.Open:
		return "Yes, it is open"
	}
	return "Yes, archive it"
}

// caseNeighbours is how many dots a map has besides the place itself.
const caseNeighbours = 14

// caseMap draws where the place is: at its point, else in the middle of its
// ZIP.
func (h *handlers) caseMap(ctx context.Context, p *views.CaseProps, in directory.Input) error {
	here := ui.Point{Name: p.Title}
	if in.Lat != nil && in.Lng != nil {
		here.Lat, here.Lng = *in.Lat, *in.Lng
	} else if zip, ok := h.Places().ZIP(in.Zip); ok && zip.Located() {
		here.Lat, here.Lng = zip.Lat, zip.Lng
		p.MapNote = "No exact point is given: this is the middle of ZIP " + zip.Code + "."
	} else {
		return nil
	}
	near, err := h.Directory.Near(ctx, here.Lat, here.Lng, in.ID, caseNeighbours)
	if err != nil {
		return err
	}
	m := ui.MapProps{Here: here}
	for _, n := range near {
		m.Others = append(m.Others, ui.Point{Name: n.Name, Lat: *n.Lat, Lng: *n.Lng})
	}
	m.Label = p.Title + " and " + strconv.Itoa(len(near)) + " entries around it"
	p.Map = &m
	return nil
}

// caseProblems says what was wrong with the last decision.
func caseProblems(p *views.CaseProps, kind directory.Kind, d listingVisit) {
	fields, message, ok := refused(d.err)
	if !ok {
		return
	}
	shown, other := entryProblems(kind, fields)
	if p.ReasonError = shown["reason"]; p.ReasonError != "" {
		p.Errors = []ui.FieldError{{ID: "reason", Text: p.ReasonError}}
		return
	}
	texts := []string{"It cannot be approved as it is."}
	for _, f := range views.EntryFields(string(kind)) {
		if shown[f.Name] != "" {
			texts = append(texts, shown[f.Name])
		}
	}
	if len(fields) == 0 {
		texts = append(texts, message)
	}
	p.Problem = strings.TrimSpace(strings.Join(texts, " ") + " " + other)
}

// decision leads on after approving or refusing.
func (h *handlers) decision(r *http.Request, v core.Viewer, err error, notice string, d listingVisit) (*httpx.Answer, error) {
	switch {
	case err == nil:
		return then(r, deskPath, notice)
	case isConflict(err, "already_decided"):
		return h.showDesk(r, v, http.StatusConflict, listingVisit{notice: core.AsError(err).Msg})
	case core.KindOf(err) == core.Invalid:
		d.err = err
		return h.showDesk(r, v, formStatus(err), d)
	}
	return nil, err
}

func (h *handlers) approveContribution(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	id := chi.URLParam(r, "id")
	c, err := h.Contributions.Approve(r.Context(), v, id, nil)
	return h.decision(r, v, err, approvedNotice(c), listingVisit{id: id})
}

func approvedNotice(c contributions.Contribution) string {
	words, _ := stateWords(c)
	return c.EntryName + ": " + strings.ToLower(strings.TrimSuffix(words, ", thank you")) + "."
}

// refuseContribution declines with a saved reply, the moderator's own words, or both.
func (h *handlers) refuseContribution(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	d := listingVisit{id: chi.URLParam(r, "id"), reply: values.Get("reply"), reason: values.Get("reason"), refused: true}
	reason := strings.TrimSpace(d.reply + "\n" + strings.TrimSpace(d.reason))
	c, err := h.Contributions.Refuse(r.Context(), v, d.id, reason)
	return h.decision(r, v, err, c.EntryName+": refused. "+senderName(c)+" reads why.", d)
}
