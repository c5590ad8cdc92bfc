package directory_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
)

func TestOnlyStaffWrite(t *testing.T) {
	t.Parallel()
	w := setup(t)
	owner := w.member(t, "owner", accounts.RoleMember)
	_, err := w.Import(t.Context(), core.TheSystem(), rows(t, `{"kind":"business","slug":"theirs","name":"Theirs","owner":"owner"}`),
		directory.ImportOptions{OwnerID: func(context.Context, string) (string, error) { return owner.ID, nil }})
	if err != nil {
		t.Fatal(err)
	}
	id := w.id(t, "theirs")
	viewers := map[string]core.Viewer{
		"nobody": core.Nobody(), "the zero viewer": {}, "the owner": owner, "another member": w.member(t, "other", accounts.RoleMember),
	}
	for name, v := range viewers {
		for what, do := range map[string]func() error{
			"Import": func() error {
				_, err := w.Import(t.Context(), v, rows(t, `{"kind":"business","name":"X"}`), directory.ImportOptions{AddCategories: true})
				return err
			},
			"Export": func() error { _, err := w.Export(t.Context(), v, io.Discard, rowfile.JSONLines); return err },
			"Hide":   func() error { return w.Hide(t.Context(), v, id) },
			"Show":   func() error { return w.Show(t.Context(), v, id) },
			"Reindex": func() error {
				_, err := w.Reindex(t.Context(), v)
				return err
			},
			"CheckIndex": func() error { _, err := w.CheckIndex(t.Context(), v); return err },
		} {
			wantKind(t, what+" by "+name, do(), core.Forbidden)
		}
	}
	moderator := w.member(t, "mod", accounts.RoleModerator)
	if err := w.Hide(t.Context(), moderator, id); err != nil {
		t.Errorf("Hide by a moderator: %v", err)
	}
	if count, err := w.Reindex(t.Context(), core.TheSystem()); err != nil || count != 0 {
		t.Errorf("Reindex counts %d, %v", count, err)
	}
	for _, missing := range []string{"", "x", "00000000-0000-4000-8000-000000000000"} {
		wantKind(t, "Hide "+missing, w.Hide(t.Context(), moderator, missing), core.NotFound)
	}
}

