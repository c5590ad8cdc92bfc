package contributions

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestSuggestEditStoresWhatChanged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada := w.member(t, "ada")
	suggest := func(v core.Viewer, slug string, in directory.Input, message string) (Contribution, error) {
		return w.SuggestEdit(t.Context(), v, directory.KindBusiness, slug, in, message)
	}
	same := w.form(t)
	same.Name, same.Region, same.Tags = "  Blue Heron Bakery ", "Georgia", []string{"Bread", "bread"}
	_, err := suggest(ada, "blue-heron", same, "look")
	wantError(t, "the same in other words", err, core.Invalid, "validation_failed")
	_, err = suggest(core.Nobody(), "blue-heron", same, "")
	wantError(t, "nobody's suggestion", err, core.Unauthenticated, "unauthenticated")
	_, err = suggest(ada, "red-heron", same, "")
	wantError(t, "a suggestion for nothing", err, core.NotFound, "not_found")

	in := w.form(t)
	in.Name, in.Website = "", "not a website"
	_, err = suggest(ada, "blue-heron", in, strings.Repeat("x", 501))
	if fields := core.AsError(err).Fields; fields["name"] == "" || fields["website"] == "" || fields["message"] == "" {
		t.Errorf("what is wrong: %v", fields)
	}

	in = w.form(t)
	yes := true
	in.Phone, in.Tags, in.Summary, in.Kind, in.Verified, in.Slug = "", []string{"bread", "cake"}, "Since 1987.", directory.KindEvent, &yes, "mine"
	if _, err := suggest(ada, "blue-heron", in, "I work there."); err != nil {
		t.Fatal(err)
	}
	proposal := pgtest.Value[string](t, w.database, ada, `select proposal::text from directory_contributions`)
	if want := `{"tags": ["bread", "cake"], "phone": null, "summary": "Since 1987."}`; proposal != want {
		t.Errorf("stored %s, want %s", proposal, want)
	}
	if e := w.heron(t); e.Phone == nil || e.Summary.Summary != "" {
		t.Errorf("the entry changed already: %+v", e)
	}
}

