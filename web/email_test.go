package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"homeplace/core"
)

// emailLink is the link in the mail to a new address.
func (w world) emailLink(t testing.TB) string {
	t.Helper()
	for _, letter := range w.letters(t) {
		if m := regexp.MustCompile(`(?s)/change-email\?token=3D(\w+)`).FindStringSubmatch(strings.ReplaceAll(letter, "=\r\n", "")); m != nil {
			return "/change-email?token=" + m[1]
		}
	}
	t.Fatal("no mail has a link")
	return ""
}

func TestChangingTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	b := w.as(t, ada)
	page := b.page("/account/email", 200)
	if !strings.Contains(text(page), "ada@example.org") || strings.Contains(text(page), "One step is left") {
		t.Errorf("the page says %s", text(page))
	}
	wrong := b.post("/account/email", "email", "no address", "password", "not this one")
	refused := parsed(t, "/account/email", wrong, 422)
	if fields(refused)["email"] != "no address" || !strings.Contains(text(refused), "New e-mail address must be an address") {
		t.Errorf("a wrong address hears %s", text(refused))
	}
	wrong = b.post("/account/email", "email", "new@example.org", "password", "not this one")
	if body := wrong.Body.String(); wrong.Code != 422 || strings.Contains(body, "not this one") || !strings.Contains(body, "Is not your password") {
		t.Errorf("a wrong password gives %d: %s", wrong.Code, body)
	}

	led(t, "asking", b.post("/account/email", "email", "new@example.org", "password", password), "/account/email")
	page = b.page("/account/email", 200)
	for _, want := range []string{"A mail is on its way", "One step is left", "We sent a mail to new@example.org", "Mails are written as files"} {
		if !strings.Contains(text(page), want) {
			t.Errorf("afterwards the page lacks %q: %s", want, text(page))
		}
	}
	link := w.emailLink(t)
	elsewhere := w.browser(t)
	for range 2 { // as a mail program and then a person would
		if page := elsewhere.page(link, 200); fields(page)["token"] != token(t, link) || !strings.Contains(text(page), "account ada will have the address new@example.org") {
			t.Fatalf("the link shows %s", text(page))
		}
	}
	if page := text(b.page("/account", 200)); !strings.Contains(page, "ada@example.org") {
		t.Errorf("looking at the link changed the address: %s", page)
	}
	led(t, "confirming elsewhere", elsewhere.post("/change-email", "token", token(t, link)), "/sign-in")
	if page := text(b.page("/account", 200)); !strings.Contains(page, "new@example.org") || strings.Contains(page, "ada@example.org") {
		t.Errorf("the account shows %s", page)
	}
	if again := elsewhere.post("/change-email", "token", token(t, link)); again.Code != http.StatusNotFound || !strings.Contains(again.Body.String(), "does not work any more") {
		t.Errorf("confirming twice gives %d", again.Code)
	}
	elsewhere.page(link, http.StatusNotFound)
	elsewhere.page("/change-email", http.StatusNotFound)
	led(t, "signing in with it", elsewhere.post("/sign-in", "name", "new@example.org", "password", password), "/account")
}

func TestConfirmingTheAddressWhereSignedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ada"))
	b.post("/account/email", "email", "new@example.org", "password", password)
	link := w.emailLink(t)
	led(t, "confirming", b.post("/change-email", "token", token(t, link)), "/account/email")
	if page := text(b.page("/account/email", 200)); !strings.Contains(page, "new@example.org is the address of your account now") || strings.Contains(page, "One step") {
		t.Errorf("the page says %s", page)
	}
}

// An address that has an account reads the same on every page.
func TestAskingForAKnownAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account(t, "bea")
	known, unknown := w.as(t, w.account(t, "ada")), w.as(t, w.account(t, "cyd"))
	led(t, "a known address", known.post("/account/email", "email", "bea@example.org", "password", password), "/account/email")
	led(t, "an unknown one", unknown.post("/account/email", "email", "dot@example.org", "password", password), "/account/email")
	swap := strings.NewReplacer("cyd", "ada", "dot@", "bea@")
	a, b := text(known.page("/account/email", 200)), swap.Replace(text(unknown.page("/account/email", 200)))
	if a != b {
		t.Errorf("a known address reads\n%s\nan unknown one\n%s", a, b)
	}
}

func TestAddressTakenMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ada"))
	b.post("/account/email", "email", "bea@example.org", "password", password)
	link := w.emailLink(t)
	w.account(t, "bea")
	if page := text(parsed(t, link, b.post("/change-email", "token", token(t, link)), http.StatusConflict)); !strings.Contains(page, "Another account has this e-mail address by now") {
		t.Errorf("the page says %s", page)
	}
}

func TestAddressOfAnAccountWithoutPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.withoutPassword(t, ada.ID)
	b := w.as(t, ada)
	if page := b.page("/account/email", 200); !strings.Contains(text(page), "You sign in through another service") || fields(page)["email"] != "" {
		t.Errorf("the page says %s", text(page))
	}
	if a := b.post("/account/email", "email", "new@example.org", "password", "x"); a.Code != 422 {
		t.Errorf("asking gives %d", a.Code)
	}
}

// withoutPassword makes an account one from an outside sign-in.
func (w world) withoutPassword(t testing.TB, accountID string) {
	t.Helper()
	if _, err := w.db.Exec(t, core.TheSystem(), `delete from passwords where account_id = $1`, accountID); err != nil {
		t.Fatal(err)
	}
}