// What the database itself refuses, whatever a query forgets.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	owner, other := w.member(t, "owner", accounts.RoleMember), w.member(t, "other", accounts.RoleMember)
	w.importRows(t, thirty)
	if err := w.Hide(t.Context(), core.TheSystem(), w.id(t, "acorn")); err != nil {
		t.Fatal(err)
	}
	const insert = `insert into directory_entries (id, slug, kind, name, status, verified, owner_id) values ($1, $2, 'business', $2, $3, $4, $5)`
	offer := func(v core.Viewer, slug, status string, verified bool, owner any) error {
		_, err := w.db.Exec(t, v, insert, pg.NewID(), slug, status, verified, owner)
		return err
	}
	for _, status := range []string{"draft", "pending"} {
		if err := offer(owner, "own-"+status, status, false, owner.ID); err != nil {
			t.Errorf("a member cannot offer a %s: %v", status, err)
		}
	}
	for what, err := range map[string]error{
		"an entry that is published": offer(owner, "x-1", "published", false, owner.ID),
		"an entry that is verified":  offer(owner, "x-2", "pending", true, owner.ID),
		"an entry of another":        offer(owner, "x-3", "pending", false, other.ID),
		"an entry of nobody":         offer(owner, "x-4", "pending", false, nil),
		"an entry, by nobody":        offer(core.Nobody(), "x-5", "pending", false, nil),
		"another's, by nobody":       offer(core.Nobody(), "x-6", "pending", false, owner.ID),
	} {
		if !pg.Denied(err) {
			t.Errorf("inserting %s gives %v, want 42501", what, err)
		}
	}

	// 27 of the thirty are published, one of those hidden.
	const visible = 26
	for name, tt := range map[string]struct {
		viewer core.Viewer
		want   int
	}{"nobody": {core.Nobody(), visible}, "a stranger": {other, visible}, "the owner": {owner, visible + 2}, "the system": {core.TheSystem(), 32}} {
		if got := pgtest.Value[int](t, w.db, tt.viewer, `select count(*) from directory_entries`); got != tt.want {
			t.Errorf("%s sees %d entries, want %d", name, got, tt.want)
		}
	}
	var public int
	if err := w.db.Public().QueryRow(t.Context(), `select count(*) from directory_entries`).Scan(&public); err != nil || public != visible {
		t.Errorf("Public sees %d entries, %v", public, err)
	}

	for _, v := range []core.Viewer{core.Nobody(), owner} {
		for _, table := range []string{"directory_entries", "search_documents", "directory_counts", "search_words", "search_synonyms", "directory_categories"} {
			column := map[string]string{"directory_entries": "name", "search_documents": "sort_name", "directory_counts": "initial",
				"search_words": "word", "search_synonyms": "term", "directory_categories": "label"}[table]
			for _, sql := range []string{"delete from " + table, "update " + table + " set " + column + " = " + column, "truncate " + table} {
				if _, err := w.db.Exec(t, v, sql); !pg.Denied(err) {
					t.Errorf("%q by %s gives %v, want 42501", sql, v.DatabaseRole(), err)
				}
			}
			if table == "directory_entries" {
				continue
			}
			if _, err := w.db.Exec(t, v, "insert into "+table+" ("+column+") select "+column+" from "+table+" limit 1"); !pg.Denied(err) {
				t.Errorf("an insert into %s by %s gives %v, want 42501", table, v.DatabaseRole(), err)
			}
		}
	}
	w.wantInOrder(t)
}

func TestHideAndShow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, thirty)
	id := w.id(t, "acorn")
	public := func() string {
		l := w.list(t, directory.Filter{Kind: directory.KindBusiness, Letter: "a"})
		found := w.list(t, directory.Filter{Kind: directory.KindBusiness, Query: "acorn"})
		_, get := w.Get(t.Context(), directory.KindBusiness, "acorn")
		_, kind := w.KindOf(t.Context(), "acorn")
		list, err := w.ByIDs(t.Context(), []string{id})
		if err != nil {
			t.Fatal(err)
		}
		seen := []string{slugs(l.Items), facets(l.Facets), slugs(found.Items), slugs(list)}
		if get != nil || kind != nil {
			wantKind(t, "Get", get, core.NotFound)
			wantKind(t, "KindOf", kind, core.NotFound)
			seen = append(seen, "not found")
		}
		return strings.Join(seen, " | ")
	}
	const shown, hidden = "acorn amber apex aster | bakery:2 barber-shop:1 bookstore:1 | acorn | acorn",
		"amber apex aster | bakery:1 barber-shop:1 bookstore:1 |  |  | not found"
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"at first", func() error { return nil }, shown},
		{"hidden", func() error { return w.Hide(t.Context(), core.TheSystem(), id) }, hidden},
		{"hidden again", func() error { return w.Hide(t.Context(), core.TheSystem(), id) }, hidden},
		{"imported while hidden", func() error {
			w.importRows(t, `{"kind":"business","slug":"acorn","name":"Acorn Bakery","status":"published"}`)
			return nil
		}, hidden},
		{"indexed anew", func() error { _, err := w.Reindex(t.Context(), core.TheSystem()); return err }, hidden},
		{"shown", func() error { return w.Show(t.Context(), core.TheSystem(), id) }, shown},
		{"shown again", func() error { return w.Show(t.Context(), core.TheSystem(), id) }, shown},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := public(); got != step.want {
			t.Errorf("%s: %s\nwant %s", step.name, got, step.want)
		}
		w.wantInOrder(t)
	}
}