// compare sets a contribution beside its entry, as the desk does.
func (w world) compare(t *testing.T, v core.Viewer, id string) (p proposal) {
	t.Helper()
	labels, err := w.directory.Categories(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = w.database.Read(t.Context(), v, func(q pg.Querier) error {
		c, err := byID(t.Context(), q, id)
		if err == nil {
			p, err = w.compared(t.Context(), q, c, labels)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDifference(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	lat, lng, year := 33.75, -84.39, 1987
	starts := time.Date(2026, 4, 1, 14, 30, 0, 0, time.FixedZone("", -4*3600))
	in := w.form(t)
	in.Category, in.Phone, in.Tags, in.Lat, in.Lng, in.YearStart, in.StartsAt = "barbecue", "", []string{"bread", "cake"}, &lat, &lng, &year, &starts
	in.Hours = &directory.Hours{Timezone: "America/New_York", Note: "Ring twice", Days: map[string][]directory.Span{"mon": {{"09:00", "17:00"}}, "tue": {}}}
	in.Links = []directory.Link{{Label: "Menu", URL: "https://heron.example/menu"}}
	c, err := w.SuggestEdit(t.Context(), ada, directory.KindBusiness, "blue-heron", in, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []change{
		{"category", "Category", "Bakeries", "Barbecue"},
		{"lat", "Latitude", "", "33.75"}, {"lng", "Longitude", "", "-84.39"},
		{"phone", "Phone", "404-555-0100", ""},
		{"links", "Links", "", "Menu: https://heron.example/menu"},
		{"tags", "Tags", "bread", "bread, cake"},
		{"hours", "Opening hours", "Mon 09:00–17:00\n(America/New_York)", "Mon 09:00–17:00\nTue closed\nRing twice\n(America/New_York)"},
		{"starts_at", "Starts", "", "Wed 1 Apr 2026, 18:30 UTC"},
		{"year_start", "From the year", "", "1987"},
	}
	for _, v := range []core.Viewer{mod, core.TheSystem()} {
		got := w.compare(t, v, c.ID)
		if diff := cmp.Diff(want, got.difference, cmp.AllowUnexported(change{})); diff != "" || got.stale {
			t.Errorf("%s: stale %t %s", v.Username, got.stale, diff)
		}
	}
	w.decided(t, mod, c.ID, core.ActionApprove, "")
	if got := w.compare(t, mod, c.ID); len(got.difference) != 0 {
		t.Errorf("once approved, %v differs", got.difference)
	}
}

// An approved edit changes its own fields and leaves what others changed since.
func TestStaleEdit(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	phone := w.suggested(t, ada, "404-555-0199")
	if w.compare(t, mod, phone.ID).stale {
		t.Error("stale at once")
	}
	e := w.heron(t)
	in := directory.FormOf(e)
	in.Name, in.Phone = "Blue Heron Bread", "404-555-0111"
	if _, err := w.directory.Update(t.Context(), mod, e.ID, in, e.UpdatedAt); err != nil {
		t.Fatal(err)
	}
	got := w.compare(t, mod, phone.ID)
	if !got.stale || got.EntryName != "Blue Heron Bakery" {
		t.Errorf("stale: %t, of %s", got.stale, got.EntryName)
	}
	if diff := cmp.Diff([]change{{"phone", "Phone", "404-555-0111", "404-555-0199"}}, got.difference, cmp.AllowUnexported(change{})); diff != "" {
		t.Error(diff)
	}
	w.decided(t, mod, phone.ID, core.ActionApprove, "")
	if e := w.heron(t); e.Name != "Blue Heron Bread" || *e.Phone != "404-555-0199" {
		t.Errorf("the entry is %s, %s", e.Name, *e.Phone)
	}
	if w.compare(t, mod, phone.ID).stale {
		t.Error("what is decided is still called stale")
	}
	w.wantSound(t)
}

func TestApproveCorrected(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	edit := w.suggested(t, ada, "404-555-0199")
	correct := func(id string, patch Patch) {
		t.Helper()
		if err := w.Correct(t.Context(), mod, id, patch); err != nil {
			t.Fatal(err)
		}
		w.decided(t, mod, id, core.ActionApprove, "")
	}
	wrong := Patch{Fields: []string{"category"}, Input: directory.Input{Category: "no-such-thing"}}
	wantError(t, "a correction that is wrong", w.Correct(t.Context(), mod, edit.ID, wrong), core.Invalid, "validation_failed")
	correct(edit.ID, Patch{Fields: []string{"phone", "city", "kind"}, Input: directory.Input{Phone: "+1 404 555 0199", City: "Decatur", Kind: directory.KindEvent}})
	if e := w.heron(t); *e.Phone != "+1 404 555 0199" || *e.City != "Decatur" || e.Kind != directory.KindBusiness || *e.Category != "bakery" {
		t.Errorf("the entry is %+v", e)
	}
	listing := w.offered(t, ada, "ADAS OVEN")
	correct(listing.ID, Patch{Fields: []string{"name"}, Input: directory.Input{Name: "Ada's Oven"}})
	if done := w.read(t, mod, listing.ID); *done.EntrySlug != "adas-oven-atlanta" || done.EntryName != "Ada's Oven" {
		t.Errorf("%s is published as %v", done.EntryName, *done.EntrySlug)
	}
}

func TestStillOpen(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	say := func(v core.Viewer, open bool) (Contribution, error) {
		return w.StillOpen(t.Context(), v, directory.KindBusiness, "blue-heron", open, "")
	}
	_, err := say(core.Nobody(), true)
	wantError(t, "nobody's word", err, core.Unauthenticated, "unauthenticated")
	there, err := say(ada, true)
	if err != nil {
		t.Fatal(err)
	}
	_, err = say(ada, false)
	wantError(t, "a second word", err, core.Conflict, "already_sent")
	closed, err := say(ben, false)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]change{
		there.ID:  {"verified", "Verified", "no", "yes"},
		closed.ID: {"status", "Status", "published", "archived"},
	} {
		if got := w.compare(t, mod, id).difference; len(got) != 1 || got[0] != want {
			t.Errorf("differs: %v", got)
		}
	}
	before := w.heron(t)
	w.decided(t, mod, there.ID, core.ActionApprove, "")
	if e := w.heron(t); !e.Verified || !e.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("verified %t, at %v after %v", e.Verified, e.UpdatedAt, before.UpdatedAt)
	}
	if _, err := say(ada, false); err != nil {
		t.Errorf("a word after the first was decided: %v", err)
	}
	w.decided(t, mod, closed.ID, core.ActionApprove, "")
	if e := w.heron(t); e.Status != directory.Archived {
		t.Errorf("the entry is %s", e.Status)
	}
	if where := w.second(t).visible(t, "Blue Heron Bakery", "blue-heron"); where != "" {
		t.Errorf("what closed is in %s", where)
	}
	_, err = say(ben, true)
	wantError(t, "a word about what is gone", err, core.NotFound, "not_found")
	mine, err := w.Mine(t.Context(), ben, core.Page{})
	if err != nil || mine.Items[0].EntryName != "Blue Heron Bakery" || mine.Items[0].EntrySlug != nil {
		t.Errorf("the member reads %+v, %v", mine.Items, err)
	}
	if got := w.read(t, ben, closed.ID); got.EntryKind != nil {
		t.Errorf("the member reads of a %s", *got.EntryKind)
	}
	w.wantSound(t)
}
