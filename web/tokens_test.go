package web_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeplace/api"
	"homeplace/core/accounts"
	"homeplace/core/settings"
	"homeplace/web/httpx"
)

// api is the API over the same services, to try tokens on.
func (w world) api(t testing.TB) http.Handler {
	t.Helper()
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	return api.New(api.Services{Accounts: w.Accounts, Bearer: w.Accounts, Apps: w.Apps, Points: w.Points, Directory: w.Directory, Search: w.Search, Places: w.Places}, api.Surface{
		Addresses: addresses, Cache: newCache(t, w.db.DB), SiteName: func() string { return w.Settings.Text(settings.SiteName) },
		Observe: httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)})})
}

func me(h http.Handler, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, base+"/api/me", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	a := httptest.NewRecorder()
	h.ServeHTTP(a, r)
	return a
}

func TestTokenFromFormToRevocation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	programs := w.api(t)
	ada, bea := w.account(t, "ada"), w.account(t, "bea")
	b := w.as(t, ada)
	if page := text(b.page("/account/tokens", 200)); !strings.Contains(page, "No tokens yet") {
		t.Errorf("without tokens the page says %s", page)
	}
	made := b.post("/account/tokens", "label", "Pantry tablet", "expires_in", "30")
	if cache := made.Header().Get("Cache-Control"); !strings.Contains(cache, "no-store") || made.Header().Get("Content-Encoding") != "" {
		t.Errorf("the page with the token: Cache-Control %q, Content-Encoding %q", cache, made.Header().Get("Content-Encoding"))
	}
	secret := valueOf(parsed(t, "/account/tokens", made, 200), "token")
	if !strings.HasPrefix(secret, "tok_") {
		t.Fatalf("the page shows the token %q", secret)
	}
	if a := me(programs, secret); a.Code != http.StatusOK || !strings.Contains(a.Body.String(), `"username":"ada"`) {
		t.Fatalf("the token gives %d %s", a.Code, a.Body)
	}

	list := b.get("/account/tokens")
	page := parsed(t, "/account/tokens", list, 200)
	if strings.Contains(list.Body.String(), secret) || !strings.Contains(text(page), "Pantry tablet tok_… "+secret[len(secret)-4:]) && !strings.Contains(text(page), "tok_…"+secret[len(secret)-4:]) {
		t.Errorf("the list shows %s", text(page))
	}
	ask := revocation(page)
	if ask == "" {
		t.Fatal("the list offers no way to revoke the token")
	}
	other := w.as(t, bea)
	for _, a := range []*httptest.ResponseRecorder{other.get(ask), other.post(ask)} {
		if a.Code != http.StatusNotFound {
			t.Errorf("another member gets %d at %s", a.Code, ask)
		}
	}
	if strings.Contains(other.get("/account/tokens").Body.String(), "Pantry tablet") {
		t.Error("another member sees the token")
	}
	if question := text(b.page(ask, 200)); !strings.Contains(question, "Pantry tablet") || !strings.Contains(question, "cannot be taken back") {
		t.Errorf("the question is %s", question)
	}
	if a := me(programs, secret); a.Code != http.StatusOK {
		t.Fatal("the question alone ends the token")
	}
	led(t, "revoking", b.post(ask), "/account/tokens")
	if a := me(programs, secret); a.Code != http.StatusUnauthorized {
		t.Errorf("the revoked token gives %d", a.Code)
	}
	after := b.page("/account/tokens", 200)
	if !strings.Contains(text(after), "Revoked just now") || revocation(after) != "" {
		t.Errorf("the list shows %s", text(after))
	}
	if a := b.get(ask); a.Code != http.StatusNotFound {
		t.Errorf("asking about a revoked token gives %d", a.Code)
	}
}

func TestTokenLifetimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ada"))
	programs := w.api(t)
	short := valueOf(parsed(t, "30 days", b.post("/account/tokens", "label", "Short", "expires_in", "30"), 200), "token")
	endless := valueOf(parsed(t, "never", b.post("/account/tokens", "label", "Endless", "expires_in", "never"), 200), "token")
	w.clock.Add(int64(29 * 24 * time.Hour))
	if a := me(programs, short); a.Code != http.StatusOK {
		t.Errorf("after 29 days the token gives %d", a.Code)
	}
	w.clock.Add(int64(48 * time.Hour))
	if a, b := me(programs, short), me(programs, endless); a.Code != http.StatusUnauthorized || b.Code != http.StatusOK {
		t.Errorf("after 31 days the tokens give %d and %d", a.Code, b.Code)
	}
}

func TestRefusedToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	b := w.as(t, ada)
	for name, c := range map[string]struct{ label, lifetime, want string }{
		"no label":         {"", "90", "Label is required"},
		"a long label":     {strings.Repeat("x", 61), "90", "Label must have at most 60"},
		"another lifetime": {"Tablet", "9999", "Works for must be one of the list"},
	} {
		page := parsed(t, name, b.post("/account/tokens", "label", c.label, "expires_in", c.lifetime), 422)
		if !strings.Contains(text(page), c.want) || fields(page)["label"] != c.label {
			t.Errorf("%s: %s", name, text(page))
		}
	}
	for range accounts.MaxTokens {
		if _, _, err := w.Accounts.CreateToken(t.Context(), ada.Viewer(), accounts.TokenInput{Label: "one of many"}); err != nil {
			t.Fatal(err)
		}
	}
	page := parsed(t, "one too many", b.post("/account/tokens", "label", "Tablet", "expires_in", "90"), 422)
	if !strings.Contains(text(page), "at most 25 live tokens") {
		t.Errorf("one too many: %s", text(page))
	}
	if a := w.browser(t).post("/account/tokens", "label", "Tablet", "expires_in", "90"); a.Code != http.StatusUnauthorized {
		t.Errorf("nobody's token gives %d", a.Code)
	}
}

func valueOf(page *html.Node, id string) string {
	for _, n := range elements(page, "input") {
		if got, _ := attribute(n, "id"); got == id {
			value, _ := attribute(n, "value")
			return value
		}
	}
	return ""
}

// revocation is the address of the first question about a token.
func revocation(page *html.Node) string {
	for _, n := range elements(page, "a") {
		if href, _ := attribute(n, "href"); strings.HasSuffix(href, "/revoke") {
			return href
		}
	}
	return ""
}
