package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/markdown"
	"homeplace/core/reports"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// app is the page of one app: to everybody while it is public, else to its
// owner and staff.
func (h *handlers) app(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, err := h.Apps.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	f := readFileFilter(r, a.Slug)
	files, err := h.filesOf(r, v, &f)
	if err != nil {
		return nil, err
	}
	p := h.appProps(v, a)
	p.List = h.appFilesProps(f, files)
	p.List.Submit = p.Submit
	if apps.CanManage(v, a.Summary) {
		p.List.First = p.Manage
	}
	if a.APIEnabled {
		p.API = h.curls(a, files.Items)
	}
	p.Frame = h.frame(r, v, h.appFrame(a, f, files.Items))
	return show(r, http.StatusOK, views.App(p))
}

func (h *handlers) appProps(v core.Viewer, a apps.App) views.AppProps {
	p := views.AppProps{Slug: a.Slug, Name: a.Name, Lead: a.Summary.Summary, Owner: ownerPage(a.Summary), About: a.DescriptionHTML,
		Homepage: webLink(a.HomepageURL), Repo: webLink(a.RepoURL), Files: fileCount(a.Files), NoAPI: !a.APIEnabled, Soon: !a.Public(),
		Updated: ui.Moment(a.UpdatedAt, h.Now(), nil), Created: a.CreatedAt.UTC().Format("January 2006")}
	path := appPath(a.Slug)
	if apps.CanManage(v, a.Summary) {
		p.Manage, p.Edit = managePath(a.Slug), path+"/edit"
	} else if a.Public() {
		p.Submit, p.Report = path+"/submit", reportAddress(reports.TypeApp, a.ID)
	}
	if apps.CanModerate(v, a.Summary) {
		if a.HiddenAt == nil {
			p.Hide = path + "/hide"
		} else {
			p.Unhide = path + "/unhide"
		}
		if a.Status == apps.Pending {
			p.Decide = casePath("app", a.ID)
		}
	}
	p.Notice = appNotice(v, a)
	if (a.HiddenAt != nil || a.Status == apps.Refused) && a.OwnerID != nil && *a.OwnerID == v.ID {
		p.Appeal = appealAddress("app", a.ID)
	}
	return p
}

func webLink(address *string) ui.Link {
	if address == nil {
		return ui.Link{}
	}
	return ui.Link{Text: bareAddress(*address), Href: *address}
}

// appNotice tells who keeps the app, and staff, why others do not see it.
func appNotice(v core.Viewer, a apps.App) *ui.NoticeProps {
	mine := apps.CanManage(v, a.Summary)
	notice := &ui.NoticeProps{Tone: ui.Warn}
	switch {
	case a.HiddenAt != nil:
		notice.Title, notice.Text = "This app is hidden", "A moderator took it out of sight. Only its owner and the moderators see it."
	case a.Status == apps.Pending && mine:
		notice.Title, notice.Text = "This app waits for a moderator", "Staff look at each new app and publish it. You can put its files there meanwhile; only you and the moderators see this page."
	case a.Status == apps.Pending:
		notice.Title, notice.Text = "This app waits for a moderator", "Only its owner and the moderators see it."
	case a.Status == apps.Refused && mine:
		notice.Title, notice.Text = "This app was not taken", joined(" ", quoted(a.Reason), "Put right what is wrong and save it: then it waits for a moderator again.")
	case a.Status == apps.Refused:
		notice.Title, notice.Text = "This app was refused", quoted(a.Reason)
	case !a.APIEnabled && mine:
		notice.Title, notice.Text = "The public API of this app is off", "While it is off, nobody but you and the moderators sees the app or its files. You can switch it on where you manage the app."
	case !a.APIEnabled:
		notice.Title, notice.Text = "The public API of this app is off", "Its owner switched it off. Only they and the moderators see it."
	default:
		return nil
	}
	return notice
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}

// curls are commands that try the app's part of the API, with a file of its
// own where it has one.
func (h *handlers) curls(a apps.App, files []apps.File) []views.CurlProps {
	api := func(segments ...string) string {
		return h.Addresses.API(append([]string{"apps", a.Slug}, segments...)...)
	}
	filename := "places.json"
	list := []views.CurlProps{{Title: "List the files", Command: "curl " + api("files")}}
	if len(files) > 0 {
		filename = files[0].Filename
		list = append(list, views.CurlProps{Title: "Read a file", Command: "curl " + api("data", filename)})
	}
	return append(list, views.CurlProps{Title: "Suggest a file", Command: strings.Join([]string{
		"curl -X POST " + api("submit"),
		`-H "Authorization: Bearer $HOMEPLACE_TOKEN"`,
		`-H "Content-Type: application/json"`,
		`-d '{"filename": "` + filename + `", "content": {"hello": "world"}, "message": "What is new"}'`,
	}, " \\\n  ")})
}

