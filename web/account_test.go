package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/accounts"
)

var systemViewer = core.TheSystem()

func TestProfileForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	b := w.as(t, ada)
	if page := text(b.page("/account", 200)); !strings.Contains(page, "ada@example.org") {
		t.Errorf("the account does not show the address: %s", page)
	}
	led(t, "saving", b.post("/account", "display_name", " Ada L. ", "bio", "First.\r\n\r\n<b>Second</b>", "avatar_url", "https://example.org/a.png", "leaderboard_opt_out", "true"), "/account")
	page := b.page("/account", 200)
	got := fields(page)
	if got["display_name"] != "Ada L." || got["bio"] != "First. <b>Second</b>" || got["avatar_url"] != "https://example.org/a.png" || !checked(page, "leaderboard_opt_out") ||
		!strings.Contains(text(page), "Your profile is saved") {
		t.Errorf("the form shows %v", got)
	}
	public := w.do(http.MethodGet, "/u/ada")
	shown := public.Body.String()
	for _, want := range []string{"Ada L.", "<p>First.</p>", "<p>&lt;b&gt;Second&lt;/b&gt;</p>", "https://example.org/a.png"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the public profile lacks %s", want)
		}
	}
	if strings.Contains(shown, "ada@example.org") {
		t.Error("the public profile shows the address")
	}

	wrong := b.post("/account", "display_name", strings.Repeat("x", 61), "bio", "Kept", "avatar_url", "javascript:alert(1)")
	refused := parsed(t, "/account", wrong, 422)
	if fields(refused)["bio"] != "Kept" || checked(refused, "leaderboard_opt_out") || !strings.Contains(text(refused), "2 things need another look") {
		t.Errorf("a refused profile: %s", text(refused))
	}
	led(t, "emptying", b.post("/account", "display_name", "", "bio", "", "avatar_url", ""), "/account")
	if page := b.page("/account", 200); checked(page, "leaderboard_opt_out") || fields(page)["display_name"] != "" {
		t.Error("the profile was not emptied")
	}
}

func checked(page *html.Node, name string) bool {
	for _, n := range elements(page, "input") {
		if got, _ := attribute(n, "name"); got == name {
			_, is := attribute(n, "checked")
			return is
		}
	}
	return false
}

func TestChangingThePassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	b, elsewhere := w.as(t, ada), w.as(t, ada)
	wrong := b.post("/account/password", "old_password", "not this one", "new_password", "quite another secret")
	page := parsed(t, "/account/password", wrong, 422)
	if !strings.Contains(text(page), "Current password is not your password now") {
		t.Errorf("a wrong password hears %s", text(page))
	}
	if body := wrong.Body.String(); strings.Contains(body, "not this one") || strings.Contains(body, "quite another secret") {
		t.Error("a password stands in the page")
	}
	before := b.jar.Cookies(b.url)[0].Value
	led(t, "changing", b.post("/account/password", "old_password", password, "new_password", "quite another secret"), "/account/password")
	if after := b.jar.Cookies(b.url)[0].Value; after == before {
		t.Error("the session keeps its token")
	}
	if page := text(b.page("/account/password", 200)); !strings.Contains(page, "Your password is changed") {
		t.Errorf("afterwards the page says %s", page)
	}
	led(t, "the session elsewhere", elsewhere.get("/account"), "/sign-in?next=%2Faccount")
	led(t, "the new password", w.browser(t).post("/sign-in", "name", "ada", "password", "quite another secret"), "/account")
}

func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bea := w.account(t, "ada"), w.account(t, "bea")
	here, there, third, hers := w.as(t, ada), w.as(t, ada), w.as(t, ada), w.as(t, bea)
	ends := endings(here.page("/account/sessions", 200))
	if len(ends) != 2 {
		t.Fatalf("the page ends %v, want the two other sessions", ends)
	}
	if a := hers.post(ends[0]); a.Code != http.StatusNotFound {
		t.Errorf("ending the session of somebody else gives %d", a.Code)
	}
	if n := len(endings(hers.page("/account/sessions", 200))); n != 0 {
		t.Errorf("another member sees %d sessions beside her own", n)
	}
	led(t, "ending one", here.post(ends[0]), "/account/sessions")
	if a := here.post(ends[0]); a.Code != http.StatusNotFound {
		t.Errorf("ending it twice gives %d", a.Code)
	}
	alive := 0
	for _, b := range []*browser{there, third} {
		if b.get("/account").Code == http.StatusOK {
			alive++
		}
	}
	if alive != 1 {
		t.Errorf("%d of the other two live, want 1", alive)
	}
	led(t, "ending the others", here.post("/account/sessions/end-others"), "/account/sessions")
	if page := text(here.page("/account/sessions", 200)); !strings.Contains(page, "The other one is signed out") {
		t.Errorf("the page says %s", page)
	}
	for _, b := range []*browser{there, third} {
		led(t, "an ended session", b.get("/account"), "/sign-in?next=%2Faccount")
	}
	hers.page("/account", 200)
}

func TestBrowsersAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account(t, "ada")
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                         "Chrome on Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                   "Safari on Mac",
		"<script>alert(1)</script>": "A browser or program",
	} {
		b := w.browser(t)
		r := httptest.NewRequest(http.MethodPost, base+"/sign-in", strings.NewReader(url.Values{"name": {"ada"}, "password": {password}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("User-Agent", agent)
		led(t, "signing in", b.send(r), "/account")
		if page := text(b.page("/account/sessions", 200)); !strings.Contains(page, want) {
			t.Errorf("%s is shown as %s, want %s", agent, page, want)
		}
	}
}

// endings are the addresses that end single sessions.
func endings(page *html.Node) (paths []string) {
	for _, n := range elements(page, "form") {
		if action, _ := attribute(n, "action"); strings.HasSuffix(action, "/end") {
			paths = append(paths, action)
		}
	}
	return paths
}

func TestPublicProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.account(t, "bea_x")
	for _, name := range []string{"/u/nobody", "/u/a", "/u/..%2Fada", "/u/ada%00"} {
		if a := w.do(http.MethodGet, name); a.Code != http.StatusNotFound {
			t.Errorf("%s gives %d", name, a.Code)
		}
	}
	if a := w.do(http.MethodGet, "/u/ADA"); a.Code != http.StatusMovedPermanently || a.Header().Get("Location") != "/u/ada" {
		t.Errorf("/u/ADA gives %d to %q", a.Code, a.Header().Get("Location"))
	}
	for _, n := range elements(w.page(t, "/u/bea_x", 200), "img") {
		if src, _ := attribute(n, "src"); strings.HasPrefix(src, "/covers/") {
			if a := w.do(http.MethodGet, src); a.Code != http.StatusOK {
				t.Errorf("the picture %s gives %d", src, a.Code)
			}
		}
	}

	first := w.do(http.MethodGet, "/u/ada")
	if cache := first.Header().Get("Cache-Control"); !strings.HasPrefix(cache, "public") {
		t.Errorf("nobody's page: Cache-Control %q", cache)
	}
	own := w.as(t, ada).get("/u/ada")
	if cache := own.Header().Get("Cache-Control"); !strings.Contains(cache, "no-store") || !strings.Contains(own.Body.String(), "Edit your profile") {
		t.Errorf("her own page: Cache-Control %q", cache)
	}
	again := w.do(http.MethodGet, "/u/ada")
	if again.Body.String() != first.Body.String() || strings.Contains(again.Body.String(), "Signed in as") || len(again.Result().Cookies()) > 0 {
		t.Error("nobody's page follows who asked before")
	}
	stray := w.do(http.MethodGet, "/u/ada", "Cookie", "__Host-session=made-up")
	if strings.Contains(stray.Body.String(), "Signed in as") || !strings.Contains(stray.Header().Get("Cache-Control"), "no-store") {
		t.Error("a made-up cookie counts")
	}
}

func TestAccountPagesAreSoundHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	if _, _, err := w.Accounts.CreateToken(t.Context(), ada.Viewer(), accounts.TokenInput{Label: "Tablet"}); err != nil {
		t.Fatal(err)
	}
	member, visitor := w.as(t, ada), w.browser(t)
	w.as(t, ada) // another session
	visitor.post("/recover", "email", "ada@example.org")
	_, link := w.mailedLink(t)
	pages := map[string]*html.Node{
		"a refused sign-up": parsed(t, "/sign-up", visitor.post("/sign-up"), 422),
		"a refused sign-in": parsed(t, "/sign-in", visitor.post("/sign-in", "name", "ada", "password", "not this one"), 422),
		"a refused token":   parsed(t, "/account/tokens", member.post("/account/tokens"), 422),
		"a refused profile": parsed(t, "/account", member.post("/account", "avatar_url", "x"), 422),
		"a new token":       parsed(t, "/account/tokens", member.post("/account/tokens", "label", "Laptop", "expires_in", "365"), 200),
		"a new password":    visitor.page(link, 200),
	}
	for _, path := range []string{"/sign-in?next=/u/ada", "/sign-up", "/verify", "/verify?token=x", "/recover", "/check-mail", "/u/ada"} {
		pages[path] = visitor.page(path, 200)
	}
	tokens := member.page("/account/tokens", 200)
	pages["the tokens"] = tokens
	for _, path := range []string{"/account", "/account/password", "/account/sessions", "/u/ada", revocation(tokens)} {
		pages["a member's "+path] = member.page(path, 200)
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			checkOutline(t, page)
			if !strings.HasPrefix(name, "a refused") { // whose fields name two ids each, error and help
				checkReferences(t, page)
			}
			checkNothingInline(t, page)
		})
	}
}
