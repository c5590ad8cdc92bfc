package accounts

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// change asks for another address and takes the token out of the mail to it.
func (h house) change(t *testing.T, a Account, email string) (token string) {
	t.Helper()
	if err := h.RequestEmailChange(t.Context(), a.Viewer(), email, password, somewhere); err != nil {
		t.Fatalf("ask for %s: %v", email, err)
	}
	for _, m := range h.collect(t) {
		link := linkForm.FindStringSubmatch(m.text)
		if m.to != email || link == nil || link[1] != EmailPage {
			continue
		}
		token, err := url.QueryUnescape(link[2])
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	return ""
}

func (h house) wantBadLink(t *testing.T, what, token string) {
	t.Helper()
	_, err := h.CheckEmailChange(t.Context(), token)
	wantCode(t, what+", looked at", err, "link_not_valid")
	_, err = h.ConfirmEmailChange(t.Context(), token)
	wantCode(t, what+", used", err, "link_not_valid")
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	h := open(t)
	other := h.second(t)
	ada := h.signUp(t, "ada")
	h.browser(t, ada, "one")
	if err := h.RequestEmailChange(t.Context(), ada.Viewer(), " Ada@new.example.org", password, somewhere); err != nil {
		t.Fatal(err)
	}
	mails := h.collect(t)
	if len(mails) != 2 || mails[0].to != ada.Email || mails[1].to != "Ada@new.example.org" {
		t.Fatalf("mails %+v, want one to the old and one to the new address", mails)
	}
	if !strings.Contains(mails[0].text, "https://homeplace.test/recover\n") || strings.Contains(mails[0].text, "token") {
		t.Errorf("the notice reads %s", mails[0].text)
	}
	token := linkForm.FindStringSubmatch(mails[1].text)[2]
	waiting, waits, err := other.WaitingEmail(t.Context(), ada.Viewer())
	if err != nil || !waits || waiting.Email != "Ada@new.example.org" || waiting.ExpiresAt != h.clock.read().Add(24*time.Hour) {
		t.Errorf("WaitingEmail = %+v, %t, %v", waiting, waits, err)
	}
	if err := h.RequestRecovery(t.Context(), ada.Email, somewhere); err != nil {
		t.Fatal(err)
	}
	old := h.mailed(t, ada.Email, RecoverPage)
	for range 2 { // as a mail program and then a person would
		if a, err := other.CheckEmailChange(t.Context(), token); err != nil || a.Email != "Ada@new.example.org" || a.Username != "ada" {
			t.Fatalf("CheckEmailChange = %+v, %v", a, err)
		}
	}
	if err := h.signIn(t, ada.Email, password); err != nil {
		t.Errorf("before the link is used: %v", err)
	}

	a, err := other.ConfirmEmailChange(t.Context(), token)
	if err != nil || a.ID != ada.ID || a.Email != "Ada@new.example.org" {
		t.Fatalf("ConfirmEmailChange = %+v, %v", a, err)
	}
	if mails := other.collect(t); len(mails) != 1 || mails[0].to != ada.Email || !strings.Contains(mails[0].subject, "has a new e-mail address") {
		t.Errorf("mails %+v, want one that tells the old address", mails)
	}
	wantCode(t, "the old address", h.signIn(t, ada.Email, password), "invalid_credentials")
	if err := h.signIn(t, "ADA@new.example.org", password); err != nil {
		t.Errorf("the new address: %v", err)
	}
	if _, err := h.CheckRecovery(t.Context(), old); core.KindOf(err) != core.NotFound {
		t.Errorf("a recovery link to the old address: %v", err)
	}
	if len(h.browsers(t, ada)) != 1 {
		t.Error("the session ended with the address")
	}
	if _, waits, err := h.WaitingEmail(t.Context(), ada.Viewer()); err != nil || waits {
		t.Errorf("afterwards an address waits: %t, %v", waits, err)
	}
	h.wantBadLink(t, "a used link", token)
}

func TestEmailChangeIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	for _, c := range []struct {
		who             string
		v               core.Viewer
		email, password string
		kind            core.Kind
		fields          string
	}{
		{"nobody", core.Nobody(), "a@b.example", password, core.Unauthenticated, ""},
		{"somebody who is gone", core.Viewer{ID: pg.NewID(), Role: core.Member}, "a@b.example", password, core.Unauthenticated, ""},
		{"no address, no password", ada.Viewer(), "", "", core.Invalid, "email password"},
		{"two addresses", ada.Viewer(), "a@b.example, c@d.example", password, core.Invalid, "email"},
		{"a header in the address", ada.Viewer(), "a@b.example\r\nBcc: c@d.example", password, core.Invalid, "email"},
		{"the address of now", ada.Viewer(), "ADA@example.org", password, core.Invalid, "email"},
		{"a wrong password", ada.Viewer(), "a@b.example", "not this one", core.Invalid, "password"},
	} {
		err := h.RequestEmailChange(t.Context(), c.v, c.email, c.password, somewhere)
		wantKind(t, c.who, err, c.kind)
		for _, field := range strings.Fields(c.fields) {
			if core.AsError(err).Fields[field] == "" {
				t.Errorf("%s says nothing at %s: %v", c.who, field, err)
			}
		}
	}
	if mails := h.collect(t); len(mails) != 0 {
		t.Errorf("mails %+v, want none", mails)
	}
	_, _, err := h.WaitingEmail(t.Context(), core.Nobody())
	wantKind(t, "nobody's waiting address", err, core.Unauthenticated)
	for _, token := range []string{"", "x", "\x00", strings.Repeat("x", 5000)} {
		h.wantBadLink(t, "a made-up link", token)
	}
	if _, err := h.world.db.Exec(t, core.TheSystem(), `delete from passwords where account_id = $1`, ada.ID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "an account without a password", h.RequestEmailChange(t.Context(), ada.Viewer(), "a@b.example", "x", somewhere), "no_password")
}

