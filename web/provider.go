package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/provider"
	"homeplace/views"
	"homeplace/web/httpx"
)

// providerRoutes lead out to the identity provider and back. Unlinking works
// without one too.
func (h *handlers) providerRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	list := []route{{method: post, pattern: views.LinkedPage + "/{id}/unlink", guard: member, page: h.unlinkIdentity}}
	if h.Provider == nil {
		return list
	}
	return append(list,
		route{method: get, pattern: views.ProviderPage, page: h.signInOutside},
		route{method: get, pattern: ProviderCallback, page: h.backFromProvider},
		route{method: post, pattern: views.LinkedPage, guard: member, page: h.linkOutside},
	)
}

// ProviderCallback is the path that the identity provider sends people back to.
const ProviderCallback = views.ProviderPage + "/callback"

// trip is what a browser carries, sealed, to the provider and back.
type trip struct {
	provider.Flow
	Next string    // where to go once in
	Link string    // id of the account to link to; empty to sign in
	Ends time.Time // when it is too late to come back
}

const (
	// tripTime is how long people have for signing in at the provider.
	tripTime = 10 * time.Minute
	// tripPurpose is what the cookie is sealed for.
	tripPurpose = "provider sign-in"
	// maxNext in bytes keeps the cookie within what browsers take.
	maxNext = 1000
)

