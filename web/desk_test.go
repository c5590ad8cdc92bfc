package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestOnlyStaffSeeTheDesk(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann := w.account(t, "ann")
	thing := w.put(t, "Blue Heron", ann, time.Hour)
	b, nobody := w.as(t, ann), w.browser(t)
	for _, path := range []string{"/moderation", "/moderation?case=" + thing, "/moderation/replies", "/moderation/listings", "/moderation/reports"} {
		if a := b.get(path); a.Code != http.StatusForbidden || strings.Contains(a.Body.String(), "Blue Heron") {
			t.Errorf("a member gets %d for %s", a.Code, path)
		}
		led(t, "nobody", nobody.get(path), "/sign-in?next="+url.QueryEscape(path))
	}
	for _, form := range []string{"decide", "undo", "claim", "release", "note", "replies", "replies/x/remove"} {
		if a := b.post("/moderation/"+form, "target", thing, "action", "approve", "body", "x"); a.Code != http.StatusForbidden {
			t.Errorf("a member gets %d for %s", a.Code, form)
		}
		if a := nobody.post("/moderation/"+form, "target", thing, "action", "approve", "body", "x"); a.Code != http.StatusUnauthorized {
			t.Errorf("nobody gets %d for %s", a.Code, form)
		}
	}
	if !w.thing(thing).Waiting {
		t.Error("somebody decided")
	}
}

// Whatever the pages forget, the tables do not show a member what waits.
func TestTheQueueIsClosedToMembers(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann := w.account(t, "ann")
	thing := w.put(t, "Blue Heron", ann, time.Hour)
	for _, sql := range []string{`update desk_queue set claimed_by = null`, `delete from desk_queue`, `insert into desk_notes (id, target_type, target_id, author_id, body, created_at)
		select gen_random_uuid(), 'thing', target_id, sender_id, 'x', now() from desk_queue`} {
		if n, err := w.db.Exec(t, ann.Viewer(), sql); err == nil && n > 0 {
			t.Errorf("%.40s changes %d rows", sql, n)
		}
	}
	dee := w.moderator(t, "dee")
	n, err := w.db.Exec(t, dee.Viewer(), `insert into desk_decisions (id, batch_id, target_type, target_id, title, sender_id, action, decided_by, decided_at)
		values (gen_random_uuid(), gen_random_uuid(), 'thing', gen_random_uuid(), 'x', $1, 'approve', $1, now())`, dee.ID)
	if !pg.Denied(err) {
		t.Errorf("a decision about one's own gives %d, %v", n, err)
	}
	if !w.thing(thing).Waiting {
		t.Error("it no longer waits")
	}
}

