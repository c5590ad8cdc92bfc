package web_test

import (
	"context"
	"io"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeplace/core/accounts"
)

// sender is what a mailer can do.
type sender interface {
	Configured() bool
	Send(ctx context.Context, to, subject, text string) error
}

// server is a mailer that counts as configured, while its mails still go to
// the folder.
type server struct{ sender }

func (server) Configured() bool { return true }

// withMailServer makes the site verify addresses by mail.
func (w world) withMailServer() world {
	w.Access.Mail = server{w.Access.Mail}
	return w
}

var linkForm = regexp.MustCompile(`https://homeplace\.test(/(?:verify|recover|change-email)\?token=\S+)`)

// mailedLink is the link in the newest mail.
func (w world) mailedLink(t testing.TB) (to, path string) {
	t.Helper()
	letters := w.letters(t)
	if len(letters) == 0 {
		t.Fatal("no mail was sent")
	}
	m, err := netmail.ReadMessage(strings.NewReader(letters[len(letters)-1]))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	link := linkForm.FindSubmatch(text)
	if link == nil {
		t.Fatalf("the mail has no link: %s", text)
	}
	return m.Header.Get("To"), string(link[1])
}

// led reads where a form led to.
func led(t testing.TB, what string, a *httptest.ResponseRecorder, path string) {
	t.Helper()
	if a.Code != http.StatusSeeOther || a.Header().Get("Location") != path {
		t.Fatalf("%s gives %d to %q, want to be led to %q: %.300s", what, a.Code, a.Header().Get("Location"), path, a.Body)
	}
}

// fields are the values of the controls on a page by name.
func fields(page *html.Node) map[string]string {
	values := map[string]string{}
	for _, tag := range []string{"input", "textarea"} {
		for _, n := range elements(page, tag) {
			name, _ := attribute(n, "name")
			values[name], _ = attribute(n, "value")
			if tag == "textarea" {
				values[name] = text(n)
			}
		}
	}
	return values
}

func token(t testing.TB, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("token")
}

func TestSignUpVerifySignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withMailServer()
	b := w.browser(t)
	led(t, "signing up", b.post("/sign-up", "email", "ada@example.org", "username", "Ada", "password", password, "display_name", "Ada L."), "/check-mail?for=sign-up")
	if page := text(b.page("/check-mail?for=sign-up", 200)); !strings.Contains(page, "Check your mail") || strings.Contains(page, "No mail server") {
		t.Errorf("the page after signing up says %s", page)
	}
	early := b.post("/sign-in", "name", "ada@example.org", "password", password)
	if page := parsed(t, "/sign-in", early, http.StatusForbidden); !strings.Contains(text(page), "confirm your e-mail address") || fields(page)["email"] != "ada@example.org" {
		t.Errorf("signing in before that says %s", text(page))
	}
	w.page(t, "/u/ada", http.StatusNotFound)

	to, link := w.mailedLink(t)
	if !strings.Contains(to, "ada@example.org") {
		t.Errorf("the mail went to %s", to)
	}
	for range 2 { // as a mail program and then a person would
		if page := b.page(link, 200); fields(page)["token"] != token(t, link) {
			t.Fatalf("the link shows %s", text(page))
		}
	}
	led(t, "confirming", b.post("/verify", "token", token(t, link)), "/sign-in")
	first, second := text(b.page("/sign-in", 200)), text(b.page("/sign-in", 200))
	if !strings.Contains(first, "Your address is confirmed") || strings.Contains(second, "Your address is confirmed") {
		t.Error("the notice is not shown exactly once")
	}
	if again := b.post("/verify", "token", token(t, link)); again.Code != http.StatusNotFound || !strings.Contains(again.Body.String(), "does not work any more") {
		t.Errorf("confirming twice gives %d", again.Code)
	}
	led(t, "signing in", b.post("/sign-in", "name", "ADA@example.org", "password", password, "next", "/account/tokens?a=b"), "/account/tokens?a=b")
	b.page("/account/tokens", 200)
	w.page(t, "/u/ada", 200)
}

func TestResentLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withMailServer()
	b := w.browser(t)
	b.post("/sign-up", "email", "ada@example.org", "username", "ada", "password", password)
	_, old := w.mailedLink(t)
	led(t, "asking again", b.post("/verify/resend", "email", "ada@example.org"), "/check-mail?for=verify")
	led(t, "asking for nobody", b.post("/verify/resend", "email", "nobody@example.org"), "/check-mail?for=verify")
	if n := len(w.letters(t)); n != 2 {
		t.Fatalf("%d mails, want 2", n)
	}
	if a := b.post("/verify", "token", token(t, old)); a.Code != http.StatusNotFound {
		t.Errorf("the older link gives %d", a.Code)
	}
	_, link := w.mailedLink(t)
	led(t, "confirming", b.post("/verify", "token", token(t, link)), "/sign-in")
	parsed(t, "/verify/resend", b.post("/verify/resend", "email", "no address"), http.StatusUnprocessableEntity)
}

