package accounts

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pgtest"
)

func TestSignUpWithMail(t *testing.T) {
	t.Parallel()
	h := open(t)
	in := input("ada")
	in.DisplayName = " Ada L. "
	outcome, err := h.SignUp(t.Context(), in)
	if err != nil || !outcome.CheckMail || outcome.Account.Username != "ada" {
		t.Fatalf("SignUp = %+v, %v", outcome, err)
	}
	token := h.mailed(t, "ada@example.org", VerifyPage)
	wantCode(t, "signing in before the address is confirmed", h.signIn(t, "ada", password), "email_unverified")
	wantCode(t, "the same with another password", h.signIn(t, "ada", "some other secret"), "invalid_credentials")
	if _, err := h.PublicProfile(t.Context(), "ada"); core.KindOf(err) != core.NotFound {
		t.Errorf("the profile shows before the address is confirmed: %v", err)
	}
	a, err := h.Verify(t.Context(), token)
	if err != nil || a.Username != "ada" || *a.DisplayName != "Ada L." || a.Role != RoleMember {
		t.Fatalf("Verify = %+v, %v", a, err)
	}
	for _, name := range []string{"ada", " ADA ", "ada@example.org", "Ada@Example.org"} {
		if err := h.signIn(t, name, password); err != nil {
			t.Errorf("signing in as %q: %v", name, err)
		}
	}
	if p, err := h.PublicProfile(t.Context(), "Ada"); err != nil || p.AccountID != a.ID || p.Username != "ada" || *p.DisplayName != "Ada L." {
		t.Errorf("PublicProfile = %+v, %v, want %+v", p, err, a.Profile())
	}
}

func TestSignUpWithoutMail(t *testing.T) {
	t.Parallel()
	w := setup(t)
	h := w.open(t, w.db.DB, &postbox{})
	outcome, err := h.SignUp(t.Context(), input("ada"))
	if err != nil || outcome.CheckMail || outcome.Account.Username != "ada" {
		t.Fatalf("SignUp = %+v, %v", outcome, err)
	}
	if err := h.signIn(t, "ada", password); err != nil {
		t.Errorf("signing in: %v", err)
	}
	in := input("bea")
	in.Email = "ADA@example.org"
	_, err = h.SignUp(t.Context(), in)
	wantCode(t, "an address that has an account", err, "email_taken")
	if core.AsError(err).Fields["email"] == "" {
		t.Errorf("the error is not at the field: %v", err)
	}
	if mails := h.collect(t); len(mails) != 0 {
		t.Errorf("mails %+v, want none", mails)
	}
}

// An address that has an account gets the same answer, and the account is left
// as it is.
func TestSignUpHidesWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	in := input("mallory")
	in.Email = "ADA@example.org"
	outcome, err := h.SignUp(t.Context(), in)
	if err != nil || !outcome.CheckMail || outcome.Account.Username != "mallory" || outcome.Account.ID == ada.ID {
		t.Fatalf("SignUp = %+v, %v", outcome, err)
	}
	mails := h.collect(t)
	if len(mails) != 1 || mails[0].to != ada.Email || !strings.Contains(mails[0].subject, "already have an account") ||
		!strings.Contains(mails[0].text, "/recover?token=") || strings.Contains(mails[0].text, "mallory") {
		t.Errorf("mails %+v", mails)
	}
	if err := h.signIn(t, "ada", password); err != nil {
		t.Errorf("signing in with the old password: %v", err)
	}

	// The username that was asked for looks as taken as after a real sign-up.
	if _, err := h.SignUp(t.Context(), input("real")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mallory", "real"} {
		again := input(name)
		again.Email = "new-" + name + "@example.org"
		_, err := h.SignUp(t.Context(), again)
		wantCode(t, "asking for "+name+" again", err, "username_taken")
	}
	h.collect(t)
	h.clock.forward(pendingAge)
	if n, err := h.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("Sweep = %d, %v, want 1", n, err)
	}
	h.manyTries(t)
	for _, name := range []string{"mallory", "real"} {
		again := input(name)
		again.Email = "newer-" + name + "@example.org"
		if _, err := h.SignUp(t.Context(), again); err != nil {
			t.Errorf("asking for %s a week later: %v", name, err)
		}
	}
	if err := h.signIn(t, "ada", password); err != nil {
		t.Errorf("a verified account is swept: %v", err)
	}
}

