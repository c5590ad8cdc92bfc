package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/auditlog"
	"homeplace/core/blocks"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

// moderationRoutes are reports, blocks and the log of decisions.
func (h *handlers) moderationRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: views.ReportPage, guard: member, page: h.reportPage},
		{method: post, pattern: views.ReportPage, guard: member, page: h.sendReport},
		{method: post, pattern: submissionsPath + "/reports/{id}/withdraw", guard: member, page: h.withdrawReport},

		{method: get, pattern: views.BlocksPage, guard: staff, page: h.blocks},
		{method: post, pattern: views.BlocksPage + "/{id}/lift", guard: staff, page: h.liftBlock},
		{method: get, pattern: views.LogPage, guard: staff, page: h.auditLog},
		{method: get, pattern: views.ModerationLogPage, page: h.moderationLog, areas: []string{auditlog.Area, settings.Area}, maxAge: httpx.OpenReadAge},
	}
}

// lifting is what a visit to the blocks knows besides the address.
type lifting struct {
	id, word string // of the form that was sent
	problem  string // the block that is lifted no longer holds
	err      error  // what was wrong with the word
}

// blocks lists the blocked addresses.
func (h *handlers) blocks(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.showBlocks(r, v, http.StatusOK, lifting{})
}

func (h *handlers) showBlocks(r *http.Request, v core.Viewer, status int, l lifting) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, blocks.Rule.Default)
	if err != nil {
		return nil, err
	}
	list, err := h.Blocks.List(r.Context(), v, page)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && number > 1 {
		return nil, core.NotFoundf("The list of blocks has fewer pages.")
	}
	p := views.BlocksProps{Problem: l.problem, Lead: "Addresses from which nothing can be sent for a time.",
		Pager: pagerOf(views.BlocksPage, number, list.Total, list.Page)}
	var waiting string
	if p.Queues, waiting, err = h.queues(r.Context(), v, views.BlocksPage); err != nil {
		return nil, err
	}
	now := h.Now()
	for _, b := range list.Items {
		p.Blocks = append(p.Blocks, h.block(b, now, l))
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Blocked addresses", NoIndex: true, Viewer: layout.Viewer{Waiting: waiting}})
	return show(r, status, views.Blocks(p))
}

func (h *handlers) block(b blocks.Block, now time.Time, l lifting) views.BlockProps {
	p := views.BlockProps{ID: b.ID, Address: b.AddressKey, Reason: b.Reason, By: b.BlockedBy, Times: timesText(b.Times),
		Since: h.moment(b.BlockedAt), Until: h.moment(b.Until), Lifted: b.LiftReason, Holds: b.Standing(now)}
	if p.By == "" {
		p.By = "the site"
	}
	switch {
	case p.Holds:
		p.State, p.Tone = "Blocked", "state-bad"
	case b.LiftedAt != nil && b.LiftedBy != "":
		p.State, p.Tone = "Lifted by "+b.LiftedBy, "state-good"
	case b.LiftedAt != nil:
		p.State, p.Tone = "Lifted", "state-good"
	default:
		p.State, p.Tone = "Over", "state-over"
	}
	if fields, message, ok := refused(l.err); ok && l.id == b.ID {
		p.Word, p.Error = l.word, message
		if fields["reason"] != "" {
			p.Error = "The reason " + fields["reason"] + "."
		}
	}
	return p
}

// timesText says how often an address was blocked within a year.
func timesText(n int) string {
	switch n {
	case 1:
		return "the first time within a year"
	case 2:
		return "the second time within a year"
	case 3:
		return "the third time within a year"
	}
	return strconv.Itoa(n) + " times within a year"
}

func (h *handlers) liftBlock(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	l := lifting{id: chi.URLParam(r, "id"), word: pastedText(values, "reason")}
	l.err = h.Blocks.Lift(r.Context(), v, l.id, l.word)
	switch {
	case l.err == nil:
		return then(r, views.BlocksPage, "The block is lifted.")
	case isConflict(l.err, "already_over"):
		return h.showBlocks(r, v, http.StatusConflict, lifting{problem: core.AsError(l.err).Msg})
	case core.KindOf(l.err) == core.Invalid:
		return h.showBlocks(r, v, formStatus(l.err), l)
	}
	return nil, l.err
}
