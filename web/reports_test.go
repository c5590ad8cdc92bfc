package web_test

import (
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/reports"
)

const heronRow = `{"kind":"business","name":"Blue Heron Bakery","slug":"blue-heron","city":"Atlanta","region":"GA","category":"bakery"}`

const heronPage = "/directory/businesses/blue-heron"

// heron is the id of the entry that heronRow makes.
func (w world) heron(t testing.TB) string {
	t.Helper()
	e, err := w.Directory.GetFor(t.Context(), core.TheSystem(), directory.KindBusiness, "blue-heron")
	if err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// reported is the case of an entry as forms of the desk name it.
func (w world) reported(t testing.TB, entry string) string {
	t.Helper()
	return "report:" + pgtest.Value[string](t, w.db, core.TheSystem(), `select id::text from report_cases where target_id = $1`, entry)
}

func TestReportingAListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, heronRow)
	id := w.heron(t)
	form := "/report?id=" + id + "&type=directory_entry"
	if body := w.do(http.MethodGet, heronPage).Body.String(); !strings.Contains(body, strings.ReplaceAll(form, "&", "&amp;")) {
		t.Errorf("the page does not lead to %s", form)
	}
	if a := w.do(http.MethodGet, form); a.Code != http.StatusSeeOther || !strings.HasPrefix(a.Header().Get("Location"), "/sign-in?next=") {
		t.Errorf("nobody gets %d, %s", a.Code, a.Header().Get("Location"))
	}
	for i, name := range []string{"ann", "ben", "cam"} {
		b := w.as(t, w.account(t, name))
		tree := b.page(form, 200)
		checkSound(t, "the form", tree)
		wantText(t, "the form", tree, "Report Blue Heron Bakery", "It is wrong or misleading")
		tree = parsed(t, "/report", b.post("/report", "type", "directory_entry", "id", id), 422)
		checkSound(t, "the form again", tree)
		if errorsAt(tree)["reason"] == "" {
			t.Error("an empty form is not explained")
		}
		if a := b.post("/report", "type", "directory_entry", "id", id, "reason", "misleading", "detail", "It <b>moved</b>."); a.Code != http.StatusSeeOther {
			t.Fatalf("reporting gives %d: %.400s", a.Code, a.Body)
		}
		tree = b.page("/account/submissions", 200)
		checkSound(t, "what was sent", tree)
		wantText(t, "what was sent", tree, "Thank you", "Blue Heron Bakery", "Waiting for a moderator", "It <b>moved</b>.")
		if i < 2 {
			if a := w.do(http.MethodGet, heronPage); a.Code != 200 {
				t.Errorf("after %d reports the page gives %d", i+1, a.Code)
			}
		}
	}
	for _, path := range []string{heronPage, form} {
		if a := w.as(t, w.account(t, "dan"+strings.Repeat("n", len(path)%7))).get(path); a.Code != 404 {
			t.Errorf("%s of what is hidden gives %d", path, a.Code)
		}
	}

	dee := w.as(t, w.moderator(t, "dee"))
	tree := dee.page("/moderation?queue=report", 200)
	checkSound(t, "the queue", tree)
	wantText(t, "the queue", tree, "Blue Heron Bakery", "It is wrong or misleading", "It <b>moved</b>.", "ann", "Three members reported it", "Keep", "Hide")
	reported := w.reported(t, id)
	tree = parsed(t, "no reason", dee.decide(reported, "hide", "reason", " "), 422)
	checkSound(t, "a decision without a reason", tree)
	if errorsAt(tree)["reason"] != "The reason is required." {
		t.Errorf("says %q", errorsAt(tree)["reason"])
	}
	if a := dee.decide(reported, "burn", "reason", "x"); a.Code != 422 {
		t.Errorf("no decision gives %d", a.Code)
	}
	if a := dee.decide(reported, "keep", "reason", "We called them."); a.Code != http.StatusSeeOther {
		t.Fatalf("keeping gives %d: %.400s", a.Code, a.Body)
	}
	w.page(t, heronPage, 200)
	if a := dee.decide(reported, "hide", "reason", "x"); a.Code != http.StatusConflict {
		t.Errorf("deciding twice gives %d", a.Code)
	}
	checkSound(t, "a decided case", dee.page("/moderation?case="+reported, 200))
	tree = dee.page("/moderation/log", 200)
	checkSound(t, "the log", tree)
	wantText(t, "the log", tree, "Kept after reports", "We called them.", "dee", "Hidden by three reports", "the site")
	wantText(t, "the log of a kind", dee.page("/moderation/log?kind=report_dismissed", 200), "1 decision")
	tree = w.page(t, "/moderation-log", 200)
	checkSound(t, "the public log", tree)
	wantText(t, "the public log", tree, "Kept after reports")
	for _, secret := range []string{"dee", "We called", "Blue Heron"} {
		if strings.Contains(text(tree), secret) {
			t.Errorf("the public log says %q", secret)
		}
	}
}