func TestInbox(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	first := w.put(t, "Blue Heron", ann, 3*time.Hour)
	second := w.put(t, "Red Robin", ann, 2*time.Hour)
	w.put(t, "Dee's own", dee, time.Hour)
	c := w.thing(first)
	c.Text, c.ImageURL, c.Path, c.Edit = "  Two\n   lines <b>", "https://pictures.example/heron.jpg", "/things/heron", "/things/heron/amend"
	c.Facts = []core.Fact{{Label: "Colour", Text: "Blue", Href: "https://blue.example"}}
	c.Changes = []core.Change{{Label: "Wing", Before: "left", After: "right"}}
	c.Remarks = []core.Remark{{By: "ben", Category: "misleading", Text: "It <i>moved</i>.", State: "open", At: c.SentAt}}
	c.Point = &core.Point{Lat: 33.75, Lng: -84.38}
	b := w.as(t, dee)
	tree := b.page("/moderation", 200)
	checkSound(t, "the inbox", tree)
	checkPage(t, "the inbox", tree)
	wantText(t, "the inbox", tree, "2 waiting. The oldest came in 3 hours ago.", "1 more waits for another moderator.", "All 2", "Things 2", "Appeals 0", "Mine 0",
		"Things · ann · 3 hours ago", "A thing", "Two lines <b>", "Colour Blue", "It is wrong or misleading", "It <i>moved</i>.", "denied word: shucks",
		"The rules want somebody to look: 0.62 of 1", "none approved, none refused, none abusive, 2 waiting", "Correct it first", "Open its page", "Desk 2")
	body := b.get("/moderation").Body.String()
	hasWords(t, "the inbox", body, `<p class="typed">  Two
   lines &lt;b&gt;</p>`, `src="https://pictures.example/heron.jpg"`, "<svg", "<del>left</del>", `href="/things/heron/amend"`, `value="`+first+`" form="several"`)
	if strings.Contains(body, "desk-item") {
		t.Error("a phone shows the case without having been asked")
	}
	tree = b.page("/moderation?case="+second, 200)
	wantText(t, "the second", tree, "Red Robin", "Previous")
	hasWords(t, "the second", b.get("/moderation?queue=thing&case="+second).Body.String(), "desk-item", `value="/moderation?queue=thing"`)
	for _, gone := range []string{"thing:" + pg.NewID(), "thing:nonsense", "ship:" + pg.NewID(), "nonsense"} {
		if a := b.get("/moderation?case=" + url.QueryEscape(gone)); a.Code != 404 {
			t.Errorf("%s gives %d", gone, a.Code)
		}
	}
	if a := b.get("/moderation?queue=ships"); a.Code != 400 {
		t.Errorf("no queue gives %d", a.Code)
	}
	wantText(t, "an empty queue", b.page("/moderation?queue=appeal", 200), "Nothing waits here", "There is more in the others")
	wantText(t, "another page", b.page("/", 200), "Desk 2")
}

func TestEmptyDesk(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	dee := w.moderator(t, "dee")
	b := w.as(t, dee)
	for path, words := range map[string]string{"/moderation": "Go and enjoy the porch", "/moderation?mine=1": "press “Claim it”", "/moderation/blocks": "No address was ever blocked",
		"/moderation/log": "Nothing was decided yet"} {
		tree := b.page(path, 200)
		checkSound(t, path, tree)
		wantText(t, path, tree, words)
	}
	own := w.put(t, "Dee's own", dee, time.Hour)
	wantText(t, "what is left", b.page("/moderation", 200), "All done.", "1 more waits for another moderator.", "What is left is yours")
	tree := b.page("/moderation?case="+own, 200)
	checkSound(t, "one's own", tree)
	wantText(t, "one's own", tree, "This is yours", "Another moderator will")
	if slices.Contains(pressable(tree), "approve") {
		t.Error("the buttons are there")
	}
	if a := b.post("/moderation/decide", "target", own, "action", "approve"); a.Code != http.StatusForbidden {
		t.Errorf("deciding one's own gives %d", a.Code)
	}
}

// pressable are the decisions that the form of the case offers.
func pressable(tree *html.Node) (list []string) {
	for _, form := range byClass(tree, "verdict") {
		for _, n := range elements(form, "button") {
			value, _ := attribute(n, "value")
			list = append(list, value)
		}
	}
	return list
}

