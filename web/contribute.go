package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// contributionRoutes are the pages on which members propose something for the
// directory, see what became of it, and on which staff decide.
func (h *handlers) contributionRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: "/directory/new", guard: member, page: h.newListing},
		{method: post, pattern: "/directory/new", guard: member, page: h.offerListing},
		{method: get, pattern: "/directory/{category}/{slug}/edit", guard: member, page: h.editEntry},
		{method: post, pattern: "/directory/{category}/{slug}/edit", guard: member, page: h.saveEntry},
		{method: get, pattern: "/directory/{category}/{slug}/still-open", guard: member, page: h.stillOpen},
		{method: post, pattern: "/directory/{category}/{slug}/still-open", guard: member, page: h.sayStillOpen},
		{method: get, pattern: submissionsPath, guard: member, page: h.submissions},
		{method: post, pattern: submissionsPath + "/{id}/withdraw", guard: member, page: h.withdraw},
		{method: get, pattern: listingDeskPath + "/{id}/amend", guard: staff, page: h.amend},
		{method: post, pattern: listingDeskPath + "/{id}/amend", guard: staff, page: h.saveAmended},
	}
}

// kindPhrases are what a kind is called in a sentence.
var kindPhrases = map[directory.Kind]string{
	directory.KindBusiness: "a business", directory.KindLandmark: "a landmark", directory.KindPerson: "a person",
	directory.KindService: "a service", directory.KindEvent: "an event",
}

// formStatus is the status of a form that is shown again.
func formStatus(err error) int {
	if kind := core.KindOf(err); kind != core.Invalid {
		return httpx.Status(kind)
	}
	return http.StatusUnprocessableEntity
}

// newListing asks for the kind first, then for everything else.
func (h *handlers) newListing(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	asked := httpx.ParseQuery(r).String("kind")
	kind, ok := directory.ParseKind(asked)
	if !ok {
		return h.chooseKind(r, v, asked != "")
	}
	p, err := h.listingPage(r, v, kind, entryForm{})
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.EntryPage(p))
}

func (h *handlers) chooseKind(r *http.Request, v core.Viewer, wrong bool) (*httpx.Answer, error) {
	p := views.ChooseKindProps{Frame: h.frame(r, v, layout.FrameProps{Title: "Add a listing", NoIndex: true})}
	if wrong {
		p.Error = "Choose one of these."
		return show(r, http.StatusUnprocessableEntity, views.ChooseKind(p))
	}
	return show(r, http.StatusOK, views.ChooseKind(p))
}

func (h *handlers) listingPage(r *http.Request, v core.Viewer, kind directory.Kind, form entryForm) (views.EntryPageProps, error) {
	p, err := h.entryPage(r.Context(), kind, form)
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Add " + kindPhrases[kind], NoIndex: true})
	p.Title, p.Lead = "Add "+kindPhrases[kind], "Say what you know; the name and a city are enough. A moderator looks at it before it is published."
	p.Change = ui.Link{Text: "Something else than " + kindPhrases[kind] + "?", Href: "/directory/new"}
	p.Action, p.Button, p.Cancel = "/directory/new", "Send it", "/directory"
	return p, err
}

// entryPage lays out the form of an entry.
func (h *handlers) entryPage(ctx context.Context, kind directory.Kind, form entryForm) (views.EntryPageProps, error) {
	curated, err := h.Directory.Categories(ctx)
	options := []ui.Option{{Text: "None of these"}}
	for _, c := range curated[kind] {
		options = append(options, ui.Option{Value: c.Slug, Text: c.Label})
	}
	zone := form["timezone"]
	if kind == directory.KindEvent {
		zone = form["event_zone"]
	}
	return views.EntryPageProps{Form: views.EntryFormProps{Kind: string(kind), Values: form,
		Categories: options, Regions: regionOptions(form["region"]), Zones: zoneOptions(zone)}}, err
}

