package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/auditlog"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// book keeps rulings in place of the log.
type book struct {
	mu    sync.Mutex
	lines []string
}

func (b *book) RecordTx(_ context.Context, _ *pg.Tx, v core.Viewer, r core.Ruling) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", v.Username, r.Kind, r.About.Type, r.Reason)))
	return nil
}

func TestRoleChangesAreWrittenDown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := &book{}
	w.WithAudit(b)
	root := w.account(t, "root-1", RoleAdmin)
	w.account(t, "ada", RoleMember)
	for _, c := range []struct {
		v    core.Viewer
		role Role
	}{{root, RoleModerator}, {root, RoleModerator}, {core.TheSystem(), RoleMember}, {core.Viewer{ID: root.ID, Username: "mo", Role: core.Staff, Moderator: true}, RoleAdmin}} {
		_ = w.SetRole(t.Context(), c.v, " ADA ", c.role)
	}
	if want := []string{"root-1 role_changed account member → moderator", "role_changed account moderator → member"}; !slices.Equal(b.lines, want) {
		t.Errorf("the log has %q, want %q", b.lines, want)
	}
}

func TestTheLastAdministratorKeepsTheRole(t *testing.T) {
	t.Parallel()
	w := setup(t)
	root := w.account(t, "root-1", RoleAdmin)
	err := w.SetRole(t.Context(), root, "root-1", RoleModerator)
	if e := core.AsError(err); e == nil || e.Kind != core.Conflict || e.Code != "last_admin" {
		t.Errorf("the last one leaves with %v", err)
	}
	if err := w.SetRole(t.Context(), root, "root-1", RoleAdmin); err != nil {
		t.Errorf("keeping the role gives %v", err)
	}
	w.account(t, "ada", RoleAdmin)
	if err := w.SetRole(t.Context(), root, "root-1", RoleMember); err != nil {
		t.Errorf("with another one: %v", err)
	}
	// A request that began before the role was taken.
	wantKind(t, "a former administrator", w.SetRole(t.Context(), root, "ada", RoleMember), core.Forbidden)
	wantKind(t, "for oneself", w.SetRole(t.Context(), root, "root-1", RoleAdmin), core.Forbidden)
	if err := w.SetRole(t.Context(), core.TheSystem(), "ada", RoleMember); err != nil {
		t.Errorf("the operator is refused: %v", err)
	}
}