// An address that has an account gets another mail, and nothing else tells.
func TestEmailChangeTellsNobodyWhoIsHere(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	for _, target := range []string{bea.Email, "free@example.org"} {
		earlier := h.change(t, ada, "mine@example.org")
		token := h.change(t, ada, target)
		if known := target == bea.Email; (token == "") != known {
			t.Errorf("%s gets the link %q", target, token)
		}
		h.wantBadLink(t, "the link before "+target, earlier)
		if w, waits, err := h.WaitingEmail(t.Context(), ada.Viewer()); err != nil || !waits || w.Email != target {
			t.Errorf("%s: WaitingEmail = %+v, %t, %v", target, w, waits, err)
		}
	}
	if err := h.RequestEmailChange(t.Context(), ada.Viewer(), bea.Email, password, somewhere); err != nil {
		t.Fatal(err)
	}
	mails := h.collect(t)
	if len(mails) != 2 || mails[1].to != bea.Email || !strings.Contains(mails[1].text, "your account bea already") || strings.Contains(mails[1].text, "token") ||
		strings.Contains(mails[1].text, "ada") {
		t.Errorf("mails %+v", mails)
	}
	aboutEqual(t, 11, func(known bool) {
		email := map[bool]string{true: bea.Email, false: "free@example.org"}[known]
		if err := h.RequestEmailChange(t.Context(), ada.Viewer(), email, password, somewhere); err != nil {
			t.Error(err)
		}
	})
	h.collect(t)
}

