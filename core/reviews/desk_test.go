package reviews

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestCaseIsLaidOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	sent, err := w.Write(t.Context(), ada, "shea", Input{Rating: 4, Title: "Soft", Body: "It melts in the hand."})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.deskCase(t, mod, sent.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := core.Case{Target: core.Target{Type: "review", ID: sent.ID}, Heading: "A review", Title: "Shea Butter: Soft", Text: "It melts in the hand.",
		ImageURL: "https://example.org/shea.png", Path: "/reviews/shea",
		Facts:    []core.Fact{{Label: "Product", Text: "Shea Butter", Href: "/reviews/shea"}, {Label: "Rating", Text: "4 of 5 stars"}, {Label: "Title", Text: "Soft"}},
		SenderID: ada.ID, Sender: "ada", SentAt: sent.CreatedAt, State: "pending", Waiting: true,
		Actions: []core.Action{core.ActionApprove, core.ActionReject, core.ActionAbusive}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the case (-want +got):\n%s", diff)
	}
	own := w.write(t, mod, "shea", 5, "A moderator’s own words")
	if c, err := w.deskCase(t, mod, own.ID); err != nil || len(c.Actions) != 0 || !c.Waiting {
		t.Errorf("one's own: %+v, %v", c, err)
	}
	if c, err := w.deskCase(t, other, own.ID); err != nil || len(c.Actions) != 3 {
		t.Errorf("another's: %+v, %v", c, err)
	}
	for _, id := range []string{pg.NewID(), "x"} {
		_, err := w.deskCase(t, mod, id)
		wantError(t, "what is not there", err, core.NotFound, "not_found")
	}
	_, err = w.deskCase(t, ada, sent.ID)
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	recent, err := w.Recent(t.Context(), mod, 1)
	if err != nil || len(recent) != 1 || recent[0].ID != own.ID || recent[0].Source != "review" || recent[0].Status != "pending" || recent[0].SubmittedBy != "mod" ||
		recent[0].Path != "/moderation?case=review:"+own.ID || recent[0].Title != "Shea Butter: A moderator’s own words" {
		t.Errorf("%+v, %v", recent, err)
	}
	_, err = w.Recent(t.Context(), ada, 1)
	wantError(t, "recent ones for a member", err, core.Forbidden, "not_allowed")
}

