package web

import (
	"net/http"

	"github.com/a-h/templ"

	"homeplace/core"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// verifyPage is where the link in the first mail leads. It does not use the
// link up.
func (h *handlers) verifyPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, h.verifyView(r, v, views.VerifyProps{Token: r.URL.Query().Get("token")}))
}

func (h *handlers) verifyView(r *http.Request, v core.Viewer, p views.VerifyProps) templ.Component {
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Confirm your address", NoIndex: true})
	return views.Verify(p)
}

// verify uses the link up. It signs nobody in: who reads the mails of an
// address need not be who chose the password.
func (h *handlers) verify(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	account, err := h.Access.Verify(r.Context(), f.Get("token"))
	if core.KindOf(err) == core.NotFound {
		return show(r, http.StatusNotFound, h.verifyView(r, v, views.VerifyProps{Refusal: spent(err)}))
	}
	if err != nil {
		return nil, err
	}
	path := "/sign-in"
	if v.SignedIn() {
		path = views.AccountPage
	}
	return then(r, path, "Thank you, "+account.Username+". Your address is confirmed, and your account is ready.")
}

// spent says that a mailed link is not good any more.
func spent(err error) views.Refusal { return views.Refusal{Problem: core.AsError(err).Msg} }

// verifyAgain asks for another mail.
func (h *handlers) verifyAgain(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	email := f.Get("email")
	if err := h.Access.ResendVerification(r.Context(), email, visitorKey(r)); err != nil {
		return h.refuse(r, err, mailLabels, func(refusal views.Refusal) templ.Component {
			return h.verifyView(r, v, views.VerifyProps{Email: email, Refusal: refusal})
		})
	}
	return then(r, checkMailFor("verify"), "")
}

var mailLabels = []label{{"email", "E-mail address"}}

// recoverPage asks whom to send a link to, or for the new password where the
// link has led here. It does not use the link up.
func (h *handlers) recoverPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	token := r.URL.Query().Get("token")
	if token == "" {
		return show(r, http.StatusOK, h.recoverView(r, v, views.RecoverProps{}))
	}
	account, err := h.Access.CheckRecovery(r.Context(), token)
	if err != nil {
		return h.recoverAnew(r, v, err)
	}
	return show(r, http.StatusOK, h.newPasswordView(r, v, views.NewPasswordProps{Token: token, Username: account.Username}))
}

func (h *handlers) recoverView(r *http.Request, v core.Viewer, p views.RecoverProps) templ.Component {
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Forgot your password?", NoIndex: true})
	return views.Recover(p)
}

func (h *handlers) newPasswordView(r *http.Request, v core.Viewer, p views.NewPasswordProps) templ.Component {
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Choose a new password", NoIndex: true})
	return views.NewPassword(p)
}

// recoverAnew offers another mail where a link is not good any more.
func (h *handlers) recoverAnew(r *http.Request, v core.Viewer, err error) (*httpx.Answer, error) {
	if core.KindOf(err) != core.NotFound {
		return nil, err
	}
	return show(r, http.StatusNotFound, h.recoverView(r, v, views.RecoverProps{Refusal: spent(err)}))
}

// recover sends the mail, or takes the new password where the form carries the
// token of a link.
func (h *handlers) recover(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	if token := f.Get("token"); token != "" {
		return h.choosePassword(r, v, token, f.Get("password"))
	}
	email := f.Get("email")
	if err := h.Access.RequestRecovery(r.Context(), email, visitorKey(r)); err != nil {
		return h.refuse(r, err, mailLabels, func(refusal views.Refusal) templ.Component {
			return h.recoverView(r, v, views.RecoverProps{Email: email, Refusal: refusal})
		})
	}
	return then(r, checkMailFor("recover"), "")
}

func (h *handlers) choosePassword(r *http.Request, v core.Viewer, token, password string) (*httpx.Answer, error) {
	account, err := h.Access.CheckRecovery(r.Context(), token)
	if err != nil {
		return h.recoverAnew(r, v, err)
	}
	if _, err := h.Access.Recover(r.Context(), token, password); err != nil {
		if core.KindOf(err) == core.NotFound {
			return h.recoverAnew(r, v, err)
		}
		return h.refuse(r, err, []label{{"password", "New password"}}, func(refusal views.Refusal) templ.Component {
			return h.newPasswordView(r, v, views.NewPasswordProps{Token: token, Username: account.Username, Refusal: refusal})
		})
	}
	// The session of this browser may be among those that ended with the old
	// password.
	if err := session.SignOut(r); err != nil {
		return nil, err
	}
	return then(r, "/sign-in", "Your new password is set. Sign in with it.")
}

// checkMailFor is the page to wait on for a mail about something.
func checkMailFor(about string) string { return "/check-mail?for=" + about }

// checkMail says the same to everyone, whether a mail is on its way or not.
func (h *handlers) checkMail(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	props := views.CheckMailProps{WrittenDown: !h.Access.Mail.Configured(), Again: "/verify",
		Frame: h.frame(r, v, layout.FrameProps{Title: "Check your mail", NoIndex: true})}
	switch r.URL.Query().Get("for") {
	case "recover":
		props.Text = "If there is an account with this address, a link to choose a new password is on its way. It works for an hour."
		props.Again = "/recover"
	case "verify":
		props.Text = "If an account waits for this address to be confirmed, a new link is on its way. It works for 24 hours."
	default:
		props.Text = "We sent a mail to the address that you gave. Open the link in it to go on; it works for 24 hours."
	}
	return show(r, http.StatusOK, views.CheckMail(props))
}
