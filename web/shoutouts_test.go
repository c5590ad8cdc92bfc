package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/shoutouts"
)

const (
	heronBusiness = `{"id":"0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10","kind":"business","slug":"blue-heron","name":"Blue Heron","city":"Atlanta","region":"GA"}`
	heronID       = "0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10"
)

// approveShoutOuts decides about everything that waits, as the desk does.
func (w world) approveShoutOuts(t testing.TB, mod accounts.Account) {
	t.Helper()
	v := mod.Viewer()
	err := w.db.Write(t.Context(), v, func(tx *pg.Tx) error {
		rows, err := tx.Query(t.Context(), `select target_id::text from desk_queue where target_type = 'shoutout' order by since`)
		if err != nil {
			return err
		}
		var ids []string
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for _, id := range ids {
			if _, err := w.ShoutOuts.Desk().DecideTx(t.Context(), tx, v, id, core.ActionApprove, ""); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestShoutOutFromFormToPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, heronBusiness)
	mo := w.moderator(t, "mo")
	tree := w.page(t, "/shout-outs", 200)
	wantText(t, "an empty list", tree, "No shout-outs here yet", "Give a shout-out", "Your name")
	checkPage(t, "an empty list", tree)
	b := w.browser(t)
	tree = parsed(t, "an empty form", b.post("/shout-outs", "body", "kept", "rating", "x"), 422)
	wantText(t, "an empty form", tree, "Is required", "Must be a number of stars from 1 to 5", "kept")
	checkSound(t, "an empty form", tree)
	tree = parsed(t, "a known name", b.post("/shout-outs", "business_name", "blue HERON", "rating", "4.5", "body", "Warm bread"), 200)
	wantText(t, "a known name", tree, "Do you mean one of these?", "Atlanta, GA", "None of these", "Warm bread")
	checkSound(t, "a known name", tree)
	tree = parsed(t, "no choice", b.post("/shout-outs", "business_name", "blue HERON", "rating", "4.5", "asked", "1"), 422)
	wantText(t, "no choice", tree, "choose one of these")
	checkSound(t, "no choice", tree)
	a := b.post("/shout-outs", "business_name", "blue HERON", "rating", "4.5", "body", "Warm bread\r\nand <warm> people", "asked", "1",
		"directory_entry_id", heronID, "submitter_name", "Bea")
	if a.Code != 303 || a.Header().Get("Location") != "/shout-outs?sent=pending" || !strings.Contains(a.Header().Get("Set-Cookie"), "voter=") {
		t.Fatalf("sending gives %d %s %q", a.Code, a.Header().Get("Location"), a.Header().Get("Set-Cookie"))
	}
	wantText(t, "the thanks", b.page("/shout-outs?sent=pending", 200), "Thank you", "once a moderator has read it")
	if a := b.post("/shout-outs", "business_name", "Blue Heron", "rating", "5", "asked", "1", "directory_entry_id", "none", "city", "Macon"); a.Code != 303 {
		t.Fatalf("another one of the name gives %d %s", a.Code, a.Body)
	}
	tree = w.page(t, "/shout-outs?business=blue-heron&give=1", 200)
	wantText(t, "a form for a business", tree, "Shout-outs for Blue Heron", "Blue Heron, Atlanta, GA", "It is for another business")
	checkPage(t, "a form for a business", tree)
	wantText(t, "the form again", parsed(t, "the form again", b.post("/shout-outs", "directory_entry_id", heronID, "listed", "1"), 422), "Shout-outs for Blue Heron")
	if a := b.post("/shout-outs", "directory_entry_id", heronID, "listed", "1", "rating", "4"); a.Header().Get("Location") != "/shout-outs?business=blue-heron&sent=pending" {
		t.Errorf("from the form of a business it leads to %d %s", a.Code, a.Header().Get("Location"))
	}
	w.approveShoutOuts(t, mo)
	tree = w.page(t, "/shout-outs", 200)
	wantText(t, "the list", tree, "All 3, the newest first", "Blue Heron", "and <warm> people", "Bea", "a neighbour", "Macon")
	checkPage(t, "the list", tree)
	if body := w.do(http.MethodGet, "/shout-outs").Body.String(); strings.Count(body, `>4.5 of 5 stars</span>`) != 1 || strings.Count(body, `href="/directory/businesses/blue-heron"`) != 2 {
		t.Error("no stars, or no links to the listing")
	}
	tree = w.page(t, "/directory/businesses/blue-heron", 200)
	wantText(t, "the listing", tree, "4.25 of 5 stars, from 2 shout-outs", "Warm bread", "Give a shout-out")
	checkPage(t, "the listing", tree)
	if body := w.do(http.MethodGet, "/directory/businesses/blue-heron").Body.String(); !strings.Contains(body, `"ratingCount":2,"ratingValue":4.25`) {
		t.Error("search engines are not told of the stars")
	}
	wantText(t, "the first page", w.page(t, "/", 200), "All shout-outs", "Warm bread")
	for target, status := range map[string]int{"/shout-outs?page=2": 404, "/shout-outs?business=nothing": 404, "/shout-outs?page=x": 200, "/shout-outs?sent=odd": 200, "/shout-outs/": 301} {
		if a := w.do(http.MethodGet, target); a.Code != status {
			t.Errorf("%s gives %d", target, a.Code)
		}
	}
}

func TestShoutOutOfAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, mo := w.account(t, "ada"), w.moderator(t, "mo")
	b := w.as(t, ada)
	tree := b.page("/shout-outs?give=1", 200)
	wantText(t, "the form", tree, "It shows with your name, ada")
	checkSound(t, "the form", tree)
	if a := b.post("/shout-outs", "business_name", "New Place", "city", "Macon", "rating", "5"); a.Header().Get("Location") != "/shout-outs?sent=draft" {
		t.Fatalf("%d %s", a.Code, a.Header().Get("Location"))
	}
	wantText(t, "the thanks", b.page("/shout-outs?sent=draft", 200), "we proposed it for you")
	b.post("/shout-outs", "business_name", "Take me back", "rating", "1")
	tree = b.page("/account/submissions", 200)
	wantText(t, "what was sent", tree, "Shout-outs", "New Place, Macon", "5 of 5 stars", "Waiting for a moderator", "Take it back", "For the directory")
	checkSound(t, "what was sent", tree)
	mine, err := w.ShoutOuts.Mine(t.Context(), ada.Viewer(), core.Page{})
	if err != nil || mine.Total != 2 {
		t.Fatalf("%+v, %v", mine, err)
	}
	withdraw := "/account/submissions/shout-outs/" + mine.Items[0].ID + "/withdraw"
	if a := w.as(t, mo).post(withdraw); a.Code != 404 {
		t.Errorf("another takes it back: %d", a.Code)
	}
	if a := w.browser(t).post(withdraw); a.Code != 401 {
		t.Errorf("nobody takes it back: %d", a.Code)
	}
	if a := b.post(withdraw); a.Code != 303 {
		t.Errorf("taking it back gives %d", a.Code)
	}
	w.approveShoutOuts(t, mo)
	if a := b.post("/account/submissions/shout-outs/" + mine.Items[1].ID + "/withdraw"); a.Code != 303 {
		t.Errorf("too late gives %d", a.Code)
	}
	wantText(t, "the outcome", b.page("/account/submissions", 200), "Published", "no longer waits")
	wantText(t, "the list", w.page(t, "/shout-outs", 200), "New Place", "ada")
}

// What a browser sent without an account becomes that of whoever comes in there
// first, and of nobody elsewhere.
func TestShoutOutsAreAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mo := w.moderator(t, "mo")
	b, other := w.browser(t), w.browser(t)
	for i := range 2 {
		b.post("/shout-outs", "business_name", fmt.Sprintf("Place %d", i), "rating", "5")
	}
	other.post("/shout-outs", "business_name", "Elsewhere", "rating", "5")
	w.approveShoutOuts(t, mo)
	owned := func(name string) int {
		return pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from shoutout_senders s join profiles p on p.account_id = s.account_id where p.username = $1`, name)
	}
	if a := b.post("/sign-up", "email", "ada@example.org", "username", "ada", "password", password); a.Code != 303 {
		t.Fatalf("signing up gives %d %s", a.Code, a.Body)
	}
	ada := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from points_transactions where reason = 'shoutout_approved'`)
	if owned("ada") != 2 || ada != 2 {
		t.Fatalf("ada has %d and was paid %d times, want 2", owned("ada"), ada)
	}
	bea := w.account(t, "bea")
	b.post("/sign-out")
	b.post("/sign-in", "name", bea.Username, "password", password)
	if owned("bea") != 0 || owned("ada") != 2 {
		t.Errorf("bea has %d of ada's", owned("bea"))
	}
	wantText(t, "what ada gave", w.as(t, accounts.Account{ID: mineOf(t, w, "ada"), Username: "ada"}).page("/account/submissions", 200), "Place 0", "Place 1")
	if a := other.post("/sign-in", "name", bea.Username, "password", password); a.Code != 303 || owned("bea") != 1 {
		t.Errorf("%d, bea has %d, want 1", a.Code, owned("bea"))
	}
}

func mineOf(t testing.TB, w world, name string) string {
	t.Helper()
	return pgtest.Value[string](t, w.db, core.TheSystem(), `select account_id::text from profiles where username = $1`, name)
}

func TestManyShoutOutsFromOneAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser(t)
	for i := range 10 {
		if a := b.post("/shout-outs", "business_name", fmt.Sprintf("Place %d", i), "rating", "5"); a.Code != 303 {
			t.Errorf("number %d gives %d", i+1, a.Code)
		}
	}
	late := b.post("/shout-outs", "business_name", "One too many", "rating", "5")
	if late.Header().Get("Retry-After") == "" {
		t.Error("it does not say when again")
	}
	wantText(t, "one too many", parsed(t, "one too many", late, 429), "That was a lot in a short time", "Give a shout-out")
	if list, err := w.ShoutOuts.List(t.Context(), shoutouts.Filter{}); err != nil || list.Total != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