func TestDecisionsAndTheirUndoing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	for _, tt := range []struct {
		first  core.Action // brings it where the action starts; "" for waiting
		action core.Action
		reason string
		state  string
		kind   string
		after  []core.Action
		public bool
	}{
		{"", core.ActionApprove, "", "approved", "review_approved", []core.Action{core.ActionHide}, true},
		{"", core.ActionReject, "Say more.", "refused", "review_refused", []core.Action{core.ActionRestore}, false},
		{"", core.ActionAbusive, "", "spam", "review_abusive", []core.Action{core.ActionRestore}, false},
		{core.ActionApprove, core.ActionHide, "It names a neighbour.", "hidden", "review_hidden", []core.Action{core.ActionRestore}, false},
		{core.ActionReject, core.ActionRestore, "", "approved", "review_restored", []core.Action{core.ActionHide}, true},
		{core.ActionAbusive, core.ActionRestore, "We were wrong.", "approved", "review_restored", []core.Action{core.ActionHide}, true},
	} {
		sent := w.write(t, ada, "shea", 4, "Words for the desk to read")
		if tt.first != "" {
			if _, err := w.decide(t, mod, sent.ID, tt.first, "First"); err != nil {
				t.Fatalf("%s: %v", tt.first, err)
			}
		}
		before, err := w.deskCase(t, mod, sent.ID)
		if err != nil {
			t.Fatal(err)
		}
		done, err := w.decide(t, mod, sent.ID, tt.action, tt.reason)
		if err != nil || done.Ruling != (core.Ruling{Kind: tt.kind, About: core.Target{Type: "review", ID: sent.ID}, Title: "Shea Butter: Words for the desk to read", Reason: tt.reason}) {
			t.Fatalf("%s: %+v, %v", tt.action, done, err)
		}
		c, err := w.deskCase(t, mod, sent.ID)
		if err != nil || c.State != tt.state || c.Waiting || c.Appealable == tt.public || c.DecidedBy != mod.ID || !cmp.Equal(c.Actions, tt.after) {
			t.Errorf("%s: %+v, %v", tt.action, c, err)
		}
		if (w.found(t, Filter{}) == "ada") != tt.public {
			t.Errorf("%s shows %q", tt.action, w.found(t, Filter{}))
		}
		own, _, err := w.Own(t.Context(), ada, productID(t, w, "shea"))
		if want := map[bool]string{true: "", false: tt.reason}[tt.public]; err != nil || own.Reason != want {
			t.Errorf("%s: the member reads %q, %v", tt.action, own.Reason, err)
		}
		_, err = w.decide(t, mod, sent.ID, tt.action, "Again")
		wantError(t, "doing it again", err, core.Conflict, "already_decided")
		if err := w.undo(t, mod, sent.ID, done.Memo); err != nil {
			t.Fatalf("undo %s: %v", tt.action, err)
		}
		again, err := w.deskCase(t, mod, sent.ID)
		if diff := cmp.Diff(before, again); err != nil || diff != "" {
			t.Errorf("undo %s (-before +after):\n%s%v", tt.action, diff, err)
		}
		if waits := w.count(t, `select count(*) from desk_queue where target_id = $1`, sent.ID) == 1; waits != before.Waiting {
			t.Errorf("after undoing %s, it waits: %t", tt.action, waits)
		}
		wantError(t, "undoing twice", w.undo(t, mod, sent.ID, done.Memo), core.Conflict, "cannot_undo")
	}
}

func TestWhoMayDecideAndHow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod, other := w.member(t, "ada"), w.moderator(t, "mod"), w.moderator(t, "other")
	own := w.write(t, mod, "shea", 5, "A moderator’s own words")
	_, err := w.decide(t, core.Nobody(), own.ID, core.ActionApprove, "")
	wantError(t, "nobody", err, core.Unauthenticated, "unauthenticated")
	for _, v := range []core.Viewer{ada, mod} {
		_, err = w.decide(t, v, own.ID, core.ActionApprove, "")
		wantError(t, v.Username, err, core.Forbidden, "not_allowed")
	}
	for _, id := range []string{pg.NewID(), "x"} {
		_, err = w.decide(t, other, id, core.ActionApprove, "")
		wantError(t, "what is not there", err, core.NotFound, "not_found")
	}
	for _, tt := range []struct {
		action core.Action
		reason string
		field  string
	}{{core.ActionKeep, "x", "action"}, {"odd", "x", "action"}, {core.ActionReject, " ", "reason"}, {core.ActionReject, strings.Repeat("r", 501), "reason"},
		{core.ActionApprove, strings.Repeat("r", 501), "reason"}} {
		_, err = w.decide(t, other, own.ID, tt.action, tt.reason)
		wantError(t, string(tt.action), err, core.Invalid, "validation_failed")
		if core.AsError(err).Fields[tt.field] == "" {
			t.Errorf("%s: %s is not named: %v", tt.action, tt.field, err)
		}
	}
	for _, action := range []core.Action{core.ActionHide, core.ActionRestore} {
		_, err = w.decide(t, other, own.ID, action, "Reason")
		wantError(t, "what waits: "+string(action), err, core.Conflict, "already_decided")
	}
	done, err := w.decide(t, other, own.ID, core.ActionApprove, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.decide(t, other, own.ID, core.ActionHide, "")
	wantError(t, "hiding without a reason", err, core.Invalid, "validation_failed")
	wantError(t, "undoing about one's own", w.undo(t, mod, own.ID, done.Memo), core.Forbidden, "not_allowed")
	w.write(t, mod, "shea", 4, "Written again since then")
	wantError(t, "undoing about words that are gone", w.undo(t, other, own.ID, done.Memo), core.NotFound, "not_found")
}