// An address that has an account gets the same answer as one that has none.
func TestSignUpTellsNobodyWhoIsHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withMailServer()
	w.account(t, "ada")
	known := w.browser(t).post("/sign-up", "email", "ada@example.org", "username", "ada2", "password", password)
	unknown := w.browser(t).post("/sign-up", "email", "bea@example.org", "username", "bea2", "password", password)
	led(t, "a known address", known, "/check-mail?for=sign-up")
	led(t, "an unknown address", unknown, "/check-mail?for=sign-up")
	recoverKnown, recoverUnknown := w.browser(t).post("/recover", "email", "ada@example.org"), w.browser(t).post("/recover", "email", "cyd@example.org")
	led(t, "a known address", recoverKnown, "/check-mail?for=recover")
	led(t, "an unknown address", recoverUnknown, "/check-mail?for=recover")
	wrong, nobody := w.browser(t).post("/sign-in", "name", "ada", "password", "not this one"), w.browser(t).post("/sign-in", "name", "dot", "password", "not this one")
	a, b := text(parsed(t, "/sign-in", wrong, 422)), text(parsed(t, "/sign-in", nobody, 422))
	if a != b || !strings.Contains(a, accounts.ErrWrongCredentials.Msg) {
		t.Errorf("a known name hears\n%s\nan unknown one\n%s", a, b)
	}
}

func TestSignUpWithoutMailServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser(t)
	led(t, "signing up", b.post("/sign-up", "email", "ada@example.org", "username", "ada", "password", password, "next", "/u/ada"), "/u/ada")
	if page := text(b.page("/u/ada", 200)); !strings.Contains(page, "Welcome, ada") || !strings.Contains(page, "Signed in as ada") {
		t.Errorf("after signing up the page says %s", page)
	}
	if page := text(w.page(t, "/check-mail?for=recover", 200)); !strings.Contains(page, "Mails are written as files") {
		t.Errorf("a site without a mail server says %s", page)
	}
	other := w.browser(t).post("/sign-up", "email", "ada@example.org", "username", "ada2", "password", password)
	if page := text(parsed(t, "/sign-up", other, 422)); strings.Count(page, "There is already an account") != 2 {
		t.Errorf("a second account hears %s", page)
	}
}

func TestRefusedSignUpKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.browser(t).post("/sign-up", "email", "ada@", "username", "A!", "display_name", "Ada", "password", "qwerty", "next", "/u/x")
	if strings.Contains(a.Body.String(), "qwerty") {
		t.Error("the password stands in the page")
	}
	page := parsed(t, "/sign-up", a, 422)
	got := fields(page)
	if got["email"] != "ada@" || got["username"] != "A!" || got["display_name"] != "Ada" || got["next"] != "/u/x" {
		t.Errorf("the form keeps %v", got)
	}
	for _, want := range []string{"3 things need another look", "E-mail address must be an address", "Username must be 2 to 30", "Password must have at least 10"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("the page does not say %q: %s", want, text(page))
		}
	}
	for _, n := range elements(page, "input") {
		id, _ := attribute(n, "id")
		if invalid, _ := attribute(n, "aria-invalid"); (invalid == "true") != (id == "email" || id == "username" || id == "password") {
			t.Errorf("%s is marked invalid: %q", id, invalid)
		}
	}
}

// Programs that keep passwords know the fields by these words.
func TestAutocomplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	for path, want := range map[string]map[string]string{
		"/sign-in":          {"name": "username", "password": "current-password"},
		"/sign-up":          {"email": "email", "username": "username", "password": "new-password"},
		"/account/password": {"username": "username", "old_password": "current-password", "new_password": "new-password"},
	} {
		b := w.browser(t)
		if strings.HasPrefix(path, "/account") {
			b = w.as(t, ada)
		}
		for _, n := range elements(b.page(path, 200), "input") {
			name, _ := attribute(n, "name")
			got, _ := attribute(n, "autocomplete")
			kind, _ := attribute(n, "type")
			if word, ok := want[name]; ok && got != word {
				t.Errorf("%s: %s is for %q, want %q", path, name, got, word)
			}
			if strings.Contains(name, "password") != (kind == "password") {
				t.Errorf("%s: %s is of type %q", path, name, kind)
			}
		}
	}
}

