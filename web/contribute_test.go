package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/directory/contributions"
)

// controls are the values of a page's form, by name.
func controls(root *html.Node) map[string]string {
	values := map[string]string{}
	for _, n := range elements(root, "") {
		name, ok := attribute(n, "name")
		if !ok {
			continue
		}
		switch n.Data {
		case "input":
			values[name], _ = attribute(n, "value")
		case "textarea":
			if n.FirstChild != nil {
				values[name] = strings.TrimPrefix(n.FirstChild.Data, "\n")
			} else {
				values[name] = ""
			}
		case "select":
			for _, o := range elements(n, "option") {
				if _, chosen := attribute(o, "selected"); chosen {
					values[name], _ = attribute(o, "value")
				}
			}
		}
	}
	return values
}

// errorsAt are the messages of the controls, by name.
func errorsAt(root *html.Node) map[string]string {
	found := map[string]string{}
	for _, n := range elements(root, "p") {
		if id, _ := attribute(n, "id"); strings.HasSuffix(id, "-error") {
			found[strings.TrimSuffix(id, "-error")] = text(n)
		}
	}
	return found
}

// checkSound tells whether a page stands on its own feet: one h1, headings in
// steps, ids that are there once, no code in the markup.
func checkSound(t *testing.T, what string, root *html.Node) {
	t.Helper()
	ids, level := map[string]bool{}, 0
	if n := len(elements(root, "h1")); n != 1 {
		t.Errorf("%s has %d h1", what, n)
	}
	for _, n := range elements(root, "") {
		if id, ok := attribute(n, "id"); ok {
			if ids[id] || id == "" {
				t.Errorf("%s has the id %q twice, or empty", what, id)
			}
			ids[id] = true
		}
		if next, err := strconv.Atoi(strings.TrimPrefix(n.Data, "h")); err == nil && len(n.Data) == 2 && n.Parent.Data != "footer" {
			if next > level+1 {
				t.Errorf("%s: %q follows h%d", what, text(n), level)
			}
			level = next
		}
		if _, loaded := attribute(n, "src"); n.Data == "style" || n.Data == "script" && !loaded {
			t.Errorf("%s has a %s element", what, n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key != "value" && strings.HasPrefix(a.Val, "javascript:") {
				t.Errorf("%s: %s has %s=%q", what, n.Data, a.Key, a.Val)
			}
		}
	}
	for _, n := range elements(root, "") {
		for _, name := range []string{"aria-labelledby", "aria-describedby", "for"} {
			value, _ := attribute(n, name)
			for id := range strings.FieldsSeq(value) {
				if !ids[id] {
					t.Errorf("%s: %s %s names %q, which is nowhere", what, n.Data, name, id)
				}
			}
		}
		href, _ := attribute(n, "href")
		if id, found := strings.CutPrefix(href, "#"); found && !ids[id] {
			t.Errorf("%s: %q leads to nothing", what, href)
		}
	}
}

// links are the addresses that the page leads to.
func links(root *html.Node) (list []string) {
	for _, n := range elements(root, "a") {
		href, _ := attribute(n, "href")
		list = append(list, href)
	}
	return list
}

func wantText(t *testing.T, what string, root *html.Node, wants ...string) {
	t.Helper()
	seen := text(root)
	for _, want := range wants {
		if !strings.Contains(seen, want) {
			t.Errorf("%s lacks %q: %s", what, want, seen)
		}
	}
}

var heronForm = []string{
	"kind", "business", "name", "Blue Heron Bakery", "category", "bakery", "summary", "Bread before the street wakes.",
	"description", "Three **ovens**.\r\n\r\nOne family.", "tags", "vegan, early", "address", "12 Auburn Ave", "city", "Atlanta", "region", "GA",
	"zip", "30303", "phone", "404 555 0123", "website", "blueheron.example", "email", "hello@blueheron.example",
	"hours_mon", "closed", "hours_tue", "7am-1pm, 14:00-18:30", "hours_sat", "24 hours", "hours_note", "Ring twice",
}

// offer sends a listing and finds it again.
func (w world) offer(t *testing.T, a accounts.Account, fields ...string) contributions.Contribution {
	t.Helper()
	if answer := w.as(t, a).post("/directory/new", fields...); answer.Code != http.StatusSeeOther {
		t.Fatalf("offering gives %d: %.2000s", answer.Code, answer.Body)
	}
	list, err := w.Contributions.Mine(t.Context(), a.Viewer(), core.Page{})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("nothing was stored: %v", err)
	}
	return list.Items[0]
}

func TestContributionPagesAskToSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/directory/new", "/directory/businesses/x-y/edit", "/directory/businesses/x-y/still-open", "/account/submissions", "/moderation", "/moderation/listings"} {
		a := w.do(http.MethodGet, path)
		if a.Code != http.StatusSeeOther || !strings.HasPrefix(a.Header().Get("Location"), "/sign-in?next=") {
			t.Errorf("GET %s gives %d to %q", path, a.Code, a.Header().Get("Location"))
		}
	}
	if a := w.browser(t).post("/directory/new", heronForm...); a.Code != http.StatusUnauthorized {
		t.Errorf("nobody offers a listing: %d", a.Code)
	}
}

func TestNewListingAsksForTheKindFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ann"))
	tree := b.page("/directory/new", 200)
	checkSound(t, t.Name(), tree)
	for kind, fields := range map[string][2]string{ // what it has, what it has not
		"business": {"hours_mon", "year_start"}, "service": {"hours_sun", "starts_at"}, "landmark": {"year_end", "ends_at"},
		"person": {"year_start", "hours_mon"}, "event": {"starts_at", "hours_mon"},
	} {
		tree := b.page("/directory/new?kind="+kind, 200)
		checkSound(t, t.Name(), tree)
		found := controls(tree)
		if _, ok := found[fields[0]]; !ok || found["kind"] != kind {
			t.Errorf("the form of a %s lacks %s: %v", kind, fields[0], found)
		}
		if _, ok := found[fields[1]]; ok {
			t.Errorf("the form of a %s has %s", kind, fields[1])
		}
	}
	if tree := b.page("/directory/new?kind=spaceship", 422); errorsAt(tree)["kind"] == "" {
		t.Error("an unknown kind is not explained")
	}
	if a := b.post("/directory/new", "name", "No kind"); a.Code != 422 {
		t.Errorf("without a kind: %d", a.Code)
	}
}

func TestOfferBecomesAnEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	member := w.as(t, ann)
	tree := member.page("/account/submissions", 200)
	wantText(t, "an empty list", tree, "You have not sent anything yet")
	c := w.offer(t, ann, heronForm...)
	wantText(t, "the list", member.page("/account/submissions", 200), "Blue Heron Bakery", "New listing", "Waiting for a moderator", "Take it back")

	desk := w.as(t, dee)
	tree = desk.page("/moderation?queue=contribution", 200)
	checkSound(t, t.Name(), tree)
	wantText(t, "the desk", tree, "1 waiting.", "Blue Heron Bakery", "Listings · ann", "Bakeries", "12 Auburn Ave", "Ring twice", "Approve", "Correct it first")
	if a := desk.decide("contribution:"+c.ID, "approve"); a.Code != http.StatusSeeOther {
		t.Fatalf("approving gives %d: %.500s", a.Code, a.Body)
	}
	wantText(t, "the desk afterwards", desk.page("/moderation", 200), "Nothing waits", "Blue Heron Bakery: approved.")

	tree = member.page("/account/submissions", 200)
	wantText(t, "the list", tree, "Published")
	if !slices.Contains(links(tree), "/directory/businesses/blue-heron-bakery-atlanta") {
		t.Errorf("nothing leads to the entry: %v", links(tree))
	}
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "blue-heron-bakery-atlanta")
	if err != nil {
		t.Fatal(err)
	}
	hours := &directory.Hours{Timezone: "America/New_York", Note: "Ring twice", Days: map[string][]directory.Span{
		"mon": {}, "tue": {{"07:00", "13:00"}, {"14:00", "18:30"}}, "sat": {{"00:00", "00:00"}}}}
	if fmt.Sprint(e.Hours) != fmt.Sprint(hours) || e.Description != "Three **ovens**.\n\nOne family." || !slices.Equal(e.Tags, []string{"vegan", "early"}) ||
		*e.Website != "https://blueheron.example" || *e.OwnerID != ann.ID {
		t.Errorf("stored as %+v with the hours %+v", e, e.Hours)
	}
	a := w.do(http.MethodGet, "/directory/businesses/blue-heron-bakery-atlanta")
	if a.Code != http.StatusOK || !strings.Contains(a.Body.String(), "Blue Heron Bakery") {
		t.Errorf("its page gives %d", a.Code)
	}
}

func TestEveryFieldTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ann"))
	long := strings.Repeat("x", 20_001)
	for kind, wrong := range map[string]map[string]string{
		"business": {"name": "", "category": "spaceship", "summary": long[:601], "description": long, "tags": long[:100], "address": long[:201], "city": long[:101], "region": long[:101],
			"zip": "1234567890123", "lat": "north", "lng": "west", "phone": strings.Repeat("1", 41), "website": "javascript:alert(1)", "email": "nobody",
			"hours_mon": "9-5", "hours_tue": "soon", "hours_wed": "25:00-26:00", "hours_thu": "13pm-14pm", "hours_fri": "09:00", "hours_sat": "x",
			"hours_sun": "1am-2am,3am-4am,5am-6am,7am-8am,9am-10am,11am-noon,1pm-2pm", "timezone": "Local", "hours_note": long[:201]},
		"person": {"name": long[:161], "year_start": "long ago", "year_end": "9999"},
		"event":  {"name": "\x00", "starts_at": "tomorrow", "ends_at": "later", "region": "GA"},
	} {
		fields := []string{"kind", kind}
		for name, value := range wrong {
			fields = append(fields, name, value)
		}
		tree := parsed(t, kind, b.post("/directory/new", fields...), 422)
		checkSound(t, t.Name(), tree)
		messages, kept := errorsAt(tree), controls(tree)
		for name, value := range wrong {
			if name == "region" && kind == "event" {
				continue
			}
			if messages[name] == "" {
				t.Errorf("%s: nothing is said of %s", kind, name)
			}
			if name != "category" && name != "timezone" && value != "\x00" && kept[name] != value { // a select has only its choices
				t.Errorf("%s: %s was not kept", kind, name)
			}
		}
	}
	tree := parsed(t, "event", b.post("/directory/new", "kind", "event", "name", "Fair", "website", "fair.example", "starts_at", "2026-11-28T12:00"), 422)
	if errorsAt(tree)["event_zone"] == "" {
		t.Error("a time without a zone is taken")
	}
	tree = parsed(t, "a bare name", b.post("/directory/new", "kind", "business", "name", "Nowhere"), 422)
	if got := errorsAt(tree)["city"]; got != "City is required where there is no website, so that a neighbour can find it." {
		t.Errorf("says of the city %q", got)
	}
}

func TestDuplicatesAreShownFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, `{"kind":"business","slug":"blue-heron","name":"Blue Heron Bakery","city":"Atlanta","region":"GA"}`)
	ann := w.account(t, "ann")
	tree := parsed(t, "a duplicate", w.as(t, ann).post("/directory/new", heronForm...), 200)
	checkSound(t, t.Name(), tree)
	wantText(t, "the question", tree, "Is it one of these?", "No, send mine")
	if !slices.Contains(links(tree), "/directory/businesses/blue-heron") || controls(tree)["summary"] != "Bread before the street wakes." {
		t.Error("the duplicate has no link, or the form lost its texts")
	}
	w.offer(t, ann, append(slices.Clone(heronForm), "sure", "true")...)
	wantText(t, "the desk", w.as(t, w.moderator(t, "dee")).page("/moderation", 200), "Perhaps the same Blue Heron Bakery, Atlanta")
}

func TestFormOfAnEntryChangesNothingByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t,
		`{"kind":"business","slug":"corner-bar","name":"Corner Bar","category":"bar","description":"One\n\nTwo","city":"Detroit","region":"MI","lat":42.33143,"lng":-83.04575,`+
			`"tags":["live music","late"],"links":[{"label":"Menu","url":"https://bar.example/menu"}],"hours":{"timezone":"America/Detroit","note":"Ring","mon":[],"tue":[["17:00","02:00"]],"wed":[["09:00","12:00"],["18:00","00:00"]],"thu":[["00:00","00:00"]]}}`,
		`{"kind":"event","slug":"street-fair","name":"Street Fair","city":"Oakland","region":"CA","starts_at":"2026-11-28T20:00:30Z","ends_at":"2026-11-29T05:00:00Z"}`,
		`{"kind":"person","slug":"zora-lane","name":"Zora Lane","city":"Eatonville","region":"FL","year_start":1891,"year_end":1960}`,
		`{"kind":"landmark","slug":"old-mill","name":"Old Mill","city":"Toronto","region":"Ontario","country":"CA","year_start":1871,"hours":{"mon":[["10:00","16:00"]]}}`)
	b := w.as(t, w.account(t, "ann"))
	for _, path := range []string{"/directory/businesses/corner-bar", "/directory/events/street-fair", "/directory/people/zora-lane", "/directory/landmarks/old-mill"} {
		tree := b.page(path+"/edit", 200)
		checkSound(t, t.Name(), tree)
		var fields []string
		for name, value := range controls(tree) {
			if name != "look" && name != "theme" {
				fields = append(fields, name, value)
			}
		}
		tree = parsed(t, path, b.post(path+"/edit", fields...), 422)
		wantText(t, path, tree, "Nothing differs from the entry as it is.")
	}
	if got := controls(b.page("/directory/events/street-fair/edit", 200)); got["starts_at"] != "2026-11-28T12:00" || got["event_zone"] != "America/Los_Angeles" {
		t.Errorf("the fair starts at %s, %s", got["starts_at"], got["event_zone"])
	}
}

func TestMembersSuggestAndOwnersSave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben, dee := w.account(t, "ann"), w.account(t, "ben"), w.moderator(t, "dee")
	owned := w.offer(t, ann, heronForm...)
	w.decided(t, dee, "contribution:"+owned.ID, core.ActionApprove, "")
	const path = "/directory/businesses/blue-heron-bakery-atlanta"
	edited := func(b *browser, changes ...string) []string {
		values := controls(b.page(path+"/edit", 200))
		for i := 0; i < len(changes); i += 2 {
			values[changes[i]] = changes[i+1]
		}
		delete(values, "look")
		var fields []string
		for name, value := range values {
			fields = append(fields, name, value)
		}
		return fields
	}

	member := w.as(t, ben)
	tree := parsed(t, "the preview", member.post(path+"/edit", append(edited(member, "phone", "404 555 0199"), "look", "true")...), 200)
	wantText(t, "the preview", tree, "What would change", "0123 0199")
	if a := member.post(path+"/edit", edited(member, "phone", "404 555 0199", "message", "I called them")...); a.Header().Get("Location") != "/account/submissions" {
		t.Fatalf("suggesting gives %d: %.500s", a.Code, a.Body)
	}
	wantText(t, "the list", member.page("/account/submissions", 200), "Change", "About: phone", "Your change to Blue Heron Bakery waits")
	wantText(t, "the desk", w.as(t, dee).page("/moderation", 200), "I called them", "0123 0199")

	owner := w.as(t, ann)
	first, late := edited(owner, "summary", "Owner's words."), edited(owner, "summary", "Older words.", "city", "Decatur")
	if a := owner.post(path+"/edit", first...); a.Code != http.StatusSeeOther || a.Header().Get("Location") != path {
		t.Fatalf("saving gives %d: %.500s", a.Code, a.Body)
	}
	tree = parsed(t, "the conflict", owner.post(path+"/edit", late...), http.StatusConflict)
	checkSound(t, t.Name(), tree)
	wantText(t, "the conflict", tree, "Somebody changed it while you were writing", "Owner's", "Older", "Decatur")
	var again []string
	for name, value := range controls(tree) {
		if name != "look" {
			again = append(again, name, value)
		}
	}
	if a := owner.post(path+"/edit", again...); a.Code != http.StatusSeeOther {
		t.Errorf("saving over gives %d", a.Code)
	}
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "blue-heron-bakery-atlanta")
	if err != nil || *e.City != "Decatur" || e.Summary.Summary != "Older words." {
		t.Errorf("stands at %v, %q: %v", e.City, e.Summary.Summary, err)
	}
	wantText(t, "the desk", w.as(t, dee).page("/moderation", 200), "changed since")
	if a := owner.post(path+"/edit", "name", "", "seen", e.UpdatedAt.Format(time.RFC3339Nano)); a.Code != 422 {
		t.Errorf("an empty form gives %d", a.Code)
	}
}

func TestStillOpenOrClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	ann := w.as(t, w.account(t, "ann"))
	const path = "/directory/landmarks/old-mill"
	tree := ann.page(path+"/still-open", 200)
	checkSound(t, t.Name(), tree)
	if a := ann.post(path+"/still-open", "message", "hm"); a.Code != 422 {
		t.Errorf("without an answer: %d", a.Code)
	}
	if a := ann.post(path+"/still-open", "open", "true", "message", strings.Repeat("x", 5000)); a.Code != 422 || !strings.Contains(a.Body.String(), "message-error") {
		t.Errorf("a long note gives %d", a.Code)
	}
	if a := ann.post(path+"/still-open", "open", "false", "message", "boarded up"); a.Code != http.StatusSeeOther || a.Header().Get("Location") != path {
		t.Fatalf("gives %d: %.300s", a.Code, a.Body)
	}
	wantText(t, "a second word", parsed(t, path, ann.post(path+"/still-open", "open", "true"), 409), "You have told us about this place already")
	dee := w.as(t, w.moderator(t, "dee"))
	tree = dee.page("/moderation", 200)
	wantText(t, "the desk", tree, "Old Mill", "closed", "boarded up")
	for _, path := range []string{"/directory/landmarks/nothing/still-open", "/directory/ships/old-mill/still-open", "/directory/people/old-mill/edit"} {
		if a := ann.get(path); a.Code != 404 {
			t.Errorf("%s gives %d", path, a.Code)
		}
	}
}

func TestTooManyWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	for i := range contributions.MaxPending {
		w.offer(t, ann, "kind", "business", "name", fmt.Sprintf("Shop %d", i), "city", "Atlanta", "region", "GA")
	}
	b := w.as(t, ann)
	tree := parsed(t, "one more", b.post("/directory/new", "kind", "business", "name", "One more", "city", "Atlanta"), 409)
	wantText(t, "one more", tree, "You have sent 20 things that still wait")
	if controls(tree)["name"] != "One more" {
		t.Error("what was written is lost")
	}
}

func TestSubmissionsHavePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	for i := range 25 {
		c := w.offer(t, ann, "kind", "business", "name", fmt.Sprintf("Shop %d", i), "city", "Atlanta")
		w.decided(t, dee, "contribution:"+c.ID, core.ActionReject, "no")
	}
	b := w.as(t, ann)
	first, second := b.page("/account/submissions", 200), b.page("/account/submissions?listings=2", 200)
	wantText(t, "the first page", first, "25 things", "Shop 24", "Not taken")
	wantText(t, "the second page", second, "Shop 0")
	if strings.Contains(text(second), "Shop 24") || !slices.Contains(links(first), "/account/submissions?listings=2#listings") {
		t.Error("the pages do not part the list")
	}
	if a := b.get("/account/submissions?listings=3"); a.Code != 404 {
		t.Errorf("a page after the last gives %d", a.Code)
	}
}

func TestOthersNeitherSeeNorWithdraw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	c := w.offer(t, ann, heronForm...)
	other := w.as(t, ben)
	if strings.Contains(text(other.page("/account/submissions", 200)), "Blue Heron") {
		t.Error("another member reads it")
	}
	if a := other.post("/account/submissions/" + c.ID + "/withdraw"); a.Code != 404 {
		t.Errorf("another member withdraws: %d", a.Code)
	}
	own := w.as(t, ann)
	if a := own.post("/account/submissions/" + c.ID + "/withdraw"); a.Code != http.StatusSeeOther {
		t.Errorf("withdrawing gives %d", a.Code)
	}
	wantText(t, "the list", own.page("/account/submissions", 200), "You took it back", "Taken back.")
	if a := own.post("/account/submissions/" + c.ID + "/withdraw"); a.Code != http.StatusSeeOther {
		t.Errorf("withdrawing twice gives %d", a.Code)
	}
	wantText(t, "the list", own.page("/account/submissions", 200), "no longer waits")
}
