package accounts

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestInputValidate(t *testing.T) {
	t.Parallel()
	good := Input{Email: "ada@example.org", Username: "ada", Password: "correct horse"}
	for _, c := range []struct {
		name   string
		change func(*Input)
		wrong  []string
	}{
		{"as it should be", func(*Input) {}, nil},
		{"everything", func(in *Input) { *in = Input{Role: "king"} }, []string{"email", "password", "role", "username"}},

		{"e-mail without @", func(in *Input) { in.Email = "ada.example.org" }, []string{"email"}},
		{"e-mail without name", func(in *Input) { in.Email = "@example.org" }, []string{"email"}},
		{"e-mail without domain", func(in *Input) { in.Email = "ada@" }, []string{"email"}},
		{"e-mail with two @", func(in *Input) { in.Email = "a@b@example.org" }, []string{"email"}},
		{"e-mail with a blank", func(in *Input) { in.Email = "a da@example.org" }, []string{"email"}},
		{"e-mail with a line break", func(in *Input) { in.Email = "ada@example.org\nBcc: x@y" }, []string{"email"}},
		{"e-mail with brackets", func(in *Input) { in.Email = "Ada <ada@example.org>" }, []string{"email"}},
		{"two e-mails", func(in *Input) { in.Email = "a@b,c@d" }, []string{"email"}},
		{"e-mail of 254", func(in *Input) { in.Email = strings.Repeat("a", 242) + "@example.org" }, nil},
		{"e-mail of 255", func(in *Input) { in.Email = strings.Repeat("a", 243) + "@example.org" }, []string{"email"}},
		{"e-mail with blanks around", func(in *Input) { in.Email = " ada@example.org " }, nil},

		{"username of 1", func(in *Input) { in.Username = "a" }, []string{"username"}},
		{"username of 2", func(in *Input) { in.Username = "a1" }, nil},
		{"username of 30", func(in *Input) { in.Username = strings.Repeat("a", 30) }, nil},
		{"username of 31", func(in *Input) { in.Username = strings.Repeat("a", 31) }, []string{"username"}},
		{"username with all signs", func(in *Input) { in.Username = "4-da_x" }, nil},
		{"username in capitals", func(in *Input) { in.Username = " ADA " }, nil},
		{"username that begins with a hyphen", func(in *Input) { in.Username = "-ada" }, []string{"username"}},
		{"username with a dot", func(in *Input) { in.Username = "a.da" }, []string{"username"}},
		{"username with a slash", func(in *Input) { in.Username = "a/da" }, []string{"username"}},
		{"username with another alphabet", func(in *Input) { in.Username = "аda" }, []string{"username"}},
		{"username with a line break", func(in *Input) { in.Username = "ada\nx" }, []string{"username"}},
		{"reserved username", func(in *Input) { in.Username = "Admin" }, []string{"username"}},
		{"reserved username of an administrator", func(in *Input) { in.Username, in.Role = "admin", RoleAdmin }, nil},

		{"password of 9", func(in *Input) { in.Password = strings.Repeat("é", 9) }, []string{"password"}},
		{"password of 10", func(in *Input) { in.Password = strings.Repeat("é", 10) }, nil},
		{"password of 200", func(in *Input) { in.Password = strings.Repeat("é", 200) }, nil},
		{"password of 201", func(in *Input) { in.Password = strings.Repeat("é", 201) }, []string{"password"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := good
			c.change(&in)
			in.Normalize()
			var wrong []string
			if err := in.Validate(); err != nil {
				wrong = slices.Sorted(maps.Keys(core.AsError(err).Fields))
			}
			if !slices.Equal(wrong, c.wrong) {
				t.Errorf("wrong fields of %+v: %v, want %v", in, wrong, c.wrong)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	w := setup(t)
	a, err := w.Create(t.Context(), core.TheSystem(), Input{Email: " Ada@Example.org ", Username: " Ada ", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	want := Account{ID: a.ID, Email: "Ada@Example.org", Username: "ada", Role: RoleMember, CreatedAt: w.clock.read()}
	if a != want || !core.ValidID(a.ID) {
		t.Errorf("Create = %+v, want %+v", a, want)
	}
	if me, err := w.Me(t.Context(), a.Viewer()); err != nil || me != want {
		t.Errorf("Me = %+v, %v, want %+v", me, err, want)
	}
	if found, err := w.ByUsername(t.Context(), core.TheSystem(), "ADA"); err != nil || found != want {
		t.Errorf("ByUsername = %+v, %v, want %+v", found, err, want)
	}
	stored := pgtest.Value[string](t, w.db, core.TheSystem(), `select hash from passwords`)
	if strings.Contains(stored, "correct") || !strings.HasPrefix(stored, "$argon2id$") {
		t.Errorf("the password is stored as %q", stored)
	}
}

func TestCreateRefusesWhatIsTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.account(t, "ada", RoleMember)
	for _, c := range []struct{ email, username, code string }{
		{"ada@example.org", "other", "email_taken"},
		{"ADA@Example.ORG", "other", "email_taken"},
		{"other@example.org", "ada", "username_taken"},
		{"other@example.org", "ADA", "username_taken"},
	} {
		_, err := w.Create(t.Context(), core.TheSystem(), Input{Email: c.email, Username: c.username, Password: "correct horse"})
		if e := core.AsError(err); err == nil || e.Kind != core.Conflict || e.Code != c.code {
			t.Errorf("Create(%s, %s) = %v, want %s", c.email, c.username, err, c.code)
		}
	}
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from accounts`); n != 1 {
		t.Errorf("%d accounts are stored, want 1", n)
	}
}

func TestOnlyTheSystemCreatesAndLooksUp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	admin := w.account(t, "admin", RoleAdmin)
	for name, v := range map[string]core.Viewer{"anonymous": core.Nobody(), "zero": {}, "member": w.account(t, "ada", RoleMember), "admin": admin} {
		_, err := w.Create(t.Context(), v, Input{Email: "x@example.org", Username: "x1", Password: "correct horse"})
		wantKind(t, name+": Create", err, core.Forbidden)
		_, err = w.ByUsername(t.Context(), v, "ada")
		wantKind(t, name+": ByUsername", err, core.Forbidden)
	}
}

func TestSetRole(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, admin := w.account(t, "ada", RoleMember), w.account(t, "root", RoleAdmin)
	moderator := w.account(t, "mo", RoleModerator)
	for name, v := range map[string]core.Viewer{"anonymous": core.Nobody(), "oneself": ada, "moderator": moderator} {
		wantKind(t, name, w.SetRole(t.Context(), v, "ada", RoleAdmin), core.Forbidden)
	}
	wantKind(t, "unknown user", w.SetRole(t.Context(), admin, "nobody", RoleAdmin), core.NotFound)
	wantKind(t, "unknown role", w.SetRole(t.Context(), admin, "ada", "king"), core.Invalid)
	if err := w.SetRole(t.Context(), admin, "Ada", RoleModerator); err != nil {
		t.Fatal(err)
	}
	me, err := w.Me(t.Context(), ada)
	if err != nil || me.Role != RoleModerator {
		t.Fatalf("Me = %+v, %v, want a moderator", me, err)
	}
	want := core.Viewer{ID: ada.ID, Username: "ada", Role: core.Staff, Moderator: true}
	if me.Viewer() != want {
		t.Errorf("Viewer = %+v, want %+v", me.Viewer(), want)
	}
}

func TestViewer(t *testing.T) {
	t.Parallel()
	for role, want := range map[Role]core.Viewer{
		RoleMember:    {ID: "1", Username: "ada", Role: core.Member},
		RoleModerator: {ID: "1", Username: "ada", Role: core.Staff, Moderator: true},
		RoleAdmin:     {ID: "1", Username: "ada", Role: core.Staff, Moderator: true, Admin: true},
	} {
		if got := (Account{ID: "1", Username: "ada", Role: role}).Viewer(); got != want {
			t.Errorf("%s: %+v, want %+v", role, got, want)
		}
	}
}

func TestMeNeedsAnAccount(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, err := w.Me(t.Context(), core.Nobody())
	wantKind(t, "anonymous", err, core.Unauthenticated)
	_, err = w.Me(t.Context(), core.TheSystem())
	wantKind(t, "system", err, core.Unauthenticated)
	_, err = w.Me(t.Context(), core.Viewer{ID: pg.NewID(), Role: core.Member})
	wantKind(t, "deleted account", err, core.Unauthenticated)
}

// What stands between members when a query forgets its condition.
func TestOnlyPoliciesGuardAccounts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, eve, mo := w.account(t, "ada", RoleMember), w.account(t, "eve", RoleMember), w.account(t, "mo", RoleModerator)
	if got := pgtest.Value[string](t, w.db, eve, `select string_agg(email::text, ',') from accounts`); got != "eve@example.org" {
		t.Errorf("a member sees the addresses %s", got)
	}
	if got := pgtest.Value[int](t, w.db, mo, `select count(*) from accounts`); got != 3 {
		t.Errorf("staff see %d accounts, want 3", got)
	}
	for _, c := range []struct {
		viewer core.Viewer
		sql    string
	}{
		{core.Nobody(), `select from accounts`},
		{core.Nobody(), `update profiles set bio = 'x'`},
		{eve, `update accounts set role = 'admin'`},
		{eve, `delete from accounts`},
		{eve, `insert into accounts (id, email) values (gen_random_uuid(), 'x@y')`},
		{eve, `update profiles set username = 'root'`},
		{eve, `select from passwords`},
		{mo, `select from passwords`},
		{mo, `update passwords set hash = 'x'`},
		{mo, `update accounts set role = 'admin'`},
	} {
		if _, err := w.db.Exec(t, c.viewer, c.sql); !pg.Denied(err) {
			t.Errorf("%s %s: %s gives %v, want a refusal", c.viewer.Role, c.viewer.Username, c.sql, err)
		}
	}
	for _, v := range []core.Viewer{eve, mo} {
		rows, err := w.db.Exec(t, v, `update profiles set bio = 'it was me'`)
		if err != nil || rows != 1 {
			t.Errorf("%s changes %d profiles without a condition, %v, want the own one", v.Username, rows, err)
		}
	}
	if me, err := w.Me(t.Context(), ada); err != nil || me.Bio != "" {
		t.Errorf("another's profile was changed: %+v, %v", me, err)
	}
	if _, err := w.db.Public().Exec(t.Context(), `select username from profiles`); err != nil {
		t.Errorf("profiles are public: %v", err)
	}
}
