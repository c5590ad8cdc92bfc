package web

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/apps/difference"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// managedSubmission shows a submission beside the file as it is now.
func (h *handlers) managedSubmission(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	return h.showSubmission(r, v, m, http.StatusOK, submissionShown{})
}

// submissionShown is what the last decision met with.
type submissionShown struct {
	notice  *ui.NoticeProps
	reason  string
	refusal views.Refusal
}

func (h *handlers) showSubmission(r *http.Request, v core.Viewer, m managed, status int, shown submissionShown) (*httpx.Answer, error) {
	c, err := h.Apps.Difference(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	s := c.Submission
	if s.AppSlug != m.Slug {
		return nil, errNoSubmission()
	}
	p := views.ManageSubmissionProps{Path: m.submission(s.ID), File: h.queuedFile(m, s), Lead: submissionLead(s), Waiting: s.Status == apps.Waiting,
		Manage: h.manageView(r, v, m, views.SubmissionsTab, s.Filename, ui.Link{Text: "Submissions", Href: m.submissions()}, ui.Link{Text: s.Filename}),
		Raw:    m.submission(s.ID) + "/content", Seen: s.CurrentVersion, Approve: approveFile(s), Reason: shown.reason, Refusal: shown.refusal}
	if shown.notice != nil {
		p.Notices = append(p.Notices, *shown.notice)
	}
	if s.Questionable {
		p.Notices = append(p.Notices, ui.NoticeProps{Tone: ui.Warn, Title: "The message may be unfriendly or an advertisement",
			Text: "The rules of the site found it questionable. What they say of it says nothing about the file."})
	}
	if p.Waiting {
		if s.BaseChanged() {
			p.Notices = append(p.Notices, baseNotice(s))
		}
	} else {
		p.Notices = append(p.Notices, h.decidedNotice(s))
	}
	if s.CurrentVersion > 0 {
		p.Current = ui.Link{Text: "Open version " + strconv.Itoa(s.CurrentVersion) + ", the current one", Href: m.version(s.Filename, s.CurrentVersion)}
	}
	if s.Status != apps.Approved {
		compared(&p, c.Difference)
	}
	return show(r, status, views.ManageSubmission(p))
}

func errNoSubmission() *core.Error {
	return core.NotFoundf("There is no such submission to this app.")
}

// compared lays the difference out.
func compared(p *views.ManageSubmissionProps, d difference.Difference) {
	p.Same, p.Formatting, p.Compared = d.Same, d.FormattingOnly, d.Total() > 0
	p.Changes = ui.ChangesProps{Added: d.Added, Removed: d.Removed, Changed: d.Changed, Rows: make([]ui.ChangeRow, len(d.Changes))}
	for i, change := range d.Changes {
		p.Changes.Rows[i] = ui.ChangeRow{Kind: ui.ChangeKind(change.Kind), Path: change.Path, Before: change.Before, After: change.After}
	}
}

func submissionLead(s apps.Submission) string {
	switch {
	case s.BaseVersion == 0:
		return "A new file"
	case s.Status == apps.Waiting:
		return "A change to version " + strconv.Itoa(s.BaseVersion)
	}
	return "A change that was made against version " + strconv.Itoa(s.BaseVersion)
}

func approveFile(s apps.Submission) string {
	if s.BaseChanged() && s.CurrentVersion > 0 {
		return "Approve and replace version " + strconv.Itoa(s.CurrentVersion)
	}
	return "Approve"
}

// baseNotice says what came between a submission and its approval.
func baseNotice(s apps.Submission) ui.NoticeProps {
	n := ui.NoticeProps{Tone: ui.Warn, Title: "The file has changed since this was sent"}
	base, now := strconv.Itoa(s.BaseVersion), strconv.Itoa(s.CurrentVersion)
	switch {
	case s.CurrentVersion == 0:
		n.Title, n.Text = "The file has been removed since this was sent", "It was made against version "+base+". Approving brings the file back with what was sent."
	case s.BaseVersion == 0:
		n.Text = "There was no such file then, and version " + now + " is there now. Approving replaces it; below stands what that would change."
	default:
		n.Text = "It was made against version " + base + ", and version " + now + " is there now. Approving replaces what came between; below stands what that would change."
	}
	return n
}

// decidedNotice says what was decided, by whom and when.
func (h *handlers) decidedNotice(s apps.Submission) ui.NoticeProps {
	row := h.queuedFile(managed{}, s)
	n := ui.NoticeProps{Title: row.State, Text: "It waits no longer."}
	if s.DecidedAt != nil {
		n.Title += ", " + ui.Ago(*s.DecidedAt, h.Now(), nil)
		n.Text = "On " + ui.Exactly(*s.DecidedAt, nil) + "."
	}
	if s.Reason != "" {
		n.Text += " “" + s.Reason + "”"
	}
	if s.Status == apps.Approved {
		n.Tone = ui.Good
	}
	return n
}

// submittedBytes are the bytes that were sent.
func (h *handlers) submittedBytes(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	s, err := h.submissionOf(r, v, m)
	if err != nil {
		return nil, err
	}
	return jsonBytes(s.Filename, s.Content), nil
}

// submissionOf is the submission that the address names, if it was sent to the
// app that the address names.
func (h *handlers) submissionOf(r *http.Request, v core.Viewer, m managed) (apps.Submission, error) {
	s, err := h.Apps.Submission(r.Context(), v, chi.URLParam(r, "id"))
	if err == nil && s.AppSlug != m.Slug {
		err = errNoSubmission()
	}
	return s, err
}

func (h *handlers) approveSubmission(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.decideFile(r, v, func(id, reason string, seen *int) (apps.Submission, error) {
		return h.Apps.Approve(r.Context(), v, id, apps.ApproveInput{Reason: reason, BaseSeen: seen})
	})
}

func (h *handlers) rejectSubmission(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.decideFile(r, v, func(id, reason string, _ *int) (apps.Submission, error) {
		return h.Apps.Reject(r.Context(), v, id, reason)
	})
}

// decideFile carries a decision out. One that was forestalled, by another
// decision or by a change of the file, is shown with what is there now.
func (h *handlers) decideFile(r *http.Request, v core.Viewer, decide func(id, reason string, seen *int) (apps.Submission, error)) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	asked, err := h.submissionOf(r, v, m)
	if err != nil {
		return nil, err
	}
	var seen *int
	if n, err := strconv.Atoi(values.Get("seen")); err == nil {
		seen = &n
	}
	shown := submissionShown{reason: values.Get("reason")}
	s, err := decide(asked.ID, shown.reason, seen)
	switch {
	case err == nil:
		return then(r, m.submissions(), decidedWords(s))
	case isConflict(err, "already_decided"):
		shown = submissionShown{notice: &ui.NoticeProps{Tone: ui.Warn, Title: "Somebody was faster", Text: "It had been decided before you pressed the button, so nothing was done."}}
	case isConflict(err, "base_changed"):
		shown.notice = &ui.NoticeProps{Tone: ui.Bad, Title: "Not approved yet", Text: core.AsError(err).Msg}
	default:
		refusal, ok := refusedDecision(err, asked)
		if !ok {
			return nil, err
		}
		shown.refusal = refusal
	}
	if m, failed := h.managed(r, v); failed == nil { // the counts may have changed
		return h.showSubmission(r, v, m, formStatus(err), shown)
	}
	return nil, err
}

// refusedDecision says what was wrong with a decision: its words, or the file
// beside a schema that came later.
func refusedDecision(err error, asked apps.Submission) (views.Refusal, bool) {
	fields, message, ok := refused(err)
	if text := fields["reason"]; text != "" {
		return views.Refusal{Fields: []views.FieldProblem{{Name: "reason", Label: "Your word", Text: text}}}, ok
	}
	refusal := views.Refusal{Problem: message, Misfits: misfits(fields)}
	if len(refusal.Misfits) > 0 {
		refusal.Problem = "It does not fit the schema of " + asked.Filename + " any more, so it cannot be approved as it is."
	}
	return refusal, ok
}

func decidedWords(s apps.Submission) string {
	name := s.Filename + " from " + submitter(s)
	switch {
	case s.Status == apps.Rejected:
		return name + " is rejected."
	case s.VersionNumber != nil:
		return name + " is approved. It is version " + strconv.Itoa(*s.VersionNumber) + " now."
	}
	return name + " is approved."
}
