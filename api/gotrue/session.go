package gotrue

import (
	"net/http"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/sessions"
	"homeplace/web/httpx"
)

// session is what the client keeps.
type session struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	ExpiresAt    int64  `json:"expires_at"` // epoch seconds
	User         user   `json:"user"`
}

func (h *handlers) session(pair sessions.Pair, a accounts.Account) (*httpx.Answer, error) {
	answer, err := httpx.JSON(http.StatusOK, session{
		AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, TokenType: "bearer",
		ExpiresIn: max(1, int(time.Until(pair.ExpiresAt)/time.Second)), ExpiresAt: pair.ExpiresAt.Unix(), User: newUser(a),
	})
	return private(answer), err
}

// begin signs a program in as an account whose owner has just shown who they
// are.
func (h *handlers) begin(r *http.Request, a accounts.Account) (*httpx.Answer, error) {
	pair, err := h.Programs.Begin(r.Context(), sessions.Start{AccountID: a.ID, Origin: sessions.OriginPassword,
		UserAgent: r.UserAgent(), AddressKey: addressKey(r)})
	if err != nil {
		return nil, err
	}
	return h.session(pair, a)
}

func addressKey(r *http.Request) string { return httpx.AddrKey(httpx.ClientAddr(r)) }

// token changes a password or a refresh token for a session.
func (h *handlers) token(r *http.Request) (*httpx.Answer, error) {
	switch grant := r.URL.Query().Get("grant_type"); grant {
	case "password":
		return h.byPassword(r)
	case "refresh_token":
		return h.byRefreshToken(r)
	default:
		return nil, core.InvalidField("grant_type", "must be password or refresh_token, not %q", grant)
	}
}

func (h *handlers) byPassword(r *http.Request) (*httpx.Answer, error) {
	var in struct{ Email, Password string }
	if err := httpx.DecodeJSON(r, &in, httpx.DefaultBody); err != nil {
		return nil, err
	}
	if in.Email == "" || in.Password == "" {
		return nil, core.InvalidField("email", "and password are both needed")
	}
	a, err := h.Access.SignIn(r.Context(), accounts.SignInInput{Name: in.Email, Password: in.Password, AddressKey: addressKey(r)})
	if err != nil {
		return nil, err
	}
	return h.begin(r, a)
}

func (h *handlers) byRefreshToken(r *http.Request) (*httpx.Answer, error) {
	limit := httpx.Limit{Name: "refresh", Max: h.Refreshes(), Per: time.Hour}
	if err := httpx.TakeLimit(r, h.Limiter, limit, addressKey(r)); err != nil {
		return nil, later(err)
	}
	var in struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := httpx.DecodeJSON(r, &in, httpx.DefaultBody); err != nil {
		return nil, err
	}
	pair, err := h.Programs.Refresh(r.Context(), in.RefreshToken, r.UserAgent())
	if err != nil {
		return nil, err
	}
	a, err := h.Accounts.Me(r.Context(), core.Viewer{ID: pair.AccountID, Role: core.Member})
	if err != nil {
		return nil, err
	}
	return h.session(pair, a)
}

// signOut ends sessions: this one, every other, or all of the account's,
// browsers included.
func (h *handlers) signOut(r *http.Request, c caller) (*httpx.Answer, error) {
	var err error
	switch scope := r.URL.Query().Get("scope"); scope {
	case "local":
		err = h.Sessions.End(r.Context(), c.Viewer, c.session)
	case "others":
		_, err = h.Sessions.EndOthers(r.Context(), c.Viewer, c.session)
	case "global", "":
		_, err = h.Sessions.EndOthers(r.Context(), c.Viewer, "")
	default:
		return nil, core.InvalidField("scope", "must be local, others or global, not %q", scope)
	}
	if err != nil && core.KindOf(err) != core.NotFound { // ended by somebody else a moment ago
		return nil, err
	}
	return httpx.NoContent(), nil
}

// recover mails a link to choose a new password; the answer says nothing of
// whether the address has an account.
func (h *handlers) recover(r *http.Request) (*httpx.Answer, error) {
	var in struct{ Email string }
	if err := httpx.DecodeJSON(r, &in, httpx.DefaultBody); err != nil {
		return nil, err
	}
	if err := h.Access.RequestRecovery(r.Context(), strings.TrimSpace(in.Email), addressKey(r)); err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, struct{}{})
}