// offerListing shows likely duplicates once before it sends.
func (h *handlers) offerListing(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	kind, ok := directory.ParseKind(values.Get("kind"))
	if !ok {
		return h.chooseKind(r, v, true)
	}
	filled := readEntryForm(values, kind)
	in, err := h.entered(r.Context(), filled, directory.Input{Kind: kind})
	var same []directory.Summary
	if err == nil && values.Get("sure") == "" {
		if same, err = h.Directory.Duplicates(r.Context(), in); err != nil {
			return nil, err
		}
	}
	if err == nil && len(same) == 0 {
		if _, err = h.Contributions.Offer(r.Context(), v, in); err == nil {
			return then(r, submissionsPath, "Thank you. "+in.Name+" waits for a moderator now.")
		}
	}
	p, pageErr := h.listingPage(r, v, kind, filled)
	if pageErr != nil {
		return nil, pageErr
	}
	if err == nil {
		p.Duplicates = duplicateRows(same)
		return show(r, http.StatusOK, views.EntryPage(p))
	}
	return showEntryPage(r, p, err)
}

// entered reads the form over an entry and lets the directory check it, so
// that everything that is wrong is told at once.
func (h *handlers) entered(ctx context.Context, filled entryForm, before directory.Input) (directory.Input, error) {
	var p core.Problems
	in := filled.apply(before, &p)
	if err := h.Directory.Check(ctx, &in, &p); err != nil {
		return in, err
	}
	return in, p.Err()
}

// showEntryPage shows the form again with what is wrong, or passes the error
// on.
func showEntryPage(r *http.Request, p views.EntryPageProps, err error) (*httpx.Answer, error) {
	fields, message, ok := refused(err)
	if !ok {
		return nil, err
	}
	p.Form.Errors, p.Problem = entryProblems(directory.Kind(p.Form.Kind), fields)
	if len(fields) == 0 {
		p.Problem = message
	}
	return show(r, formStatus(err), views.EntryPage(p))
}

// duplicateRows show entries as lines that lead to them.
func duplicateRows(list []directory.Summary) []ui.EntryProps {
	rows := make([]ui.EntryProps, len(list))
	for i, e := range list {
		rows[i] = ui.EntryProps{Href: entryPath(e.Kind, e.Slug), Title: e.Name, Slug: e.Slug, Summary: e.Summary,
			Tag: tagOf(e), Meta: placeOf(e), Verified: e.Verified, NoCover: true}
	}
	return rows
}

// entryAsked is the entry that the address names, as the viewer may see it.
func (h *handlers) entryAsked(r *http.Request, v core.Viewer) (directory.Entry, error) {
	kind, ok := directory.KindOfSegment(chi.URLParam(r, "category"))
	if !ok {
		return directory.Entry{}, core.NotFoundf("There is no such part of the directory.")
	}
	return h.Directory.GetFor(r.Context(), v, kind, chi.URLParam(r, "slug"))
}

func entryCrumbs(e directory.Entry, here string) []ui.Link {
	return []ui.Link{{Text: "Directory", Href: "/directory"}, {Text: e.Name, Href: entryPath(e.Kind, e.Slug)}, {Text: here}}
}

// editEntry is the form of an entry: staff and its owner save at once,
// everybody else suggests.
func (h *handlers) editEntry(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	e, err := h.entryAsked(r, v)
	if err != nil {
		return nil, err
	}
	p, err := h.editPage(r, v, e, entryFormOf(directory.FormOf(e)))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.EntryPage(p))
}

func (h *handlers) editPage(r *http.Request, v core.Viewer, e directory.Entry, form entryForm) (views.EntryPageProps, error) {
	p, err := h.entryPage(r.Context(), e.Kind, form)
	direct := directory.CanEdit(v, e)
	p.Title, p.Lead, p.Button = "Suggest a change", "Put right what is wrong with "+e.Name+". A moderator looks at it, then it shows.", "Send it"
	if direct {
		p.Title, p.Lead, p.Button = "Edit "+e.Name, "What you save shows at once.", "Save"
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Title, NoIndex: true})
	p.Crumbs, p.AskMessage, p.Preview = entryCrumbs(e, p.Title), !direct, true
	p.Action, p.Cancel = entryPath(e.Kind, e.Slug)+"/edit", entryPath(e.Kind, e.Slug)
	p.Fresh, p.Seen = p.Action, e.UpdatedAt.Format(time.RFC3339Nano)
	return p, err
}