// tripCookie follows the names of the session's.
func (h *handlers) tripCookie(value string, age int) *http.Cookie {
	c := &http.Cookie{Name: "provider", Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if h.Addresses.Secure() {
		c.Name, c.Secure = "__Host-provider", true
	}
	return c
}

// signInOutside leads to the provider.
func (h *handlers) signInOutside(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	next := ownPath(r.URL.Query().Get("next"), "")
	if v.SignedIn() {
		return then(r, leadOn(next), "")
	}
	address, ticket, err := h.depart(r, trip{Next: next})
	if err != nil {
		return h.notIn(r, v, trip{Next: next}, err)
	}
	a := httpx.Redirect(http.StatusSeeOther, address)
	a.SetHeader("Set-Cookie", ticket.String())
	return a, nil
}

// linkOutside leads to the provider to link what one signs in with there. It
// takes a form of the site alone: else another site could have somebody link
// an account at the provider that is not theirs. Since forms may not end up
// elsewhere, a page leads on.
func (h *handlers) linkOutside(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	address, ticket, err := h.depart(r, trip{Link: v.ID})
	if err != nil {
		return h.notLinked(r, v, err)
	}
	a, err := show(r, http.StatusOK, views.Leaving(views.LeavingProps{Frame: h.accountFrame(r, v, "On to "+h.Provider.Name()),
		Name: h.Provider.Name(), Href: address}))
	if err != nil {
		return nil, err
	}
	a.SetHeader("Refresh", "0; url="+address)
	a.SetHeader("Set-Cookie", ticket.String())
	return a, nil
}

// depart makes the address at the provider and the cookie for the way.
func (h *handlers) depart(r *http.Request, t trip) (address string, ticket *http.Cookie, err error) {
	address, flow, err := h.Provider.Begin(r.Context())
	if err != nil {
		return "", nil, err
	}
	if t.Flow, t.Ends = flow, h.Now().Add(tripTime); len(t.Next) > maxNext {
		t.Next = ""
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return "", nil, err
	}
	sealed := base64.RawURLEncoding.EncodeToString(h.Secret.Seal(tripPurpose, plain))
	return address, h.tripCookie(sealed, int(tripTime/time.Second)), nil
}

// arrival opens the cookie of who comes back. An odd or late one is none.
func (h *handlers) arrival(r *http.Request) (t trip) {
	c, err := r.Cookie(h.tripCookie("", 0).Name)
	if err != nil {
		return trip{}
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return trip{}
	}
	plain, err := h.Secret.Unseal(tripPurpose, sealed)
	if err != nil || json.Unmarshal(plain, &t) != nil || !h.Now().Before(t.Ends) {
		return trip{}
	}
	return t
}

// backFromProvider ends the trip, whichever way it went: the cookie serves
// once.
func (h *handlers) backFromProvider(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	t := h.arrival(r)
	a, err := h.arrive(r, v, t)
	if err == nil {
		if a.Header == nil {
			a.Header = http.Header{}
		}
		a.Header.Add("Set-Cookie", h.tripCookie("", -1).String())
	}
	return a, err
}

func (h *handlers) arrive(r *http.Request, v core.Viewer, t trip) (*httpx.Answer, error) {
	who, err := h.Provider.Finish(r.Context(), t.Flow, r.URL.Query())
	if t.Link != "" {
		return h.link(r, v, t, who, err)
	}
	var account accounts.Account
	if err == nil {
		account, err = h.Access.Admit(r.Context(), who, visitorKey(r))
	}
	if err != nil {
		return h.notIn(r, v, t, err)
	}
	if err := h.begin(r, account); err != nil {
		return nil, err
	}
	return then(r, leadOn(t.Next), "")
}

func (h *handlers) link(r *http.Request, v core.Viewer, t trip, who provider.Subject, err error) (*httpx.Answer, error) {
	if v.ID != t.Link { // signed out, or in as another, in the meantime
		return h.notIn(r, v, trip{Next: views.AccountPage}, provider.ErrStale)
	}
	if err == nil {
		err = h.Access.Link(r.Context(), v, who)
	}
	if err != nil {
		return h.notLinked(r, v, err)
	}
	return then(r, views.AccountPage, "Linked. From now on you can sign in with "+h.Provider.Name()+" too.")
}

// notIn shows the sign-in with the reason why the other way did not work.
func (h *handlers) notIn(r *http.Request, v core.Viewer, t trip, err error) (*httpx.Answer, error) {
	e := core.AsError(err)
	if e.Kind == core.Internal {
		return nil, err
	}
	props := views.SignInProps{Next: t.Next, Refusal: views.Refusal{Problem: e.Msg}}
	if e.Code == accounts.ErrUnverified.Code {
		props.Refusal, props.Unverified = views.Refusal{}, e.Msg
	}
	return h.trouble(r, err, func(status int) (*httpx.Answer, error) { return show(r, status, h.signInView(r, v, props)) })
}

// notLinked shows the account with the reason.
func (h *handlers) notLinked(r *http.Request, v core.Viewer, err error) (*httpx.Answer, error) {
	e := core.AsError(err)
	if e.Kind == core.Internal || e.Kind == core.Unauthenticated {
		return nil, err
	}
	return h.trouble(r, err, func(status int) (*httpx.Answer, error) { return h.ownAccount(r, v, status, e.Msg) })
}

// trouble gives a page the status and headers of an error, and logs its cause.
func (h *handlers) trouble(r *http.Request, err error, draw func(status int) (*httpx.Answer, error)) (*httpx.Answer, error) {
	e := httpx.Report(r, err)
	a, err := draw(httpx.Status(e.Kind))
	if err == nil {
		a.Header = httpx.ErrorHeader(r, e)
	}
	return a, err
}

func (h *handlers) unlinkIdentity(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	err := h.Access.Unlink(r.Context(), v, chi.URLParam(r, "id"))
	if core.KindOf(err) == core.Conflict {
		return h.notLinked(r, v, err)
	}
	if err != nil {
		return nil, err
	}
	return then(r, views.AccountPage, "That sign-in is unlinked.")
}

// waysIn is what the account page says of signing in.
func (h *handlers) waysIn(r *http.Request, v core.Viewer) (props views.WaysInProps, err error) {
	ways, err := h.Access.WaysIn(r.Context(), v)
	if err != nil {
		return props, err
	}
	props.Password = ways.Password
	if h.Provider != nil {
		props.Provider = h.Provider.Name()
	}
	for _, i := range ways.Identities {
		row := views.LinkedRow{Name: provider.Host(i.Issuer), Email: orEmpty(i.Email), Unlink: views.LinkedPage + "/" + i.ID + "/unlink"}
		if h.Provider != nil && i.Issuer == h.Provider.Issuer() {
			row.Name, props.Linked = h.Provider.Name(), true
		}
		props.Rows = append(props.Rows, row)
	}
	return props, nil
}

// otherWay is the button that leads to the provider, where there is one.
func (h *handlers) otherWay(next string) views.OtherWay {
	if h.Provider == nil {
		return views.OtherWay{}
	}
	return views.OtherWay{Name: h.Provider.Name(), Href: withNext(views.ProviderPage, next)}
}
