package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

// signInPage shows the form; who is signed in already is led on.
func (h *handlers) signInPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	next := r.URL.Query().Get("next")
	if v.SignedIn() {
		return then(r, leadOn(next), "")
	}
	return show(r, http.StatusOK, h.signInView(r, v, views.SignInProps{Next: next}))
}

func (h *handlers) signInView(r *http.Request, v core.Viewer, p views.SignInProps) templ.Component {
	p.Next = ownPath(p.Next, "")
	p.SignUp, p.Other = withNext("/sign-up", p.Next), h.otherWay(p.Next)
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Sign in"})
	return views.SignIn(p)
}

// signIn begins a session under a new token.
func (h *handlers) signIn(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	props := views.SignInProps{Next: f.Get("next"), Name: f.Get("name")}
	account, err := h.Access.SignIn(r.Context(), accounts.SignInInput{Name: props.Name, Password: f.Get("password"), AddressKey: visitorKey(r)})
	if err != nil && core.AsError(err).Code == accounts.ErrUnverified.Code {
		props.Unverified = accounts.ErrUnverified.Msg
		if strings.Contains(props.Name, "@") {
			props.Email = strings.TrimSpace(props.Name)
		}
		return show(r, http.StatusForbidden, h.signInView(r, v, props))
	}
	if err != nil {
		return h.refuse(r, err, signInLabels, func(refusal views.Refusal) templ.Component {
			props.Refusal = refusal
			return h.signInView(r, v, props)
		})
	}
	if err := h.begin(r, account); err != nil {
		return nil, err
	}
	return then(r, leadOn(props.Next), "")
}

// begin lets somebody in, and makes theirs what this browser sent before without
// an account. That it could not is no reason to turn them away.
func (h *handlers) begin(r *http.Request, account accounts.Account) error {
	if err := session.SignIn(r, account); err != nil {
		return err
	}
	mark, fresh := h.Ballots.Browser(r)
	if mark == "" || fresh != nil {
		return nil
	}
	if _, err := h.ShoutOuts.Adopt(r.Context(), account.Viewer(), mark); err != nil {
		httpx.Report(r, err)
	}
	return nil
}

var signInLabels = []label{{"name", "E-mail address or username"}, {"password", "Password"}}

// signUpPage shows the form; who is signed in already is led on.
func (h *handlers) signUpPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	next := r.URL.Query().Get("next")
	if v.SignedIn() {
		return then(r, leadOn(next), "")
	}
	return show(r, http.StatusOK, h.signUpView(r, v, views.SignUpProps{Next: next}))
}

func (h *handlers) signUpView(r *http.Request, v core.Viewer, p views.SignUpProps) templ.Component {
	p.Next = ownPath(p.Next, "")
	p.SignIn, p.Other = withNext("/sign-in", p.Next), h.otherWay(p.Next)
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Sign up",
		Description: "Make an account at " + h.Settings.Text(settings.SiteName) + " to add listings and mend what is out of date."})
	return views.SignUp(p)
}

// signUp makes an account. Where a mail server is configured, the answer is
// the same whether the address has one already.
func (h *handlers) signUp(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	props := views.SignUpProps{Next: f.Get("next"), Email: f.Get("email"), Username: f.Get("username"), DisplayName: f.Get("display_name")}
	if v.SignedIn() {
		return then(r, leadOn(props.Next), "")
	}
	outcome, err := h.Access.SignUp(r.Context(), accounts.SignUpInput{Email: props.Email, Username: props.Username,
		DisplayName: props.DisplayName, Password: f.Get("password"), AddressKey: visitorKey(r), Shared: httpx.OriginOf(r).Shared})
	if err != nil {
		return h.refuse(r, err, signUpLabels, func(refusal views.Refusal) templ.Component {
			props.Refusal = refusal
			return h.signUpView(r, v, props)
		})
	}
	if outcome.CheckMail {
		return then(r, checkMailFor("sign-up"), "")
	}
	if err := h.begin(r, outcome.Account); err != nil {
		return nil, err
	}
	return then(r, leadOn(props.Next), "Welcome, "+outcome.Account.Username+". Your account is ready.")
}

var signUpLabels = []label{{"email", "E-mail address"}, {"username", "Username"}, {"display_name", "Name"}, {"password", "Password"}}

func (h *handlers) signOut(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	if err := session.SignOut(r); err != nil {
		return nil, err
	}
	return then(r, "/", "You are signed out. See you soon.")
}

// leadOn is where people go once they are in.
func leadOn(next string) string { return ownPath(next, views.AccountPage) }

func withNext(path, next string) string {
	if next == "" {
		return path
	}
	return path + "?" + url.Values{"next": {next}}.Encode()
}

// visitorKey is whom limits count before somebody is signed in.
func visitorKey(r *http.Request) string { return httpx.AddrKey(httpx.ClientAddr(r)) }

// label is what a field of a form is called on its page.
type label struct{ name, text string }

// refusalOf says what is wrong with a form, at its fields where they are known;
// false for an error that is not about the form.
func refusalOf(err error, labels []label) (refusal views.Refusal, ok bool) {
	fields, message, ok := refused(err)
	for _, l := range labels {
		if text, wrong := fields[l.name]; wrong {
			refusal.Fields = append(refusal.Fields, views.FieldProblem{Name: l.name, Label: l.text, Text: text})
		}
	}
	if len(refusal.Fields) == 0 {
		refusal.Problem = message
	}
	return refusal, ok
}

// refuse shows a form again with what is wrong with it; an error that is not
// about the form stays one.
func (h *handlers) refuse(r *http.Request, err error, labels []label, draw func(views.Refusal) templ.Component) (*httpx.Answer, error) {
	refusal, ok := refusalOf(err, labels)
	if !ok {
		return nil, err
	}
	e := core.AsError(err)
	if e.Kind != core.RateLimited {
		return show(r, http.StatusUnprocessableEntity, draw(refusal))
	}
	a, err := show(r, http.StatusTooManyRequests, draw(refusal))
	if err == nil {
		a.Header = httpx.ErrorHeader(r, e)
	}
	return a, err
}