func TestHidingAndRestoring(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, heronRow)
	id := w.heron(t)
	ann := w.account(t, "ann")
	b := w.as(t, ann)
	led(t, "reporting", b.post("/report", "type", "directory_entry", "id", id, "reason", "spam"), "/account/submissions#reports")
	led(t, "reporting again", b.post("/report", "type", "directory_entry", "id", id, "reason", "spam"), heronPage)
	dee := w.as(t, w.moderator(t, "dee"))
	reported := w.reported(t, id)
	a := dee.decide(reported, "hide", "reason", "It is spam.")
	if a.Code != http.StatusSeeOther {
		t.Fatalf("hiding gives %d: %.400s", a.Code, a.Body)
	}
	if a := w.do(http.MethodGet, heronPage); a.Code != 404 {
		t.Errorf("a hidden page gives %d", a.Code)
	}
	wantText(t, "what ann reads", b.page("/account/submissions", 200), "out of sight", "It is spam.")
	led(t, "undoing", dee.post("/moderation/undo", "batch", batchOf(t, a.Header().Get("Location")), "target", reported), "/moderation?case="+reported)
	w.page(t, heronPage, 200)
	dee.decide(reported, "hide", "reason", "It is spam.")
	tree := dee.page("/moderation?case="+reported, 200)
	checkSound(t, "what is hidden", tree)
	wantText(t, "what is hidden", tree, "Blue Heron Bakery", "It is hidden.", "Restore")
	if a := dee.decide(reported, "restore"); a.Code != http.StatusSeeOther {
		t.Errorf("restoring gives %d", a.Code)
	}
	w.page(t, heronPage, 200)
}

func TestTakingAReportBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, heronRow)
	ann := w.account(t, "ann")
	b := w.as(t, ann)
	b.post("/report", "type", "directory_entry", "id", w.heron(t), "reason", "spam")
	list, err := w.Reports.Mine(t.Context(), ann.Viewer(), core.Page{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Status != reports.Open {
		t.Fatalf("ann sent %+v, %v", list, err)
	}
	back := "/account/submissions/reports/" + list.Items[0].ID + "/withdraw"
	if a := w.as(t, w.account(t, "ben")).post(back); a.Code != 404 {
		t.Errorf("another gets %d", a.Code)
	}
	led(t, "taking it back", b.post(back), "/account/submissions")
	led(t, "taking it back again", b.post(back), "/account/submissions")
	wantText(t, "what ann reads", b.page("/account/submissions", 200), "You took it back")
}

func TestEmptyDeskPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, dee := w.as(t, w.account(t, "ann")), w.as(t, w.moderator(t, "dee"))
	for path, words := range map[string]string{"/moderation?queue=report": "Nothing waits here", "/moderation/blocks": "No address was ever blocked", "/moderation/log": "Nothing was decided yet"} {
		tree := dee.page(path, 200)
		checkSound(t, path, tree)
		wantText(t, path, tree, words)
		if a := ann.get(path); a.Code != http.StatusForbidden {
			t.Errorf("a member gets %d for %s", a.Code, path)
		}
	}
	tree := w.page(t, "/moderation-log", 200)
	checkSound(t, "/moderation-log", tree)
	wantText(t, "/moderation-log", tree, "Nothing was decided yet")
	if a := dee.get("/moderation?case=report:" + pg.NewID()); a.Code != 404 {
		t.Errorf("no case gives %d", a.Code)
	}
	if a := ann.get("/report?type=app&id=nonsense"); a.Code != 404 {
		t.Errorf("nothing to report gives %d", a.Code)
	}
}

// From a blocked address pages are read, and nothing is sent but what lets
// people leave and moderators work.
func TestBlockedAddressOnPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, heronRow)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	a, d := w.as(t, ann), w.as(t, dee)
	err := w.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		_, err := w.Blocks.BlockTx(t.Context(), tx, core.TheSystem(), core.Abuse{From: core.Origin{AddressKey: "192.0.2.1"}, Reason: "A threat."})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.page(t, heronPage, 200)
	tree := parsed(t, "/report", a.post("/report", "type", "directory_entry", "id", w.heron(t), "reason", "spam"), 403)
	checkSound(t, "a refusal", tree)
	wantText(t, "a refusal", tree, "Nothing can be sent from your network until", "mistake")
	for _, path := range []string{"/directory/new", "/account", "/sign-up"} {
		if got := a.post(path, "kind", "business", "name", "X"); got.Code != http.StatusForbidden || !strings.Contains(got.Body.String(), "your network") {
			t.Errorf("%s gives %d", path, got.Code)
		}
	}
	led(t, "signing in", w.browser(t).post("/sign-in", "name", "ann", "password", password), "/account")
	if got := a.post("/account/delete", "password", "wrong"); got.Code == http.StatusForbidden {
		t.Error("an account cannot be deleted")
	}
	led(t, "signing out", a.post("/sign-out"), "/")

	tree = d.page("/moderation/blocks", 200)
	checkSound(t, "the blocks", tree)
	wantText(t, "the blocks", tree, "192.0.2.1", "A threat.", "Blocked", "the first time within a year", "the site")
	list, err := w.Blocks.List(t.Context(), core.TheSystem(), core.Page{})
	if err != nil || len(list.Items) != 1 {
		t.Fatal(err)
	}
	lift := "/moderation/blocks/" + list.Items[0].ID + "/lift"
	tree = parsed(t, lift, d.post(lift, "reason", " "), 422)
	checkSound(t, "lifting without a word", tree)
	led(t, "lifting", d.post(lift, "reason", "A shared line."), "/moderation/blocks")
	if got := d.post(lift, "reason", "Again."); got.Code != http.StatusConflict {
		t.Errorf("lifting again gives %d", got.Code)
	}
	tree = d.page("/moderation/blocks", 200)
	checkSound(t, "the blocks", tree)
	wantText(t, "the blocks", tree, "Lifted by dee", "A shared line.")
}