func TestDecideAndUndo(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	first, second, third := w.put(t, "Blue Heron", ann, 3*time.Hour), w.put(t, "Red Robin", ann, 2*time.Hour), w.put(t, "Half a thing", ann, time.Hour)
	b := w.as(t, dee)
	tree := parsed(t, "no reason", b.post("/moderation/decide", "target", first, "action", "reject", "reason", " ", "back", "/moderation?queue=thing"), 422)
	checkSound(t, "no reason", tree)
	if errorsAt(tree)["reason"] != "The reason is required." {
		t.Errorf("says %q", errorsAt(tree)["reason"])
	}
	tree = parsed(t, "a long reason", b.post("/moderation/decide", "target", first, "action", "reject", "reason", strings.Repeat("x", 501)), 422)
	if controls(tree)["reason"] != strings.Repeat("x", 501) {
		t.Error("what was written is lost")
	}
	a := b.post("/moderation/decide", "target", first, "action", "reject", "reply", "We have this already.", "reason", "See <b>Main Street</b>.", "next", third, "back", "/moderation?queue=thing")
	if got := a.Header().Get("Location"); a.Code != http.StatusSeeOther || !strings.HasPrefix(got, "/moderation?queue=thing&case="+third+"&undo=") {
		t.Fatalf("rejecting gives %d to %q", a.Code, got)
	}
	if c := w.thing(first); c.State != "refused" || c.Reason != "We have this already.\nSee <b>Main Street</b>." {
		t.Errorf("it is %s: %q", c.State, c.Reason)
	}
	next := b.get(a.Header().Get("Location"))
	hasWords(t, "the next page", next.Body.String(), "Blue Heron: rejected.", `name="batch"`, `value="`+batchOf(t, a.Header().Get("Location"))+`"`, `aria-keyshortcuts="U"`)
	if again := b.get(a.Header().Get("Location")).Body.String(); strings.Contains(again, `name="batch"`) {
		t.Error("the notice stays")
	}
	tree = b.page("/moderation?case="+first, 200)
	checkSound(t, "a decided case", tree)
	wantText(t, "a decided case", tree, "It is refused.", "Rejected", "by dee", "Undo your decision", "1 refused")
	if got := pressable(tree); !slices.Equal(got, []string{"restore"}) {
		t.Errorf("offers %v", got)
	}
	tree = parsed(t, "again", b.post("/moderation/decide", "target", first, "action", "approve"), 409)
	wantText(t, "again", tree, "This was decided already: it is refused.", "Blue Heron")
	wantText(t, "half", parsed(t, "half", b.post("/moderation/decide", "target", third, "action", "approve"), 422), "It cannot be decided as it is. Other half is required.")

	led(t, "undoing", b.post("/moderation/undo", "batch", batchOf(t, a.Header().Get("Location")), "target", first, "back", "/moderation?queue=thing"), "/moderation?queue=thing&case="+first)
	if !w.thing(first).Waiting {
		t.Error("it does not wait again")
	}
	wantText(t, "undone", b.page("/moderation?case="+first, 200), "put back", "undone")
	wantText(t, "undone twice", parsed(t, "undone twice", b.post("/moderation/undo", "batch", batchOf(t, a.Header().Get("Location"))), 404), "There is nothing to undo", "All 3")

	late := b.post("/moderation/decide", "target", second, "action", "abusive")
	w.clock.Store(int64(16 * time.Minute))
	wantText(t, "too late", parsed(t, "too late", b.post("/moderation/undo", "batch", batchOf(t, late.Header().Get("Location"))), 404), "longer than a quarter of an hour ago")
	if w.thing(second).State != "marked as spam" {
		t.Errorf("it is %s", w.thing(second).State)
	}
	if strings.Contains(text(b.page("/moderation?case="+second, 200)), "Undo your decision") {
		t.Error("it still offers to undo")
	}
	list, err := w.Blocks.List(t.Context(), core.TheSystem(), core.Page{})
	if err != nil || len(list.Items) != 1 || list.Items[0].AddressKey != "192.0.2.77" {
		t.Errorf("abuse blocks %+v, %v", list.Items, err)
	}
}

