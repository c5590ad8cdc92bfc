package fakereports

import (
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// What Go forgot, the database refuses.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	var ids []string
	for _, v := range []core.Viewer{ada, core.Nobody(), mod} { // one confirmed and one waiting of each
		for range 2 {
			sent, err := w.Send(t.Context(), v, Input{Category: "scam", Description: "A scam", SubmitterName: "Given", SubmitterEmail: "given@example.org"})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, sent.ID)
		}
	}
	adas, nobodys, mods := ids[1], ids[3], ids[5]
	dee := w.moderator(t, "dee")
	for _, id := range []string{ids[0], ids[2], ids[4]} {
		w.confirm(t, dee, id)
	}
	for who, tt := range map[string]struct {
		v    core.Viewer
		want int
	}{"nobody": {core.Nobody(), 3}, "another member": {ben, 0}, "a member": {ada, 2}, "staff": {mod, 6}} {
		if got := pgtest.Value[int](t, w.database, tt.v, `select count(*) from fake_reports`); got != tt.want {
			t.Errorf("%s sees %d reports, want %d", who, got, tt.want)
		}
	}
	for who, tt := range map[string]struct {
		v    core.Viewer
		want int
	}{"another member": {ben, 0}, "a member": {ada, 2}, "staff": {mod, 6}} {
		if got := pgtest.Value[int](t, w.database, tt.v, `select count(*) from fake_reports where submitter_email = 'given@example.org' and submitter_name = 'Given'`); got != tt.want {
			t.Errorf("%s reads %d names, want %d", who, got, tt.want)
		}
	}
	const send = `insert into fake_reports (id, category, description, created_at, `
	denied := []struct {
		what string
		v    core.Viewer
		sql  string
	}{
		{"anon reads e-mail addresses", core.Nobody(), `select submitter_email from fake_reports`},
		{"anon reads names", core.Nobody(), `select submitter_name from fake_reports`},
		{"anon reads senders", core.Nobody(), `select submitted_by from fake_reports`},
		{"anon filters by them", core.Nobody(), `select id from fake_reports where submitter_email like 'g%'`},
		{"anon sorts by them", core.Nobody(), `select id from fake_reports order by submitter_name`},
		{"anon reads reasons", core.Nobody(), `select reason, decided_by from fake_reports`},
		{"anon reads all columns", core.Nobody(), `select * from fake_reports`},
		{"anon gets them back from inserting", core.Nobody(), send + `submitter_name) values (gen_random_uuid(), 'scam', 'abc', now(), 'x') returning submitter_name`},
		{"anon sends for a member", core.Nobody(), send + `submitted_by) values (gen_random_uuid(), 'scam', 'abc', now(), '` + ada.ID + `')`},
		{"anon sends a confirmed one", core.Nobody(), send + `status) values (gen_random_uuid(), 'scam', 'abc', now(), 'confirmed')`},
		{"anon confirms", core.Nobody(), `update fake_reports set status = 'confirmed'`},
		{"anon deletes", core.Nobody(), `delete from fake_reports`},
		{"a member sends for another", ben, send + `submitted_by) values (gen_random_uuid(), 'scam', 'abc', now(), '` + ada.ID + `')`},
		{"a member sends for nobody", ben, send + `submitted_by) values (gen_random_uuid(), 'scam', 'abc', now(), null)`},
		{"a member confirms", ada, `update fake_reports set status = 'confirmed', confirmed_at = now()`},
		{"a member rewrites", ada, `update fake_reports set description = 'Something else'`},
		{"a member reads who decided", ada, `select decided_by from fake_reports`},
		{"staff rewrite", mod, `update fake_reports set description = 'Something else'`},
		{"staff give a report away", mod, `update fake_reports set submitted_by = null`},
		{"staff decide in another's name", mod, `update fake_reports set status = 'refused', decided_by = '` + dee.ID + `' where id = '` + adas + `'`},
	}
	for _, tt := range denied {
		if _, err := w.database.Exec(t, tt.v, tt.sql); !pg.Denied(err) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	for what, tt := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"another member deletes":                {ben, `delete from fake_reports`},
		"a member deletes nobody's":             {ada, `delete from fake_reports where id = '` + nobodys + `'`},
		"a member deletes a confirmed one":      {ada, `delete from fake_reports where id = '` + ids[0] + `'`},
		"staff delete what a member sent":       {mod, `delete from fake_reports where id = '` + adas + `'`},
		"a moderator decides about their own":   {mod, `update fake_reports set status = 'refused', decided_by = '` + mod.ID + `' where id = '` + mods + `'`},
		"a moderator locks their own to decide": {mod, `select from fake_reports where id = '` + mods + `' for update`},
	} {
		if n, err := w.database.Exec(t, tt.v, tt.sql); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
	}
}
