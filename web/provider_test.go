package web_test

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/provider"
	"homeplace/core/provider/providertest"
	"homeplace/core/secret"
	"homeplace/web"
)

// withProvider lets people sign in at a provider that runs.
func (w world) withProvider(t testing.TB) (world, *providertest.Provider) {
	t.Helper()
	outside := providertest.New(t)
	now := func() time.Time { return core.Now().Add(time.Duration(w.clock.Load())) }
	var err error
	if w.surface.Secret, err = secret.Parse(strings.Repeat("secret ", 8)); err != nil {
		t.Fatal(err)
	}
	w.Services.Provider, err = provider.NewSignIn(provider.SignInOptions{Issuer: outside.URL, ClientID: providertest.ClientID,
		ClientSecret: providertest.ClientSecret, Name: "Testing & Co", RedirectURL: base + web.ProviderCallback, Now: now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w.handler = web.New(w.Services, w.surface)
	return w, outside
}

var adaOutside = providertest.Claims{"sub": "auth|ada", "email": "ada@example.org", "email_verified": true, "name": "Ada L.", "preferred_username": "ada"}

func person(more providertest.Claims) func(p *providertest.Provider) {
	claims := maps.Clone(adaOutside)
	maps.Copy(claims, more)
	return func(p *providertest.Provider) { p.Person = claims }
}

// leave starts at a page of the site and returns where the provider sends the
// browser back to.
func (b *browser) leave(outside *providertest.Provider, start string) (back string) {
	b.t.Helper()
	a := b.get(start)
	if a.Code != http.StatusSeeOther || !strings.HasPrefix(a.Header().Get("Location"), outside.URL+providertest.AuthorizePath+"?") {
		b.t.Fatalf("%s gives %d to %q: %.300s", start, a.Code, a.Header().Get("Location"), a.Body)
	}
	to := outside.Browse(b.t, a.Header().Get("Location"))
	if at := to.Scheme + "://" + to.Host + to.Path; at != base+"/sign-in/provider/callback" {
		b.t.Fatalf("sent back to %s", to)
	}
	return to.RequestURI()
}

// toLink is leave for who is signed in and links the provider.
func (b *browser) toLink(outside *providertest.Provider) (back string) {
	b.t.Helper()
	a := b.post("/account/linked")
	address, found := strings.CutPrefix(a.Header().Get("Refresh"), "0; url="+outside.URL)
	if a.Code != http.StatusOK || !found || !strings.Contains(text(parsed(b.t, "leaving", a, 200)), "On to Testing & Co") {
		b.t.Fatalf("it gives %d, %v", a.Code, a.Header())
	}
	return outside.Browse(b.t, outside.URL+address).RequestURI()
}

// through goes the whole way.
func (b *browser) through(outside *providertest.Provider, start string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.get(b.leave(outside, start))
}

func TestProvider(t *testing.T) {
	t.Parallel()
	w, outside := newWorld(t).withProvider(t)
	outside.Change(person(nil))
	b := w.browser(t)
	for _, path := range []string{"/sign-in?next=%2Fu%2Fada", "/sign-up?next=%2Fu%2Fada"} {
		a := b.get(path)
		if !strings.Contains(a.Body.String(), `href="/sign-in/provider?next=%2Fu%2Fada"`) || !strings.Contains(a.Body.String(), "Continue with Testing &amp; Co") {
			t.Errorf("%s has no button: %s", path, a.Body)
		}
	}
	planted := "planted-by-somebody-else"
	at, _ := url.Parse(base)
	b.jar.SetCookies(at, []*http.Cookie{{Name: "__Host-session", Value: planted, Secure: true, Path: "/"}})
	start := b.get("/sign-in/provider?next=%2Fu%2Fada")
	c := start.Result().Cookies()
	if len(c) != 1 || c[0].Name != "__Host-provider" || !c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode || c[0].Path != "/" || c[0].MaxAge != 600 {
		t.Fatalf("leaving sets %v", start.Header()["Set-Cookie"])
	}
	if cache := start.Header().Get("Cache-Control"); !strings.Contains(cache, "no-store") {
		t.Errorf("the way out may be kept: %s", cache)
	}
	a := b.through(outside, "/sign-in/provider?next=%2Fu%2Fada")
	led(t, "coming back", a, "/u/ada")
	set := map[string]*http.Cookie{}
	for _, c := range a.Result().Cookies() {
		set[c.Name] = c
	}
	if set["__Host-provider"] == nil || set["__Host-provider"].MaxAge >= 0 || set["__Host-session"] == nil || set["__Host-session"].Value == planted {
		t.Errorf("coming back sets %v", a.Header()["Set-Cookie"])
	}
	if page := text(b.page("/u/ada", 200)); !strings.Contains(page, "Signed in as ada") || !strings.Contains(page, "Ada L.") {
		t.Errorf("the page says %s", page)
	}
	led(t, "being signed in", b.get("/sign-in/provider?next=%2Fnearby"), "/nearby")
	b.post("/sign-out")
	led(t, "the second time", b.through(outside, "/sign-in/provider"), "/account")
	account, err := w.Accounts.ByUsername(t.Context(), systemViewer, "ada")
	if err != nil {
		t.Fatal(err)
	}
	if list, err := w.Services.Sessions.List(t.Context(), account.Viewer()); err != nil || len(list) != 1 {
		t.Errorf("sessions %+v, %v", list, err)
	}
	for next, want := range map[string]string{"//evil.example": "/account", "https://evil.example": "/account", "/" + strings.Repeat("a", 2000): "/account"} {
		led(t, next, w.browser(t).through(outside, "/sign-in/provider?"+url.Values{"next": {next}}.Encode()), want)
	}
	parsed(t, "without a provider", newWorld(t).do(http.MethodGet, "/sign-in/provider"), http.StatusNotFound)
}

func TestProvider_failures(t *testing.T) {
	t.Parallel()
	w, outside := newWorld(t).withProvider(t)
	says := func(what string, a *httptest.ResponseRecorder, status int, want string) {
		t.Helper()
		page := parsed(t, what, a, status)
		if !strings.Contains(text(page), want) || !strings.Contains(text(page), "Welcome back") {
			t.Errorf("%s says %s", what, text(page))
		}
		for _, c := range a.Result().Cookies() {
			if c.Name == "__Host-session" {
				t.Errorf("%s gives a session", what)
			}
		}
	}
	const late = "took too long, was used already"
	outside.Change(person(nil))
	b := w.browser(t)
	back := b.leave(outside, "/sign-in/provider?next=%2Fu%2Fada")
	says("another browser", w.browser(t).get(back), http.StatusBadRequest, late)
	other := w.browser(t)
	other.leave(outside, "/sign-in/provider")
	says("another browser on its own way", other.get(back), http.StatusBadRequest, late)
	kept := b.jar.Cookies(b.url)
	led(t, "the right one", b.get(back), "/u/ada")
	says("the same again", w.browser(t).get(back), http.StatusBadRequest, late)
	replayed := w.browser(t)
	replayed.jar.SetCookies(b.url, []*http.Cookie{{Name: kept[0].Name, Value: kept[0].Value, Secure: true, Path: "/"}})
	says("the same with the cookie", replayed.get(back), http.StatusBadRequest, late)
	for _, value := range []string{"", "x", strings.Repeat("A", 500), kept[0].Value[:len(kept[0].Value)-2] + "AA"} {
		odd := w.browser(t)
		odd.jar.SetCookies(b.url, []*http.Cookie{{Name: "__Host-provider", Value: value, Secure: true, Path: "/"}})
		says("an odd cookie", odd.get(back), http.StatusBadRequest, late)
	}

	b = w.browser(t)
	back = b.leave(outside, "/sign-in/provider?next=%2Fu%2Fada")
	w.clock.Add(int64(11 * time.Minute))
	a := b.get(back)
	says("coming back late", a, http.StatusBadRequest, late)
	w.clock.Store(0)

	outside.Change(func(p *providertest.Provider) { p.Person = nil })
	b = w.browser(t)
	a = b.get(b.leave(outside, "/sign-in/provider?next=%2Fu%2Fada"))
	says("pressing cancel", a, http.StatusForbidden, "was cancelled")
	if c := a.Result().Cookies(); len(c) != 1 || c[0].MaxAge >= 0 {
		t.Errorf("pressing cancel leaves the cookie: %v", c)
	}
	outside.Change(func(p *providertest.Provider) {
		person(nil)(p)
		p.Distorted = func(c providertest.Claims) { c["nonce"] = "another" }
	})
	b = w.browser(t)
	says("another nonce", b.through(outside, "/sign-in/provider"), http.StatusForbidden, "could not be confirmed")
	outside.Change(func(p *providertest.Provider) {
		p.Distorted = nil
		person(providertest.Claims{"sub": "x", "email": ""})(p)
	})
	says("no address", b.through(outside, "/sign-in/provider"), http.StatusForbidden, "did not tell us your e-mail address")
	back = b.leave(outside, "/sign-in/provider")
	outside.Change(func(p *providertest.Provider) { p.Down = true })
	a = b.get(back)
	says("a provider that is away", a, http.StatusServiceUnavailable, "cannot be reached")
	if a.Header().Get("Retry-After") == "" {
		t.Error("it does not say when to come again")
	}
	fresh, silent := newWorld(t).withProvider(t)
	silent.Change(func(p *providertest.Provider) { p.Down = true })
	w = fresh
	says("a provider that was never there", w.browser(t).get("/sign-in/provider"), http.StatusServiceUnavailable, "cannot be reached")
	w.page(t, "/sign-in", http.StatusOK)
}

func TestProvider_knownAddress(t *testing.T) {
	t.Parallel()
	w, outside := newWorld(t).withProvider(t)
	w = w.withMailServer()
	w.account(t, "ada")
	outside.Change(person(providertest.Claims{"sub": "mallory", "email_verified": false}))
	a := w.browser(t).through(outside, "/sign-in/provider")
	if page := text(parsed(t, "an unverified claim", a, http.StatusForbidden)); !strings.Contains(page, "confirm your e-mail address first") {
		t.Errorf("an unverified claim hears %s", page)
	}
	outside.Change(person(nil))
	b := w.browser(t)
	led(t, "a verified one", b.through(outside, "/sign-in/provider"), "/account")
	if page := text(b.page("/account", 200)); !strings.Contains(page, "Linked sign-in Testing & Co ada@example.org") {
		t.Errorf("the account says %s", page)
	}
	if _, err := w.Access.SignUp(t.Context(), accounts.SignUpInput{Email: "bea@example.org", Username: "bea", Password: password, AddressKey: "x"}); err != nil {
		t.Fatal(err)
	}
	outside.Change(person(providertest.Claims{"sub": "bea", "email": "bea@example.org"}))
	a = w.browser(t).through(outside, "/sign-in/provider")
	if page := text(parsed(t, "an address not verified here", a, http.StatusConflict)); !strings.Contains(page, "Sign in with its password first") {
		t.Errorf("it hears %s", page)
	}
}

func TestLinkedSignIn(t *testing.T) {
	t.Parallel()
	w, outside := newWorld(t).withProvider(t)
	ada, bea := w.account(t, "ada"), w.account(t, "bea")
	outside.Change(person(providertest.Claims{"email": "elsewhere@example.org"}))
	b := w.as(t, ada)
	if !strings.Contains(b.get("/account").Body.String(), `action="/account/linked"`) {
		t.Error("there is nothing to link with")
	}
	r := httptest.NewRequest(http.MethodPost, base+"/account/linked", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if a := b.send(r); a.Code != http.StatusForbidden {
		t.Errorf("beginning from another site gives %d", a.Code)
	}
	if a := w.browser(t).post("/account/linked"); a.Code != http.StatusUnauthorized {
		t.Errorf("beginning as nobody gives %d", a.Code)
	}
	led(t, "linking", b.get(b.toLink(outside)), "/account")
	page := b.page("/account", 200)
	if !strings.Contains(text(page), "you can sign in with Testing & Co too") || !strings.Contains(text(page), "elsewhere@example.org") || strings.Contains(text(page), "Link Testing") {
		t.Errorf("the account says %s", text(page))
	}
	other := w.browser(t)
	led(t, "signing in with it", other.through(outside, "/sign-in/provider"), "/account")

	stranger := w.as(t, bea)
	taken := stranger.get(stranger.toLink(outside))
	if says := text(parsed(t, "another's", taken, http.StatusConflict)); !strings.Contains(says, "belongs to another account") || !strings.Contains(says, "Your account") {
		t.Errorf("linking another's says %s", says)
	}
	back := stranger.toLink(outside)
	stranger.post("/sign-out")
	if says := text(parsed(t, "signed out", stranger.get(back), http.StatusBadRequest)); !strings.Contains(says, "took too long") {
		t.Errorf("signed out in the meantime says %s", says)
	}
	back = b.toLink(outside)
	outside.Change(func(p *providertest.Provider) { p.Down = true })
	parsed(t, "a provider that is away", b.get(back), http.StatusServiceUnavailable)
	outside.Change(func(p *providertest.Provider) { p.Down = false })

	ways, err := w.Access.WaysIn(t.Context(), ada.Viewer())
	if err != nil || len(ways.Identities) != 1 {
		t.Fatalf("WaysIn = %+v, %v", ways, err)
	}
	unlink := "/account/linked/" + ways.Identities[0].ID + "/unlink"
	if a := w.as(t, bea).post(unlink); a.Code != http.StatusNotFound {
		t.Errorf("another member unlinks with %d", a.Code)
	}
	led(t, "unlinking", b.post(unlink), "/account")
	if says := text(b.page("/account", 200)); strings.Contains(says, "elsewhere@example.org") || !strings.Contains(says, "is unlinked") {
		t.Errorf("afterwards the account says %s", says)
	}
}

// An account that has no password is complete without one.
func TestAccountWithoutPassword(t *testing.T) {
	t.Parallel()
	w, outside := newWorld(t).withProvider(t)
	outside.Change(person(nil))
	b := w.browser(t)
	led(t, "signing in", b.through(outside, "/sign-in/provider"), "/account")
	if page := text(b.page("/account/password", 200)); !strings.Contains(page, "your account has no password yet") {
		t.Errorf("the password page says %s", page)
	}
	refused := b.post("/account/password", "old_password", "", "new_password", "quite another secret")
	if page := text(parsed(t, "/account/password", refused, 422)); !strings.Contains(page, "has no password yet. Ask for a link") {
		t.Errorf("changing it says %s", page)
	}
	wrong := w.browser(t).post("/sign-in", "name", "ada", "password", password)
	if page := text(parsed(t, "/sign-in", wrong, 422)); !strings.Contains(page, accounts.ErrWrongCredentials.Msg) {
		t.Errorf("signing in says %s", page)
	}
	account, err := w.Accounts.ByUsername(t.Context(), systemViewer, "ada")
	if err != nil {
		t.Fatal(err)
	}
	ways, err := w.Access.WaysIn(t.Context(), account.Viewer())
	if err != nil {
		t.Fatal(err)
	}
	only := b.post("/account/linked/" + ways.Identities[0].ID + "/unlink")
	if page := text(parsed(t, "unlinking", only, http.StatusConflict)); !strings.Contains(page, "the only way into your account") {
		t.Errorf("unlinking says %s", page)
	}
	for _, path := range []string{"/account/tokens", "/account/sessions", "/account/submissions", "/u/ada"} {
		b.page(path, http.StatusOK)
	}
	b.post("/recover", "email", "ada@example.org")
	_, link := w.mailedLink(t)
	led(t, "choosing", b.post("/recover", "token", token(t, link), "password", "quite another secret"), "/sign-in")
	led(t, "the first password", b.post("/sign-in", "name", "ada", "password", "quite another secret"), "/account")
	b.page("/account/password", 200)
	// Who has no address that takes mail is told so.
	id, err := w.Access.Outside(anybody{}).Authenticate(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.Accounts.ViewerByID(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	bare := w.as(t, accounts.Account{ID: v.ID, Username: v.Username})
	if page := text(bare.page("/account", 200)); !strings.Contains(page, "E-mail address None") || strings.Contains(page, ".invalid") {
		t.Errorf("without an address the account says %s", page)
	}
	if page := text(bare.page("/account/password", 200)); !strings.Contains(page, "has no e-mail address") {
		t.Errorf("without an address the password page says %s", page)
	}
}

// anybody vouches for the same person, of whom nothing is known.
type anybody struct{}

func (anybody) Verify(context.Context, string) (provider.Subject, error) {
	return provider.Subject{Issuer: "https://id.example", Subject: "7"}, nil
}
