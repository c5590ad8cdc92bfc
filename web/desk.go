package web

import (
	"context"
	"net/http"
	"strconv"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// deskRoutes are the inbox of the moderators and what they do there.
func (h *handlers) deskRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	list := []route{
		{method: get, pattern: views.DeskPage, guard: staff, page: h.inbox},
		{method: post, pattern: views.DecidePage, guard: staff, page: h.decide},
		{method: post, pattern: views.UndoPage, guard: staff, page: h.undo},
		{method: post, pattern: views.ClaimPage, guard: staff, page: h.claim},
		{method: post, pattern: views.ReleasePage, guard: staff, page: h.release},
		{method: post, pattern: views.NotePage, guard: staff, page: h.note},
		{method: get, pattern: views.RepliesPage, guard: staff, page: h.replies},
		{method: post, pattern: views.RepliesPage, guard: staff, page: h.addReply},
		{method: post, pattern: views.RepliesPage + "/{id}/remove", guard: staff, page: h.removeReply},
	}
	for old, queue := range formerQueues {
		list = append(list, route{method: get, pattern: old, guard: staff, page: func(*http.Request, core.Viewer) (*httpx.Answer, error) {
			return httpx.Redirect(http.StatusMovedPermanently, deskPlace{queue: queue, page: 1}.path()), nil
		}})
	}
	return list
}

// formerQueues are the addresses that queues had when each was a page of its own.
var formerQueues = map[string]string{listingDeskPath: "contribution", views.DeskPage + "/apps": "app", sayingDeskPath: "saying",
	views.DeskPage + "/polls": "poll", views.DeskPage + "/reports": "report"}

// deskVisit is what a visit to the desk knows besides its place.
type deskVisit struct {
	chosen  core.Target // the case that was asked for; empty = the first that is free
	done    *views.DeskDoneProps
	err     error // what was wrong with the last form
	checked []core.Target
	several bool // err came from deciding about those that are checked
	reply   string
	reason  string
	note    string
	noting  bool // err came from leaving the note
}

// inbox shows what waits, and one case.
func (h *handlers) inbox(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	var d deskVisit
	if asked := lenient(q, "case"); asked != "" {
		d.chosen = targetOf(asked)
	}
	d.done = doneOf(r, lenient(q, "undo"), lenient(q, "of"))
	return h.showDesk(r, v, http.StatusOK, deskPlaceOf(q), d)
}

// readInbox reads the page of a place, or the first where the last of that page
// was decided.
func (h *handlers) readInbox(ctx context.Context, v core.Viewer, at deskPlace) (desk.Inbox, deskPlace, error) {
	for {
		size := desk.InboxRule.Default
		in, err := h.Desk.Inbox(ctx, v, desk.Filter{Type: at.queue, Mine: at.mine, Page: core.Page{Limit: size, Offset: (at.page - 1) * size}})
		if err != nil || len(in.Items) > 0 || at.page == 1 {
			return in, at, err
		}
		at.page = 1
	}
}

func (h *handlers) showDesk(r *http.Request, v core.Viewer, status int, at deskPlace, d deskVisit) (*httpx.Answer, error) {
	in, at, err := h.readInbox(r.Context(), v, at)
	if err != nil {
		return nil, err
	}
	p := views.DeskProps{Chosen: d.chosen.Type != "", Back: at.path(), Lead: h.deskLead(in, at), Done: d.done, Empty: emptyDesk(in, at),
		Pager: ui.PagerProps{Page: at.page, Pages: pagesOf(in.Total, in.Page.Limit), Href: func(n int) string {
			return deskPlace{queue: at.queue, mine: at.mine, page: n}.path()
		}}}
	if p.Queues, err = h.deskTabs(r.Context(), v, in, at, ""); err != nil {
		return nil, err
	}
	if d.chosen.Type == "" {
		d.chosen = firstFree(in.Items)
	}
	p.Items = h.deskItems(in.Items, at, d)
	if p.Several, err = h.several(r.Context(), v, in, at, d); err != nil {
		return nil, err
	}
	if d.chosen.Type != "" {
		if p.Case, err = h.deskCase(r.Context(), v, in.Items, at, d); err != nil {
			return nil, err
		}
	}
	frame := layout.FrameProps{Title: "Desk", NoIndex: true, Viewer: layout.Viewer{Waiting: waitingText(in.All)}}
	p.Frame = h.frame(r, v, frame)
	return show(r, status, views.Desk(p))
}

// firstFree is the first case that nobody else works on, else the first.
func firstFree(items []desk.Item) core.Target {
	for _, item := range items {
		if item.ClaimedBy == nil || item.Claimed {
			return item.Target
		}
	}
	if len(items) == 0 {
		return core.Target{}
	}
	return items[0].Target
}

func (h *handlers) deskItems(items []desk.Item, at deskPlace, d deskVisit) []views.DeskItemProps {
	list := make([]views.DeskItemProps, len(items))
	for i, item := range items {
		p := views.DeskItemProps{Target: targetText(item.Target), Href: at.caseAt(item.Target), Title: excerpt(item.Title, 90),
			About: joined(" · ", h.queueLabel(item.Type), value(item.Sender), ui.Ago(item.Since, h.Now(), nil)), Current: item.Target == d.chosen}
		switch {
		case item.Claimed:
			p.Claimed = "You work on it"
		case item.ClaimedBy != nil:
			p.Claimed = *item.ClaimedBy + " works on it"
		}
		for _, t := range d.checked {
			p.Checked = p.Checked || t == item.Target
		}
		list[i] = p
	}
	return list
}

func (h *handlers) queueLabel(kind string) string {
	for _, q := range h.Desk.Queues() {
		if q.Type == kind {
			return q.Label
		}
	}
	return kind
}

// deskLead says how much waits, here and for other moderators.
func (h *handlers) deskLead(in desk.Inbox, at deskPlace) string {
	var lead string
	switch {
	case in.Total == 0 && at.mine:
		lead = "You have claimed nothing."
	case in.Total == 0:
		lead = "All done."
	case at.mine:
		lead = thousands(in.Total) + " claimed by you."
	case at.page > 1:
		lead = thousands(in.Total) + " waiting, page " + strconv.Itoa(at.page) + "."
	default:
		lead = thousands(in.Total) + " waiting. The oldest came in " + ui.Ago(in.Items[0].Since, h.Now(), nil) + "."
	}
	return joined(" ", lead, othersText(in.Others))
}

// othersText tells what waits for other moderators alone.
func othersText(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 more waits for another moderator."
	}
	return thousands(n) + " more wait for another moderator."
}

func emptyDesk(in desk.Inbox, at deskPlace) ui.EmptyProps {
	p := ui.EmptyProps{Title: "Nothing waits here", Text: "Everything has been looked at. Go and enjoy the porch.", Seed: "desk-empty"}
	switch {
	case at.mine:
		p.Title, p.Text = "You work on nothing at the moment", "Open a case and press “Claim it”, and nobody else decides about it for half an hour."
	case in.All > 0:
		p.Text = "Everything in this queue has been looked at. There is more in the others."
	case in.Others > 0:
		p.Text = "What is left is yours, or was decided by you before. " + othersText(in.Others)
	}
	return p
}