func (h *handlers) saveEntry(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	e, err := h.entryAsked(r, v)
	if err != nil {
		return nil, err
	}
	before := directory.FormOf(e)
	filled := readEntryForm(values, e.Kind)
	in, err := h.entered(r.Context(), filled, before)
	looking := values.Get("look") != ""
	if err == nil && !looking {
		var a *httpx.Answer
		if a, err = h.carryOut(r, v, e, in, values); err == nil {
			return a, nil
		}
	}
	p, pageErr := h.editPage(r, v, e, filled)
	if pageErr != nil {
		return nil, pageErr
	}
	p.Message, p.Looked = values.Get("message"), looking
	if p.Conflict = isConflict(err, "changed_meanwhile"); !p.Conflict {
		p.Seen = values.Get("seen")
	}
	if p.Looked || p.Conflict {
		p.Changes = entryDifference(e.Kind, entryFormOf(before), entryFormOf(in), p.Form.Categories)
	}
	switch {
	case p.Conflict:
		return show(r, http.StatusConflict, views.EntryPage(p))
	case err == nil:
		return show(r, http.StatusOK, views.EntryPage(p))
	}
	p.Looked = false // put the form right first
	return showEntryPage(r, p, err)
}

func isConflict(err error, code string) bool {
	var e *core.Error
	return errors.As(err, &e) && e.Kind == core.Conflict && e.Code == code
}

// carryOut saves or suggests, as the viewer may.
func (h *handlers) carryOut(r *http.Request, v core.Viewer, e directory.Entry, in directory.Input, values url.Values) (*httpx.Answer, error) {
	if !directory.CanEdit(v, e) {
		if _, err := h.Contributions.SuggestEdit(r.Context(), v, e.Kind, e.Slug, in, values.Get("message")); err != nil {
			return nil, err
		}
		return then(r, submissionsPath, "Thank you. Your change to "+e.Name+" waits for a moderator now.")
	}
	seen, err := time.Parse(time.RFC3339Nano, values.Get("seen"))
	if err != nil {
		seen = time.Time{} // nothing was seen, so everything has changed
	}
	if _, err := h.Directory.Update(r.Context(), v, e.ID, in, seen); err != nil {
		return nil, err
	}
	return then(r, entryPath(e.Kind, e.Slug), "Saved.")
}

// stillOpen asks whether a place is still there.
func (h *handlers) stillOpen(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	e, err := h.entryAsked(r, v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.StillOpen(h.stillOpenPage(r, v, e)))
}

func (h *handlers) stillOpenPage(r *http.Request, v core.Viewer, e directory.Entry) views.StillOpenProps {
	path := entryPath(e.Kind, e.Slug)
	return views.StillOpenProps{Frame: h.frame(r, v, layout.FrameProps{Title: "Is " + e.Name + " still open?", NoIndex: true}),
		Crumbs: entryCrumbs(e, "Still open?"), Name: e.Name, Where: placeOf(e.Summary), Action: path + "/still-open", Cancel: path}
}

func (h *handlers) sayStillOpen(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	e, err := h.entryAsked(r, v)
	if err != nil {
		return nil, err
	}
	answer := values.Get("open")
	if answer == "true" || answer == "false" {
		_, err = h.Contributions.StillOpen(r.Context(), v, e.Kind, e.Slug, answer == "true", values.Get("message"))
	} else {
		err = &core.Error{Kind: core.Invalid, Code: "validation_failed", Msg: "Press one of the two buttons."}
	}
	if err == nil {
		return then(r, entryPath(e.Kind, e.Slug), "Thank you for looking after "+e.Name+". A moderator will check.")
	}
	fields, message, ok := refused(err)
	if !ok {
		return nil, err
	}
	p := h.stillOpenPage(r, v, e)
	shown, _ := entryProblems(e.Kind, fields)
	if p.Message, p.Error = values.Get("message"), shown["message"]; p.Error == "" {
		p.Problem = message
	}
	return show(r, formStatus(err), views.StillOpen(p))
}
