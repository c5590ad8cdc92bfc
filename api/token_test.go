package api_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/web/httpx"
	"homeplace/web/session"
)

type pair struct {
	Access    string `json:"access_token"`
	Refresh   string `json:"refresh_token"`
	ExpiresAt int64  `json:"expires_at"`
}

// cookie signs an account in as a browser, and is what that browser sends.
func (in instance) cookie(t testing.TB, v core.Viewer) http.Header {
	t.Helper()
	signIn := in.cookies.Load(httpx.ErrorAnswer)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := session.SignIn(r, accounts.Account{ID: v.ID}); err != nil {
			t.Error(err)
		}
	}))
	answer := httptest.NewRecorder()
	signIn.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, base+"/sign-in", nil))
	set, _, _ := strings.Cut(answer.Header().Get("Set-Cookie"), ";")
	return http.Header{"Cookie": {set}, "Sec-Fetch-Site": {"same-origin"}, "User-Agent": {"Firefox on a porch"}}
}

func TestMyToken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := newInstance(t, w.database.Instance(t))
	v, _, _ := w.account(t, "ada", accounts.RoleModerator, nil)
	browser := w.cookie(t, v)
	a := w.get(t, "/api/me/token", browser, http.Header{"Accept-Encoding": {"gzip"}})
	p := read[pair](t, a, http.StatusOK)
	if left := time.Until(time.Unix(p.ExpiresAt, 0)); left < 59*time.Minute || left > time.Hour {
		t.Errorf("the access token has %v left, want an hour", left)
	}
	if kept, coded := a.header.Get("Cache-Control"), a.header.Get("Content-Encoding"); kept != "private, no-store" || coded != "" || a.header.Get("ETag") != "" {
		t.Errorf("the answer is %q and %q", kept, coded)
	}
	if left := a.header.Get("RateLimit-Remaining"); left != "29" {
		t.Errorf("it leaves %s of 30", left)
	}
	for name, in := range map[string]instance{"this": w.instance, "the other": other} {
		got := read[me](t, in.get(t, "/api/me", bearer(p.Access)), http.StatusOK)
		if got.Profile.ID != v.ID || !got.Roles.Moderator {
			t.Errorf("on %s instance the token shows %+v", name, got)
		}
	}
	list, err := w.sessions.List(t.Context(), v)
	if err != nil || len(list) != 2 || list[0].UserAgent != "Firefox on a porch" || list[0].Origin != "browser" {
		t.Fatalf("the sessions are %+v, %v", list, err)
	}
	if err := w.sessions.End(t.Context(), v, list[0].ID); err != nil {
		t.Fatal(err)
	}
	refused(t, other.get(t, "/api/me", bearer(p.Access)), http.StatusUnauthorized, "unauthenticated", "")
	read[pair](t, w.get(t, "/api/me/token", browser), http.StatusOK)
}

func TestMyTokenTakesNothingButTheOwnBrowser(t *testing.T) {
	t.Parallel()
	w := setup(t)
	v, personal, _ := w.account(t, "ada", accounts.RoleAdmin, nil)
	browser := w.cookie(t, v)
	p := read[pair](t, w.get(t, "/api/me/token", browser), http.StatusOK)
	with := func(more http.Header) http.Header {
		h := maps.Clone(browser)
		maps.Copy(h, more)
		return h
	}
	for name, h := range map[string]http.Header{
		"nothing":                        {},
		"a personal token":               bearer(personal),
		"an access token":                bearer(p.Access),
		"a refresh token":                bearer(p.Refresh),
		"a cookie and a token":           with(bearer(personal)),
		"a cookie and a bad token":       with(bearer("tok_nonsense")),
		"a cookie and an empty header":   with(http.Header{"Authorization": {""}}),
		"the cookie from another site":   with(http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.test"}}),
		"the cookie from a sub-domain":   with(http.Header{"Sec-Fetch-Site": {"same-site"}}),
		"the cookie under another name":  {"Cookie": {strings.Replace(browser.Get("Cookie"), "__Host-", "", 1)}},
		"a cookie that nobody has":       {"Cookie": {"__Host-session=x"}},
		"an access token as the cookie":  {"Cookie": {"__Host-session=" + p.Access}},
		"a refresh token as the cookie":  {"Cookie": {"__Host-session=" + p.Refresh}},
		"an access token as the address": {},
	} {
		target := "/api/me/token"
		if strings.HasSuffix(name, "address") {
			target += "?access_token=" + p.Access
		}
		a := w.get(t, target, h)
		refused(t, a, http.StatusUnauthorized, "unauthenticated", "")
		if kept := a.header.Get("Cache-Control"); !strings.Contains(kept, "no-store") {
			t.Errorf("%s: the refusal may be kept: %s", name, kept)
		}
	}
	if list, err := w.sessions.List(t.Context(), v); err != nil || len(list) != 2 {
		t.Errorf("refusals left %d sessions, %v, want 2", len(list), err)
	}
	if a := w.do(t, http.MethodPost, "/api/me/token", browser); a.status != http.StatusMethodNotAllowed {
		t.Errorf("POST gives %d", a.status)
	}
}

func TestMyTokenIsLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := newInstance(t, w.database.Instance(t))
	ada, _, _ := w.account(t, "ada", accounts.RoleMember, nil)
	bea, _, _ := w.account(t, "bea", accounts.RoleMember, nil)
	first, second := w.cookie(t, ada), w.cookie(t, ada)
	for i := range 30 {
		in, browser := w.instance, first
		if i%2 == 1 {
			in, browser = other, second
		}
		read[pair](t, in.get(t, "/api/me/token", browser), http.StatusOK)
	}
	for _, in := range []instance{w.instance, other} {
		if a := in.get(t, "/api/me/token", first); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
			t.Errorf("one too many gives %d", a.status)
		}
	}
	read[pair](t, w.get(t, "/api/me/token", w.cookie(t, bea)), http.StatusOK)
}

// A role counts as it is now, whatever the token was made with, and a deleted
// account's token proves nothing.
func TestAccessTokensCarryNoRole(t *testing.T) {
	t.Parallel()
	w := setup(t)
	v, _, _ := w.account(t, "ada", accounts.RoleAdmin, nil)
	p := read[pair](t, w.get(t, "/api/me/token", w.cookie(t, v)), http.StatusOK)
	if err := w.accounts.SetRole(t.Context(), core.TheSystem(), "ada", accounts.RoleMember); err != nil {
		t.Fatal(err)
	}
	if got := read[me](t, w.get(t, "/api/me", bearer(p.Access)), http.StatusOK); got.Roles.Admin || got.Roles.Moderator {
		t.Errorf("after the appointment has ended the token has the roles %+v", got.Roles)
	}
	if _, err := w.database.Exec(t, core.TheSystem(), `delete from accounts`); err != nil {
		t.Fatal(err)
	}
	refused(t, w.get(t, "/api/me", bearer(p.Access)), http.StatusUnauthorized, "unauthenticated", "")
}
