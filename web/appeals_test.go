package web_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

func TestAppeals(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	dee, eve := w.as(t, w.moderator(t, "dee")), w.as(t, w.moderator(t, "eve"))
	thing := w.put(t, "Blue Heron", ann, time.Hour)
	form := "/account/appeals/new?about=" + thing
	member := w.as(t, ann)
	if a := w.do(http.MethodGet, form); a.Code != http.StatusSeeOther || !strings.HasPrefix(a.Header().Get("Location"), "/sign-in?next=") {
		t.Errorf("nobody gets %d", a.Code)
	}
	if a := w.browser(t).post("/account/appeals/new", "about", thing, "body", "Look again, please."); a.Code != http.StatusUnauthorized {
		t.Errorf("nobody sends: %d", a.Code)
	}
	wantText(t, "too early", parsed(t, "too early", member.get(form), 409), "neither hidden nor refused")
	dee.post("/moderation/decide", "target", thing, "action", "reject", "reason", "We have herons.")
	for _, other := range []string{form, "/account/appeals/new?about=appeal:" + pg.NewID(), "/account/appeals/new?about=ship:1", "/account/appeals/new"} {
		if a := w.as(t, ben).get(other); a.Code != 404 {
			t.Errorf("another member gets %d for %s", a.Code, other)
		}
	}
	if a := w.as(t, ben).post("/account/appeals/new", "about", thing, "body", "Look again, please."); a.Code != 404 {
		t.Errorf("another member appeals: %d", a.Code)
	}
	tree := member.page(form, 200)
	checkPage(t, "the form", tree)
	wantText(t, "the form", tree, "A thing", "Blue Heron", "It is refused.", "We have herons.")
	tree = parsed(t, "a short one", member.post("/account/appeals/new", "about", thing, "body", "Why?"), 422)
	checkSound(t, "a short one", tree)
	if errorsAt(tree)["body"] == "" || controls(tree)["body"] != "Why?" {
		t.Errorf("says %v", errorsAt(tree))
	}
	led(t, "appealing", member.post("/account/appeals/new", "about", thing, "body", "It is a <b>blue</b> one."), "/account/submissions#appeals")
	tree = parsed(t, "twice", member.post("/account/appeals/new", "about", thing, "body", "It is a blue one."), 409)
	checkSound(t, "twice", tree)
	wantText(t, "twice", tree, "Everything can be appealed once.")
	tree = member.page("/account/submissions", 200)
	checkSound(t, "what was sent", tree)
	wantText(t, "what was sent", tree, "Asked for another look", "Blue Heron", "It is a <b>blue</b> one.", "Waiting for another moderator")

	wantText(t, "dee's desk", dee.page("/moderation", 200), "Appeals 0", "1 more waits for another moderator.")
	tree = eve.page("/moderation?queue=appeal", 200)
	checkSound(t, "eve's desk", tree)
	wantText(t, "eve's desk", tree, "An appeal: a thing", "It is a <b>blue</b> one.", "It is refused", "The reason then We have herons.", "Grant it", "Decline it")
	id := strings.TrimPrefix(controls(byClass(tree, "verdict")[0])["target"], "appeal:")
	tree = dee.page("/moderation?case=appeal:"+id, 200)
	wantText(t, "dee's look", tree, "Another moderator decides about this", "You decided about it before")
	if a := dee.post("/moderation/decide", "target", "appeal:"+id, "action", "approve"); a.Code != http.StatusForbidden {
		t.Errorf("dee grants it: %d", a.Code)
	}
	n, err := w.db.Exec(t, core.Viewer{ID: w.thing(thing).DecidedBy, Role: core.Staff}, `update desk_appeals set status = 'granted', decided_at = now(), decided_by = viewer_id()`)
	if err == nil && n > 0 {
		t.Errorf("against herself she changes %d appeals", n)
	}
	a := eve.post("/moderation/decide", "target", "appeal:"+id, "action", "approve", "reason", "It is blue indeed.")
	if a.Code != http.StatusSeeOther || w.thing(thing).State != "published" {
		t.Fatalf("granting gives %d, and it is %s", a.Code, w.thing(thing).State)
	}
	wantText(t, "the outcome", member.page("/account/submissions", 200), "You were right: it is public now", "It is blue indeed.")
	eve.post("/moderation/undo", "batch", batchOf(t, a.Header().Get("Location")))
	wantText(t, "undone", member.page("/account/submissions", 200), "Waiting for another moderator")

	files := w.takeout(t, ann.Viewer())
	if !strings.Contains(files["appeals.json"], `"body": "It is a <b>blue</b> one."`) || !strings.Contains(files["README.txt"], "appeals.json") {
		t.Errorf("she takes along %q", files["appeals.json"])
	}
	if files := w.takeout(t, ben.Viewer()); !strings.HasPrefix(files["appeals.json"], "[]") {
		t.Errorf("ben takes along %q", files["appeals.json"])
	}
}

