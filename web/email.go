package web

import (
	"net/http"

	"github.com/a-h/templ"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

const changeEmailPath = "/" + accounts.EmailPage

func (h *handlers) emailPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	props, err := h.emailProps(r, v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.Email(props))
}

func (h *handlers) emailProps(r *http.Request, v core.Viewer) (views.EmailProps, error) {
	p := views.EmailProps{Username: v.Username, WrittenDown: !h.Access.Mail.Configured()}
	a, err := h.Accounts.Me(r.Context(), v)
	if err != nil {
		return p, err
	}
	p.Now = a.Email
	if p.WithPassword, err = h.Access.HasPassword(r.Context(), v); err != nil {
		return p, err
	}
	waiting, waits, err := h.Access.WaitingEmail(r.Context(), v)
	if err != nil {
		return p, err
	}
	if waits {
		p.Waiting, p.Until = waiting.Email, waiting.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST")
	}
	p.Frame = h.accountFrame(r, v, "Change your e-mail address")
	return p, nil
}

// requestEmailChange says the same whether the new address has an account.
func (h *handlers) requestEmailChange(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	err = h.Access.RequestEmailChange(r.Context(), v, f.Get("email"), f.Get("password"), visitorKey(r))
	if err == nil {
		return then(r, views.EmailPage, "A mail is on its way to your new address.")
	}
	props, failed := h.emailProps(r, v)
	if failed != nil {
		return nil, failed
	}
	return h.refuse(r, err, newEmailLabels, func(refusal views.Refusal) templ.Component {
		props.New, props.Refusal = f.Get("email"), refusal
		return views.Email(props)
	})
}

var newEmailLabels = []label{{"email", "New e-mail address"}, {"password", "Password"}}

// changeEmailPage is where the link to a new address leads. It does not use
// the link up.
func (h *handlers) changeEmailPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	token := r.URL.Query().Get("token")
	account, err := h.Access.CheckEmailChange(r.Context(), token)
	if err != nil {
		return h.refuseEmailLink(r, v, err)
	}
	return show(r, http.StatusOK, h.changeEmailView(r, v, views.ChangeEmailProps{Token: token, Username: account.Username, Email: account.Email}))
}

func (h *handlers) changeEmailView(r *http.Request, v core.Viewer, p views.ChangeEmailProps) templ.Component {
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Your new address", NoIndex: true})
	return views.ChangeEmail(p)
}

func (h *handlers) refuseEmailLink(r *http.Request, v core.Viewer, err error) (*httpx.Answer, error) {
	e := core.AsError(err)
	if e.Kind != core.NotFound && e.Kind != core.Conflict {
		return nil, err
	}
	return show(r, httpx.Status(e.Kind), h.changeEmailView(r, v, views.ChangeEmailProps{Refusal: spent(err)}))
}

// changeEmail uses the link up. Whoever opened it need not be signed in here.
func (h *handlers) changeEmail(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	account, err := h.Access.ConfirmEmailChange(r.Context(), f.Get("token"))
	if err != nil {
		return h.refuseEmailLink(r, v, err)
	}
	path := "/sign-in"
	if v.ID == account.ID {
		path = views.EmailPage
	}
	return then(r, path, "Thank you, "+account.Username+". "+account.Email+" is the address of your account now.")
}
