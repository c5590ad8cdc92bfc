package web

import (
	"net/http"

	"github.com/a-h/templ"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/points"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// accountRoutes are the ways in and out, the pages of an account, and the
// public profiles.
func (h *handlers) accountRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: "/sign-in", page: h.signInPage},
		{method: post, pattern: "/sign-in", page: h.signIn, always: true},
		{method: get, pattern: "/sign-up", page: h.signUpPage},
		{method: post, pattern: "/sign-up", page: h.signUp},
		{method: post, pattern: "/sign-out", page: h.signOut, always: true},
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
		{method: post, pattern: views.DeletePage, guard: member, page: h.deleteAccount, always: true},

		{method: get, pattern: "/u/{username}", page: h.profile, areas: []string{accounts.Area, apps.Area, directory.Area, points.Area, settings.Area}, maxAge: httpx.OpenReadAge},
		{method: get, pattern: "/preview/u/{file}", page: h.profilePreview, areas: []string{accounts.Area, settings.Area}, maxAge: httpx.OpenReadAge},
	}
}

func (h *handlers) accountFrame(r *http.Request, v core.Viewer, title string) layout.FrameProps {
	return h.frame(r, v, layout.FrameProps{Title: title, NoIndex: true})
}

func (h *handlers) accountPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return h.ownAccount(r, v, http.StatusOK, "")
}

// ownAccount shows the account as it is, and what went wrong with a linked
// sign-in.
func (h *handlers) ownAccount(r *http.Request, v core.Viewer, status int, problem string) (*httpx.Answer, error) {
	a, ways, err := h.mine(r, v)
	if err != nil {
		return nil, err
	}
	ways.Problem = problem
	return show(r, status, h.accountView(r, v, a, views.AccountProps{DisplayName: orEmpty(a.DisplayName), Bio: a.Bio,
		AvatarURL: orEmpty(a.AvatarURL), LeaderboardOptOut: a.LeaderboardOptOut, Ways: ways}))
}

func (h *handlers) mine(r *http.Request, v core.Viewer) (a accounts.Account, ways views.WaysInProps, err error) {
	if a, err = h.Accounts.Me(r.Context(), v); err == nil {
		ways, err = h.waysIn(r, v)
	}
	return a, ways, err
}

func (h *handlers) accountView(r *http.Request, v core.Viewer, a accounts.Account, p views.AccountProps) templ.Component {
	p.Username, p.Since = a.Username, a.CreatedAt.UTC().Format("2 January 2006")
	if a.TakesMail() {
		p.Email = a.Email
	}
	p.Review = reviewNotice(a.Review)
	p.Frame = h.accountFrame(r, v, "Your account")
	return views.Account(p)
}

// reviewNotice tells a member what became of the texts of their profile; nil where
// moderators had nothing to say about them.
func reviewNotice(r *accounts.Review) *ui.NoticeProps {
	switch {
	case r.Waiting():
		return &ui.NoticeProps{Tone: ui.Info, Title: "A moderator looks at your profile first", Text: "Until then, others see your username alone."}
	case r.Refused() && r.Reason != "":
		return &ui.NoticeProps{Tone: ui.Warn, Title: "A moderator did not take what you wrote in your profile", Text: "“" + r.Reason + "” You can write it another way."}
	case r.Refused():
		return &ui.NoticeProps{Tone: ui.Warn, Title: "A moderator did not take what you wrote in your profile", Text: "You can write it another way."}
	}
	return nil
}

func (h *handlers) saveProfile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	props := views.AccountProps{DisplayName: f.Get("display_name"), Bio: f.Get("bio"), AvatarURL: f.Get("avatar_url"),
		LeaderboardOptOut: f.Get("leaderboard_opt_out") != ""}
	patch := accounts.ProfilePatch{DisplayName: &props.DisplayName, Bio: &props.Bio, AvatarURL: &props.AvatarURL, LeaderboardOptOut: &props.LeaderboardOptOut,
		From: httpx.OriginOf(r)}
	saved, err := h.Accounts.UpdateProfile(r.Context(), v, patch)
	if err != nil {
		a, ways, failed := h.mine(r, v)
		if failed != nil {
			return nil, failed
		}
		props.Ways = ways
		return h.refuse(r, err, profileLabels, func(refusal views.Refusal) templ.Component {
			props.Refusal = refusal
			return h.accountView(r, v, a, props)
		})
	}
	if saved.Review.Waiting() {
		return then(r, views.AccountPage, "Your profile is saved. A moderator looks at your name and what you wrote before others see them.")
	}
	return then(r, views.AccountPage, "Your profile is saved.")
}

var profileLabels = []label{{"display_name", "Name"}, {"bio", "About you"}, {"avatar_url", "Address of your picture"}}

func (h *handlers) passwordPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	a, ways, err := h.mine(r, v)
	if err != nil {
		return nil, err
	}
	if !ways.Password {
		return show(r, http.StatusOK, views.FirstPassword(views.FirstPasswordProps{Frame: h.accountFrame(r, v, "Choose a password"), TakesMail: a.TakesMail()}))
	}
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
	return then(r, views.PasswordPage, "Your password is changed, and you are signed out everywhere else.")
}

var passwordLabels = []label{{"old_password", "Current password"}, {"new_password", "New password"}}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
