package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// accountRoutes are the ways in and out, the pages of an account, and the
// public profiles.
func (h *handlers) accountRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: "/sign-in", page: h.signInPage},
		{method: post, pattern: "/sign-in", page: h.signIn},
		{method: get, pattern: "/sign-up", page: h.signUpPage},
		{method: post, pattern: "/sign-up", page: h.signUp},
		{method: post, pattern: "/sign-out", page: h.signOut},
		{method: get, pattern: "/verify", page: h.verifyPage},
		{method: post, pattern: "/verify", page: h.verify},
		{method: post, pattern: "/verify/resend", page: h.verifyAgain},
		{method: get, pattern: "/recover", page: h.recoverPage},
		{method: post, pattern: "/recover", page: h.recover},
		{method: get, pattern: changeEmailPath, page: h.changeEmailPage},
		{method: post, pattern: changeEmailPath, page: h.changeEmail},
		{method: get, pattern: "/check-mail", page: h.checkMail},

		{method: get, pattern: views.AccountPage, guard: member, page: h.accountPage},
		{method: post, pattern: views.AccountPage, guard: member, page: h.saveProfile},
		{method: get, pattern: views.PasswordPage, guard: member, page: h.passwordPage},
		{method: post, pattern: views.PasswordPage, guard: member, page: h.changePassword},
		{method: get, pattern: views.EmailPage, guard: member, page: h.emailPage},
		{method: post, pattern: views.EmailPage, guard: member, page: h.requestEmailChange},
		{method: get, pattern: views.SessionsPage, guard: member, page: h.sessionsPage},
		{method: post, pattern: views.SessionsPage + "/end-others", guard: member, page: h.endOtherSessions},
		{method: post, pattern: views.SessionsPage + "/{id}/end", guard: member, page: h.endSession},
		{method: get, pattern: views.TokensPage, guard: member, page: h.tokensPage},
		{method: post, pattern: views.TokensPage, guard: member, page: h.createToken},
		{method: get, pattern: views.TokensPage + "/{id}/revoke", guard: member, page: h.revokePage},
		{method: post, pattern: views.TokensPage + "/{id}/revoke", guard: member, page: h.revokeToken},
		{method: get, pattern: views.ExportPage, guard: member, page: h.exportPage},
		{method: post, pattern: views.ExportPage, guard: member, page: h.export},
		{method: get, pattern: views.DeletePage, guard: member, page: h.deletePage},
		{method: post, pattern: views.DeletePage, guard: member, page: h.deleteAccount},

		{method: get, pattern: "/u/{username}", page: h.profile, areas: []string{accounts.Area, directory.Area, settings.Area}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/preview/u/{file}", page: h.profilePreview, areas: []string{accounts.Area, settings.Area}, maxAge: httpx.OpenReadAge},
	}
}

func (h *handlers) accountFrame(r *http.Request, v core.Viewer, title string) layout.FrameProps {
	return h.frame(r, v, layout.FrameProps{Title: title, NoIndex: true})
}

func (h *handlers) accountPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, err := h.Accounts.Me(r.Context(), v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, h.accountView(r, v, a, views.AccountProps{DisplayName: orEmpty(a.DisplayName), Bio: a.Bio,
		AvatarURL: orEmpty(a.AvatarURL), LeaderboardOptOut: a.LeaderboardOptOut}))
}

func (h *handlers) accountView(r *http.Request, v core.Viewer, a accounts.Account, p views.AccountProps) templ.Component {
	p.Username, p.Email, p.Since = a.Username, a.Email, a.CreatedAt.UTC().Format("2 January 2006")
	p.Frame = h.accountFrame(r, v, "Your account")
	return views.Account(p)
}

