package web_test

import (
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/secret"
	"homeplace/core/sessions"
	"homeplace/core/signing"
)

// programs signs programs in over the world's database.
func (w world) programs(t testing.TB) *sessions.Programs {
	t.Helper()
	installation, err := secret.Parse(strings.Repeat("a", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	keys := signing.New(w.db.DB, installation, core.Now)
	if err := keys.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sessions.NewPrograms(w.db.DB, core.Now, sessions.ProgramNeeds{Keys: keys, Secret: installation, Settings: w.Settings, Issuer: base + "/auth/v1"})
}

func begin(t testing.TB, p *sessions.Programs, a accounts.Account, origin sessions.Origin, userAgent string) sessions.Pair {
	t.Helper()
	pair, err := p.Begin(t.Context(), sessions.Start{AccountID: a.ID, Origin: origin, UserAgent: userAgent, AddressKey: "192.0.2.7"})
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func lives(t testing.TB, p *sessions.Programs, pair sessions.Pair) bool {
	t.Helper()
	_, err := p.Authenticate(t.Context(), pair.AccessToken)
	if err != nil && core.AsError(err).Code != "session_not_found" {
		t.Fatal(err)
	}
	return err == nil
}

func TestProgramsOnTheSessionsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	programs := w.programs(t)
	ada, bea := w.account(t, "ada"), w.account(t, "bea")
	b := w.as(t, ada)
	page := b.page("/account/sessions", 200)
	if said := text(page); !strings.Contains(said, "This browser") || !strings.Contains(said, "No programs are signed in") || strings.Contains(said, "Sign out everywhere else") {
		t.Errorf("with one browser alone the page says %s", said)
	}
	first := begin(t, programs, ada, sessions.OriginPassword, "PorchKit/2.1 (telephone)")
	second := begin(t, programs, ada, sessions.OriginProvider, "<script>alert(1)</script>")
	firefox := "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	web, err := w.Services.Sessions.List(t.Context(), ada.Viewer())
	if err != nil {
		t.Fatal(err)
	}
	child, err := programs.Begin(t.Context(), sessions.Start{AccountID: ada.ID, Origin: sessions.OriginBrowser, Browser: web[len(web)-1].ID, UserAgent: firefox})
	if err != nil {
		t.Fatal(err)
	}
	if said := text(b.page("/account/sessions", 200)); !strings.Contains(said, "Handed over by Firefox on Linux") {
		t.Errorf("a program that has not called yet is shown as %s", said)
	}
	if _, err := programs.Refresh(t.Context(), child.RefreshToken, "Porchlight/3"); err != nil {
		t.Fatal(err)
	}
	hers := begin(t, programs, bea, sessions.OriginPassword, "Bandwagon/1")
	page = b.page("/account/sessions", 200)
	said := text(page)
	for _, want := range []string{"PorchKit", "With your password", "A browser or program", "Through another service’s sign-in", "Porchlight", "Handed over by a browser of yours", "192.0.2.7", "Sign out everywhere else"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	if ends := endings(page); len(ends) != 3 || strings.Contains(said, "Bandwagon") {
		t.Errorf("the page ends %v: %s", ends, said)
	}
	if a := w.as(t, bea).post("/account/sessions/" + first.SessionID + "/end"); a.Code != http.StatusNotFound || !lives(t, programs, first) {
		t.Errorf("somebody else's program ends with %d", a.Code)
	}
	led(t, "ending a program", b.post("/account/sessions/"+first.SessionID+"/end"), "/account/sessions")
	if lives(t, programs, first) || !lives(t, programs, second) {
		t.Error("another program ended than the one that was named")
	}
	led(t, "ending the others", b.post("/account/sessions/end-others"), "/account/sessions")
	if lives(t, programs, second) || !lives(t, programs, hers) {
		t.Error("ending the others spares the program, or ends somebody else's")
	}
	b.page("/account", 200)
}

func TestANewPasswordSignsProgramsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	programs := w.programs(t)
	ada := w.account(t, "ada")
	b := w.as(t, ada)
	p := begin(t, programs, ada, sessions.OriginPassword, "")
	led(t, "signing another browser out", w.as(t, ada).post("/sign-out"), "/")
	if !lives(t, programs, p) {
		t.Error("signing out of a browser ends a program")
	}
	led(t, "changing", b.post("/account/password", "old_password", password, "new_password", "quite another secret"), "/account/password")
	if lives(t, programs, p) {
		t.Error("the program lives after a change of the password")
	}
	p = begin(t, programs, ada, sessions.OriginPassword, "")
	if err := w.Access.RequestRecovery(t.Context(), ada.Email, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	_, path := w.mailedLink(t)
	_, token, _ := strings.Cut(path, "token=")
	if _, err := w.Access.Recover(t.Context(), token, "yet another secret"); err != nil {
		t.Fatal(err)
	}
	if lives(t, programs, p) {
		t.Error("the program lives after a recovery")
	}
}