// takeout is what an account takes along, by file.
func (w world) takeout(t testing.TB, v core.Viewer) map[string]string {
	t.Helper()
	var packed bytes.Buffer
	if err := w.Takeout.Write(t.Context(), v, &packed); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

// What was refused leads to an appeal, until there was one.
func TestWhatWasRefusedLeadsToAnAppeal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	c := w.offer(t, ann, heronForm...)
	member := w.as(t, ann)
	way := "/account/appeals/new?about=contribution:" + c.ID
	if slices.Contains(links(member.page("/account/submissions", 200)), way) {
		t.Error("what waits can be appealed")
	}
	w.decided(t, dee, "contribution:"+c.ID, core.ActionReject, "No.")
	tree := member.page("/account/submissions", 200)
	checkSound(t, "what was sent", tree)
	if !slices.Contains(links(tree), way) {
		t.Errorf("nothing leads to %s: %v", way, links(tree))
	}
	_, err := w.db.Exec(t, ann.Viewer(), `insert into desk_appeals (id, target_type, target_id, title, account_id, body, created_at)
		values (gen_random_uuid(), 'contribution', $1, 'Heron', viewer_id(), 'Look again, please.', now())`, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(links(member.page("/account/submissions", 200)), way) {
		t.Error("it can be appealed again")
	}
}

// An owner finds the way from the hidden listing to another look.
func TestAppealAboutAHiddenListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	c := w.offer(t, ann, heronForm...)
	owner, staff := w.as(t, ann), w.as(t, dee)
	staff.decide("contribution:"+c.ID, "approve")
	const page = "/directory/businesses/blue-heron-bakery-atlanta"
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "blue-heron-bakery-atlanta")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ben", "cam", "dan"} {
		w.as(t, w.account(t, name)).post("/report", "type", "directory_entry", "id", e.ID, "reason", "misleading")
	}
	way := "/account/appeals/new?about=report:" + e.ID
	if !slices.Contains(links(owner.page(page, 200)), way) {
		t.Error("nothing leads from the hidden listing to an appeal")
	}
	if slices.Contains(links(staff.page(page, 200)), way) {
		t.Error("a moderator could appeal")
	}
	wantText(t, "the form", owner.page(way, 200), "A reported listing", "It is hidden.")
	led(t, "appealing", owner.post("/account/appeals/new", "about", "report:"+e.ID, "body", "We moved, and it says so."), "/account/submissions#appeals")
	if a := owner.get(way); a.Code != http.StatusConflict {
		t.Errorf("again: %d", a.Code)
	}
	tree := staff.page("/moderation?queue=appeal", 200)
	if a := staff.decide(controls(byClass(tree, "verdict")[0])["target"], "approve", "reason", "They did move."); a.Code != http.StatusSeeOther {
		t.Fatalf("granting gives %d: %.1500s", a.Code, a.Body)
	}
	w.page(t, page, 200)
	wantText(t, "the log's case", staff.page("/moderation?case=report:"+e.ID, 200), "Blue Heron Bakery")
}
