package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory/contributions"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const submissionsPath = "/account/submissions"

// submissions tells a member what became of everything they sent.
func (h *handlers) submissions(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	page, number, err := numberedPage(r, contributions.Rule.Default)
	if err != nil {
		return nil, err
	}
	list, err := h.Contributions.Mine(r.Context(), v, page)
	if err != nil {
		return nil, err
	}
	files, sent, err := h.sentFiles(r, v)
	if err != nil {
		return nil, err
	}
	reported, filed, err := h.sentReports(r, v)
	if err != nil {
		return nil, err
	}
	said, brought, err := h.sentSayings(r, v)
	if err != nil {
		return nil, err
	}
	fakes, found, err := h.sentFakeReports(r, v)
	if err != nil {
		return nil, err
	}
	reviewed, written, err := h.sentReviews(r, v)
	if err != nil {
		return nil, err
	}
	asked, made, err := h.sentPolls(r, v)
	if err != nil {
		return nil, err
	}
	remarks, words, err := h.sentComments(r, v)
	if err != nil {
		return nil, err
	}
	praise, given, err := h.sentShoutOuts(r, v)
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && list.Total > 0 || len(files.Items) == 0 && sent > 0 || len(said.Items) == 0 && brought > 0 ||
		len(reviewed.Items) == 0 && written > 0 || len(asked.Items) == 0 && made > 0 || len(reported.Items) == 0 && filed > 0 || len(fakes.Items) == 0 && found > 0 || len(praise.Items) == 0 && given > 0 {
		return nil, core.NotFoundf("The list of what you sent has fewer pages.")
	}
	p := views.SubmissionsProps{Frame: h.frame(r, v, layout.FrameProps{Title: "What you sent", NoIndex: true})}
	listings := views.SubmissionPart{Title: "For the directory", ID: "listings",
		Pager: pagerOf(submissionsPath, number, list.Total, list.Page)}
	for _, c := range list.Items {
		listings.Items = append(listings.Items, h.submission(v, c))
	}
	for _, part := range []views.SubmissionPart{listings, files, said, praise, reviewed, asked, remarks, reported, fakes} {
		if len(part.Items) > 0 {
			p.Parts = append(p.Parts, part)
		}
	}
	switch n := list.Total + sent + brought + given + written + made + words + filed + found; {
	case n == 1:
		p.Lead = "One thing so far. Thank you."
	case n > 1:
		p.Lead = strconv.Itoa(n) + " things, the latest first. Thank you."
	}
	return show(r, http.StatusOK, views.Submissions(p))
}

func (h *handlers) submission(v core.Viewer, c contributions.Contribution) views.SubmissionProps {
	now := h.Now()
	s := views.SubmissionProps{Kind: contributionKind(c), Name: c.EntryName, About: patchWords(c), Reason: c.Reason,
		Sent: ui.Moment(c.CreatedAt, now, nil), Reader: "A moderator"}
	if contributions.CanWithdraw(v, c) {
		s.Withdraw = submissionsPath + "/" + c.ID + "/withdraw"
	}
	s.State, s.Tone = stateWords(c)
	if c.EntryKind != nil && c.EntrySlug != nil {
		s.Href = entryPath(*c.EntryKind, *c.EntrySlug)
	}
	if c.DecidedAt != nil {
		s.Decided = ui.Moment(*c.DecidedAt, now, nil)
	}
	return s
}

// contributionKind says what a contribution is.
func contributionKind(c contributions.Contribution) string {
	switch {
	case c.Kind == contributions.KindListing:
		return "New listing"
	case c.Kind == contributions.KindEdit:
		return "Change"
	case c.Open != nil && *c.Open:
		return "Still open"
	}
	return "Closed"
}

// stateWords say what became of a contribution, with the class that colours
// them.
func stateWords(c contributions.Contribution) (words, tone string) {
	switch c.Status {
	case contributions.Pending:
		return "Waiting for a moderator", ""
	case contributions.Refused:
		return "Not taken", "state-bad"
	case contributions.Withdrawn:
		return "You took it back", "state-over"
	}
	switch c.Kind {
	case contributions.KindListing:
		return "Published", "state-good"
	case contributions.KindEdit:
		return "Changed", "state-good"
	}
	return "Noted, thank you", "state-good"
}

// patchWords name the fields that an edit changes.
func patchWords(c contributions.Contribution) string {
	if c.Kind != contributions.KindEdit {
		return ""
	}
	var names []string
	for _, f := range views.EntryFields(string(entryKindOf(c))) {
		if slices.Contains(c.Patch.Fields, f.Name) {
			names = append(names, strings.ToLower(f.Label[:1])+f.Label[1:])
		}
	}
	if slices.Contains(c.Patch.Fields, "hours") {
		names = append(names, "opening hours")
	}
	if len(names) == 0 {
		return ""
	}
	return "About: " + strings.Join(names, ", ")
}

// withdraw takes back what waits.
func (h *handlers) withdraw(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.Contributions.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, submissionsPath, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, submissionsPath, "Taken back.")
}