// Whoever signs up with a stranger's address must not choose the password that
// the owner ends up with: a second sign-up leads to choosing a new one.
func TestSecondSignUpOfUnverifiedAccountRecoversIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	if _, err := h.SignUp(t.Context(), input("mallory")); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	in := input("victim")
	in.Email = "mallory@example.org"
	if _, err := h.SignUp(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	token := h.mailed(t, "mallory@example.org", RecoverPage)
	if _, err := h.Recover(t.Context(), token, "the owner's own secret"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the stranger's password", h.signIn(t, "mallory", password), "invalid_credentials")
	if err := h.signIn(t, "mallory@example.org", "the owner's own secret"); err != nil {
		t.Errorf("the owner's password: %v", err)
	}
}

func TestSignUpTakesAsLongForKnownAddresses(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	h.signUp(t, "ada")
	n := 0
	aboutEqual(t, 11, func(known bool) {
		n++
		in := input("name" + strconv.Itoa(n))
		if known {
			in.Email = "ada@example.org"
		}
		if outcome, err := h.SignUp(t.Context(), in); err != nil || !outcome.CheckMail {
			t.Errorf("SignUp = %+v, %v", outcome, err)
		}
	})
	h.collect(t)
}

func TestSignUpLimitsOverTwoInstances(t *testing.T) {
	t.Parallel()
	h := open(t)
	instances := []*Access{h.Access, h.second(t).Access}
	for i := range 10 {
		if _, err := instances[i%2].SignUp(t.Context(), input("name"+strconv.Itoa(i))); err != nil {
			t.Errorf("sign-up %d: %v", i, err)
		}
	}
	_, err := h.SignUp(t.Context(), input("eleventh"))
	wantCode(t, "the eleventh of one address", err, "rate_limited")
	for i := range 6 {
		in := input("other" + strconv.Itoa(i))
		in.Email, in.AddressKey = "Ada@example.org", "198.51.100."+strconv.Itoa(i)
		if _, err = instances[i%2].SignUp(t.Context(), in); i < 5 && err != nil {
			t.Errorf("sign-up %d with one e-mail address: %v", i, err)
		}
	}
	wantCode(t, "the sixth with one e-mail address", err, "rate_limited")
	h.collect(t)
}

func TestSignUpValidates(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.SignUp(t.Context(), SignUpInput{Email: "ada", Username: "staff", DisplayName: strings.Repeat("x", 61), Password: "short"})
	if got := slices.Sorted(maps.Keys(core.AsError(err).Fields)); !slices.Equal(got, []string{"display_name", "email", "password", "username"}) {
		t.Errorf("wrong fields %v, %v", got, err)
	}
	in := input("ada")
	in.Password = "i love ada so much"
	if _, err := h.SignUp(t.Context(), in); core.AsError(err).Fields["password"] == "" {
		t.Errorf("a password with the username in it gives %v", err)
	}
	in = input("ada")
	in.Email = "ada@example.org\r\nBcc: eve@example.org"
	if _, err := h.SignUp(t.Context(), in); core.AsError(err).Fields["email"] == "" {
		t.Errorf("an address with a header in it gives %v", err)
	}
}

func TestEnsureStrong(t *testing.T) {
	t.Parallel()
	for password, ok := range map[string]bool{
		"correct horse":            true,
		"QwertyUiop":               false,
		"1234567890":               false,
		"password123":              false,
		"my name is ADA":           false,
		"write to lovelace soon":   false,
		"lovelace@example.org!":    false,
		"example.org is fine":      true,
		"short":                    false,
		strings.Repeat("é", 200):   true,
		strings.Repeat("é", 201):   false,
		"iloveyou123":              false,
		"unlike any of the others": true,
	} {
		if err := EnsureStrong(password, "ada", "Lovelace@example.org"); (err == nil) != ok {
			t.Errorf("%q: %v, want it taken: %t", password, err, ok)
		}
	}
	if err := EnsureStrong("balanced diet", "al", "b@example.org"); err != nil {
		t.Errorf("a name of two letters: %v", err)
	}
	if n := len(common()); n < 200 {
		t.Errorf("%d common passwords, want 200 at least", n)
	}
	for p := range common() {
		if len(p) < minPassword || p != strings.ToLower(p) {
			t.Errorf("%q cannot be met in the list", p)
		}
	}
}

func TestLinksAreUsedOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	if _, err := h.SignUp(t.Context(), input("ada")); err != nil {
		t.Fatal(err)
	}
	token := h.mailed(t, "ada@example.org", VerifyPage)
	if _, err := h.Recover(t.Context(), token, "some other secret"); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("a link to verify recovers: %v", err)
	}
	var won atomic.Int32
	var all sync.WaitGroup
	instances := []*Access{h.Access, h.second(t).Access}
	for i := range 50 {
		all.Go(func() {
			switch _, err := instances[i%2].Verify(t.Context(), token); {
			case err == nil:
				won.Add(1)
			case core.AsError(err).Code != "link_not_valid":
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 50 used the link, want 1", won.Load())
	}
}

func TestLinksThatAreNotGood(t *testing.T) {
	t.Parallel()
	h := open(t)
	if _, err := h.SignUp(t.Context(), input("ada")); err != nil {
		t.Fatal(err)
	}
	first := h.mailed(t, "ada@example.org", VerifyPage)
	if err := h.ResendVerification(t.Context(), " ADA@example.org", somewhere); err != nil {
		t.Fatal(err)
	}
	second := h.mailed(t, "ada@example.org", VerifyPage)
	for name, token := range map[string]string{"an older one": first, "nothing": "", "any other": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "broken text": "\x00\xff"} {
		if _, err := h.Verify(t.Context(), token); core.AsError(err).Code != "link_not_valid" {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.clock.forward(24*time.Hour - time.Second)
	if _, err := h.world.db.Exec(t, core.TheSystem(), `update accounts set email = 'other@example.org'`); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Verify(t.Context(), second); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("a link to an address that the account had before: %v", err)
	}
	if _, err := h.world.db.Exec(t, core.TheSystem(), `update accounts set email = 'ada@example.org'`); err != nil {
		t.Fatal(err)
	}
	h.clock.forward(time.Second)
	if _, err := h.Verify(t.Context(), second); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("an expired one: %v", err)
	}
	if stored := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from account_links where position(convert_to($1, 'UTF8') in hash) > 0`, second); stored != 0 {
		t.Error("the token itself is stored")
	}
}

func TestResendSaysTheSameToEverybody(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signUp(t, "ada")
	for _, email := range []string{"ada@example.org", "nobody@example.org"} {
		if err := h.ResendVerification(t.Context(), email, somewhere); err != nil {
			t.Errorf("%s: %v", email, err)
		}
	}
	if mails := h.collect(t); len(mails) != 0 {
		t.Errorf("mails %+v, want none", mails)
	}
	if err := h.ResendVerification(t.Context(), "no address", somewhere); core.AsError(err).Fields["email"] == "" {
		t.Errorf("no address: %v", err)
	}
}

func TestSignUpRace(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	var all sync.WaitGroup
	var refused atomic.Int32
	for range 20 {
		all.Go(func() {
			if _, err := h.SignUp(t.Context(), input("ada")); err != nil {
				refused.Add(1)
				wantCode(t, "a second sign-up", err, "username_taken")
			}
		})
	}
	all.Wait()
	if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from accounts`); n != 1 {
		t.Errorf("%d accounts and %d refusals of 20", n, refused.Load())
	}
	h.collect(t)
}

func TestBrokenMailServerDoesNotFailSignUp(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.post.broken = true
	if _, err := h.SignUp(t.Context(), input("ada")); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	h.post.broken = false
	if err := h.ResendVerification(t.Context(), "ada@example.org", somewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Verify(t.Context(), h.mailed(t, "ada@example.org", VerifyPage)); err != nil {
		t.Error(err)
	}
}
