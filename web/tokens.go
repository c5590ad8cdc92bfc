package web

import (
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/views"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// tokenLifetimes are the offers, in the order in which they are shown.
var tokenLifetimes = []ui.Option{{Value: "30", Text: "30 days"}, {Value: "90", Text: "90 days"}, {Value: "365", Text: "A year"}, {Value: "never", Text: "Until I revoke it"}}

// tokenDays is how long each of them lasts; 0 is without end.
var tokenDays = map[string]int{"30": 30, "90": 90, "365": 365, "never": 0}

const usualLifetime = "90"

func (h *handlers) tokensPage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	list, err := h.Accounts.ListTokens(r.Context(), v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, h.tokensView(r, v, list, views.TokensProps{Lifetime: usualLifetime}))
}

func (h *handlers) tokensView(r *http.Request, v core.Viewer, list []accounts.Token, p views.TokensProps) templ.Component {
	p.Frame = h.accountFrame(r, v, "Your tokens")
	p.Lifetimes = tokenLifetimes
	for _, t := range list {
		p.Tokens = append(p.Tokens, h.tokenRow(t))
	}
	return views.Tokens(p)
}

func (h *handlers) tokenRow(t accounts.Token) views.TokenRow {
	row := views.TokenRow{Label: t.Label, LastFour: t.LastFour, Created: h.moment(t.CreatedAt),
		LastUsed: h.momentOr(t.LastUsedAt, "Never"), Expires: h.momentOr(t.ExpiresAt, "Never")}
	switch {
	case t.RevokedAt != nil:
		row.Ended = "Revoked " + ui.Ago(*t.RevokedAt, h.Now(), nil)
	case t.ExpiresAt != nil && !t.ExpiresAt.After(h.Now()):
		row.Ended = "Expired"
	default:
		row.Revoke = revokePath(t)
	}
	return row
}

func revokePath(t accounts.Token) string { return views.TokensPage + "/" + t.ID + "/revoke" }

// moment is a time as people say it now.
func (h *handlers) moment(at time.Time) templ.Component { return ui.Moment(at, h.Now(), nil) }

func (h *handlers) momentOr(at *time.Time, none string) templ.Component {
	if at == nil {
		return ui.Text(none)
	}
	return h.moment(*at)
}

// createToken answers with the token itself: it is not stored, so no later
// page could show it.
func (h *handlers) createToken(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	f, err := form(r)
	if err != nil {
		return nil, err
	}
	props := views.TokensProps{Label: f.Get("label"), Lifetime: f.Get("expires_in")}
	input, err := h.tokenInput(props.Label, props.Lifetime)
	if err != nil {
		return h.refuseToken(r, v, props, err)
	}
	token, t, err := h.Accounts.CreateToken(r.Context(), v, input)
	if err != nil {
		return h.refuseToken(r, v, props, err)
	}
	shown := views.NewTokenProps{Frame: h.accountFrame(r, v, "Your new token"), Label: t.Label, Token: token, Expires: "It works until you revoke it."}
	if t.ExpiresAt != nil {
		shown.Expires = "It works until " + t.ExpiresAt.UTC().Format("2 January 2006") + "."
	}
	a, err := show(r, http.StatusOK, views.NewToken(shown))
	if err == nil {
		a.Plain = true
	}
	return a, err
}

func (h *handlers) tokenInput(label, lifetime string) (accounts.TokenInput, error) {
	input := accounts.TokenInput{Label: label}
	days, ok := tokenDays[lifetime]
	if !ok {
		return input, core.InvalidField("expires_in", "must be one of the list")
	}
	if days > 0 {
		end := h.Now().AddDate(0, 0, days)
		input.ExpiresAt = &end
	}
	return input, nil
}

func (h *handlers) refuseToken(r *http.Request, v core.Viewer, p views.TokensProps, err error) (*httpx.Answer, error) {
	list, failed := h.Accounts.ListTokens(r.Context(), v)
	if failed != nil {
		return nil, failed
	}
	return h.refuse(r, err, tokenLabels, func(refusal views.Refusal) templ.Component {
		p.Refusal = refusal
		return h.tokensView(r, v, list, p)
	})
}

var tokenLabels = []label{{"label", "Label"}, {"expires_in", "Works for"}}

// revokePage asks first.
func (h *handlers) revokePage(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	list, err := h.Accounts.ListTokens(r.Context(), v)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if t.ID == chi.URLParam(r, "id") && t.RevokedAt == nil {
			return show(r, http.StatusOK, views.RevokeToken(views.RevokeTokenProps{
				Frame: h.accountFrame(r, v, "Revoke a token"), Label: t.Label, LastFour: t.LastFour, Action: revokePath(t)}))
		}
	}
	return nil, core.NotFoundf("You have no such token, or it is revoked already.")
}

func (h *handlers) revokeToken(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	if err := h.Accounts.RevokeToken(r.Context(), v, chi.URLParam(r, "id")); err != nil {
		return nil, err
	}
	return then(r, views.TokensPage, "The token is revoked and does not work any more.")
}
