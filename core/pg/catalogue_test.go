package pg_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// withoutPolicies are the tables that no request can touch: nobody but the
// owner has any right on them.
var withoutPolicies = []string{"goose_db_version"}

// problem is one thing in the schema that breaks rule 10 of the design.
type problem struct{ Name, What string }

// problems walks the catalogue. Each branch is one rule.
func problems(t *testing.T, d *pgtest.Database) []problem {
	t.Helper()
	list, err := pg.All[problem](t.Context(), d.Owner(t), `
		with relations as (
			select c.* from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
			and not exists (select from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e')
		), tables as (
			select * from relations where relkind in ('r', 'p') and relname <> all (@exceptions)
		), rights as (
			select r.oid, r.relname, a.grantee from relations r, aclexplode(r.relacl) a
			union all
			select r.oid, r.relname, a.grantee
			from relations r join pg_attribute c on c.attrelid = r.oid, aclexplode(c.attacl) a
		)
		select relname::text as name, 'row level security is off' as what from tables where not relrowsecurity
		union all
		select relname, 'row level security is not forced' from tables where not relforcerowsecurity
		union all
		select relname, 'no policy' from tables t where not exists (select from pg_policy p where p.polrelid = t.oid)
		union all
		select relname, 'no grant to system' from tables t where not has_table_privilege('system', t.oid, 'select')
		union all
		select relname, 'owned by a login role of the program' from relations where pg_get_userbyid(relowner) like 'homeplace\_login\_%'
		union all
		select relname, 'rights for PUBLIC' from rights where grantee = 0
		union all
		select relname, 'rights on a table without policies' from rights
		where relname = any (@exceptions) and grantee = any (array['anon', 'member', 'staff', 'system']::regrole[])
		union all
		select p.polrelid::regclass::text, 'policy ' || p.polname || ' is for PUBLIC' from pg_policy p where 0 = any (p.polroles)
		union all
		select relname, 'view without security_invoker' from relations
		where relkind = 'v' and not coalesce('security_invoker=true' = any (reloptions), false)
		union all
		select relname, 'a materialized view or foreign table has no row level security' from relations where relkind in ('m', 'f')
		union all
		select f.oid::regprocedure::text, 'function runs with its owner''s rights for everybody, or with the caller''s search path'
		from pg_proc f
		where f.pronamespace = 'public'::regnamespace and f.prosecdef and (
			exists (select from aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a where a.grantee = 0)
			or not exists (select from unnest(f.proconfig) c where c like 'search_path=%'))
		order by 1, 2`, pgx.StrictNamedArgs{"exceptions": withoutPolicies})
	if err != nil {
		t.Fatalf("walk the catalogue: %v", err)
	}
	return slices.Compact(list)
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	for _, p := range problems(t, pgtest.New(t)) {
		t.Errorf("%s: %s", p.Name, p.What)
	}
}

// The walk must see each kind of mistake, else its silence means nothing.
func TestCatalogueSeesMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, sql, want string }{
		{"bare table", `create table bad (id int)`,
			"bad: no grant to system, bad: no policy, bad: row level security is not forced, bad: row level security is off"},
		{"not forced", `create table bad (id int); alter table bad enable row level security;
			create policy p on bad to system using (true); grant select on bad to system`, "bad: row level security is not forced"},
		{"public grant", `grant select on settings to public`, "settings: rights for PUBLIC"},
		{"public grant on a column", `grant select (key) on settings to public`, "settings: rights for PUBLIC"},
		{"policy for all", `create policy everyone on settings using (true)`, "settings: policy everyone is for PUBLIC"},
		{"view", `create view bad as select * from profiles`, "bad: view without security_invoker"},
		{"good view", `create view good with (security_invoker = true) as select * from profiles`, ""},
		{"materialized view", `create materialized view bad as select * from profiles`,
			"bad: a materialized view or foreign table has no row level security"},
		{"definer for all", `create function bad() returns int language sql security definer set search_path = pg_catalog return 1`,
			"bad(): function runs with its owner's rights for everybody, or with the caller's search path"},
		{"definer without a search path", `create function bad() returns int language sql security definer return 1;
			revoke execute on function bad() from public`,
			"bad(): function runs with its owner's rights for everybody, or with the caller's search path"},
		{"rights on the migrations", `grant select on goose_db_version to anon`, "goose_db_version: rights on a table without policies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := pgtest.New(t)
			execute(t, d.URL, c.sql)
			var got []string
			for _, p := range problems(t, d) {
				got = append(got, p.Name+": "+p.What)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, ", "), c.want)
			}
		})
	}
}

func TestLoginRoleHasNothing(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	login := loginOf(t, d.DB)
	type attributes struct{ Rolsuper, Rolbypassrls, Rolinherit, Rolcreaterole, Rolcreatedb, Rolreplication, Rolcanlogin bool }
	of := func(role string) attributes {
		t.Helper()
		a, err := pg.One[attributes](t.Context(), d.Owner(t), `
			select rolsuper, rolbypassrls, rolinherit, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin
			from pg_roles where rolname = $1`, role)
		if err != nil {
			t.Fatalf("read the role %s: %v", role, err)
		}
		return a
	}
	if got := of(login); got != (attributes{Rolcanlogin: true}) {
		t.Errorf("%s: %+v, want nothing but to log in", login, got)
	}
	for _, role := range []string{"anon", "member", "staff", "system"} {
		if got := of(role); got != (attributes{}) {
			t.Errorf("%s: %+v, want nothing", role, got)
		}
	}
	var member []string
	var owns, granted int
	if err := d.Owner(t).QueryRow(t.Context(), `
		select
			array(select m.roleid::regrole::text from pg_auth_members m where m.member = $1::regrole and not m.admin_option order by 1),
			(select count(*) from pg_shdepend s where s.refobjid = $1::regrole and s.deptype = 'o'),
			(select count(*) from pg_shdepend s where s.refobjid = $1::regrole and s.deptype = 'a')`,
		login).Scan(&member, &owns, &granted); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(member, []string{"anon", "member", "staff", "system"}) {
		t.Errorf("%s is a member of %v, want the four roles", login, member)
	}
	if owns != 0 || granted != 0 {
		t.Errorf("%s owns %d objects and has rights on %d, want none", login, owns, granted)
	}
}
