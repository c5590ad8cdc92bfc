package accounts

import (
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestSignInFailsTheSameWay(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	h.signUp(t, "ada")
	for _, c := range []struct{ name, password string }{
		{"ada", "some other secret"}, {"ada@example.org", "some other secret"}, {"nobody", password}, {"nobody@example.org", password},
		{"not a name at all", password}, {"\x00", password}, {"a\xff@b", password}, {"ada", password + " "},
	} {
		if err := h.signIn(t, c.name, c.password); err != ErrWrongCredentials { //nolint:errorlint // the very same
			t.Errorf("%q with %q gives %v", c.name, c.password, err)
		}
	}
	_, err := h.SignIn(t.Context(), SignInInput{})
	if f := core.AsError(err).Fields; f["name"] == "" || f["password"] == "" {
		t.Errorf("an empty form gives %v", err)
	}
}

// A name that nobody has must take about as long as one with a wrong password.
func TestSignInTakesAsLongForUnknownNames(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signUp(t, "ada")
	h.manyTries(t)
	aboutEqual(t, 15, func(known bool) {
		name := map[bool]string{true: "ada", false: "nobody"}[known]
		if err := h.signIn(t, name, "some other secret"); err == nil {
			t.Error("signed in")
		}
	})
}

func TestSignInLimitsOverTwoInstances(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signUp(t, "ada")
	h.signUp(t, "bea")
	instances := []*Access{h.Access, h.second(t).Access}
	tries := func(name, address string, n int) (err error) {
		for i := range n {
			_, err = instances[i%2].SignIn(t.Context(), SignInInput{Name: name, Password: "some other secret", AddressKey: address})
		}
		return err
	}
	// By account: ten tries from ten addresses.
	for i := range 10 {
		wantCode(t, "a try", tries("ada", "198.51.100."+string(rune('0'+i)), 1), "invalid_credentials")
	}
	_, err := h.SignIn(t.Context(), SignInInput{Name: " ADA", Password: password, AddressKey: "203.0.113.1"})
	if e := core.AsError(err); e.Kind != core.RateLimited || e.RetryAfter <= 14*time.Minute || e.RetryAfter > 15*time.Minute {
		t.Errorf("the eleventh try, with the right password, gives %v, again after %v", err, e.RetryAfter)
	}
	if err := h.signIn(t, "bea", password); err != nil {
		t.Errorf("another account: %v", err)
	}
	// An unknown name is refused in the same way.
	for i := range 10 {
		wantCode(t, "a try", tries("nobody", "198.51.101."+string(rune('0'+i)), 1), "invalid_credentials")
	}
	wantCode(t, "the eleventh try of an unknown name", tries("nobody", "203.0.113.2", 1), "rate_limited")
	// By address: ten tries at ten names.
	for i := range 10 {
		wantCode(t, "a try", tries("name"+string(rune('0'+i)), "203.0.113.9", 1), "invalid_credentials")
	}
	wantCode(t, "the eleventh try of an address", tries("bea", "203.0.113.9", 1), "rate_limited")
	if err := h.signIn(t, "bea", password); err != nil {
		t.Errorf("the account from elsewhere: %v", err)
	}
}

func TestSettingsRuleTheLimits(t *testing.T) {
	t.Parallel()
	h := open(t)
	if err := h.settings.Set(t.Context(), core.TheSystem(), "sign_in_attempts", "1"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the first try", h.signIn(t, "ada", password), "invalid_credentials")
	wantCode(t, "the second try", h.signIn(t, "ada", password), "rate_limited")
}

func TestMailLimitsOverTwoInstances(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(a *Access, email, address string) error{
		"recovery":     func(a *Access, email, address string) error { return a.RequestRecovery(t.Context(), email, address) },
		"verification": func(a *Access, email, address string) error { return a.ResendVerification(t.Context(), email, address) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			instances := []*Access{h.Access, h.second(t).Access}
			for i := range 5 {
				if err := ask(instances[i%2], "ada@example.org", "198.51.100."+string(rune('0'+i))); err != nil {
					t.Errorf("request %d: %v", i, err)
				}
			}
			wantCode(t, "the sixth for one account", ask(h.Access, "ADA@example.org", "203.0.113.1"), "rate_limited")
			for i := range 10 {
				if err := ask(instances[i%2], "name"+string(rune('0'+i))+"@example.org", "203.0.113.9"); err != nil {
					t.Errorf("request %d of an address: %v", i, err)
				}
			}
			wantCode(t, "the eleventh of one address", ask(h.Access, "bea@example.org", "203.0.113.9"), "rate_limited")
		})
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	other := h.second(t)
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	kept := h.browser(t, ada, "kept")
	h.browser(t, ada, "second")
	h.browser(t, ada, "third")
	beas := h.browser(t, bea, "bea")
	if err := h.RequestRecovery(t.Context(), ada.Email, somewhere); err != nil {
		t.Fatal(err)
	}
	link := h.mailed(t, ada.Email, RecoverPage)

	for _, c := range []struct{ old, fresh, field string }{
		{"not the old one", "some other secret", "old_password"},
		{password, "short", "new_password"},
		{password, "qwertyuiop", "new_password"},
		{password, "ada loves horses", "new_password"},
		{password, password, "new_password"},
	} {
		err := h.ChangePassword(t.Context(), ada.Viewer(), c.old, c.fresh, kept)
		if f := core.AsError(err).Fields; len(f) != 1 || f[c.field] == "" {
			t.Errorf("from %q to %q gives %v, want something at %s", c.old, c.fresh, err, c.field)
		}
	}
	if len(h.browsers(t, ada)) != 3 {
		t.Error("a refused change ended sessions")
	}
	if err := h.ChangePassword(t.Context(), ada.Viewer(), password, "some other secret", kept); err != nil {
		t.Fatal(err)
	}
	if got := other.browsers(t, ada); !slices.Equal(got, []string{kept}) {
		t.Errorf("on another instance the sessions %v are left, want %s", got, kept)
	}
	if got := other.browsers(t, bea); !slices.Equal(got, []string{beas}) {
		t.Errorf("another account has the sessions %v, want %s", got, beas)
	}
	wantCode(t, "the old password", h.signIn(t, "ada", password), "invalid_credentials")
	if err := h.signIn(t, "ada", "some other secret"); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := h.CheckRecovery(t.Context(), link); core.AsError(err).Code != "link_not_valid" {
		t.Errorf("a link from before the change: %v", err)
	}
	if mails := h.collect(t); len(mails) != 1 || mails[0].to != ada.Email || mails[0].subject != "Your password at Homeplace was changed" {
		t.Errorf("mails %+v", mails)
	}
	if err := h.ChangePassword(t.Context(), core.Nobody(), password, "some other secret", ""); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("nobody changes a password with %v", err)
	}
}

// Guessing the old password from a browser that was left open ends soon.
func TestChangePasswordIsLimited(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	var err error
	for range 11 {
		err = h.ChangePassword(t.Context(), ada.Viewer(), "not the old one", "some other secret", "")
	}
	wantCode(t, "the eleventh guess", err, "rate_limited")
	if err := h.signIn(t, "ada", password); err != nil {
		t.Errorf("signing in: %v", err)
	}
}

func TestChangePasswordRace(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada := h.signUp(t, "ada")
	fresh := []string{"first new secret", "second new secret", "third new secret", "fourth new secret"}
	var won atomic.Int32
	var all sync.WaitGroup
	for _, p := range fresh {
		all.Go(func() {
			if err := h.ChangePassword(t.Context(), ada.Viewer(), password, p, ""); err == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	works := 0
	for _, p := range fresh {
		if h.signIn(t, "ada", p) == nil {
			works++
		}
	}
	if won.Load() != 1 || works != 1 {
		t.Errorf("%d changes went through and %d passwords work, want 1", won.Load(), works)
	}
}

func TestViewerByID(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	if v, err := h.ViewerByID(t.Context(), ada.ID); err != nil || v != ada.Viewer() {
		t.Errorf("ViewerByID = %+v, %v", v, err)
	}
	if err := h.SetRole(t.Context(), core.TheSystem(), "ada", RoleAdmin); err != nil {
		t.Fatal(err)
	}
	if v, err := h.second(t).ViewerByID(t.Context(), ada.ID); err != nil || !v.Admin || v.Role != core.Staff {
		t.Errorf("after the appointment ViewerByID = %+v, %v", v, err)
	}
	if _, err := h.world.db.Exec(t, core.TheSystem(), `delete from accounts`); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ViewerByID(t.Context(), ada.ID); core.KindOf(err) != core.NotFound {
		t.Errorf("after the deletion: %v", err)
	}
}

// What only the policies stand in the way of.
func TestRowLevelSecurityOfAccess(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada := h.signUp(t, "ada")
	if _, err := h.SignUp(t.Context(), input("pending")); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	staff := core.Viewer{ID: pg.NewID(), Role: core.Staff, Moderator: true}
	for name, v := range map[string]core.Viewer{"anonymous": core.Nobody(), "member": ada.Viewer(), "staff": staff} {
		for _, table := range []string{"account_links", "username_holds", "passwords"} {
			for _, sql := range []string{"select from ", "delete from "} {
				if _, err := h.world.db.Exec(t, v, sql+table); !pg.Denied(err) {
					t.Errorf("%s: %s%s gives %v, want 42501", name, sql, table, err)
				}
			}
		}
		if n := pgtest.Value[int](t, h.world.db, v, `select count(*) from profiles`); n != 1 {
			t.Errorf("%s sees %d profiles, want the one that is not pending", name, n)
		}
		if _, err := h.world.db.Exec(t, v, `update profiles set pending = false`); !pg.Denied(err) {
			t.Errorf("%s: verifying oneself gives %v, want 42501", name, err)
		}
	}
	id := pgtest.Value[string](t, h.world.db, core.TheSystem(), `select account_id::text from profiles where pending`)
	own := pgtest.Value[[]string](t, h.world.db, core.Viewer{ID: id, Role: core.Member}, `select array_agg(username::text) from profiles`)
	sort.Strings(own)
	if !slices.Equal(own, []string{"ada", "pending"}) {
		t.Errorf("whoever is pending sees the profiles %v, want also their own", own)
	}
}
