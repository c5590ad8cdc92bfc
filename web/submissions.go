package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/desk"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
	"homeplace/core/fakereports"
	"homeplace/core/polls"
	"homeplace/core/reports"
	"homeplace/core/reviews"
	"homeplace/core/sayings"
	"homeplace/core/shoutouts"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const submissionsPath = "/account/submissions"

// submissions tells a member what became of everything they sent.
func (h *handlers) submissions(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p := views.SubmissionsProps{Frame: h.frame(r, v, layout.FrameProps{Title: "What you sent", NoIndex: true})}
	total := 0
	for _, read := range h.sent(v) {
		part, n, err := read(r)
		if err != nil {
			return nil, err
		}
		if total += n; len(part.Items) > 0 {
			p.Parts = append(p.Parts, part)
		}
	}
	if err := h.withoutAppealed(r.Context(), v, p.Parts); err != nil {
		return nil, err
	}
	switch {
	case total == 1:
		p.Lead = "One thing so far. Thank you."
	case total > 1:
		p.Lead = strconv.Itoa(total) + " things, the latest first. Thank you."
	}
	return show(r, http.StatusOK, views.Submissions(p))
}

// sentPart reads the page of one part that the address asks for.
type sentPart func(r *http.Request) (part views.SubmissionPart, total int, err error)

// sent are the parts in the order of the page. A new area takes one line.
func (h *handlers) sent(v core.Viewer) []sentPart {
	listing := func(c contributions.Contribution) views.SubmissionProps { return h.submission(v, c) }
	file := func(s apps.Submission) views.SubmissionProps { return h.fileSubmission(v, s) }
	return []sentPart{
		sentOf(v, "listings", "For the directory", contributions.Rule, h.Contributions.Mine, listing),
		sentOf(v, "files", "For apps", apps.SubmissionRule, h.Apps.MySubmissions, file),
		sentOf(v, "sayings", "Sayings", sayings.MineRule, h.Sayings.Mine, h.sentSaying),
		sentOf(v, "shout-outs", "Shout-outs", shoutouts.MineRule, h.ShoutOuts.Mine, h.sentShoutOut),
		sentOf(v, "reviews", "Reviews", reviews.MineRule, h.Reviews.Mine, h.sentReview),
		sentOf(v, "polls", "Polls", polls.MineRule, h.Polls.Mine, h.pollSubmission),
		sentOf(v, "said", "Said with a vote", polls.MineRule, h.Polls.MyComments, h.commentSubmission),
		sentOf(v, "reports", "Reports", reports.MineRule, h.Reports.Mine, h.sentReport),
		sentOf(v, "fakes", "Reports of fake content", fakereports.MineRule, h.FakeReports.Mine, h.sentFakeReport),
		sentOf(v, "appeals", "Another look", desk.AppealRule, h.Desk.Appeals, h.sentAppeal),
	}
}

// sentOf is the part that read reads and lay lays out; id is its anchor, and the
// parameter that names its page. A page past the last is not found.
func sentOf[T any](v core.Viewer, id, title string, rule core.PageRule, read func(context.Context, core.Viewer, core.Page) (core.List[T], error),
	lay func(T) views.SubmissionProps) sentPart {
	return func(r *http.Request) (part views.SubmissionPart, total int, err error) {
		q := httpx.ParseQuery(r)
		number := q.Int(id, 1, maxListPage, 1)
		if err := q.Err(); err != nil {
			return part, 0, err
		}
		list, err := read(r.Context(), v, core.Page{Limit: rule.Default, Offset: (number - 1) * rule.Default})
		if err == nil && len(list.Items) == 0 && list.Total > 0 {
			err = core.NotFoundf("The list of what you sent has fewer pages.")
		}
		part = views.SubmissionPart{Title: title, ID: id, Pager: ui.PagerProps{Page: number, Pages: pagesOf(list.Total, rule.Default),
			Href: func(n int) string {
				values := url.Values{}
				if n > 1 {
					values.Set(id, strconv.Itoa(n))
				}
				return addressWith(submissionsPath, values) + "#" + id
			}}}
		for _, item := range list.Items {
			part.Items = append(part.Items, lay(item))
		}
		return part, list.Total, err
	}
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
	if c.Status == contributions.Refused {
		s.Appeal = appealAddress("contribution", c.ID)
	}
	return s
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
