package web

import (
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// amendable is a contribution with the entry that it would make.
type amendable struct {
	contributions.Contribution
	now  entryForm // of the entry as it is; empty for a listing
	in   directory.Input
	seen string // which state of the entry this is
}

func (h *handlers) toAmend(ctx context.Context, v core.Viewer, id string) (a amendable, err error) {
	if a.Contribution, err = h.Contributions.Get(ctx, v, id); err != nil {
		return a, err
	}
	switch a.Kind {
	case contributions.KindStillOpen:
		return a, core.NotFoundf("There is nothing to word otherwise here.")
	case contributions.KindListing:
		a.in, a.now = a.Patch.Input, entryForm{}
		return a, nil
	}
	if a.EntryKind == nil || a.EntrySlug == nil {
		return a, core.NotFoundf("There is no such entry any more.")
	}
	e, err := h.Directory.GetFor(ctx, v, *a.EntryKind, *a.EntrySlug)
	if err != nil {
		return a, err
	}
	a.in = directory.FormOf(e)
	a.now, a.seen = entryFormOf(a.in), e.UpdatedAt.Format(time.RFC3339Nano)
	a.Patch.Apply(&a.in)
	return a, nil
}

// amend is the form in which a moderator words a proposal otherwise.
func (h *handlers) amend(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, err := h.toAmend(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	if !contributions.CanDecide(v, a.Contribution) {
		return httpx.Redirect(http.StatusSeeOther, caseAddress(a.ID, 1)), nil
	}
	p, err := h.amendPage(r, v, a, entryFormOf(a.in))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.EntryPage(p))
}

func (h *handlers) amendPage(r *http.Request, v core.Viewer, a amendable, form entryForm) (views.EntryPageProps, error) {
	p, err := h.entryPage(r.Context(), a.in.Kind, form)
	p.Title, p.Lead = "Approve with changes", "This is what "+senderName(a.Contribution)+" proposes. Word it as it should be, then publish it."
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Title, NoIndex: true})
	p.Cancel = caseAddress(a.ID, 1)
	p.Crumbs = []ui.Link{{Text: "Desk", Href: deskPath}, {Text: a.EntryName, Href: p.Cancel}, {Text: p.Title}}
	p.Action, p.Button, p.Seen, p.Fresh = deskPath+"/"+a.ID+"/amend", "Approve and publish", a.seen, deskPath+"/"+a.ID+"/amend"
	p.Preview = a.Kind == contributions.KindEdit
	return p, err
}

// approveAmended approves what the form says.
func (h *handlers) approveAmended(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	a, err := h.toAmend(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	filled := readEntryForm(values, a.in.Kind)
	in, err := h.entered(r.Context(), filled, a.in)
	looking, changed := values.Get("look") != "", values.Get("seen") != a.seen
	if err == nil && !looking && !changed {
		a.in.Normalize()
		var patch *contributions.Patch
		if p := contributions.Changed(a.in, in); len(p.Fields) > 0 {
			patch = &p
		}
		var c contributions.Contribution
		if c, err = h.Contributions.Approve(r.Context(), v, a.ID, patch); core.KindOf(err) != core.Invalid || err == nil {
			return h.decision(r, v, err, approvedNotice(c), listingVisit{})
		}
	}
	p, pageErr := h.amendPage(r, v, a, filled)
	if pageErr != nil {
		return nil, pageErr
	}
	if err != nil {
		p.Seen = values.Get("seen")
		return showEntryPage(r, p, err)
	}
	p.Looked, p.Conflict = looking, changed
	p.Changes = entryDifference(a.in.Kind, a.now, entryFormOf(in), p.Form.Categories)
	if p.Conflict {
		return show(r, http.StatusConflict, views.EntryPage(p))
	}
	return show(r, http.StatusOK, views.EntryPage(p))
}
