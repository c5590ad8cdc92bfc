package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// deskPlace is where in the inbox somebody is.
type deskPlace struct {
	queue string // type of one queue; "" = all
	mine  bool   // what the viewer has claimed
	page  int    // from 1
}

func deskPlaceOf(q *httpx.Query) deskPlace {
	return deskPlace{queue: lenient(q, "queue"), mine: lenient(q, "mine") != "", page: pageNumber(q)}
}

// deskBack is the place that a form of the desk names as the way back.
func deskBack(values url.Values) deskPlace {
	back, err := url.Parse(ownPath(values.Get("back"), views.DeskPage))
	if err != nil {
		return deskPlace{page: 1}
	}
	return deskPlaceOf(httpx.ParseQuery(&http.Request{URL: back}))
}

func (p deskPlace) path() string {
	values := url.Values{}
	if p.queue != "" {
		values.Set("queue", p.queue)
	}
	if p.mine {
		values.Set("mine", "1")
	}
	if p.page > 1 {
		values.Set("page", strconv.Itoa(p.page))
	}
	return addressWith(views.DeskPage, values)
}

// with adds what else the address says.
func (p deskPlace) with(pairs ...string) string {
	address := p.path()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		separator := "&"
		if !strings.Contains(address, "?") {
			separator = "?"
		}
		address += separator + pairs[i] + "=" + pairs[i+1]
	}
	return address
}

func (p deskPlace) caseAt(t core.Target) string { return p.with("case", targetText(t)) }

// casePath is where staff look at a case.
func casePath(kind, id string) string {
	return deskPlace{page: 1}.caseAt(core.Target{Type: kind, ID: id})
}

// targetText names a target in addresses and forms: "saying:0198…".
func targetText(t core.Target) string {
	if t.Type == "" {
		return ""
	}
	return url.QueryEscape(t.Type) + ":" + url.QueryEscape(t.ID)
}

func targetOf(text string) core.Target {
	kind, id, _ := strings.Cut(text, ":")
	return core.Target{Type: kind, ID: id}
}

// deskTabs leads to the queues, each with how much waits in it, and to the other
// pages of the desk; page is the one of these that is open.
func (h *handlers) deskTabs(ctx context.Context, v core.Viewer, in desk.Inbox, at deskPlace, page string) ([]ui.Link, error) {
	claimed := in
	if !at.mine || at.queue != "" {
		var err error
		if claimed, err = h.Desk.Inbox(ctx, v, desk.Filter{Mine: true, Page: core.Page{Limit: 1}}); err != nil {
			return nil, err
		}
	}
	list := []ui.Link{{Text: "All", Href: views.DeskPage, Count: thousands(in.All), Current: page == "" && at.queue == "" && !at.mine}}
	for _, q := range h.Desk.Queues() {
		list = append(list, ui.Link{Text: q.Label, Href: deskPlace{queue: q.Type}.path(), Count: thousands(in.Counts[q.Type]), Current: page == "" && at.queue == q.Type})
	}
	list = append(list, ui.Link{Text: "Mine", Href: deskPlace{mine: true}.path(), Count: thousands(claimed.Total), Current: page == "" && at.mine && at.queue == ""})
	for _, l := range deskPages {
		l.Current = l.Href == page
		list = append(list, l)
	}
	return list, nil
}

// deskPages are the pages of the desk in which nothing waits.
var deskPages = []ui.Link{{Text: "Blocked addresses", Href: views.BlocksPage}, {Text: "Log", Href: views.LogPage}, {Text: "Saved replies", Href: views.RepliesPage}}

// queues are the tabs on a page of the desk that is no inbox, and how much waits.
func (h *handlers) queues(ctx context.Context, v core.Viewer, page string) (links []ui.Link, waiting string, err error) {
	in, err := h.Desk.Inbox(ctx, v, desk.Filter{Page: core.Page{Limit: 1}})
	if err != nil {
		return nil, "", err
	}
	links, err = h.deskTabs(ctx, v, in, deskPlace{}, page)
	return links, waitingText(in.All), err
}

// waitingText is how much waits; empty for nothing.
func waitingText(n int) string {
	if n == 0 {
		return ""
	}
	return thousands(n)
}
