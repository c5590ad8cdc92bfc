package web

import (
	"net/http"
	"strings"

	"homeplace/core"
	"homeplace/core/recent"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// adminRoutes are the administrators' pages.
func (h *handlers) adminRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	const user, group = views.AdminUsersPage + "/{username}", views.AdminSettingsPage + "/{group}"
	return []route{
		{method: get, pattern: views.AdminPage, guard: admin, page: h.adminOverview},
		{method: get, pattern: views.AdminSubmissionsPage, guard: admin, page: h.submissionsFeed},
		{method: get, pattern: views.AdminSettingsPage, guard: admin, page: h.settings},
		{method: get, pattern: group, guard: admin, page: h.settingsForm},
		{method: post, pattern: group, guard: admin, page: h.saveSettings},
		{method: get, pattern: views.AdminRolesPage, guard: admin, page: h.roles},
		{method: get, pattern: views.AdminUsersPage, guard: admin, page: h.users},
		{method: get, pattern: user, guard: admin, page: h.user},
		{method: post, pattern: user + "/role", guard: admin, page: h.appoint},
		{method: post, pattern: user + "/points", guard: admin, page: h.correctPoints},
		{method: post, pattern: user + "/sign-out", guard: admin, page: h.signOutUser},
	}
}

func (h *handlers) adminFrame(r *http.Request, v core.Viewer, title string) layout.FrameProps {
	return h.frame(r, v, layout.FrameProps{Title: title, NoIndex: true})
}

// latestShown is how many submissions the overview has.
const latestShown = 8

func (h *handlers) adminOverview(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	c, err := h.Accounts.Census(r.Context(), v)
	if err != nil {
		return nil, err
	}
	list, err := h.Recent.List(r.Context(), v, recent.Filter{Page: core.Page{Limit: latestShown}})
	if err != nil {
		return nil, err
	}
	waiting, err := h.waiting(r, v)
	if err != nil {
		return nil, err
	}
	roles := func(role string) string { return views.AdminUsersPage + "?role=" + role }
	p := views.AdminProps{Hints: h.hints(), Recent: h.recentProps(list), Waiting: waiting, Numbers: []views.AdminNumber{
		{Label: "Members", Number: thousands(c.Members), Href: roles("member")},
		{Label: "Moderators", Number: thousands(c.Moderators), Href: roles("moderator")},
		{Label: "Administrators", Number: thousands(c.Admins), Href: roles("admin")},
		{Label: "Of all these, not confirmed yet", Number: thousands(c.Pending)},
	}}
	p.Frame = h.adminFrame(r, v, "Administration")
	return show(r, http.StatusOK, views.Admin(p))
}

// waiting says how much waits at the desk.
func (h *handlers) waiting(r *http.Request, v core.Viewer) (string, error) {
	n, err := h.Desk.Waiting(r.Context(), v)
	switch {
	case err != nil:
		return "", err
	case n == 0:
		return "Nothing waits for a moderator.", nil
	case n == 1:
		return "1 thing waits for a moderator.", nil
	}
	return thousands(n) + " things wait for a moderator.", nil
}

// hints are what "homeplace doctor" would say of the running site and what can
// be told without a wait.
func (h *handlers) hints() (list []ui.NoticeProps) {
	if h.Proxies != nil {
		if seen := h.Proxies.Unconfigured(); len(seen) > 0 {
			list = append(list, ui.NoticeProps{Tone: ui.Warn, Title: "A proxy stands before this site that nobody configured", Text: proxyHint(seen)})
		}
	}
	if !h.Access.Mail.Configured() {
		list = append(list, ui.NoticeProps{Tone: ui.Warn, Title: "No mail server", Text: "Mails go to files on the server, nobody has to confirm their e-mail address, " +
			"and who forgets a password gets no help. The flag --smtp-url of “homeplace serve” names a server."})
	}
	base, model := h.Settings.Text(settings.LLMBaseURL), h.Settings.Text(settings.LLMModel)
	switch {
	case base == "" && model == "":
		list = append(list, ui.NoticeProps{Title: "No language model", Text: "That is fine: people decide about borderline texts. One can be named in the settings."})
	case base == "" || model == "":
		list = append(list, ui.NoticeProps{Tone: ui.Warn, Title: "The language model is set up by half",
			Text: "It takes a server and the name of a model. Until then people decide about borderline texts."})
	}
	return list
}

// maxProxies is how many proxies a hint names.
const maxProxies = 3

func proxyHint(seen []httpx.UnconfiguredProxy) string {
	var names []string
	for _, p := range seen[:min(len(seen), maxProxies)] {
		names = append(names, p.Addr.String())
	}
	who := strings.Join(names, ", ")
	if len(seen) > maxProxies {
		who += " and others"
	}
	return "Requests come through " + who + " and carry a forwarding header that is not believed. So everybody behind it counts as one, " +
		"and abuse from there is never blocked. If it is yours, start “homeplace serve” with --trusted-proxies and its address."
}