func (h *handlers) appFrame(a apps.App, f fileFilter, files []apps.File) layout.FrameProps {
	frame := layout.FrameProps{Title: a.Name, Section: views.AppsPage, Article: true, Description: excerpt(joined(" ", describeApp(a), "By "+ownerName(a.Summary)+", with its data open to everyone."), 220),
		Canonical: h.Addresses.Page("apps", a.Slug), Image: h.Addresses.Page("preview", "apps", a.Slug+".png"), ImageAlt: a.Name + ", on woven cloth"}
	if !a.Public() {
		return layout.FrameProps{Title: a.Name, Section: views.AppsPage, Description: frame.Description, NoIndex: true}
	}
	frame.NoIndex = f.narrowed()
	frame.JSONLD = h.appSchema(a, files)
	return frame
}

// describeApp is a sentence or two about an app, without marks.
func describeApp(a apps.App) string {
	about := a.Summary.Summary
	if about == "" {
		about = markdown.Plain(a.Description, 160)
	}
	if about == "" {
		about = "An app by " + ownerName(a.Summary)
	}
	if !strings.ContainsAny(about[len(about)-1:], ".!?") {
		about += "."
	}
	return about
}

// appSchema describes an app and its data to search engines.
func (h *handlers) appSchema(a apps.App, files []apps.File) map[string]any {
	page := h.Addresses.Page("apps", a.Slug)
	maker := thing{"@type": "Organization", "name": h.Settings.Text(settings.SiteName)}
	if a.OwnerName != nil {
		maker = thing{"@type": "Person", "name": ownerName(a.Summary), "url": h.Addresses.Page("u", *a.OwnerName)}
	}
	times := func(t thing) thing {
		t["dateCreated"], t["dateModified"] = a.CreatedAt.UTC().Format(time.RFC3339), a.UpdatedAt.UTC().Format(time.RFC3339)
		t["creator"] = maker
		return t
	}
	app := times(thing{"@type": "WebApplication", "@id": page, "name": a.Name, "url": page, "applicationCategory": "Community tool",
		"image": h.Addresses.Page("preview", "apps", a.Slug+".png")})
	app.text("description", describeApp(a))
	for _, address := range []*string{a.HomepageURL, a.RepoURL} {
		if address != nil {
			list, _ := app["sameAs"].([]string)
			app["sameAs"] = append(list, *address)
		}
	}
	graph := []thing{app}
	if len(files) > 0 {
		data := times(thing{"@type": "Dataset", "@id": page + "#files", "name": "Data of " + a.Name, "url": page + "#files", "isAccessibleForFree": true})
		data.text("description", "JSON files of "+a.Name+". "+describeApp(a))
		var downloads []thing
		for _, f := range files[:min(len(files), schemaFiles)] {
			downloads = append(downloads, thing{"@type": "DataDownload", "name": f.Filename, "encodingFormat": apps.ContentType,
				"contentUrl": h.Addresses.API("apps", a.Slug, "data", f.Filename), "contentSize": ui.Size(f.SizeBytes), "dateModified": f.UpdatedAt.UTC().Format(time.RFC3339)})
		}
		data["distribution"] = downloads
		graph = append(graph, data)
	}
	return map[string]any{"@context": "https://schema.org", "@graph": graph}
}

// schemaFiles is how many files search engines are told of.
const schemaFiles = 20

// appPreview is the picture that other sites show of an app.
func (h *handlers) appPreview(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	slug, ok := strings.CutSuffix(chi.URLParam(r, "file"), ".png")
	if !ok {
		return nil, core.NotFoundf("There is no such picture.")
	}
	a, err := h.Apps.Get(r.Context(), core.Nobody(), slug)
	if err != nil {
		return nil, err
	}
	body, err := drawPreview(r.Context(), poster{seed: a.Slug, kicker: "APP", name: a.Name,
		place: joined(" · ", "by "+ownerName(a.Summary), fileCount(a.Files)), site: h.Settings.Text(settings.SiteName)})
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "image/png", Body: body}, nil
}

func (h *handlers) hideApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Apps.Hide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, appPath(slug), "Hidden. Only its owner and the moderators see it now.")
}

func (h *handlers) unhideApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	if err := h.Apps.Unhide(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, appPath(slug), "It is no longer hidden.")
}
