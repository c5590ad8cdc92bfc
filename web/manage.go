package web

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// manageRoutes are the pages on which who keeps an app looks after it.
func (h *handlers) manageRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	const desk = "/apps/{slug}/manage"
	const files, file = desk + views.FilesTab, desk + views.FilesTab + "/{filename}"
	const submissions, submission = desk + views.SubmissionsTab, desk + views.SubmissionsTab + "/{id}"
	const schemas, schema = desk + views.SchemasTab, desk + views.SchemasTab + "/{filename}"
	return []route{
		{method: get, pattern: desk, guard: member, page: h.manageApp},
		{method: post, pattern: desk + "/api", guard: member, page: h.switchAPI},
		{method: get, pattern: desk + "/delete", guard: member, page: h.askDeleteApp},
		{method: post, pattern: desk + "/delete", guard: member, page: h.deleteApp},

		{method: get, pattern: files, guard: member, page: h.managedFiles},
		{method: post, pattern: files, guard: member, page: h.uploadFiles, body: uploadBody},
		{method: get, pattern: file, guard: member, page: h.managedFile},
		{method: post, pattern: file, guard: member, page: h.replaceFile, body: fileBody},
		{method: get, pattern: file + "/remove", guard: member, page: h.askRemoveFile},
		{method: post, pattern: file + "/remove", guard: member, page: h.removeFile},
		{method: post, pattern: file + "/restore", guard: member, page: h.restoreVersion},
		{method: get, pattern: file + "/versions/{number}", guard: member, page: h.versionBytes},

		{method: get, pattern: schemas, guard: member, page: h.managedSchemas},
		{method: post, pattern: schemas, guard: member, page: h.attachSchema},
		{method: get, pattern: schema, guard: member, page: h.managedSchema},
		{method: post, pattern: schema, guard: member, page: h.replaceSchema},
		{method: get, pattern: schema + "/remove", guard: member, page: h.askRemoveSchema},
		{method: post, pattern: schema + "/remove", guard: member, page: h.removeSchema},

		{method: get, pattern: submissions, guard: member, page: h.fileQueue},
		{method: post, pattern: submissions, guard: member, page: h.decideSeveral},
		{method: get, pattern: submission, guard: member, page: h.managedSubmission},
		{method: get, pattern: submission + "/content", guard: member, page: h.submittedBytes},
		{method: post, pattern: submission + "/approve", guard: member, page: h.approveSubmission},
		{method: post, pattern: submission + "/reject", guard: member, page: h.rejectSubmission},
	}
}

// overviewRows is how much of what waits stands on the overview.
const overviewRows = 3

// managed is an app on the pages of who keeps it.
type managed struct {
	apps.App
	counts map[apps.SubmissionStatus]int
}

func (m managed) base() string { return "/apps/" + m.Slug + "/manage" }

func (m managed) files() string { return m.base() + views.FilesTab }

func (m managed) file(name string) string { return m.files() + "/" + name }

func (m managed) version(name string, number int) string {
	return m.file(name) + "/versions/" + strconv.Itoa(number)
}

func (m managed) schema(name string) string { return m.base() + views.SchemasTab + "/" + name }

func (m managed) submissions() string { return m.base() + views.SubmissionsTab }

func (m managed) submission(id string) string { return m.submissions() + "/" + id }

// managed is the app that the address names. Who sees it but does not keep it
// is told so.
func (h *handlers) managed(r *http.Request, v core.Viewer) (managed, error) {
	a, err := h.Apps.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err != nil {
		return managed{}, err
	}
	if !apps.CanManage(v, a.Summary) {
		return managed{}, core.Forbiddenf("Only who keeps %s can manage it.", a.Name)
	}
	list, err := h.Apps.Submissions(r.Context(), v, a.Slug, apps.SubmissionFilter{Page: core.Page{Limit: 1}})
	return managed{a, list.Counts}, err
}

// manageView is what surrounds a page: the open tab, what the page is called,
// and the crumbs below the overview.
func (h *handlers) manageView(r *http.Request, v core.Viewer, m managed, tab, title string, crumbs ...ui.Link) views.ManageProps {
	p := views.ManageProps{Name: m.Name, Base: m.base(), Here: m.base() + tab,
		Files: strconv.Itoa(m.Files), Queued: strconv.Itoa(m.counts[apps.Waiting])}
	p.State, p.Tone, p.About = managedState(m.Summary)
	p.Crumbs = []ui.Link{{Text: "Apps", Href: "/apps"}, {Text: m.Name, Href: "/apps/" + m.Slug}, {Text: "Manage", Href: m.base()}}
	p.Crumbs = append(p.Crumbs, crumbs...)
	p.Frame = h.frame(r, v, layout.FrameProps{Title: title + " · " + m.Name, NoIndex: true})
	return p
}