func (h *handlers) saveProfile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	props := views.AccountProps{DisplayName: f.Get("display_name"), Bio: f.Get("bio"), AvatarURL: f.Get("avatar_url"),
		LeaderboardOptOut: f.Get("leaderboard_opt_out") != ""}
	patch := accounts.ProfilePatch{DisplayName: &props.DisplayName, Bio: &props.Bio, AvatarURL: &props.AvatarURL, LeaderboardOptOut: &props.LeaderboardOptOut}
	if _, err := h.Accounts.UpdateProfile(r.Context(), v, patch); err != nil {
		a, failed := h.Accounts.Me(r.Context(), v)
		if failed != nil {
			return nil, failed
		}
		return h.refuse(r, err, profileLabels, func(refusal views.Refusal) templ.Component {
			props.Refusal = refusal
			return h.accountView(r, v, a, props)
		})
	}
	return then(r, views.AccountPage, "Your profile is saved.")
}

var profileLabels = []label{{"display_name", "Name"}, {"bio", "About you"}, {"avatar_url", "Address of your picture"}}

func (h *handlers) passwordPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, h.passwordView(r, v, views.Refusal{}))
}

func (h *handlers) passwordView(r *http.Request, v core.Viewer, refusal views.Refusal) templ.Component {
	return views.Password(views.PasswordProps{Frame: h.accountFrame(r, v, "Change your password"), Username: v.Username, Refusal: refusal})
}

// changePassword ends every other session, and gives this one another token.
func (h *handlers) changePassword(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	err = h.Access.ChangePassword(r.Context(), v, f.Get("old_password"), f.Get("new_password"), session.ID(r))
	if err != nil {
		return h.refuse(r, err, passwordLabels, func(refusal views.Refusal) templ.Component { return h.passwordView(r, v, refusal) })
	}
	if err := session.Renew(r); err != nil {
		return nil, err
	}
	return then(r, views.PasswordPage, "Your password is changed, and every other browser is signed out.")
}

var passwordLabels = []label{{"old_password", "Current password"}, {"new_password", "New password"}}

func (h *handlers) sessionsPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	list, err := h.Services.Sessions.List(r.Context(), v)
	if err != nil {
		return nil, err
	}
	props := views.SessionsProps{Frame: h.accountFrame(r, v, "Where you are signed in")}
	for _, s := range list {
		row := views.SessionRow{Browser: browserName(s.UserAgent), From: s.AddressKey, LastVisit: h.moment(s.LastSeenAt), SignedIn: h.moment(s.CreatedAt)}
		if s.ID != session.ID(r) {
			row.End = views.SessionsPage + "/" + s.ID + "/end"
		}
		props.Sessions = append(props.Sessions, row)
	}
	return show(r, http.StatusOK, views.Sessions(props))
}

func (h *handlers) endSession(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	id := chi.URLParam(r, "id")
	if id == session.ID(r) {
		return h.signOut(r, v)
	}
	if err := h.Services.Sessions.End(r.Context(), v, id); err != nil {
		return nil, err
	}
	return then(r, views.SessionsPage, "That browser is signed out.")
}

func (h *handlers) endOtherSessions(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	ended, err := h.Services.Sessions.EndOthers(r.Context(), v, session.ID(r))
	if err != nil {
		return nil, err
	}
	notice := strconv.Itoa(ended) + " other browsers are signed out."
	switch ended {
	case 0:
		notice = "You were signed in nowhere else."
	case 1:
		notice = "The other browser is signed out."
	}
	return then(r, views.SessionsPage, notice)
}

// browserName makes of what a browser calls itself what people call it.
func browserName(userAgent string) string {
	browser, system := firstMark(userAgent, browserMarks), firstMark(userAgent, systemMarks)
	switch {
	case browser == "" && system == "":
		return "A browser or program"
	case browser == "":
		return "A browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

// mark is a part of a browser's description and what it stands for. Most
// browsers name others too: the first of these that is found counts.
type mark struct{ part, name string }

var (
	browserMarks = []mark{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"}, {"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"}, {"curl/", "curl"}}
	systemMarks = []mark{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "Mac"},
		{"CrOS", "Chromebook"}, {"Linux", "Linux"}}
)

func firstMark(userAgent string, marks []mark) string {
	for _, m := range marks {
		if strings.Contains(userAgent, m.part) {
			return m.name
		}
	}
	return ""
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
