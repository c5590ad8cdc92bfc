package accounts

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
)

func TestRecovery(t *testing.T) {
	t.Parallel()
	h := open(t)
	other := h.second(t)
	ada := h.signUp(t, "ada")
	h.browser(t, ada, "one")
	h.browser(t, ada, "two")
	if err := h.RequestRecovery(t.Context(), "ADA@example.org ", somewhere); err != nil {
		t.Fatal(err)
	}
	token := h.mailed(t, ada.Email, RecoverPage)
	if _, err := h.Verify(t.Context(), token); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("a link to recover verifies: %v", err)
	}
	for range 2 {
		if a, err := other.CheckRecovery(t.Context(), token); err != nil || a != ada {
			t.Fatalf("CheckRecovery = %+v, %v", a, err)
		}
	}
	for _, weak := range []string{"short", "qwertyuiop", "hello ada hello"} {
		if _, err := h.Recover(t.Context(), token, weak); core.AsError(err).Fields["password"] == "" {
			t.Errorf("%q gives %v", weak, err)
		}
	}
	if a, err := other.Recover(t.Context(), token, "some other secret"); err != nil || a != ada {
		t.Fatalf("Recover = %+v, %v", a, err)
	}
	if got := h.browsers(t, ada); len(got) != 0 {
		t.Errorf("the sessions %v are left, want none", got)
	}
	wantCode(t, "the old password", h.signIn(t, "ada", password), "invalid_credentials")
	if err := h.signIn(t, "ada", "some other secret"); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := h.Recover(t.Context(), token, "yet another secret"); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("using the link again: %v", err)
	}
	if mails := other.collect(t); len(mails) != 1 || !strings.Contains(mails[0].subject, "was changed") {
		t.Errorf("mails %+v", mails)
	}
}

func TestRecoverySaysTheSameToEverybody(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signUp(t, "ada")
	h.manyTries(t)
	aboutEqual(t, 31, func(known bool) {
		email := map[bool]string{true: "ada@example.org", false: "nobody@example.org"}[known]
		if err := h.RequestRecovery(t.Context(), email, somewhere); err != nil {
			t.Error(err)
		}
	})
	for _, m := range h.collect(t) {
		if m.to != "ada@example.org" {
			t.Errorf("a mail to %s", m.to)
		}
	}
}

func TestRecoveryLinksEnd(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	ask := func() string {
		t.Helper()
		if err := h.RequestRecovery(t.Context(), ada.Email, somewhere); err != nil {
			t.Fatal(err)
		}
		return h.mailed(t, ada.Email, RecoverPage)
	}
	older := ask()
	token := ask()
	if _, err := h.CheckRecovery(t.Context(), older); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("an older link: %v", err)
	}
	h.clock.forward(time.Hour - time.Second)
	if _, err := h.CheckRecovery(t.Context(), token); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	h.clock.forward(time.Second)
	if _, err := h.CheckRecovery(t.Context(), token); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("after an hour: %v", err)
	}
	if _, err := h.Recover(t.Context(), token, "some other secret"); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("using it after an hour: %v", err)
	}
	if _, err := h.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRecoveryRace(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada := h.signUp(t, "ada")
	if err := h.RequestRecovery(t.Context(), ada.Email, somewhere); err != nil {
		t.Fatal(err)
	}
	token := h.mailed(t, ada.Email, RecoverPage)
	var won atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			switch _, err := h.Recover(t.Context(), token, "some other secret"); {
			case err == nil:
				won.Add(1)
			case core.AsError(err).Code != "link_not_valid":
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 10 used the link, want 1", won.Load())
	}
	h.collect(t)
}

// The one word in a mail that a stranger may have chosen is the username.
func TestLettersReadWell(t *testing.T) {
	t.Parallel()
	l := letter{site: "Test Porch", username: "ada", link: "https://homeplace.test/verify?token=X"}
	for name, m := range map[string]message{"verify": verifyLetter(l), "known": knownLetter(l), "recover": recoverLetter(l), "changed": changedLetter(l),
		"confirm a new address": emailConfirmLetter(l), "a known address": emailKnownLetter(l), "an address was asked for": emailAskedLetter(l),
		"an address has changed": emailChangedLetter(l), "goodbye": goodbyeLetter(l)} {
		if !strings.Contains(m.subject, "Test Porch") || !strings.Contains(m.text, "\n"+l.link+"\n") || strings.Contains(m.text, "%!") {
			t.Errorf("%s: %s\n%s", name, m.subject, m.text)
		}
		for line := range strings.Lines(m.text) {
			if len(line) > 79 {
				t.Errorf("%s: the line %q is longer than a screen", name, line)
			}
		}
	}
}