// Two administrators take the role from each other, or both leave it, on two
// instances at once: one of them stays.
func TestAdministratorsRace(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := New(w.db.Instance(t), w.clock.read)
	ada, ben := w.account(t, "ada", RoleAdmin), w.account(t, "ben", RoleAdmin)
	for round := range 12 {
		targets := [2]string{"ben", "ada"} // each the other
		if round%2 == 1 {
			targets = [2]string{"ada", "ben"} // each themselves
		}
		var all sync.WaitGroup
		var errs [2]error
		all.Go(func() { errs[0] = w.SetRole(t.Context(), ada, targets[0], RoleMember) })
		all.Go(func() { errs[1] = other.SetRole(t.Context(), ben, targets[1], RoleMember) })
		all.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: %v and %v", round, errs[0], errs[1])
		}
		for _, err := range errs {
			if kind := core.KindOf(err); err != nil && kind != core.Forbidden && kind != core.Conflict {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from accounts where role = 'admin'`); n != 1 {
			t.Fatalf("round %d leaves %d administrators", round, n)
		}
		if _, err := w.db.Exec(t, core.TheSystem(), `update accounts set role = 'admin'`); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever Go forgets to ask: nobody but the system writes a role, or reads what
// administrators read.
func TestRolesAndUsersBehindRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mo, root := w.account(t, "ada", RoleMember), w.account(t, "mo", RoleModerator), w.account(t, "root-1", RoleAdmin)
	w.token(t, ada, TokenInput{})
	for name, v := range map[string]core.Viewer{"nobody": core.Nobody(), "the member": ada, "a moderator": mo, "an administrator": root} {
		if _, err := w.db.Exec(t, v, `update accounts set role = 'admin'`); !pg.Denied(err) {
			t.Errorf("%s writes roles: %v", name, err)
		}
	}
	if _, err := w.db.Exec(t, core.TheSystem(), `update profiles set pending = true where account_id = $1`, ada.ID); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]core.Viewer{"a moderator": mo, "an administrator": root} {
		if n := pgtest.Value[int](t, w.db, v, `select count(*) from profiles where pending`) + pgtest.Value[int](t, w.db, v, `select count(*) from personal_tokens`); n != 0 {
			t.Errorf("%s reads %d rows of another with raw SQL", name, n)
		}
	}
	if n := pgtest.Value[int](t, w.db, ada, `select count(*) from accounts`); n != 1 {
		t.Errorf("a member reads %d accounts", n)
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.WithAudit(auditlog.New(w.db.DB, w.clock.read))
	root := w.account(t, "root-1", RoleAdmin)
	ada := w.account(t, "ada", RoleMember)
	w.account(t, "ben_1", RoleMember)
	w.account(t, "ben-1", RoleModerator)
	name := "Ada Löwe 100%"
	if _, err := w.UpdateProfile(t.Context(), ada, ProfilePatch{DisplayName: &name}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Exec(t, core.TheSystem(), `update profiles set pending = true where username = 'ben_1'`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query string
		roles []Role
		want  string
	}{
		{"", nil, "ada ben_1 ben-1 root-1"}, {" LÖWE ", nil, "ada"}, {"100%", nil, "ada"}, {"%", nil, "ada"}, {"_", nil, "ben_1"}, {`\`, nil, ""},
		{"BEN_1@example", nil, "ben_1"}, {"", []Role{RoleModerator, RoleAdmin}, "ben-1 root-1"}, {"ben", []Role{RoleMember}, "ben_1"},
	} {
		list, err := w.Users(t.Context(), root, UserFilter{Query: c.query, Roles: c.roles})
		var names []string
		for _, u := range list.Items {
			names = append(names, u.Username)
		}
		slices.Sort(names)
		want := strings.Fields(c.want)
		slices.Sort(want)
		if err != nil || !slices.Equal(names, want) || list.Total != len(want) {
			t.Errorf("%q %v gives %v of %d, %v", c.query, c.roles, names, list.Total, err)
		}
	}
	list, err := w.Users(t.Context(), root, UserFilter{Page: core.Page{Limit: 1, Offset: 1}})
	if err != nil || list.Total != 4 || len(list.Items) != 1 {
		t.Errorf("the second page is %+v, %v", list, err)
	}
	if c, err := w.Census(t.Context(), root); err != nil || c != (Census{Members: 2, Moderators: 1, Admins: 1, Pending: 1}) {
		t.Errorf("the census is %+v, %v", c, err)
	}

	w.token(t, ada, TokenInput{})
	_, gone := w.token(t, ada, TokenInput{})
	if err := w.RevokeToken(t.Context(), ada, gone.ID); err != nil {
		t.Fatal(err)
	}
	u, tokens, err := w.User(t.Context(), root, "ADA")
	if err != nil || tokens != 1 || u.Email != "ada@example.org" || u.Pending || u.RoleSince != nil || u.VerifiedAt == nil {
		t.Fatalf("she is %+v with %d tokens, %v", u, tokens, err)
	}
	w.clock.forward(time.Hour)
	if err := w.SetRole(t.Context(), root, "ada", RoleModerator); err != nil {
		t.Fatal(err)
	}
	if u, _, _ := w.User(t.Context(), root, "ada"); u.RoleSince == nil || !u.RoleSince.Equal(w.clock.read()) {
		t.Errorf("she has the role since %v", u.RoleSince)
	}
	_, _, err = w.User(t.Context(), root, "nobody")
	wantKind(t, "an unknown user", err, core.NotFound)
	_, err = w.Users(t.Context(), root, UserFilter{Roles: []Role{"king"}})
	wantKind(t, "an unknown role", err, core.Invalid)
	_, err = w.Users(t.Context(), root, UserFilter{Query: strings.Repeat("x", 501)})
	wantKind(t, "a long query", err, core.Invalid)
}

func TestUsersAreForAdministrators(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mo := w.account(t, "ada", RoleMember), w.account(t, "mo", RoleModerator)
	for name, c := range map[string]struct {
		v    core.Viewer
		want core.Kind
	}{"nobody": {core.Nobody(), core.Unauthenticated}, "zero": {core.Viewer{}, core.Unauthenticated}, "a member": {ada, core.Forbidden}, "a moderator": {mo, core.Forbidden}} {
		_, err := w.Users(t.Context(), c.v, UserFilter{})
		wantKind(t, name+": Users", err, c.want)
		_, _, err = w.User(t.Context(), c.v, "ada")
		wantKind(t, name+": User", err, c.want)
		_, err = w.Census(t.Context(), c.v)
		wantKind(t, name+": Census", err, c.want)
	}
}
