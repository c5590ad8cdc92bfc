package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

var appLabels = []label{{"name", "Name"}, {"summary", "The sentence"}, {"description", "Description"}, {"homepage_url", "Website"}, {"repo_url", "Source code"}}

// readAppForm takes the fields of the form of an app.
func readAppForm(values url.Values) apps.Input {
	field := func(name string) string { return strings.ReplaceAll(values.Get(name), "\r\n", "\n") }
	return apps.Input{Name: field("name"), Summary: field("summary"), Description: field("description"),
		HomepageURL: withScheme(field("homepage_url")), RepoURL: withScheme(field("repo_url"))}
}

// withScheme completes an address as people write it.
func withScheme(address string) string {
	if address = strings.TrimSpace(address); address == "" || strings.Contains(address, ":") {
		return address
	}
	return "https://" + address
}

func appForm(in apps.Input) views.AppFormProps {
	return views.AppFormProps{Name: in.Name, Summary: in.Summary, Description: in.Description, Home: in.HomepageURL, Repo: in.RepoURL,
		MaxName: apps.MaxName, MaxSummary: apps.MaxSummary}
}

func (h *handlers) newApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, h.newAppView(r, v, apps.Input{}, views.Refusal{}))
}

func (h *handlers) newAppView(r *http.Request, v core.Viewer, in apps.Input, refusal views.Refusal) templ.Component {
	p := appForm(in)
	p.Title, p.Lead = "Add your app", "Give your tool a page and its data a home. Staff look at each new app before everybody sees it; you can put its files there meanwhile."
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Title, Section: views.AppsPage, NoIndex: true})
	p.Crumbs = []ui.Link{{Text: "Apps", Href: views.AppsPage}, {Text: p.Title}}
	p.Action, p.Button, p.Cancel, p.Refusal = views.NewAppPage, "Add it", views.AppsPage, refusal
	return views.AppForm(p)
}

func (h *handlers) createApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	in := readAppForm(values)
	a, err := h.Apps.Create(r.Context(), v, in)
	if err != nil {
		return h.refuse(r, err, appLabels, func(refusal views.Refusal) templ.Component { return h.newAppView(r, v, in, refusal) })
	}
	return then(r, appPath(a.Slug), "Thank you. "+a.Name+" has its page; staff publish it once they have looked at it.")
}

// keptApp is the app that the address names, for who keeps it.
func (h *handlers) keptApp(r *http.Request, v core.Viewer) (apps.App, error) {
	a, err := h.Apps.Get(r.Context(), v, chi.URLParam(r, "slug"))
	if err == nil && !apps.CanManage(v, a.Summary) {
		err = core.Forbiddenf("Only its owner changes what %s says.", a.Name)
	}
	return a, err
}

func (h *handlers) editApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, err := h.keptApp(r, v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, h.editAppView(r, v, a, apps.FormOf(a), views.Refusal{}))
}

func (h *handlers) editAppView(r *http.Request, v core.Viewer, a apps.App, in apps.Input, refusal views.Refusal) templ.Component {
	p := appForm(in)
	p.Title, p.Lead = "Edit "+a.Name, "What you save shows at once. Its address and its files stay as they are."
	switch a.Status {
	case apps.Refused:
		p.Lead = "Put right what is wrong. Once you save it, it waits for a moderator again."
	case apps.Pending:
		p.Lead = "It still waits for a moderator, who sees what you save here."
	}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Title, Section: views.AppsPage, NoIndex: true})
	p.Crumbs = appCrumbs(a.Summary, "Edit")
	p.Action, p.Button, p.Cancel, p.Refusal = appPath(a.Slug)+"/edit", "Save", appPath(a.Slug), refusal
	return views.AppForm(p)
}

func appCrumbs(a apps.Summary, here string) []ui.Link {
	return []ui.Link{{Text: "Apps", Href: views.AppsPage}, {Text: a.Name, Href: appPath(a.Slug)}, {Text: here}}
}

func (h *handlers) saveApp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	a, err := h.keptApp(r, v)
	if err != nil {
		return nil, err
	}
	in := readAppForm(values)
	saved, err := h.Apps.Update(r.Context(), v, a.Slug, apps.Patch{Name: &in.Name, Summary: &in.Summary, Description: &in.Description,
		HomepageURL: &in.HomepageURL, RepoURL: &in.RepoURL})
	if err != nil {
		return h.refuse(r, err, appLabels, func(refusal views.Refusal) templ.Component { return h.editAppView(r, v, a, in, refusal) })
	}
	if a.Status == apps.Refused && saved.Status == apps.Pending {
		return then(r, appPath(a.Slug), "Saved. "+saved.Name+" waits for a moderator again.")
	}
	return then(r, appPath(a.Slug), "Saved.")
}
