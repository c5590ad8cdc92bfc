package web

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/sayings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// listingDeskPath is above the pages on which a moderator corrects a proposal
// for the directory.
const listingDeskPath = views.DeskPage + "/listings"

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

func (a amendable) casePath() string { return casePath("contribution", a.ID) }

// amend is the form in which a moderator words a proposal otherwise.
func (h *handlers) amend(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, err := h.toAmend(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	if !contributions.CanDecide(v, a.Contribution) {
		return httpx.Redirect(http.StatusSeeOther, a.casePath()), nil
	}
	p, err := h.amendPage(r, v, a, entryFormOf(a.in))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.EntryPage(p))
}

func (h *handlers) amendPage(r *http.Request, v core.Viewer, a amendable, form entryForm) (views.EntryPageProps, error) {
	p, err := h.entryPage(r.Context(), a.in.Kind, form)
	p.Title, p.Lead = "Correct it first", "This is what "+senderName(a.Contribution)+" proposes. Word it as it should be, then decide about it at the desk."
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Title, NoIndex: true})
	p.Cancel = a.casePath()
	p.Crumbs = []ui.Link{{Text: "Desk", Href: views.DeskPage}, {Text: a.EntryName, Href: p.Cancel}, {Text: p.Title}}
	p.Action, p.Button, p.Seen, p.Fresh = listingDeskPath+"/"+a.ID+"/amend", "Save the correction", a.seen, listingDeskPath+"/"+a.ID+"/amend"
	p.Preview = a.Kind == contributions.KindEdit
	return p, err
}

// saveAmended keeps what the form says in place of what was proposed.
func (h *handlers) saveAmended(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
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
		err = h.Contributions.Correct(r.Context(), v, a.ID, contributions.Changed(a.in, in))
		switch {
		case err == nil:
			return then(r, a.casePath(), "The correction is saved. It still waits for a decision.")
		case isConflict(err, "already_decided"):
			return then(r, a.casePath(), core.AsError(err).Msg)
		case core.KindOf(err) != core.Invalid:
			return nil, err
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

// amendSaying is the form in which a moderator words a saying otherwise.
func (h *handlers) amendSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	c, err := h.Sayings.Case(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	if !sayings.CanDecide(v, c) {
		return httpx.Redirect(http.StatusSeeOther, casePath("saying", c.ID)), nil
	}
	p, err := h.amendSayingProps(r, v, c, sayings.WordsOf(c.Saying))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.AmendSaying(p))
}

func (h *handlers) amendSayingProps(r *http.Request, v core.Viewer, c sayings.Case, w sayings.Words) (p views.AmendSayingProps, err error) {
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Correct it first", NoIndex: true})
	p.Action, p.Back, p.By = sayingDeskPath+"/"+c.ID+"/amend", casePath("saying", c.ID), "a former member"
	if c.Username != nil {
		p.By = *c.Username
	}
	p.Fields, err = h.sayingFields(r.Context(), w)
	return p, err
}

// saveAmendedSaying keeps what the form says in place of what was sent.
func (h *handlers) saveAmendedSaying(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	c, err := h.Sayings.Case(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	w := readWords(values)
	switch err := h.Sayings.Correct(r.Context(), v, c.ID, w); {
	case err == nil:
		return then(r, casePath("saying", c.ID), "The correction is saved. It still waits for a decision.")
	case isConflict(err, "already_decided"):
		return then(r, casePath("saying", c.ID), core.AsError(err).Msg)
	default:
		p, pageErr := h.amendSayingProps(r, v, c, w)
		if pageErr != nil {
			return nil, pageErr
		}
		return h.refuse(r, err, sayingLabels, func(refusal views.Refusal) templ.Component {
			p.Fields.Refusal = refusal
			return views.AmendSaying(p)
		})
	}
}
