package api

import (
	"net/http"

	"homeplace/core"
	"homeplace/core/sessions"
	"homeplace/web/httpx"
)

const tokenPath = "/api/me/token"

type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresAt    int64  `json:"expires_at"` // seconds since 1970
}

var errBrowserOnly = core.Unauthenticatedf("Only a signed-in browser on this site can hand its session over: " +
	"sign in and open this address there. A bearer token is not taken here.")

// token signs a program in for the browser that asks. The two have sessions of
// their own, so neither signs the other out.
func (h *handlers) token(r *http.Request) (*httpx.Answer, error) {
	if len(r.Header["Authorization"]) > 0 || h.Browser == nil {
		return nil, errBrowserOnly
	}
	v, browser, err := h.Browser(r)
	if err != nil {
		return nil, err
	}
	if !v.SignedIn() {
		return nil, errBrowserOnly
	}
	return h.counted(v, http.MethodGet+" "+tokenPath, func(r *http.Request) (*httpx.Answer, error) {
		pair, err := h.Programs.Begin(r.Context(), sessions.Start{AccountID: v.ID, Origin: sessions.OriginBrowser, Browser: browser,
			UserAgent: r.UserAgent(), AddressKey: httpx.AddrKey(httpx.ClientAddr(r))})
		if err != nil {
			return nil, err
		}
		a, err := httpx.JSON(http.StatusOK, tokenAnswer{pair.AccessToken, pair.RefreshToken, pair.ExpiresAt.Unix()})
		if err == nil {
			a.Cache, a.Plain = httpx.Private(), true
		}
		return a, err
	})(r)
}