// Who signs up with an address and never confirms it does not keep its owner
// from it.
func TestUnconfirmedSignUpsGiveWay(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	if _, err := h.SignUp(t.Context(), input("squatter")); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	token := h.change(t, ada, "squatter@example.org")
	if a, err := h.ConfirmEmailChange(t.Context(), token); err != nil || a.ID != ada.ID || a.Email != "squatter@example.org" {
		t.Errorf("ConfirmEmailChange = %+v, %v", a, err)
	}
	if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from accounts`); n != 1 {
		t.Errorf("%d accounts are there, want 1", n)
	}
	h.collect(t)
}

func TestEmailLinksEnd(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada := h.signUp(t, "ada")
	h.wantBadLink(t, "an older link", func() string {
		older := h.change(t, ada, "one@example.org")
		h.change(t, ada, "two@example.org")
		return older
	}())

	token := h.change(t, ada, "new@example.org")
	if err := h.ChangePassword(t.Context(), ada.Viewer(), password, "some other secret", ""); err != nil {
		t.Fatal(err)
	}
	h.wantBadLink(t, "a link from before the password was changed", token)
	h.collect(t)
	if err := h.ChangePassword(t.Context(), ada.Viewer(), "some other secret", password, ""); err != nil {
		t.Fatal(err)
	}
	h.collect(t)

	token = h.change(t, ada, "new@example.org")
	if err := h.RequestRecovery(t.Context(), ada.Email, somewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Recover(t.Context(), h.mailed(t, ada.Email, RecoverPage), password); err != nil {
		t.Fatal(err)
	}
	h.wantBadLink(t, "a link from before the recovery", token)
	h.collect(t)

	token = h.change(t, ada, "new@example.org")
	h.clock.forward(24*time.Hour - time.Second)
	if _, err := h.CheckEmailChange(t.Context(), token); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	h.clock.forward(time.Second)
	h.wantBadLink(t, "a link after a day", token)
	if a, err := h.Me(t.Context(), ada.Viewer()); err != nil || a.Email != "ada@example.org" {
		t.Errorf("the account is %+v, %v", a, err)
	}
}

func TestEmailChangeLimits(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	for range 5 {
		if err := h.RequestEmailChange(t.Context(), ada.Viewer(), "new@example.org", password, somewhere); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, "a sixth mail to one address", h.RequestEmailChange(t.Context(), bea.Viewer(), "NEW@example.org", password, "192.0.2.2"), "rate_limited")
	wantCode(t, "a sixth notice to one account", h.RequestEmailChange(t.Context(), ada.Viewer(), "newer@example.org", password, "192.0.2.2"), "rate_limited")
	for range 9 {
		if err := h.RequestEmailChange(t.Context(), bea.Viewer(), "b@example.org", "not this one", somewhere); core.AsError(err).Fields["password"] == "" {
			t.Fatal(err)
		}
	}
	wantCode(t, "an eleventh guess", h.ChangePassword(t.Context(), bea.Viewer(), "nor this", "x", ""), "rate_limited")
	h.collect(t)
}

// Two accounts confirm the same address, each many times, on two instances.
func TestEmailChangeRace(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	houses := []house{h, h.second(t)}
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	tokens := []string{h.change(t, ada, "porch@example.org"), h.change(t, bea, "porch@example.org")}
	var won, late, taken atomic.Int32
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			_, err := houses[i%2].ConfirmEmailChange(t.Context(), tokens[i/2%2])
			switch {
			case err == nil:
				won.Add(1)
			case core.AsError(err).Code == "link_not_valid":
				late.Add(1)
			case core.AsError(err).Code == "email_taken" && core.KindOf(err) == core.Conflict:
				taken.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || late.Load() != 11 || taken.Load() != 12 {
		t.Errorf("%d won, %d came late, %d found it taken", won.Load(), late.Load(), taken.Load())
	}
	if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from accounts where email = 'porch@example.org'`); n != 1 {
		t.Errorf("%d accounts have the address", n)
	}
	for _, h := range houses {
		h.collect(t)
	}
}

// The password is changed while the mail is asked for: no link outlives it.
func TestNoLinkOutlivesThePassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	other := h.second(t)
	ada := h.signUp(t, "ada")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := other.RequestEmailChange(t.Context(), ada.Viewer(), "new@example.org", password, somewhere); err != nil &&
				core.AsError(err).Code != "password_changed" && core.AsError(err).Fields["password"] == "" {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if err := h.ChangePassword(t.Context(), ada.Viewer(), password, "some other secret", ""); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	if _, waits, err := h.WaitingEmail(t.Context(), ada.Viewer()); err != nil || waits {
		t.Errorf("a link is left: %t, %v", waits, err)
	}
	h.collect(t)
	other.collect(t)
}

// Only the grants and policies stand in the way of these statements.
func TestAddressesBelongToTheSystem(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada, mod := h.signUp(t, "ada"), h.account(t, "mod", RoleModerator)
	h.change(t, ada, "new@example.org")
	for _, v := range []core.Viewer{core.Nobody(), ada.Viewer(), mod} {
		for _, sql := range []string{
			`update accounts set email = 'x@example.org'`,
			`delete from accounts`,
			`select from account_links`,
			`update account_links set email = 'x@example.org'`,
			`select from username_holds`,
		} {
			if _, err := h.world.db.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s: %v", v.DatabaseRole(), sql, err)
			}
		}
	}
	var known *core.Error
	if _, waits, err := h.WaitingEmail(t.Context(), mod); waits || errors.As(err, &known) {
		t.Errorf("another's waiting address: %t, %v", waits, err)
	}
}
