package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// queueStates are the tabs of the queue, the first where nothing is asked for.
var queueStates = []struct {
	status apps.SubmissionStatus
	text   string
}{{apps.Waiting, "waiting"}, {apps.Approved, "approved"}, {apps.Rejected, "rejected"}, {apps.Withdrawn, "taken back"}}

// fileQueue lists what was submitted, of one state.
func (h *handlers) fileQueue(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	return h.showQueue(r, v, m, http.StatusOK, queueShown{})
}

// queueShown is what the last decision on several left.
type queueShown struct {
	outcomes        []views.OutcomeProps
	problem, reason string
	chosen          []string
}

func (h *handlers) showQueue(r *http.Request, v core.Viewer, m managed, status int, shown queueShown) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	page, state := pageNumber(q), apps.Waiting
	for _, s := range queueStates {
		if lenient(q, "status") == string(s.status) {
			state = s.status
		}
	}
	list, err := h.Apps.Submissions(r.Context(), v, m.Slug, apps.SubmissionFilter{Status: state, Page: managedPage(page)})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 && page > 1 && shown.outcomes == nil { // all of this page were decided
		return httpx.Redirect(http.StatusSeeOther, queueAddress(m, state, 1)), nil
	}
	m.counts = list.Counts
	p := views.ManageQueueProps{Manage: h.manageView(r, v, m, views.SubmissionsTab, "Submissions", ui.Link{Text: "Submissions"}),
		Waiting: state == apps.Waiting, Outcomes: shown.outcomes, Problem: shown.problem, Reason: shown.reason,
		Pager: managedPager(page, list.Total, func(n int) string { return queueAddress(m, state, n) })}
	for _, s := range queueStates {
		p.States = append(p.States, ui.Link{Text: s.text, Count: strconv.Itoa(list.Counts[s.status]), Href: queueAddress(m, s.status, 1), Current: s.status == state})
	}
	for _, s := range list.Items {
		row := h.queuedFile(m, s)
		row.Chosen = slices.Contains(shown.chosen, s.ID)
		p.Rows = append(p.Rows, row)
	}
	return show(r, status, views.ManageQueue(p))
}

func queueAddress(m managed, state apps.SubmissionStatus, page int) string {
	if state == apps.Waiting {
		state = ""
	}
	return listAddress(m.submissions(), "status", string(state), page)
}

// queuedFile is a submission as a line of the queue.
func (h *handlers) queuedFile(m managed, s apps.Submission) views.QueuedFile {
	row := views.QueuedFile{ID: s.ID, Filename: s.Filename, Href: m.submission(s.ID), Size: ui.Size(s.SizeBytes), Who: submitter(s),
		Sent: h.moment(s.CreatedAt), Message: s.Message, Reason: s.Reason}
	if s.Username != nil {
		row.Profile = "/u/" + *s.Username
	}
	if s.BaseChanged() {
		row.Base = "The file has changed since this was sent. Open it to approve it."
	}
	if s.DecidedAt != nil {
		row.Decided = h.moment(*s.DecidedAt)
	}
	switch s.Status {
	case apps.Approved:
		row.State, row.Tone = "Approved by "+decidedBy(s), "state-good"
		if s.VersionNumber != nil {
			row.State = "Approved as version " + strconv.Itoa(*s.VersionNumber) + " by " + decidedBy(s)
		}
	case apps.Rejected:
		row.State, row.Tone = "Rejected by "+decidedBy(s), "state-bad"
	case apps.Withdrawn:
		row.State, row.Tone = "Taken back by "+submitter(s), "state-over"
	}
	return row
}

func submitter(s apps.Submission) string {
	switch {
	case s.Username == nil:
		return "a member who left"
	case s.DisplayName != nil:
		return *s.DisplayName
	}
	return *s.Username
}

func decidedBy(s apps.Submission) string {
	if s.DecidedBy == nil {
		return "somebody who left"
	}
	return *s.DecidedBy
}

// decideSeveral approves or rejects those that were chosen, each by itself,
// and tells how each went.
func (h *handlers) decideSeveral(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	ids, reason, shown := values["id"], values.Get("reason"), queueShown{reason: values.Get("reason"), chosen: values["id"]}
	decide := h.Apps.ApproveAll
	switch values.Get("decision") {
	case "approve":
	case "reject":
		decide = h.Apps.RejectAll
	default:
		shown.problem = "Press one of the two buttons."
	}
	if len(ids) == 0 {
		shown.problem = "Choose at least one submission first."
	}
	if shown.problem != "" {
		return h.showQueue(r, v, m, http.StatusUnprocessableEntity, shown)
	}
	outcomes, err := decide(r.Context(), v, ids, reason)
	if err != nil {
		_, message, ok := refused(err)
		if !ok {
			return nil, err
		}
		shown.problem = message
		return h.showQueue(r, v, m, formStatus(err), shown)
	}
	shown = queueShown{}
	status := http.StatusOK
	for _, o := range outcomes {
		text, err := h.outcome(r.Context(), v, m, o)
		if err != nil {
			return nil, err
		}
		if text.Failed {
			status, shown.reason = http.StatusConflict, reason
		}
		shown.outcomes = append(shown.outcomes, text)
	}
	if m, err = h.managed(r, v); err != nil { // the counts have changed
		return nil, err
	}
	return h.showQueue(r, v, m, status, shown)
}

// outcome tells how one of several went.
func (h *handlers) outcome(ctx context.Context, v core.Viewer, m managed, o apps.Outcome) (views.OutcomeProps, error) {
	s := o.Submission
	p := views.OutcomeProps{Href: m.submission(o.ID), Failed: o.Err != nil}
	if o.Err != nil {
		if core.KindOf(o.Err) == core.Internal || core.KindOf(o.Err) == core.Unavailable {
			return p, o.Err
		}
		var err error
		if s, err = h.Apps.Submission(ctx, v, o.ID); core.KindOf(err) == core.NotFound {
			return views.OutcomeProps{Name: "One of them", Text: "is not there any more.", Failed: true}, nil
		} else if err != nil {
			return p, err
		}
	}
	p.Name = s.Filename + " from " + submitter(s)
	switch {
	case o.Err != nil:
		p.Text = "was not decided. " + core.AsError(o.Err).Msg
	case s.Status == apps.Rejected:
		p.Text = "is rejected."
	case s.VersionNumber != nil:
		p.Text = "is approved, as version " + strconv.Itoa(*s.VersionNumber) + "."
	default:
		p.Text = "is approved."
	}
	return p, nil
}
