package accounts

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/provider"
)

const issuer = "https://id.example"

// vouched is somebody whose e-mail address the provider has verified.
func vouched(name string) provider.Subject {
	return provider.Subject{Issuer: issuer, Subject: "auth|" + name, Email: name + "@example.org", EmailVerified: true,
		Name: strings.ToUpper(name[:1]) + name[1:], Username: name}
}

func unvouched(name string) provider.Subject {
	s := vouched(name)
	s.EmailVerified = false
	return s
}

func (h house) admit(t *testing.T, s provider.Subject) Account {
	t.Helper()
	a, err := h.Admit(t.Context(), s, somewhere)
	if err != nil {
		t.Fatalf("admit %+v: %v", s, err)
	}
	return a
}

// badge is a verifier whose JWTs are the names of people.
type badge map[string]provider.Subject

func (b badge) Verify(_ context.Context, token string) (provider.Subject, error) {
	s, ok := b[token]
	if !ok {
		return provider.Subject{}, core.Unauthenticatedf("This session token is not valid.")
	}
	return s, nil
}

func (h house) count(t *testing.T, table string) int {
	t.Helper()
	return pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from `+table)
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	h := open(t)
	first := h.admit(t, vouched("ada"))
	if first.Username != "ada" || first.Email != "ada@example.org" || *first.DisplayName != "Ada" || first.Role != RoleMember {
		t.Errorf("the account is %+v", first)
	}
	if _, err := h.PublicProfile(t.Context(), "ada"); err != nil {
		t.Errorf("the profile: %v", err)
	}
	moved := vouched("ada")
	moved.Email, moved.Username, moved.EmailVerified = "new@example.org", "other", false
	if again := h.admit(t, moved); again.ID != first.ID || again.Email != "ada@example.org" {
		t.Errorf("the second time it is %+v", again)
	}
	if mails := h.collect(t); len(mails) != 0 {
		t.Errorf("mails %+v", mails)
	}
	elsewhere := vouched("ada")
	elsewhere.Issuer, elsewhere.Email = "https://other.example", "ada@other.example"
	if other := h.admit(t, elsewhere); other.ID == first.ID || !strings.HasPrefix(other.Username, "ada-") {
		t.Errorf("the same subject of another issuer is %+v", other)
	}
	nobody := vouched("bea")
	for _, email := range []string{"", "no address", "a@b\x00", "x@" + noMailDomain} {
		nobody.Email = email
		_, err := h.Admit(t.Context(), nobody, somewhere)
		wantCode(t, "the address "+email, err, "no_email")
	}
}

func TestAdmit_knownAddress(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	if got := h.admit(t, vouched("ada")); got.ID != ada.ID {
		t.Errorf("who is verified on both sides gets %+v", got)
	}
	if mails := h.collect(t); len(mails) != 1 || mails[0].to != ada.Email || !strings.Contains(mails[0].text, "signing in at id.example") {
		t.Errorf("the link is told in %+v", mails)
	}
	if err := h.signIn(t, "ada", password); err != nil {
		t.Errorf("the password: %v", err)
	}
	// Somebody has signed up with an address that they never verified.
	if _, err := h.SignUp(t.Context(), input("bea")); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	_, err := h.Admit(t.Context(), vouched("bea"), somewhere)
	wantCode(t, "an address that nobody verified here", err, "link_first")
	if n := h.count(t, "account_identities"); n != 1 {
		t.Errorf("%d identities, want 1", n)
	}
}

// Nobody learns by claiming an address at a careless provider whether it has
// an account here.
func TestAdmit_unverifiedAddress(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada := h.signUp(t, "ada")
	var heard []string
	for _, name := range []string{"ada", "bea", "ada", "bea"} {
		_, err := h.Admit(t.Context(), unvouched(name), somewhere)
		wantCode(t, name, err, ErrUnverified.Code)
		heard = append(heard, core.AsError(err).Error())
		mails := h.collect(t)
		if len(mails) != 1 || mails[0].to != name+"@example.org" {
			t.Fatalf("%s gets %+v", name, mails)
		}
		if known := strings.Contains(mails[0].subject, "already have an account"); known != (name == "ada") {
			t.Errorf("%s is told %q", name, mails[0].subject)
		}
		if name == "bea" {
			m := linkForm.FindStringSubmatch(mails[0].text)
			heard = append(heard, m[2])
		}
	}
	if heard[0] != heard[1] {
		t.Errorf("a known address hears %q, an unknown one %q", heard[0], heard[1])
	}
	if n := h.count(t, "account_identities"); n != 1 {
		t.Errorf("%d identities, want bea's alone", n)
	}
	if _, err := h.Verify(t.Context(), heard[5]); err != nil {
		t.Fatalf("bea confirms: %v", err)
	}
	bea := h.admit(t, unvouched("bea"))
	if bea.Username != "bea" || bea.ID == ada.ID {
		t.Errorf("bea is %+v", bea)
	}
	// A provider that verifies later says so for us too.
	_, err := h.Admit(t.Context(), unvouched("cyd"), somewhere)
	wantCode(t, "cyd", err, ErrUnverified.Code)
	if cyd := h.admit(t, vouched("cyd")); cyd.Username != "cyd" {
		t.Errorf("cyd is %+v", cyd)
	}
}

func TestAdmit_withoutMailServer(t *testing.T) {
	t.Parallel()
	w := setup(t)
	h := w.open(t, w.db.DB, &postbox{})
	if a := h.admit(t, unvouched("ada")); a.Username != "ada" {
		t.Errorf("%+v", a)
	}
	if _, err := h.SignUp(t.Context(), input("bea")); err != nil {
		t.Fatal(err)
	}
	for _, s := range []provider.Subject{unvouched("bea"), vouched("bea")} {
		_, err := h.Admit(t.Context(), s, somewhere)
		wantCode(t, "an address that has an account", err, "link_first")
	}
}

// Who takes an account over by mail must not share it with whoever had put an
// unverified claim on the address before.
func TestRecoveryEndsUnprovenLinks(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.Admit(t.Context(), unvouched("ada"), somewhere) // not ada at all
	wantCode(t, "the claim", err, ErrUnverified.Code)
	h.collect(t)
	if err := h.RequestRecovery(t.Context(), "ada@example.org", somewhere); err != nil {
		t.Fatal(err)
	}
	ada, err := h.Recover(t.Context(), h.mailed(t, "ada@example.org", RecoverPage), "quite another secret")
	if err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	if err := h.signIn(t, "ada", "quite another secret"); err != nil {
		t.Errorf("the first password: %v", err)
	}
	_, err = h.Admit(t.Context(), unvouched("ada"), somewhere)
	wantCode(t, "the claim afterwards", err, ErrUnverified.Code)
	if mails := h.collect(t); len(mails) != 1 || !strings.Contains(mails[0].subject, "already have") {
		t.Errorf("mails %+v", mails)
	}
	// Once the address is verified, a recovery keeps the links.
	if err := h.Link(t.Context(), ada.Viewer(), vouched("ada")); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	if err := h.RequestRecovery(t.Context(), "ada@example.org", somewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Recover(t.Context(), h.mailed(t, "ada@example.org", RecoverPage), "and another secret"); err != nil {
		t.Fatal(err)
	}
	if got := h.admit(t, unvouched("ada")); got.ID != ada.ID {
		t.Errorf("the link afterwards: %+v", got)
	}
}

func TestWithoutPassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.admit(t, vouched("ada"))
	if err := h.signIn(t, "ada", password); !errors.Is(err, ErrWrongCredentials) {
		t.Errorf("signing in: %v", err)
	}
	wantCode(t, "changing the password", h.ChangePassword(t.Context(), ada.Viewer(), "", "quite another secret", ""), "no_password")
	ways, err := h.WaysIn(t.Context(), ada.Viewer())
	if err != nil || ways.Password || len(ways.Identities) != 1 || ways.Identities[0].Issuer != issuer || *ways.Identities[0].Email != ada.Email {
		t.Fatalf("WaysIn = %+v, %v", ways, err)
	}
	wantCode(t, "unlinking the only way in", h.Unlink(t.Context(), ada.Viewer(), ways.Identities[0].ID), "only_way_in")
	if err := h.RequestRecovery(t.Context(), ada.Email, somewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Recover(t.Context(), h.mailed(t, ada.Email, RecoverPage), "quite another secret"); err != nil {
		t.Fatalf("the first password: %v", err)
	}
	if err := h.signIn(t, "ada", "quite another secret"); err != nil {
		t.Errorf("signing in with it: %v", err)
	}
	if err := h.ChangePassword(t.Context(), ada.Viewer(), "quite another secret", "and another secret", ""); err != nil {
		t.Errorf("changing it: %v", err)
	}
	if err := h.Unlink(t.Context(), ada.Viewer(), ways.Identities[0].ID); err != nil {
		t.Errorf("unlinking: %v", err)
	}
	wantKind(t, "unlinking twice", h.Unlink(t.Context(), ada.Viewer(), ways.Identities[0].ID), core.NotFound)
}

func TestLink(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	stranger := vouched("someone")
	for range 2 {
		if err := h.Link(t.Context(), ada.Viewer(), stranger); err != nil {
			t.Fatal(err)
		}
	}
	if mails := h.collect(t); len(mails) != 1 || mails[0].to != ada.Email {
		t.Errorf("mails %+v", mails)
	}
	wantCode(t, "a sign-in of another account", h.Link(t.Context(), bea.Viewer(), stranger), "linked_elsewhere")
	if got := h.admit(t, stranger); got.ID != ada.ID {
		t.Errorf("it leads to %+v", got)
	}
	ways, err := h.WaysIn(t.Context(), ada.Viewer())
	if err != nil || !ways.Password || len(ways.Identities) != 1 {
		t.Fatalf("WaysIn = %+v, %v", ways, err)
	}
	id := ways.Identities[0].ID
	wantKind(t, "unlinking another's", h.Unlink(t.Context(), bea.Viewer(), id), core.NotFound)
	wantKind(t, "unlinking as nobody", h.Unlink(t.Context(), core.Nobody(), id), core.Unauthenticated)
	wantKind(t, "unlinking no id", h.Unlink(t.Context(), ada.Viewer(), "1"), core.NotFound)
	wantKind(t, "linking as nobody", h.Link(t.Context(), core.Nobody(), stranger), core.Unauthenticated)
	_, err = h.WaysIn(t.Context(), core.Nobody())
	wantKind(t, "asking as nobody", err, core.Unauthenticated)
}

// What a missing condition in Go must not lead to.
func TestIdentities_rowLevelSecurity(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada, bea := h.admit(t, vouched("ada")), h.admit(t, vouched("bea"))
	staff := ada.Viewer()
	staff.Role, staff.Moderator = core.Staff, true
	for name, v := range map[string]core.Viewer{"member": ada.Viewer(), "staff": staff} {
		if n := pgtest.Value[int](t, h.world.db, v, `select count(*) from account_identities`); n != 1 {
			t.Errorf("%s sees %d identities, want 1", name, n)
		}
		for _, sql := range []string{
			`delete from account_identities`,
			`update account_identities set account_id = '` + ada.ID + `'`,
			`insert into account_identities (id, account_id, issuer, subject) values (gen_random_uuid(), '` + ada.ID + `', 'x', 'y')`,
		} {
			if _, err := h.world.db.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v", name, sql, err)
			}
		}
	}
	err := h.world.db.Read(t.Context(), core.Nobody(), func(tx pg.Querier) error {
		_, err := identitiesOf(t.Context(), tx, bea.ID)
		return err
	})
	if !pg.Denied(err) {
		t.Errorf("nobody reads: %v", err)
	}
}

// Two ways in that are unlinked at once must not lock the account.
func TestUnlink_race(t *testing.T) {
	t.Parallel()
	h := open(t)
	second := h.second(t)
	for range 5 {
		ada := h.admit(t, vouched("ada"))
		more := vouched("more")
		if err := h.Link(t.Context(), ada.Viewer(), more); err != nil {
			t.Fatal(err)
		}
		ways, err := h.WaysIn(t.Context(), ada.Viewer())
		if err != nil || len(ways.Identities) != 2 {
			t.Fatalf("WaysIn = %+v, %v", ways, err)
		}
		var wg sync.WaitGroup
		for i, instance := range []house{h, second} {
			wg.Go(func() { _ = instance.Unlink(t.Context(), ada.Viewer(), ways.Identities[i].ID) })
		}
		wg.Wait()
		if n := h.count(t, "account_identities"); n != 1 {
			t.Fatalf("%d ways in are left, want 1", n)
		}
		if _, err := h.world.db.Exec(t, core.TheSystem(), `delete from accounts`); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAdmit_atOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	instances := []house{h, h.second(t)}
	badges := badge{"jwt": vouched("ada")}
	var mu sync.Mutex
	ids := map[string]int{}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			instance := instances[i%2]
			id, err := instance.Outside(badges).Authenticate(t.Context(), "jwt")
			if i%4 == 0 {
				var a Account
				a, err = instance.Admit(t.Context(), vouched("ada"), somewhere)
				id = a.ID
			}
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[id]++
		})
	}
	wg.Wait()
	if len(ids) != 1 || h.count(t, "accounts") != 1 || h.count(t, "account_identities") != 1 {
		t.Errorf("16 first uses make %v, %d accounts", ids, h.count(t, "accounts"))
	}
	// Many people of one name, and several with one address.
	for i := range 12 {
		wg.Go(func() {
			s := vouched("bea")
			s.Subject += string(rune('a' + i))
			if i%2 == 0 {
				s.Email = string(rune('a'+i)) + "@example.org"
			}
			if _, err := instances[i%2].Admit(t.Context(), s, somewhere); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
		})
	}
	wg.Wait()
	if n := h.count(t, "accounts"); n != 1+6+1 {
		t.Errorf("%d accounts, want 8: six with addresses of their own, one that six share", n)
	}
	h.collect(t)
}

func TestOutside(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	bare := provider.Subject{Issuer: issuer, Subject: "7"}
	badges := badge{"ada": vouched("ada"), "claim": unvouched("ada"), "bare": bare, "bea": vouched("bea")}
	badges["claim"] = provider.Subject{Issuer: issuer, Subject: "mallory", Email: ada.Email}
	outside := h.Outside(badges)
	ids := map[string]string{}
	for range 2 {
		for name := range badges {
			id, err := outside.Authenticate(t.Context(), name)
			if err != nil || ids[name] != "" && ids[name] != id {
				t.Errorf("%s is %s, %v; before %s", name, id, err, ids[name])
			}
			ids[name] = id
		}
	}
	if ids["ada"] != ada.ID || ids["claim"] == ada.ID || ids["bare"] == ids["claim"] {
		t.Errorf("they are %v", ids)
	}
	h.collect(t)
	v, err := h.ViewerByID(t.Context(), ids["bare"])
	if err != nil {
		t.Fatal(err)
	}
	account, err := h.Me(t.Context(), v)
	if err != nil || account.TakesMail() || !strings.HasPrefix(account.Username, "neighbour-") || account.DisplayName != nil {
		t.Errorf("without anything it is %+v, %v", account, err)
	}
	if err := h.RequestRecovery(t.Context(), account.Email, somewhere); err == nil {
		t.Error("a link can be asked for at an address that is none")
	}
	if mails := h.collect(t); len(mails) != 0 {
		t.Errorf("mails %+v", mails)
	}
	_, err = outside.Authenticate(t.Context(), "forged")
	wantKind(t, "a forged token", err, core.Unauthenticated)
	// Pending people cannot come in this way either.
	_, err = h.Admit(t.Context(), unvouched("cyd"), somewhere)
	wantCode(t, "cyd", err, ErrUnverified.Code)
	badges["cyd"] = unvouched("cyd")
	_, err = outside.Authenticate(t.Context(), "cyd")
	wantCode(t, "cyd's program", err, ErrUnverified.Code)
	if _, err := h.SignUp(t.Context(), input("dot")); err != nil {
		t.Fatal(err)
	}
	badges["dot"] = vouched("dot")
	_, err = outside.Authenticate(t.Context(), "dot")
	wantCode(t, "an address that nobody verified here", err, "link_first")
	h.collect(t)
	if _, err := h.world.db.Exec(t, core.TheSystem(), `delete from accounts`); err != nil {
		t.Fatal(err)
	}
	if id, err := outside.Authenticate(t.Context(), "ada"); err != nil || id == ids["ada"] {
		t.Errorf("after the account ended: %s, %v", id, err)
	}
}

func TestUsernames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s    provider.Subject
		want string // empty = one by chance
	}{
		{provider.Subject{Username: "Ada_Lovelace", Email: "x@example.org"}, "ada-lovelace"},
		{provider.Subject{Username: "ada@corp.example"}, "ada"},
		{provider.Subject{Email: "ada.l+news@example.org"}, "ada-l"},
		{provider.Subject{Name: "Áda Łovelace"}, "ada-lovelace"},
		{provider.Subject{Username: "admin", Email: "ada@example.org"}, "ada"},
		{provider.Subject{Username: "x", Name: "Ada"}, "ada"},
		{provider.Subject{Username: "---"}, ""},
		{provider.Subject{}, ""},
		{provider.Subject{Username: strings.Repeat("long ", 20)}, "long-long-long-long-lon"},
		{provider.Subject{Username: "a\x00da"}, "a-da"},
	} {
		names := usernames(tt.s)
		if tt.want != "" && names[0] != tt.want || tt.want == "" && !strings.HasPrefix(names[0], "neighbour-") {
			t.Errorf("%+v gives %q, want %q", tt.s, names, tt.want)
		}
		for _, name := range names {
			if !usernameForm.MatchString(name) {
				t.Errorf("%+v gives %q, which is none", tt.s, name)
			}
		}
	}
	for in, want := range map[string]string{" Ada \n L. ": "Ada L.", "": "", "\x00": "", strings.Repeat("ä", 70): strings.Repeat("ä", 60)} {
		got := displayName(in)
		if got == nil && want != "" || got != nil && *got != want {
			t.Errorf("displayName(%q) = %v, want %q", in, got, want)
		}
	}
}