func TestTwoModerators(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann := w.account(t, "ann")
	first, second := w.put(t, "Blue Heron", ann, 2*time.Hour), w.put(t, "Red Robin", ann, time.Hour)
	dee, eve := w.as(t, w.moderator(t, "dee")), w.as(t, w.moderator(t, "eve"))
	led(t, "claiming", dee.post("/moderation/claim", "target", first, "back", "/moderation"), "/moderation?case="+first)
	wantText(t, "mine", dee.page("/moderation?mine=1", 200), "1 claimed by you.", "You work on it", "Give it back", "Mine 1")
	tree := eve.page("/moderation", 200)
	wantText(t, "eve's desk", tree, "dee works on it")
	if got, _ := attribute(byClass(tree, "verdict")[0].FirstChild, "value"); got != second {
		t.Errorf("eve is shown %s first", got)
	}
	tree = eve.page("/moderation?case="+first, 200)
	checkSound(t, "dee's case", tree)
	wantText(t, "dee's case", tree, "dee works on this", "after half an hour")
	if got := pressable(tree); got != nil {
		t.Errorf("eve may %v", got)
	}
	wantText(t, "deciding", parsed(t, "deciding", eve.post("/moderation/decide", "target", first, "action", "approve"), 409), "dee is working on this")
	wantText(t, "claiming too", parsed(t, "claiming too", eve.post("/moderation/claim", "target", first), 409), "dee is working on this")
	led(t, "giving back", dee.post("/moderation/release", "target", first), "/moderation?case="+first)
	led(t, "claiming later", eve.post("/moderation/claim", "target", first), "/moderation?case="+first)
	if _, err := w.db.Exec(t, core.TheSystem(), `update desk_queue set claimed_until = now() - interval '1 second' where claimed_by is not null`); err != nil {
		t.Fatal(err)
	}

	codes := make([]int, 2)
	var all sync.WaitGroup
	for i, b := range []*browser{dee, eve} {
		all.Go(func() { codes[i] = b.post("/moderation/decide", "target", second, "action", "approve").Code })
	}
	all.Wait()
	if codes[0] != http.StatusSeeOther && codes[1] != http.StatusSeeOther {
		t.Errorf("the two get %v", codes)
	}
	if a := dee.post("/moderation/decide", "target", first, "action", "approve"); a.Code != http.StatusSeeOther {
		t.Errorf("once the claim is over, deciding gives %d", a.Code)
	}
}

func TestSeveralAtOnce(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	var things []string
	for i, title := range []string{"Blue Heron", "Half a thing", "Red Robin"} {
		things = append(things, w.put(t, title, ann, time.Duration(9-i)*time.Hour))
	}
	b := w.as(t, dee)
	tree := b.page("/moderation?queue=thing", 200)
	if got := len(byClass(tree, "several")); got != 1 {
		t.Fatalf("there are %d bars", got)
	}
	fields := []string{"several", "true", "back", "/moderation?queue=thing"}
	wantText(t, "none", parsed(t, "none", b.post("/moderation/decide", append(fields, "action", "approve")...), 422), "Choose at least one case, and at most 50.")
	for _, thing := range things {
		fields = append(fields, "target", thing)
	}
	tree = parsed(t, "no reason", b.post("/moderation/decide", append(fields, "action", "reject")...), 422)
	checkSound(t, "no reason", tree)
	if errorsAt(tree)["reason-several"] != "The reason is required." || len(checkedBoxes(tree)) != 3 {
		t.Errorf("says %q, keeps %v", errorsAt(tree), checkedBoxes(tree))
	}
	tree = parsed(t, "one fails", b.post("/moderation/decide", append(fields, "action", "approve")...), 200)
	checkSound(t, "one fails", tree)
	wantText(t, "one fails", tree, "2 cases approved. 1 case not:", "Half a thing : Other half is required.", "Undo")
	if got := checkedBoxes(tree); !slices.Equal(got, things[1:2]) {
		t.Errorf("keeps %v", got)
	}
	var batch string
	for _, n := range elements(byClass(tree, "done")[0], "input") {
		if name, _ := attribute(n, "name"); name == "batch" {
			batch, _ = attribute(n, "value")
		}
	}
	led(t, "undoing", b.post("/moderation/undo", "batch", batch, "back", "/moderation?queue=thing"), "/moderation?queue=thing")
	wantText(t, "undone", b.page("/moderation", 200), "2 cases put back", "All 3")
	a := b.post("/moderation/decide", append(fields, "action", "reject", "reason", "Not here.")...)
	if got := a.Header().Get("Location"); !strings.HasPrefix(got, "/moderation?queue=thing&undo=") {
		t.Fatalf("leads to %q: %.300s", got, a.Body)
	}
	wantText(t, "all of them", b.page(a.Header().Get("Location"), 200), "3 cases rejected.", "Nothing waits here", "Undo")
}

