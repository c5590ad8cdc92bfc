package directory

import (
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

func TestCanEdit(t *testing.T) {
	t.Parallel()
	me, you := "00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"
	for _, c := range []struct {
		name   string
		viewer core.Viewer
		owner  *string
		want   bool
	}{
		{"nobody", core.Nobody(), &me, false},
		{"the zero viewer and no owner", core.Viewer{}, nil, false},
		{"its owner", core.Viewer{ID: me, Role: core.Member}, &me, true},
		{"another member", core.Viewer{ID: you, Role: core.Member}, &me, false},
		{"a member, of what nobody owns", core.Viewer{ID: you, Role: core.Member}, nil, false},
		{"staff", core.Viewer{ID: you, Role: core.Staff}, &me, true},
		{"the program", core.TheSystem(), nil, true},
	} {
		if got := CanEdit(c.viewer, Entry{OwnerID: c.owner}); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

const bakery = `{"kind":"business","name":"Blue Heron Bakery","slug":"blue-heron","city":"Atlanta","region":"GA","category":"bakery",` +
	`"phone":"404-555-0100","tags":["bread"],"hours":{"timezone":"America/New_York","mon":[["09:00","17:00"]]},"verified":true}`

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := setup(t)
	owner, other, moderator := w.account(t, "owner", core.Member), w.account(t, "other", core.Member), w.account(t, "mod", core.Staff)
	w.load(t, bakery)
	w.own(t, "blue-heron", owner)
	before := w.entry(t, "blue-heron")
	form := FormOf(before)
	form.Name, form.Phone, form.Tags = "Blue Heron Bread", "", nil
	w.clock.forward(time.Hour)

	_, err := w.Update(t.Context(), core.Nobody(), before.ID, form, before.UpdatedAt)
	wantError(t, "nobody's edit", err, core.Forbidden, "not_allowed")
	_, err = w.Update(t.Context(), other, before.ID, form, before.UpdatedAt)
	wantError(t, "another member's edit", err, core.Forbidden, "not_allowed")
	_, err = w.Update(t.Context(), owner, pg.NewID(), form, before.UpdatedAt)
	wantError(t, "an edit of nothing", err, core.NotFound, "not_found")
	wrong := form
	wrong.Name, wrong.Category, wrong.Website = " ", "no-such-thing", "ftp://example.org"
	_, err = w.Update(t.Context(), owner, before.ID, wrong, before.UpdatedAt)
	if fields := core.AsError(err).Fields; fields["name"] == "" || fields["category"] == "" || fields["website"] == "" {
		t.Errorf("what is wrong: %v", fields)
	}

	after, err := w.Update(t.Context(), owner, before.ID, form, before.UpdatedAt)
	if err != nil {
		t.Fatalf("the owner's edit: %v", err)
	}
	if after.Name != "Blue Heron Bread" || after.Phone != nil || len(after.Tags) != 0 || after.Slug != "blue-heron" || !after.Verified ||
		after.Hours == nil || *after.Category != "bakery" || *after.OwnerID != owner.ID || !after.CreatedAt.Equal(before.CreatedAt) {
		t.Errorf("after the edit: %+v", after)
	}
	page, err := w.List(t.Context(), Filter{Kind: KindBusiness, Query: "bread"})
	if err != nil || page.Total != 1 {
		t.Errorf("the new name is found %d times, %v", page.Total, err)
	}
	_, err = w.Update(t.Context(), moderator, before.ID, form, before.UpdatedAt)
	wantError(t, "an edit of an older state", err, core.Conflict, "changed_meanwhile")
	if _, err = w.Update(t.Context(), moderator, before.ID, FormOf(before), after.UpdatedAt); err != nil {
		t.Errorf("a moderator's edit: %v", err)
	}
	w.wantSound(t)
}

func TestGetFor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	owner, other, moderator := w.account(t, "owner", core.Member), w.account(t, "other", core.Member), w.account(t, "mod", core.Staff)
	w.load(t, bakery)
	w.own(t, "blue-heron", owner)
	if err := w.Hide(t.Context(), moderator, w.entry(t, "blue-heron").ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		viewer core.Viewer
		sees   bool
	}{
		{"nobody", core.Nobody(), false}, {"another member", other, false}, {"its owner", owner, true},
		{"staff", moderator, true}, {"the program", core.TheSystem(), true},
	} {
		e, err := w.GetFor(t.Context(), c.viewer, KindBusiness, "blue-heron")
		if (err == nil) != c.sees || err == nil && !e.Hidden || err != nil && core.KindOf(err) != core.NotFound {
			t.Errorf("%s sees it: %v, %v", c.name, e.Slug, err)
		}
	}
	if _, err := w.GetFor(t.Context(), owner, KindEvent, "blue-heron"); core.KindOf(err) != core.NotFound {
		t.Errorf("as another kind: %v", err)
	}
	if _, err := w.Get(t.Context(), KindBusiness, "blue-heron"); core.KindOf(err) != core.NotFound {
		t.Errorf("in public: %v", err)
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	owner, other, moderator := w.account(t, "owner", core.Member), w.account(t, "other", core.Member), w.account(t, "mod", core.Staff)
	w.load(t, bakery)
	w.own(t, "blue-heron", owner)
	if err := w.Hide(t.Context(), moderator, w.entry(t, "blue-heron").ID); err != nil {
		t.Fatal(err)
	}
	if list, err := w.Own(t.Context(), owner); err != nil || len(list) != 1 || list[0].Slug != "blue-heron" || !list[0].Hidden || *list[0].Owner != "owner" {
		t.Errorf("the owner's: %+v, %v", list, err)
	}
	for _, v := range []core.Viewer{other, moderator} {
		if list, err := w.Own(t.Context(), v); err != nil || len(list) != 0 {
			t.Errorf("%s has %+v, %v", v.Username, list, err)
		}
	}
	if _, err := w.Own(t.Context(), core.Nobody()); core.KindOf(err) != core.Unauthenticated {
		t.Errorf("nobody: %v", err)
	}
}

// Only the policies stand in the way here.
func TestMembersCannotWriteEntries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	owner := w.account(t, "owner", core.Member)
	w.load(t, bakery)
	w.own(t, "blue-heron", owner)
	for _, v := range []core.Viewer{core.Nobody(), owner} {
		for _, sql := range []string{
			`update directory_entries set verified = true`,
			`update search_documents set prominence = 1`,
			`update directory_counts set entries = 9`,
			`delete from search_documents`,
		} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v", v.DatabaseRole(), sql, err)
			}
		}
	}
}
