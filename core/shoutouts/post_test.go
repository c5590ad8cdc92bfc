package shoutouts

import (
	"math"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
)

func TestShoutOutsArriveJudged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	from := core.Origin{AddressKey: "192.0.2.7", Shared: true}
	posted, err := w.Post(t.Context(), ada, Input{BusinessName: "  Blue Heron ", City: "Atlanta", Rating: 4.5, Body: "Warm bread.\r\nWarm people.", From: from})
	if err != nil || posted.Status != Pending || posted.Draft != "blue-heron" {
		t.Fatalf("%+v, %v", posted, err)
	}
	if got := w.pipeline.seen[0]; got != (core.Text{Scope: "shoutout", From: from, About: core.Target{Type: "shoutout", ID: posted.ID},
		Body: "Blue Heron\nAtlanta\nWarm bread.\nWarm people."}) {
		t.Errorf("the pipeline saw %+v", got)
	}
	for text, want := range map[string]Status{"buy now": Spam, "amen": Pending, "outage": Pending, "": Pending} {
		if got := w.post(t, core.Nobody(), Input{BusinessName: "Porch Swing", Body: text}); got.Status != want || got.Draft != "" {
			t.Errorf("%q becomes %+v, want %s", text, got, want)
		}
	}
	w.settings["open"] = true
	for text, want := range map[string]Status{"buy now": Spam, "amen": Approved, "hm": Pending} {
		if got := w.post(t, ada, Input{BusinessName: "Open House", Body: text}); got.Status != want {
			t.Errorf("with the setting off %q becomes %s, want %s", text, got.Status, want)
		}
	}
	if w.feed(t, Filter{}) != "Open House" || len(w.till.paid) != 1 || w.till.paid[0].AccountID != ada.ID {
		t.Errorf("public are %q, paid %+v", w.feed(t, Filter{}), w.till.paid)
	}
	w.needs.Moderator = nil
	if got := w.post(t, ada, Input{BusinessName: "Nobody judges", Body: "amen"}); got.Status != Pending {
		t.Errorf("without a pipeline it is %s", got.Status)
	}
	if n := w.count(t, `select count(*) from desk_queue where target_type = 'shoutout'`); n != 6 {
		t.Errorf("%d wait at the desk, want 6", n)
	}
}

func TestShoutOutsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	service := pg.NewID()
	w.exec(t, `insert into directory_entries (id, slug, kind, name) values ($1, 'help', 'service', 'Help')`, service)
	hidden := w.business(t, "hidden", "Hidden", "")
	w.exec(t, `update directory_entries set hidden_at = now() where id = $1`, hidden)
	good := Input{BusinessName: "Blue Heron", Rating: 5}
	for what, change := range map[string]func(in *Input){
		"business_name":                     func(in *Input) { in.BusinessName = "" },
		"business_name of signs":            func(in *Input) { in.BusinessName = "?!" },
		"business_name that is long":        func(in *Input) { in.BusinessName = strings.Repeat("é", 121) },
		"rating":                            func(in *Input) { in.Rating = 0 },
		"rating of six":                     func(in *Input) { in.Rating = 6 },
		"rating of 4.3":                     func(in *Input) { in.Rating = 4.3 },
		"rating that is no number":          func(in *Input) { in.Rating = math.NaN() },
		"body":                              func(in *Input) { in.Body = strings.Repeat("b", 1001) },
		"city":                              func(in *Input) { in.City = "two\nlines" },
		"submitter_name":                    func(in *Input) { in.SubmitterName = strings.Repeat("n", 81) },
		"directory_entry_id":                func(in *Input) { in.EntryID = "x" },
		"directory_entry_id of nothing":     func(in *Input) { in.EntryID = pg.NewID() },
		"directory_entry_id of a service":   func(in *Input) { in.EntryID = service },
		"directory_entry_id that is hidden": func(in *Input) { in.EntryID = hidden },
	} {
		in := good
		change(&in)
		_, err := w.Post(t.Context(), core.Nobody(), in)
		wantError(t, what, err, core.Invalid, "validation_failed")
		field, _, _ := strings.Cut(what, " ")
		if core.AsError(err).Fields[field] == "" {
			t.Errorf("%s is not named: %v", what, err)
		}
	}
	in := good
	in.BusinessName, in.Body, in.City, in.Rating = strings.Repeat("é", 120), strings.Repeat("é", 1000), strings.Repeat("é", 100), 1
	if _, err := w.Post(t.Context(), core.Nobody(), in); err != nil {
		t.Errorf("the longest: %v", err)
	}
	gone := w.member(t, "gone")
	gone.ID = pg.NewID()
	_, err := w.Post(t.Context(), gone, good)
	wantError(t, "an account that left", err, core.Unauthenticated, "unauthenticated")
	if n := w.count(t, `select count(*) from shoutouts`); n != 1 {
		t.Errorf("%d are stored", n)
	}
}

