package web

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/apps/difference"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// myApps are the viewer's own apps, with what waits for them.
func (h *handlers) myApps(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	list, err := h.Apps.Mine(r.Context(), v)
	if err != nil {
		return nil, err
	}
	p := views.MyAppsProps{Frame: h.accountFrame(r, v, "Your apps")}
	for _, a := range list {
		sent, err := h.Apps.Submissions(r.Context(), v, a.Slug, apps.SubmissionFilter{Page: core.Page{Limit: 1}})
		if err != nil {
			return nil, err
		}
		row := views.MyAppProps{Name: a.Name, Slug: a.Slug, Href: appPath(a.Slug), Manage: managePath(a.Slug), Summary: a.Summary,
			Files: fileCount(a.Files), Updated: h.moment(a.UpdatedAt)}
		row.State, row.Tone, row.About = managedState(a)
		switch n := sent.Counts[apps.Waiting]; {
		case n == 1:
			row.Waiting = "1 file waits for you"
		case n > 1:
			row.Waiting = strconv.Itoa(n) + " files wait for you"
		}
		if row.Waiting != "" {
			row.Queue = managed{App: apps.App{Summary: a}}.submissions()
		}
		p.Apps = append(p.Apps, row)
	}
	return show(r, http.StatusOK, views.MyApps(p))
}

func (h *handlers) fileSubmission(v core.Viewer, s apps.Submission) views.SubmissionProps {
	p := views.SubmissionProps{Kind: "File for " + s.AppName, Name: s.Filename, Href: appPath(s.AppSlug), Reason: s.Reason,
		About: joined(" · ", ui.Size(s.SizeBytes), excerpt(s.Message, 120)), Sent: h.moment(s.CreatedAt), Reader: "The owner"}
	p.State, p.Tone = fileState(s)
	if s.Status == apps.Approved {
		p.Href = filePath(s.AppSlug, s.Filename)
	}
	if s.DecidedAt != nil {
		p.Decided = h.moment(*s.DecidedAt)
	}
	if s.Status == apps.Waiting {
		p.Look = sentPath + "/" + s.ID
	}
	if apps.CanWithdraw(v, s) {
		p.Withdraw = sentPath + "/" + s.ID + "/withdraw"
	}
	return p
}

// fileState says what became of a file, with the class that colours it.
func fileState(s apps.Submission) (words, tone string) {
	switch s.Status {
	case apps.Approved:
		if s.VersionNumber != nil {
			return "Approved, as version " + strconv.Itoa(*s.VersionNumber), "state-good"
		}
		return "Approved", "state-good"
	case apps.Rejected:
		return "Not taken", "state-bad"
	case apps.Withdrawn:
		return "You took it back", "state-over"
	}
	return "Waiting for the owner", ""
}

// sentFile shows what a file that the viewer sent would change.
func (h *handlers) sentFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	c, err := h.Apps.Difference(r.Context(), v, chi.URLParam(r, "id"))
	if err != nil {
		return nil, err
	}
	s := c.Submission
	p := views.FileDifferenceProps{Name: s.Filename, AppName: s.AppName, App: appPath(s.AppSlug), Sent: h.moment(s.CreatedAt), Message: s.Message,
		Reason: s.Reason, Outdated: s.BaseChanged(), Crumbs: []ui.Link{{Text: "What you sent", Href: submissionsPath}, {Text: s.Filename}}}
	p.State, p.Tone = fileState(s)
	if apps.CanWithdraw(v, s) {
		p.Withdraw = sentPath + "/" + s.ID + "/withdraw"
	}
	switch d := c.Difference; {
	case s.Status != apps.Waiting: // the file has gone on since
	case s.CurrentVersion == 0:
		p.Same = "It would be a new file: " + s.AppName + " has none of that name."
	case d.Same:
		p.Same = "Nothing: it is, byte for byte, the file as it is now."
	case d.FormattingOnly:
		p.Same = "Only the formatting. The data are the same."
	default:
		p.Compared, p.Changes = true, changesProps(d)
	}
	var whole bool
	if p.Text, whole = layoutJSON(s.Content, previewBytes); !whole {
		p.Cut = "Here is the beginning; your file has " + ui.Size(s.SizeBytes) + "."
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: s.Filename + " for " + s.AppName, NoIndex: true})
	return show(r, http.StatusOK, views.FileDifference(p))
}

// changesProps lay out how two documents differ.
func changesProps(d difference.Difference) ui.ChangesProps {
	p := ui.ChangesProps{Added: d.Added, Removed: d.Removed, Changed: d.Changed}
	for _, change := range d.Changes {
		p.Rows = append(p.Rows, ui.ChangeRow{Kind: ui.ChangeKind(change.Kind), Path: change.Path, Before: change.Before, After: change.After})
	}
	return p
}

// withdrawFile takes back what waits.
func (h *handlers) withdrawFile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.Apps.Withdraw(r.Context(), v, chi.URLParam(r, "id"))
	switch {
	case isConflict(err, "already_decided"):
		return then(r, submissionsPath, core.AsError(err).Msg)
	case err != nil:
		return nil, err
	}
	return then(r, submissionsPath, "Taken back.")
}