// What Go forgot, the database refuses.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.products(t, `{"slug":"secret","name":"Secret","status":"draft"}`)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	waiting, own := w.write(t, ada, "shea", 5, "Ada waits for staff."), w.write(t, mod, "shea", 5, "The moderator waits.")
	w.load(t, someReviews...)
	w.load(t, `{"product_slug":"secret","author":"Fay","rating":5,"body":"Of a product nobody sees."}`)
	for _, tt := range []struct {
		v        core.Viewer
		reviews  int
		products int
	}{{core.Nobody(), 3, 2}, {ben, 3, 2}, {ada, 4, 2}, {mod, 8, 3}} {
		if got := pgtest.Value[int](t, w.database, tt.v, `select count(*) from reviews`); got != tt.reviews {
			t.Errorf("%q sees %d reviews, want %d", tt.v.Username, got, tt.reviews)
		}
		if got := pgtest.Value[int](t, w.database, tt.v, `select count(*) from products`); got != tt.products {
			t.Errorf("%q sees %d products, want %d", tt.v.Username, got, tt.products)
		}
	}
	insert := `insert into reviews (id, product_id, account_id, rating, body) values (gen_random_uuid(), '` + productID(t, w, "coffee") + `', '`
	for what, tt := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"anon reads reasons":               {core.Nobody(), `select reason from reviews`},
		"a member reads who decided":       {ada, `select decided_by from reviews`},
		"a member publishes":               {ada, `update reviews set status = 'approved'`},
		"a member gives a reason":          {ada, `update reviews set decided_at = now()`},
		"a member brings a public one":     {ada, strings.Replace(insert, "body)", "body, status)", 1) + ada.ID + `', 5, 'ten letters', 'approved')`},
		"a member writes for another":      {ada, insert + ben.ID + `', 5, 'ten letters')`},
		"a member writes for nobody":       {ada, `insert into reviews (id, product_id, rating, body) values (gen_random_uuid(), '` + productID(t, w, "coffee") + `', 5, 'ten letters')`},
		"a member writes of what is not":   {ada, `insert into reviews (id, product_id, account_id, rating, body) values (gen_random_uuid(), '` + productID(t, w, "secret") + `', '` + ada.ID + `', 5, 'ten letters')`},
		"a member gives a review away":     {ada, `update reviews set account_id = '` + ben.ID + `'`},
		"a member moves a review":          {ada, `update reviews set product_id = '` + productID(t, w, "coffee") + `'`},
		"staff put words into a mouth":     {mod, `update reviews set body = 'Words of a moderator'`},
		"staff change a rating":            {mod, `update reviews set rating = 1`},
		"staff write without being member": {mod, insert + mod.ID + `', 5, 'ten letters')`},
		"staff delete":                     {mod, `delete from reviews`},
		"a member adds a product":          {ada, `insert into products (id, slug, name, sort_key, words) values (gen_random_uuid(), 'own', 'Own', 'own', 'own')`},
		"a member changes a product":       {ada, `update products set name = 'Mine'`},
		"staff delete a product":           {mod, `delete from products`},
	} {
		if _, err := w.database.Exec(t, tt.v, tt.sql); !pg.Denied(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, tt := range map[string]struct {
		v   core.Viewer
		sql string
	}{
		"another member rewrites":         {ben, `update reviews set body = 'Words of ben, not ada', status = 'pending'`},
		"another member deletes":          {ben, `delete from reviews where id = '` + waiting.ID + `'`},
		"a moderator publishes their own": {mod, `update reviews set status = 'approved' where id = '` + own.ID + `'`},
	} {
		if n, err := w.database.Exec(t, tt.v, tt.sql); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
	}
	if _, err := w.decide(t, mod, waiting.ID, core.ActionReject, "No"); err != nil {
		t.Fatal(err)
	}
	if n, err := w.database.Exec(t, ada, `delete from reviews`); err != nil || n != 0 {
		t.Errorf("a member deletes what was refused: %d rows, %v", n, err)
	}
}