func TestBusinessIsFoundByItsName(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	heron := w.business(t, "blue-heron", "Blue Heron", "Atlanta")
	w.business(t, "joes-a", "Joes", "Macon")
	w.business(t, "joes-b", "Joes", "Savannah")
	for _, tt := range []struct {
		in    Input
		entry string
		draft string
	}{
		{Input{BusinessName: "the BLUE heron", City: "atlanta"}, heron, ""},
		{Input{BusinessName: "Blue Heron, LLC"}, heron, ""},
		{Input{BusinessName: "Somebody Else", EntryID: heron}, heron, ""},
		{Input{BusinessName: "Blue Heron", City: "Macon"}, "", "blue-heron"},
		{Input{BusinessName: "Joes"}, "", ""},
		{Input{BusinessName: "Joes", Unlisted: true}, "", "joes"},
		{Input{BusinessName: "New Here"}, "", "new-here"},
		{Input{BusinessName: "New Here buy now"}, "", ""},
	} {
		got := w.post(t, ada, tt.in)
		var entry string
		if err := w.database.Owner(t).QueryRow(t.Context(), `select coalesce(entry_id::text, '') from shoutouts where id = $1`, got.ID).Scan(&entry); err != nil {
			t.Fatal(err)
		}
		if entry != tt.entry || got.Draft != tt.draft {
			t.Errorf("%+v is linked to %q and drafts %q", tt.in, entry, got.Draft)
		}
	}
	if got := w.post(t, core.Nobody(), Input{BusinessName: "Unheard Of"}); got.Draft != "" {
		t.Errorf("nobody drafts %q", got.Draft)
	}
	w.drafts.full = true
	if got := w.post(t, ada, Input{BusinessName: "One Too Many"}); got.Draft != "" || got.Status != Pending {
		t.Errorf("where too many wait: %+v", got)
	}
	if list, err := w.Matches(t.Context(), "JOES!", ""); err != nil || len(list) != 2 || list[0].City != "Macon" {
		t.Errorf("matches %+v, %v", list, err)
	}
}

// A draft that is approved takes its shout-out along, and gives it back.
func TestApprovedDraftIsLinked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	posted := w.post(t, ada, Input{BusinessName: "New Here", City: "Macon"})
	w.mustDecide(t, mod, posted.ID, core.ActionApprove, "")
	if c := w.laidOut(t, mod, posted.ID); !strings.HasPrefix(c.Facts[1].Text, "Drafted") || c.Path != "/shout-outs" {
		t.Errorf("before: %+v", c)
	}
	entry := w.business(t, "new-here-macon", "New Here", "Macon")
	approve := `update directory_contributions set status = 'approved', entry_id = $1, decided_by = $2, decided_at = now()`
	if n, err := w.database.Exec(t, mod, approve, entry, mod.ID); err != nil || n != 1 {
		t.Fatalf("approve the draft: %d, %v", n, err)
	}
	list, err := w.List(t.Context(), Filter{EntryID: entry})
	if err != nil || list.Total != 1 || list.Items[0].BusinessSlug != "new-here-macon" {
		t.Fatalf("%+v, %v", list, err)
	}
	if c := w.laidOut(t, mod, posted.ID); c.Facts[1].Href != "/directory/businesses/new-here-macon" || c.Path != c.Facts[1].Href {
		t.Errorf("after: %+v", c)
	}
	w.exec(t, `update directory_contributions set status = 'pending', entry_id = null, decided_by = null, decided_at = null`)
	if list, _ := w.List(t.Context(), Filter{}); list.Items[0].BusinessSlug != "" {
		t.Errorf("taken back: %+v", list.Items)
	}
}

func TestListAndSummary(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.settings["open"] = true
	ada := w.member(t, "ada")
	w.exec(t, `update profiles set display_name = 'Ada L.'`)
	heron := w.business(t, "blue-heron", "Blue Heron", "Atlanta")
	for _, rating := range []float64{5, 4.5, 3} {
		w.post(t, ada, Input{BusinessName: "Blue Heron", EntryID: heron, Rating: rating, Body: "amen"})
	}
	w.post(t, ada, Input{BusinessName: "Blue Heron", EntryID: heron, Rating: 1, Body: "this waits"})
	w.post(t, ada, Input{BusinessName: "Elsewhere", SubmitterName: "A. L.", Body: "amen"})
	w.post(t, core.Nobody(), Input{BusinessName: "Nowhere", Body: "amen"})
	// (5 + 4.5 + 3) / 3 = 4.1666…
	if sum, err := w.SummaryOf(t.Context(), heron); err != nil || sum != (Summary{Count: 3, Average: 4.17}) {
		t.Errorf("%+v, %v", sum, err)
	}
	if sum, err := w.SummaryOf(t.Context(), pg.NewID()); err != nil || sum != (Summary{}) {
		t.Errorf("%+v, %v", sum, err)
	}
	if got := w.feed(t, Filter{}); got != "Nowhere, Elsewhere, Blue Heron, Blue Heron, Blue Heron" {
		t.Errorf("the feed is %s", got)
	}
	if got := w.feed(t, Filter{EntryID: heron, Page: core.Page{Limit: 2, Offset: 2}}); got != "Blue Heron" {
		t.Errorf("the third is %s", got)
	}
	list, err := w.List(t.Context(), Filter{Page: core.Page{Limit: 1000}})
	if err != nil || list.Page.Limit != 100 || list.Total != 5 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, want := range []ShoutOut{{DisplayName: "", BusinessSlug: ""}, {DisplayName: "A. L."}, {DisplayName: "Ada L.", Username: "ada", BusinessSlug: "blue-heron"}} {
		got := list.Items[i]
		if got.DisplayName != want.DisplayName || got.Username != want.Username || got.BusinessSlug != want.BusinessSlug {
			t.Errorf("%d is %+v", i, got)
		}
	}
	if list.Items[2].Rating != 3 || list.Items[3].Rating != 4.5 {
		t.Errorf("ratings %v and %v", list.Items[2].Rating, list.Items[3].Rating)
	}
	w.exec(t, `update directory_entries set status = 'archived'`)
	if list, _ := w.List(t.Context(), Filter{}); list.Items[2].BusinessSlug != "" {
		t.Error("it leads to a business that is not public")
	}
}
