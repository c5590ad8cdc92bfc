package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"homeplace/core/directory"
)

func TestOnlyStaffSeeTheDesk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	c := w.offer(t, ann, heronForm...)
	b := w.as(t, ann)
	for _, path := range []string{"/moderation", "/moderation/listings", "/moderation/listings?id=" + c.ID, "/moderation/listings/" + c.ID + "/amend"} {
		if a := b.get(path); a.Code != http.StatusForbidden || strings.Contains(a.Body.String(), "Blue Heron") {
			t.Errorf("a member gets %d for %s", a.Code, path)
		}
	}
	for _, what := range []string{"approve", "refuse", "amend"} {
		if a := b.post("/moderation/listings/"+c.ID+"/"+what, "reason", "no"); a.Code != http.StatusForbidden {
			t.Errorf("a member gets %d for %s", a.Code, what)
		}
		if a := w.browser(t).post("/moderation/listings/"+c.ID+"/"+what, "reason", "no"); a.Code != http.StatusUnauthorized {
			t.Errorf("nobody gets %d for %s", a.Code, what)
		}
	}
}

func TestEmptyDesk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dee := w.as(t, w.moderator(t, "dee"))
	if a := dee.get("/moderation"); a.Header().Get("Location") != "/moderation/listings" {
		t.Errorf("/moderation leads to %q", a.Header().Get("Location"))
	}
	tree := dee.page("/moderation/listings", 200)
	checkSound(t, t.Name(), tree)
	wantText(t, "an empty desk", tree, "Nothing waits")
	for _, id := range []string{"nonsense", "00000000-0000-0000-0000-000000000000"} {
		if a := dee.get("/moderation/listings?id=" + id); a.Code != 404 {
			t.Errorf("%s gives %d", id, a.Code)
		}
	}
}

func TestRefusingNeedsAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	c := w.offer(t, ann, heronForm...)
	dee := w.as(t, w.moderator(t, "dee"))
	path := "/moderation/listings/" + c.ID + "/refuse"
	tree := parsed(t, path, dee.post(path, "reason", "  "), 422)
	checkSound(t, t.Name(), tree)
	if errorsAt(tree)["reason"] != "The reason is required." {
		t.Errorf("says %q", errorsAt(tree)["reason"])
	}
	if a := dee.post(path, "reply", "We have this already.", "reason", "See <b>Main Street</b>."); a.Code != http.StatusSeeOther {
		t.Fatalf("refusing gives %d: %.500s", a.Code, a.Body)
	}
	wantText(t, "the list", w.as(t, ann).page("/account/submissions", 200), "Not taken", "We have this already.", "See <b>Main Street</b>.")
}

func TestNobodyDecidesTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dee := w.moderator(t, "dee")
	c := w.offer(t, dee, heronForm...)
	b := w.as(t, dee)
	tree := b.page("/moderation/listings?id="+c.ID, 200)
	wantText(t, "the desk", tree, "You sent this yourself")
	if strings.Contains(text(tree), "Approve") {
		t.Error("the buttons are there")
	}
	for _, what := range []string{"approve", "refuse"} {
		if a := b.post("/moderation/listings/"+c.ID+"/"+what, "reason", "no"); a.Code != http.StatusForbidden {
			t.Errorf("%s gives %d", what, a.Code)
		}
	}
}

func TestTwoDecideAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.offer(t, w.account(t, "ann"), heronForm...)
	desks := []*browser{w.as(t, w.moderator(t, "dee")), w.as(t, w.moderator(t, "eve"))}
	codes := make([]int, len(desks))
	bodies := make([]string, len(desks))
	var all sync.WaitGroup
	for i, b := range desks {
		all.Go(func() {
			a := b.post("/moderation/listings/" + c.ID + "/approve")
			codes[i], bodies[i] = a.Code, a.Body.String()
		})
	}
	all.Wait()
	if codes[0]+codes[1] != http.StatusSeeOther+http.StatusConflict {
		t.Fatalf("the two get %v", codes)
	}
	for i, code := range codes {
		if code == http.StatusConflict && (strings.Count(bodies[i], "no longer waits") != 1 || !strings.Contains(bodies[i], "<h1>Desk</h1>")) {
			t.Errorf("the later one reads %.3000s", bodies[i])
		}
	}
}

func TestApproveWithChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.offer(t, w.account(t, "ann"), heronForm...)
	dee := w.as(t, w.moderator(t, "dee"))
	path := "/moderation/listings/" + c.ID + "/amend"
	tree := dee.page(path, 200)
	checkSound(t, t.Name(), tree)
	values := controls(tree)
	send := func(changes ...string) (fields []string) {
		for i := 0; i < len(changes); i += 2 {
			values[changes[i]] = changes[i+1]
		}
		for name, value := range values {
			fields = append(fields, name, value)
		}
		return fields
	}
	if errorsAt(parsed(t, path, dee.post(path, send("name", "")...), 422))["name"] == "" {
		t.Error("an empty name is not explained")
	}
	if a := dee.post(path, send("name", "Blue Heron Bread", "phone", "")...); a.Code != http.StatusSeeOther {
		t.Fatalf("gives %d: %.500s", a.Code, a.Body)
	}
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "blue-heron-bread-atlanta")
	if err != nil || e.Phone != nil || *e.City != "Atlanta" {
		t.Errorf("published %+v: %v", e.Summary, err)
	}
	if a := dee.post(path, send()...); a.Code != http.StatusConflict {
		t.Errorf("a second time: %d", a.Code)
	}
}

func TestWhatPeopleWriteIsHarmless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	ann := w.account(t, "ann")
	w.offer(t, ann, "kind", "business", "name", evil, "summary", evil, "description", evil+"[x](javascript:alert(1))", "tags", "script", "city", evil, "address", evil,
		"phone", "<script>", "hours_note", evil)
	dee := w.as(t, w.moderator(t, "dee"))
	checkSound(t, t.Name(), dee.page("/moderation/listings", 200))
	checkSound(t, t.Name(), w.as(t, ann).page("/account/submissions", 200))
	wantText(t, "the desk", dee.page("/moderation/listings", 200), evil)
	tree := parsed(t, "the form", w.as(t, ann).post("/directory/new", "kind", "event", "name", evil, "starts_at", evil, "region", evil, "event_zone", evil), 422)
	checkSound(t, t.Name(), tree)
	if controls(tree)["name"] != evil {
		t.Error("the name was not kept")
	}
}