func managedState(a apps.Summary) (state, tone, about string) {
	switch {
	case a.HiddenAt != nil:
		return "Hidden", "state-bad", "Staff took it out of everybody's sight but yours."
	case a.Status == apps.Refused:
		return "Refused", "state-bad", "Staff did not publish it."
	case a.Status == apps.Pending:
		return "Waiting", "", "Staff look at it before anybody else sees it."
	case !a.APIEnabled:
		return "Switched off", "state-over", "Its public API is off, so nobody else sees it."
	}
	return "Public", "state-good", "Everybody sees it."
}

// manageApp is the overview.
func (h *handlers) manageApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	p := views.ManageOverviewProps{Manage: h.manageView(r, v, m, "", "Manage"), Notice: managedNotice(m),
		Made: h.moment(m.CreatedAt), Changed: h.moment(m.UpdatedAt), Page: "/apps/" + m.Slug, API: "/api/apps/" + m.Slug, APIOn: m.APIEnabled}
	waiting, err := h.Apps.Submissions(r.Context(), v, m.Slug, apps.SubmissionFilter{Page: core.Page{Limit: overviewRows}})
	if err != nil {
		return nil, err
	}
	for _, s := range waiting.Items {
		p.Waiting = append(p.Waiting, h.queuedFile(m, s))
	}
	if waiting.Total > len(waiting.Items) {
		p.More = "See all " + strconv.Itoa(waiting.Total)
	}
	p.Figures = []ui.Link{
		{Text: plural(m.Files, "file", "files"), Count: strconv.Itoa(m.Files), Href: m.files()},
		{Text: "waiting for you", Count: strconv.Itoa(m.counts[apps.Waiting]), Href: m.submissions()},
		{Text: "approved", Count: strconv.Itoa(m.counts[apps.Approved]), Href: m.submissions() + "?status=approved"},
		{Text: "rejected", Count: strconv.Itoa(m.counts[apps.Rejected]), Href: m.submissions() + "?status=rejected"},
	}
	return show(r, http.StatusOK, views.ManageOverview(p))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// managedNotice says what keeps others from seeing the app; nil where nothing
// does.
func managedNotice(m managed) *ui.NoticeProps {
	switch {
	case m.HiddenAt != nil:
		return &ui.NoticeProps{Tone: ui.Bad, Title: "Staff hid this app", Text: "You can go on working on it. Nobody else sees it until staff show it again."}
	case m.Status == apps.Refused:
		return &ui.NoticeProps{Tone: ui.Bad, Title: "Staff did not publish this app", Text: m.Reason + " Once you edit the details, it is looked at again."}
	case m.Status == apps.Pending:
		return &ui.NoticeProps{Title: "Staff look at this app first", Text: "Until then only you and staff see it. You can upload files now; they are public as soon as the app is."}
	}
	return nil
}

func (h *handlers) switchAPI(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	on := values.Get("on") == "true"
	a, err := h.Apps.SetAPI(r.Context(), v, chi.URLParam(r, "slug"), on)
	if err != nil {
		return nil, err
	}
	notice := "The public API is off. Nobody but you and staff sees " + a.Name + " now."
	switch {
	case a.Public():
		notice = "The public API is on. Everybody sees " + a.Name + " now."
	case on:
		notice = "The public API is on."
	}
	return then(r, managed{App: a}.base(), notice)
}

func (h *handlers) askDeleteApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	goes := []string{"The app goes for good, with everything in it: its files and their earlier versions, its schemas, and whatever members submitted. Its address shows nothing any more."}
	if m.Files > 0 {
		goes = append(goes, strconv.Itoa(m.Files)+plural(m.Files, " file", " files")+" would go. Open them first if you want to keep a copy.")
	}
	return show(r, http.StatusOK, views.ManageAsk(views.ManageAskProps{
		Manage: h.manageView(r, v, m, "", "Delete", ui.Link{Text: "Delete"}), Title: "Delete " + m.Name + "?", Texts: goes,
		Action: m.base() + "/delete", Button: "Delete the app", Keep: ui.Link{Text: "Keep it", Href: m.base()}}))
}

func (h *handlers) deleteApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	m, err := h.managed(r, v)
	if err != nil {
		return nil, err
	}
	if err := h.Apps.Delete(r.Context(), v, m.Slug); err != nil {
		return nil, err
	}
	return then(r, views.MyAppsPage, m.Name+" is deleted.")
}
