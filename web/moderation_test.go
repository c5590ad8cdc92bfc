package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"homeplace/core/directory"
)

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
			a := b.decide("contribution:"+c.ID, "approve")
			codes[i], bodies[i] = a.Code, a.Body.String()
		})
	}
	all.Wait()
	if codes[0]+codes[1] != http.StatusSeeOther+http.StatusConflict {
		t.Fatalf("the two get %v", codes)
	}
	for i, code := range codes {
		if code == http.StatusConflict && (!strings.Contains(bodies[i], "does not wait any more") || !strings.Contains(bodies[i], "<h1>Desk</h1>")) {
			t.Errorf("the later one reads %.3000s", bodies[i])
		}
	}
}

func TestCorrectAListingFirst(t *testing.T) {
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
	led(t, "correcting", dee.post(path, send("name", "Blue Heron Bread", "phone", "")...), "/moderation?case=contribution:"+c.ID)
	wantText(t, "the case", dee.page("/moderation?case=contribution:"+c.ID, 200), "Blue Heron Bread", "The correction is saved.")
	if a := dee.decide("contribution:"+c.ID, "approve"); a.Code != http.StatusSeeOther {
		t.Fatalf("approving gives %d: %.500s", a.Code, a.Body)
	}
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "blue-heron-bread-atlanta")
	if err != nil || e.Phone != nil || *e.City != "Atlanta" {
		t.Errorf("published %+v: %v", e.Summary, err)
	}
	led(t, "correcting what is decided", dee.get(path), "/moderation?case=contribution:"+c.ID)
	led(t, "saving it anyway", dee.post(path, send()...), "/moderation?case=contribution:"+c.ID)
}

func TestWhatPeopleWriteIsHarmless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	ann := w.account(t, "ann")
	w.offer(t, ann, "kind", "business", "name", evil, "summary", evil, "description", evil+"[x](javascript:alert(1))", "tags", "script", "city", evil, "address", evil,
		"phone", "<script>", "hours_note", evil)
	dee := w.as(t, w.moderator(t, "dee"))
	checkSound(t, t.Name(), dee.page("/moderation", 200))
	checkSound(t, t.Name(), w.as(t, ann).page("/account/submissions", 200))
	wantText(t, "the desk", dee.page("/moderation", 200), evil)
	tree := parsed(t, "the form", w.as(t, ann).post("/directory/new", "kind", "event", "name", evil, "starts_at", evil, "region", evil, "event_zone", evil), 422)
	checkSound(t, t.Name(), tree)
	if controls(tree)["name"] != evil {
		t.Error("the name was not kept")
	}
}