func TestSignInLeadsOnlyWithinTheSite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	if err := w.Settings.Set(t.Context(), systemViewer, "sign_in_attempts", "1000"); err != nil {
		t.Fatal(err)
	}
	for next, want := range map[string]string{
		"/directory?q=a%20b#top":       "/directory?q=a%20b#top",
		"":                             "/account",
		"https://evil.example/":        "/account",
		"//evil.example/":              "/account",
		`/\evil.example`:               "/account",
		`\\evil.example`:               "/account",
		"/\t/evil.example":             "/account",
		"javascript:alert(1)":          "/account",
		"evil.example":                 "/account",
		"/ok\r\nSet-Cookie: a=b":       "/account",
		"https:evil.example":           "/account",
		"http:///evil.example":         "/account",
		"/sign-in?next=//evil.example": "/sign-in?next=//evil.example", // which leads to the account
	} {
		led(t, "signing in for "+next, w.browser(t).post("/sign-in", "name", "ada", "password", password, "next", next), want)
		query := "/sign-in?" + url.Values{"next": {next}}.Encode()
		led(t, "being signed in for "+next, w.as(t, ada).get(query), want)
		led(t, "signing up though signed in", w.as(t, ada).get("/sign-up?"+url.Values{"next": {next}}.Encode()), want)
		kept := fields(w.page(t, query, 200))["next"]
		if want == "/account" && kept != "" || want != "/account" && kept != next {
			t.Errorf("the form keeps %q of %q", kept, next)
		}
	}
	led(t, "a member's page", w.browser(t).get("/account/tokens?x=1"), "/sign-in?next=%2Faccount%2Ftokens%3Fx%3D1")
}

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account(t, "ada")
	b := w.browser(t)
	if c := b.get("/sign-in").Result().Cookies(); len(c) != 0 {
		t.Errorf("a visitor gets the cookies %v", c)
	}
	a := b.post("/sign-in", "name", "ada", "password", password)
	c := a.Result().Cookies()
	if len(c) != 1 || c[0].Name != "__Host-session" || !c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode || c[0].Path != "/" || c[0].Domain != "" {
		t.Fatalf("signing in sets %v", a.Header()["Set-Cookie"])
	}
	if cache := b.get("/account").Header().Get("Cache-Control"); !strings.Contains(cache, "no-store") {
		t.Errorf("the account may be kept: %s", cache)
	}
	old := c[0].Value
	led(t, "signing out", b.post("/sign-out"), "/")
	r := httptest.NewRequest(http.MethodGet, base+"/account", nil)
	r.AddCookie(&http.Cookie{Name: "__Host-session", Value: old})
	led(t, "the old cookie", w.browser(t).send(r), "/sign-in?next=%2Faccount")
	led(t, "signing out twice", b.post("/sign-out"), "/")
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	for _, path := range []string{"/sign-in", "/sign-up", "/sign-out", "/verify", "/verify/resend", "/recover", "/account", "/account/password",
		"/account/tokens", "/account/sessions/end-others"} {
		b := w.as(t, ada)
		r := httptest.NewRequest(http.MethodPost, base+path, strings.NewReader("name=ada&password="+url.QueryEscape(password)))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if a := b.send(r); a.Code != http.StatusForbidden {
			t.Errorf("%s from another site gives %d", path, a.Code)
		}
		b.page("/account", 200)
	}
}

func TestTooManyTries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account(t, "ada")
	b := w.browser(t)
	var a *httptest.ResponseRecorder
	for range 11 {
		a = b.post("/sign-in", "name", "ada", "password", "not this one")
	}
	page := parsed(t, "/sign-in", a, http.StatusTooManyRequests)
	if !strings.Contains(text(page), "tried too often") || a.Header().Get("Retry-After") == "" || fields(page)["name"] != "ada" {
		t.Errorf("the eleventh try: Retry-After %q, %s", a.Header().Get("Retry-After"), text(page))
	}
	if right := b.post("/sign-in", "name", "ada", "password", password); right.Code != http.StatusTooManyRequests {
		t.Errorf("the right password then gives %d", right.Code)
	}
}

func TestRecovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	elsewhere, b := w.as(t, ada), w.as(t, ada)
	led(t, "asking", b.post("/recover", "email", "ada@example.org"), "/check-mail?for=recover")
	_, link := w.mailedLink(t)
	for range 2 {
		page := b.page(link, 200)
		if fields(page)["token"] != token(t, link) || fields(page)["username"] != "ada" {
			t.Fatalf("the link shows %s", text(page))
		}
	}
	weak := b.post("/recover", "token", token(t, link), "password", "ada-ada-ada")
	if page := parsed(t, "/recover", weak, 422); !strings.Contains(text(page), "must not contain your username") || strings.Contains(weak.Body.String(), "ada-ada-ada") {
		t.Errorf("a weak password: %s", text(page))
	}
	led(t, "choosing", b.post("/recover", "token", token(t, link), "password", "quite another secret"), "/sign-in")
	if page := text(b.page("/sign-in", 200)); !strings.Contains(page, "Your new password is set") {
		t.Errorf("afterwards the page says %s", page)
	}
	led(t, "the session elsewhere", elsewhere.get("/account"), "/sign-in?next=%2Faccount")
	parsed(t, link, b.get(link), http.StatusNotFound)
	parsed(t, "/recover", b.post("/recover", "token", token(t, link), "password", "quite another secret"), http.StatusNotFound)
	parsed(t, "/sign-in", b.post("/sign-in", "name", "ada", "password", password), 422)
	led(t, "the new password", b.post("/sign-in", "name", "ada", "password", "quite another secret"), "/account")
	b.post("/recover", "email", "ada@example.org")
	_, late := w.mailedLink(t)
	w.clock.Add(int64(61 * time.Minute))
	parsed(t, "a late link", b.get(late), http.StatusNotFound)
}
