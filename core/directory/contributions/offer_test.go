package contributions

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pgtest"
	"homeplace/core/search"
)

// visible tells where the public of an instance finds an entry of a name, by
// its slug, as "list search detail count".
func (in instance) visible(t *testing.T, name, slug string) string {
	t.Helper()
	var where []string
	if page, err := in.directory.List(t.Context(), directory.Filter{Kind: directory.KindBusiness, Query: name}); err != nil {
		t.Error(err)
	} else if page.Total > 0 {
		where = append(where, "list")
	}
	if result, err := in.search.Search(t.Context(), search.Query{Text: name}); err != nil {
		t.Error(err)
	} else if result.Total > 0 {
		where = append(where, "search")
	}
	if _, err := in.directory.Get(t.Context(), directory.KindBusiness, slug); err == nil {
		where = append(where, "detail")
	}
	if counts, err := in.directory.Counts(t.Context()); err != nil {
		t.Error(err)
	} else if counts[directory.KindBusiness] > 0 {
		where = append(where, "count")
	}
	return strings.Join(where, " ")
}

func TestOfferIsCheckedAsAnEntry(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	lat := 95.0
	for _, c := range []struct {
		name   string
		in     directory.Input
		fields string
	}{
		{"nothing", directory.Input{}, "city kind name"},
		{"no way to find it", directory.Input{Kind: directory.KindService, Name: "Ada's Hair"}, "city"},
		{"many at once", directory.Input{Kind: "shop", Name: strings.Repeat("x", 161), City: "Atlanta", Website: "ftp://x.org", Category: "x", Lat: &lat},
			"category kind lat name website"},
		{"a category of another kind", directory.Input{Kind: directory.KindEvent, Name: "Fair", City: "Atlanta", Category: "bakery"}, "category"},
	} {
		_, err := w.Offer(t.Context(), ada, c.in)
		var fields []string
		for _, f := range []string{"category", "city", "kind", "lat", "name", "website"} {
			if core.AsError(err).Fields[f] != "" {
				fields = append(fields, f)
			}
		}
		if core.KindOf(err) != core.Invalid || strings.Join(fields, " ") != c.fields {
			t.Errorf("%s: %v is wrong, %v", c.name, fields, err)
		}
	}
	_, err := w.Offer(t.Context(), core.Nobody(), directory.Input{Kind: directory.KindBusiness, Name: "X", City: "Y"})
	wantError(t, "nobody's offer", err, core.Unauthenticated, "unauthenticated")
	if n := w.count(t, `select count(*) from directory_contributions`); n != 0 {
		t.Errorf("%d were stored", n)
	}
	if _, err := w.Offer(t.Context(), ada, directory.Input{Kind: directory.KindService, Name: "Ada's Hair", Website: "ada.example"}); err != nil {
		t.Errorf("with a website alone: %v", err)
	}
}

func TestApprovedListingIsPublicAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.second(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	yes := true
	c, err := w.Offer(t.Context(), ada, directory.Input{Kind: directory.KindBusiness, Name: "Ada's Oven", City: "Atlanta", Region: "georgia",
		Category: "bakery", Description: "**Rolls**", Slug: "admin", Status: directory.Published, Verified: &yes, OwnerID: mod.ID})
	if err != nil {
		t.Fatal(err)
	}
	if where := second.visible(t, "Ada's Oven", "adas-oven-atlanta"); where != "" {
		t.Errorf("before the decision it is in %s", where)
	}
	proposal := pgtest.Value[string](t, w.database, ada, `select proposal::text from directory_contributions`)
	want := `{"city": "Atlanta", "kind": "business", "name": "Ada's Oven", "region": "GA", "country": "US", "category": "bakery", "description": "**Rolls**"}`
	if diff := cmp.Diff(want, proposal); diff != "" {
		t.Error(diff)
	}

	w.decided(t, mod, c.ID, core.ActionApprove, "")
	done := w.read(t, mod, c.ID)
	if where := second.visible(t, "Ada's Oven", "adas-oven-atlanta"); where != "list search detail count" {
		t.Errorf("after the decision it is in %s", where)
	}
	e, err := second.directory.Get(t.Context(), directory.KindBusiness, *done.EntrySlug)
	if err != nil || e.Verified || *e.OwnerID != ada.ID || e.DescriptionHTML != "<p><strong>Rolls</strong></p>" || *done.EntryID != e.ID {
		t.Errorf("the entry is %+v, %v", e, err)
	}
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Total != 1 || mine.Items[0].Status != Approved || mine.Items[0].DecidedAt == nil || *mine.Items[0].EntrySlug != e.Slug {
		t.Errorf("the member reads %+v, %v", mine, err)
	}
	w.wantSound(t)
}

func TestRefusedListingStaysOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	c := w.offered(t, ada, "Ada's Oven")
	_, err := decideAt(t, w.database.DB, w.Desk(), mod, c.ID, core.ActionReject, " \n ")
	wantError(t, "a refusal without a reason", err, core.Invalid, "validation_failed")
	w.decided(t, mod, c.ID, core.ActionReject, "It is there already.")
	if where := w.second(t).visible(t, "Ada's Oven", "adas-oven-atlanta"); where != "" {
		t.Errorf("it is in %s", where)
	}
	got, err := w.Get(t.Context(), ada, c.ID)
	if err != nil || got.Status != Refused || got.Reason != "It is there already." || got.EntryID != nil {
		t.Errorf("the member reads %+v, %v", got, err)
	}
	decision := pgtest.Value[string](t, w.database, core.TheSystem(), `select decided_by::text from directory_contributions where decided_at is not null`)
	if decision != mod.ID {
		t.Errorf("decided by %s", decision)
	}
	if n := w.count(t, `select count(*) from directory_entries`); n != 0 {
		t.Errorf("%d entries were made", n)
	}
}

func TestListingsOfOneNameGetNumbers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	w.load(t, `{"kind":"landmark","name":"Old Mill","slug":"adas-oven-atlanta"}`)
	instances := []instance{w.instance, w.second(t)}
	var wg sync.WaitGroup
	for i := range 12 {
		c := w.offered(t, ada, "Ada's Oven")
		wg.Go(func() {
			if err := instances[i%2].decide(t, mod, c.ID, core.ActionApprove); err != nil {
				t.Errorf("approve: %v", err)
			}
		})
	}
	wg.Wait()
	if n := w.count(t, `select count(*) from directory_entries where name = 'Ada''s Oven' and slug ~ '^adas-oven-atlanta-([2-9]|1[0-3])$'`); n != 12 {
		t.Errorf("%d of 12 have a numbered slug", n)
	}
	if name := pgtest.Value[string](t, w.database, core.TheSystem(), `select name from directory_entries where slug = 'adas-oven-atlanta'`); name != "Old Mill" {
		t.Errorf("the slug of another entry now belongs to %s", name)
	}
	w.wantSound(t)
}

func TestDeskWarnsOfDuplicates(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	c := w.offered(t, ada, "The Blue Heron Bakery, LLC")
	got := w.laidOut(t, mod, c.ID)
	want := []core.Fact{{Label: "Kind", Text: "business"}, {Label: "Category", Text: "Bakeries"}, {Label: "Where", Text: "Atlanta, GA"},
		{Label: "Perhaps the same", Text: "Blue Heron Bakery, Atlanta", Href: "/directory/businesses/blue-heron"}}
	if diff := cmp.Diff(want, got.Facts); diff != "" || got.Title != "The Blue Heron Bakery, LLC" {
		t.Errorf("%q: %s", got.Title, diff)
	}
}

// A flood from one member on two instances leaves exactly as many waiting as
// may wait, and room again once one is taken back.
func TestFloodOfOffers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	instances := []instance{w.instance, w.second(t)}
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			_, err := instances[i%2].Offer(t.Context(), ada, directory.Input{Kind: directory.KindBusiness, Name: "Oven", City: "Atlanta"})
			if err != nil && core.AsError(err).Code != "too_many_pending" {
				t.Errorf("offer: %v", err)
			}
		})
	}
	wg.Wait()
	if n := w.count(t, `select count(*) from directory_contributions`); n != MaxPending {
		t.Errorf("%d wait, want %d", n, MaxPending)
	}
	_, err := w.Offer(t.Context(), ada, directory.Input{Kind: directory.KindBusiness, Name: "Oven", City: "Atlanta"})
	wantError(t, "one more", err, core.Conflict, "too_many_pending")
	w.offered(t, ben, "Ben's Oven")
	mine, err := w.Mine(t.Context(), ada, core.Page{Limit: 1})
	if err != nil || mine.Total != MaxPending || len(mine.Items) != 1 {
		t.Fatalf("%d of %d, %v", len(mine.Items), mine.Total, err)
	}
	if err := w.Withdraw(t.Context(), ada, mine.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	w.offered(t, ada, "After all")
}
