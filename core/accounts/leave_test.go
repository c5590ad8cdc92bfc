package accounts

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// area is one that Leave concerns.
type area struct {
	told   []string
	broken error
}

func (a *area) LeaveTx(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from accounts where id = $1)`, accountID).Scan(&there); err != nil {
		return err
	}
	if !there {
		return errors.New("the account went first")
	}
	a.told = append(a.told, accountID+map[bool]string{true: " remove", false: " keep"}[remove])
	return a.broken
}

func goodbye(k Keeping) LeaveInput { return LeaveInput{Contributions: k, Password: password} }

func TestLeave(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	porch, shelf := new(area), new(area)
	h.Leavers = []Leaver{porch, shelf}
	other := h.second(t)
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	h.browser(t, ada, "one")
	h.browser(t, bea, "hers")
	token, _ := h.token(t, ada.Viewer(), TokenInput{})
	link := h.change(t, ada, "new@example.org")
	var touched atomic.Bool
	h.Access.db.OnChange(func(area string) {
		if area == Area {
			touched.Store(true)
		}
	})

	if err := h.Leave(t.Context(), ada.Viewer(), goodbye(RemoveContributions)); err != nil {
		t.Fatal(err)
	}
	if mails := h.collect(t); len(mails) != 1 || mails[0].to != ada.Email || !strings.Contains(mails[0].subject, "is deleted") {
		t.Errorf("mails %+v, want a last one", mails)
	}
	for _, area := range []*area{porch, shelf} {
		if len(area.told) != 2 || area.told[0] != ada.ID+" remove" || area.told[1] != area.told[0] {
			t.Errorf("an area was told %v", area.told)
		}
	}
	if !touched.Load() {
		t.Error("the public profile was not announced to be gone")
	}
	if _, err := other.Authenticate(t.Context(), token); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("the token: %v", err)
	}
	_, err := other.ViewerByID(t.Context(), ada.ID)
	wantKind(t, "the session's account", err, core.NotFound)
	_, err = other.PublicProfile(t.Context(), "ada")
	wantKind(t, "the profile", err, core.NotFound)
	_, err = other.Me(t.Context(), ada.Viewer())
	wantKind(t, "me", err, core.Unauthenticated)
	wantCode(t, "signing in", other.signIn(t, "ada", password), "invalid_credentials")
	h.wantBadLink(t, "a link to another address", link)
	for _, table := range []string{"profiles", "passwords", "personal_tokens", "web_sessions", "account_links"} {
		if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from `+table+` where account_id = $1`, ada.ID); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if len(h.browsers(t, bea)) != 1 {
		t.Error("another member was signed out")
	}
	wantKind(t, "leaving twice", h.Leave(t.Context(), ada.Viewer(), goodbye(KeepContributions)), core.Unauthenticated)
	if err := h.Leave(t.Context(), bea.Viewer(), goodbye(KeepContributions)); err != nil || shelf.told[3] != bea.ID+" keep" {
		t.Errorf("keeping tells %v, %v", shelf.told, err)
	}
	h.collect(t)
}

func TestTheNameOfWhoLeftIsHeld(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada := h.signUp(t, "ada")
	if err := h.Leave(t.Context(), ada.Viewer(), goodbye(KeepContributions)); err != nil {
		t.Fatal(err)
	}
	h.collect(t)
	h.clock.forward(30*24*time.Hour - time.Second)
	if _, err := h.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := h.SignUp(t.Context(), input("ada"))
	wantCode(t, "the name within 30 days", err, "username_taken")
	h.clock.forward(time.Second)
	if again := h.signUp(t, "ada"); again.ID == ada.ID {
		t.Error("the old account came back")
	}
}

func TestLeaveIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.manyTries(t)
	ada := h.signUp(t, "ada")
	for _, c := range []struct {
		who    string
		v      core.Viewer
		in     LeaveInput
		kind   core.Kind
		fields string
	}{
		{"nobody", core.Nobody(), goodbye(KeepContributions), core.Unauthenticated, ""},
		{"the system", core.TheSystem(), goodbye(KeepContributions), core.Unauthenticated, ""},
		{"nothing filled in", ada.Viewer(), LeaveInput{}, core.Invalid, "contributions password"},
		{"an unknown choice", ada.Viewer(), goodbye("burn"), core.Invalid, "contributions"},
		{"no choice", ada.Viewer(), goodbye(""), core.Invalid, "contributions"},
		{"a wrong password", ada.Viewer(), LeaveInput{Contributions: KeepContributions, Password: "not this one"}, core.Invalid, "password"},
		{"the username instead", ada.Viewer(), LeaveInput{Contributions: KeepContributions, Username: "ada"}, core.Invalid, "password"},
	} {
		err := h.Leave(t.Context(), c.v, c.in)
		wantKind(t, c.who, err, c.kind)
		for _, field := range strings.Fields(c.fields) {
			if core.AsError(err).Fields[field] == "" {
				t.Errorf("%s says nothing at %s: %v", c.who, field, err)
			}
		}
	}
	h.Leavers = []Leaver{&area{broken: errors.New("the shelf is stuck")}}
	if err := h.Leave(t.Context(), ada.Viewer(), goodbye(RemoveContributions)); core.KindOf(err) != core.Internal {
		t.Errorf("an area that fails: %v", err)
	}
	if err := h.signIn(t, "ada", password); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if mails := h.collect(t); len(mails) != 0 {
		t.Errorf("mails %+v, want none", mails)
	}
	if inUse := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from username_holds`); inUse != 0 {
		t.Errorf("%d names are held", inUse)
	}
}

// An account from an outside sign-in proves itself by a fresh one.
func TestLeaveWithoutPassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	ada, bea := h.signUp(t, "ada"), h.signUp(t, "bea")
	if _, err := h.world.db.Exec(t, core.TheSystem(), `delete from passwords where account_id = $1`, ada.ID); err != nil {
		t.Fatal(err)
	}
	if has, err := h.HasPassword(t.Context(), ada.Viewer()); err != nil || has {
		t.Errorf("HasPassword = %t, %v", has, err)
	}
	if has, err := h.HasPassword(t.Context(), bea.Viewer()); err != nil || !has {
		t.Errorf("HasPassword(bea) = %t, %v", has, err)
	}
	stale, hers := h.browser(t, ada, "stale"), h.browser(t, bea, "hers")
	h.clock.forward(10*time.Minute + time.Second)
	leave := func(name, session string) error {
		return h.Leave(t.Context(), ada.Viewer(), LeaveInput{Contributions: KeepContributions, Username: name, SessionID: session})
	}
	fresh := h.browser(t, ada, "fresh")
	if err := leave("bea", fresh); core.AsError(err).Fields["username"] == "" {
		t.Errorf("another name: %v", err)
	}
	wantCode(t, "a session of more than ten minutes", leave("ada", stale), "sign_in_again")
	wantCode(t, "no session", leave("ada", ""), "sign_in_again")
	wantCode(t, "another's session", leave("ada", hers), "sign_in_again")
	h.clock.forward(10 * time.Minute)
	if err := leave(" ADA ", fresh); err != nil {
		t.Errorf("a session of ten minutes: %v", err)
	}
	h.collect(t)
}

// Of three administrators on two instances, all of whom leave at once, one
// finds that they are the last.
func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	h := open(t)
	houses := []house{h, h.second(t)}
	var left, last atomic.Int32
	var all sync.WaitGroup
	for i, name := range []string{"ada", "bea", "cyd"} {
		admin := h.account(t, name, RoleAdmin)
		all.Go(func() {
			switch err := houses[i%2].Leave(t.Context(), admin, LeaveInput{Contributions: KeepContributions, Password: "correct horse"}); {
			case err == nil:
				left.Add(1)
			case core.AsError(err).Code == "last_admin" && core.KindOf(err) == core.Conflict:
				last.Add(1)
			default:
				t.Error(err)
			}
		})
		if i < 2 {
			continue
		}
		all.Wait()
	}
	if n := pgtest.Value[int32](t, h.world.db, core.TheSystem(), `select count(*) from accounts where role = 'admin'`); n < 1 || n != last.Load() || left.Load()+n != 3 {
		t.Errorf("%d left, %d were told that they are the last, %d are there", left.Load(), last.Load(), n)
	}
	for _, h := range houses {
		h.collect(t)
	}
}

// One member deletes the account many times on two instances, while the link
// to another address is used.
func TestLeaveRace(t *testing.T) {
	t.Parallel()
	h := open(t)
	houses := []house{h, h.second(t)}
	for _, h := range houses {
		h.manyTries(t)
	}
	ada := h.signUp(t, "ada")
	link := h.change(t, ada, "new@example.org")
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			switch err := houses[i%2].Leave(t.Context(), ada.Viewer(), goodbye(KeepContributions)); {
			case err == nil:
				won.Add(1)
			case core.KindOf(err) != core.Unauthenticated:
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := houses[(i+1)%2].ConfirmEmailChange(t.Context(), link); err != nil && core.AsError(err).Code != "link_not_valid" {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 12 deleted the account, want 1", won.Load())
	}
	goodbyes := 0
	for _, m := range append(houses[1].collect(t), h.collect(t)...) {
		if strings.Contains(m.subject, "is deleted") {
			goodbyes++
		}
	}
	if n := pgtest.Value[int](t, h.world.db, core.TheSystem(), `select count(*) from accounts`); n != 0 || goodbyes != 1 {
		t.Errorf("%d accounts and %d last mails, want 0 and 1", n, goodbyes)
	}
}