func checkedBoxes(tree *html.Node) (list []string) {
	for _, n := range elements(tree, "input") {
		if _, checked := attribute(n, "checked"); checked {
			value, _ := attribute(n, "value")
			list = append(list, value)
		}
	}
	return list
}

func TestNotesAndSavedReplies(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	thing := w.put(t, "Blue Heron", w.account(t, "ann"), time.Hour)
	dee, eve := w.as(t, w.moderator(t, "dee")), w.as(t, w.moderator(t, "eve"))
	tree := parsed(t, "no note", dee.post("/moderation/note", "target", thing, "note", " "), 422)
	checkSound(t, "no note", tree)
	if errorsAt(tree)["note"] != "The note is required." {
		t.Errorf("says %q", errorsAt(tree)["note"])
	}
	led(t, "a note", dee.post("/moderation/note", "target", thing, "note", "I called <b>them</b>.", "back", "/moderation"), "/moderation?case="+thing+"#notes")
	wantText(t, "the note", eve.page("/moderation?case="+thing, 200), "I called <b>them</b>.", "dee")

	tree = dee.page("/moderation/replies", 200)
	checkSound(t, "the replies", tree)
	wantText(t, "the replies", tree, "For all queues", "We have this already.", "Appeals")
	tree = parsed(t, "no reply", dee.post("/moderation/replies", "body", " "), 422)
	checkSound(t, "no reply", tree)
	wantText(t, "no reply", tree, "The reply is required.")
	led(t, "a reply", dee.post("/moderation/replies", "body", "Herons are not blue.", "queue", "thing"), "/moderation/replies")
	hasWords(t, "the case", eve.get("/moderation").Body.String(), `<option value="Herons are not blue."`)
	id := pgtest.Value[string](t, w.db, core.TheSystem(), `select id::text from desk_replies where body like 'Herons%'`)
	led(t, "removing", eve.post("/moderation/replies/"+id+"/remove"), "/moderation/replies")
	if strings.Contains(text(dee.page("/moderation/replies", 200)), "Herons") {
		t.Error("the reply is still there")
	}
}

// Every button says its key to who does not see it.
func TestKeysOfTheDesk(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	ann := w.account(t, "ann")
	var middle string
	for i := range 3 {
		thing := w.put(t, "Blue Heron", ann, time.Duration(9-i)*time.Hour)
		w.thing(thing).Path = "/things/heron"
		if i == 1 {
			middle = thing
		}
	}
	tree := w.as(t, w.moderator(t, "dee")).page("/moderation?case="+middle, 200)
	keys := map[string]string{}
	for _, n := range elements(tree, "") {
		if key, ok := attribute(n, "aria-keyshortcuts"); ok {
			keys[key] = n.Data
		}
	}
	for key, tag := range map[string]string{"A": "button", "R": "button", "X": "button", "C": "button", "O": "a", "J N": "a", "P K": "a", "?": "button", "Control+Enter": "textarea"} {
		if keys[key] != tag {
			t.Errorf("%s belongs to %q, want a %s", key, keys[key], tag)
		}
	}
	if len(byClass(tree, "keys")) != 1 {
		t.Error("there is no list of keys")
	}
}

func TestFormerQueuesLeadOn(t *testing.T) {
	t.Parallel()
	w := newDeskWorld(t)
	b := w.as(t, w.moderator(t, "dee"))
	for path, queue := range map[string]string{"listings": "contribution", "apps": "app", "sayings": "saying", "polls": "poll", "reports": "report"} {
		if a := b.get("/moderation/" + path); a.Code != http.StatusMovedPermanently || a.Header().Get("Location") != "/moderation?queue="+queue {
			t.Errorf("%s gives %d to %q", path, a.Code, a.Header().Get("Location"))
		}
	}
}
