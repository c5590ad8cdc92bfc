package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/desk"
	"homeplace/core/rowfile"
)

func (w world) loadSayings(t testing.TB, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sayings.Import(t.Context(), core.TheSystem(), rows, rowfile.Options{Strict: true}); err != nil {
		t.Fatal(err)
	}
}

var someSayings = []string{
	`{"slug":"rivers","text":"Rivers find the <sea>.","meaning":"In time.","attribution":"Yoruba proverb","region":"West Africa","category":"patience"}`,
	`{"slug":"slowly","text":"Slowly, slowly.","attribution":"Wolof proverb","category":"patience"}`,
	`{"slug":"doors","text":"Doors open.","region":"Jamaica"}`,
	`{"slug":"hidden","text":"Hidden words.","hidden":true}`,
}

func TestSayingPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wantText(t, "an empty list", w.page(t, "/sayings", 200), "No sayings here yet")
	w.loadSayings(t, someSayings...)
	for target, want := range map[string][]string{
		"/sayings":                             {"Rivers find the <sea>.", "Doors open.", "All 3"},
		"/sayings?q=RIVERS+time":               {"Rivers find the <sea>.", "Show all sayings"},
		"/sayings?region=jamaica":              {"Doors open."},
		"/sayings?category=patience&q=nothing": {"No saying fits that"},
		"/sayings?page=9":                      {"All 3"},
		"/sayings?category=nonsense":           {"Doors open."},
	} {
		tree := w.page(t, target, 200)
		wantText(t, target, tree, want...)
		checkSound(t, target, tree)
	}
	tree := w.page(t, "/sayings/rivers", 200)
	wantText(t, "a saying", tree, "Rivers find the <sea>.", "In time.", "Yoruba proverb", "West Africa", "Time and patience", "Slowly, slowly.")
	checkPage(t, "a saying", tree)
	body := w.do(http.MethodGet, "/sayings/rivers").Body.String()
	_, rest, _ := strings.Cut(body, `type="application/ld+json"`)
	_, rest, _ = strings.Cut(rest, ">")
	text, _, _ := strings.Cut(rest, "</script>")
	var schema map[string]any
	if err := json.Unmarshal([]byte(text), &schema); err != nil || schema["@type"] != "Quotation" || schema["text"] != "Rivers find the <sea>." || schema["creditText"] != "Yoruba proverb" {
		t.Errorf("schema %v, %v", schema, err)
	}
	if !strings.Contains(body, `property="og:image" content="`+base+`/preview/sayings/rivers.png"`) {
		t.Error("no picture for other sites")
	}
	if a := w.do(http.MethodGet, "/preview/sayings/rivers.png"); a.Code != 200 || a.Header().Get("Content-Type") != "image/png" {
		t.Errorf("the picture is %d", a.Code)
	}
	for _, missing := range []string{"/sayings/hidden", "/sayings/nothing", "/preview/sayings/hidden.png", "/preview/sayings/rivers"} {
		if a := w.do(http.MethodGet, missing); a.Code != 404 {
			t.Errorf("%s gives %d", missing, a.Code)
		}
	}
	if a := w.do(http.MethodGet, "/sayings/"); a.Code != 301 || a.Header().Get("Location") != "/sayings" {
		t.Errorf("a slash leads to %d %s", a.Code, a.Header().Get("Location"))
	}
	if a := w.do(http.MethodGet, "/sitemaps/sayings.xml"); !strings.Contains(a.Body.String(), base+"/sayings/rivers") || strings.Contains(a.Body.String(), "hidden") {
		t.Errorf("the site map: %s", a.Body)
	}
}

func TestSayingOfTheDayIsOnTheFirstPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, `{"kind":"business","name":"Porch Swing","city":"Atlanta","region":"GA"}`)
	if body := w.do(http.MethodGet, "/").Body.String(); strings.Contains(body, "Saying of the day") {
		t.Error("there is one before there are any")
	}
	w.loadSayings(t, someSayings...)
	today, err := w.Sayings.Today(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		wantText(t, "the first page", w.page(t, "/", 200), "Saying of the day", today.Text)
	}
}

func TestSayingFromFormToPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, mo, dee := w.account(t, "ada"), w.moderator(t, "mo"), w.moderator(t, "dee")
	if a := w.do(http.MethodGet, "/sayings/new"); a.Code != 303 || a.Header().Get("Location") != "/sign-in?next=%2Fsayings%2Fnew" {
		t.Errorf("nobody is led to %s", a.Header().Get("Location"))
	}
	if a := w.browser(t).post("/sayings/new", "text", "x"); a.Code != 401 {
		t.Errorf("nobody sends: %d", a.Code)
	}
	b := w.as(t, ada)
	checkSound(t, "the form", b.page("/sayings/new", 200))
	tree := parsed(t, "an empty form", b.post("/sayings/new", "text", " ", "meaning", "kept"), 422)
	wantText(t, "an empty form", tree, "Is required", "kept")
	checkSound(t, "an empty form", tree)
	if a := b.post("/sayings/new", "text", "Rivers find the sea", "region", "West Africa", "category", "patience"); a.Code != 303 || a.Header().Get("Location") != "/account/submissions" {
		t.Fatalf("sending gives %d %s", a.Code, a.Body)
	}
	b.post("/sayings/new", "text", "Take me back")
	tree = b.page("/account/submissions", 200)
	wantText(t, "what was sent", tree, "Saying", "Rivers find the sea", "Waiting for a moderator", "Take it back")
	checkSound(t, "what was sent", tree)

	for _, who := range []*browser{b, w.browser(t)} {
		if a := who.post("/moderation/sayings/x/amend"); a.Code != 403 && a.Code != 401 {
			t.Errorf("a stranger decides: %d", a.Code)
		}
	}
	m := w.as(t, mo)
	m.post("/sayings/new", "text", "My own words")
	list, err := w.Desk.Inbox(t.Context(), dee.Viewer(), desk.Filter{Type: "saying"})
	if err != nil || list.Total != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	first, back, own := list.Items[0].ID, list.Items[1].ID, list.Items[2].ID
	if a := w.as(t, dee).post("/account/submissions/sayings/" + back + "/withdraw"); a.Code != 404 {
		t.Errorf("another takes it back: %d", a.Code)
	}
	if a := b.post("/account/submissions/sayings/" + back + "/withdraw"); a.Code != 303 {
		t.Errorf("taking it back gives %d", a.Code)
	}
	tree = m.page("/moderation?queue=saying", 200)
	wantText(t, "the queue", tree, "Rivers find the sea", "ada", "none approved", "Correct it first")
	checkSound(t, "the queue", tree)
	wantText(t, "one's own", m.page("/moderation?case=saying:"+own, 200), "This is yours")
	if a := m.decide("saying:"+own, "approve"); a.Code != 403 {
		t.Errorf("deciding one's own gives %d", a.Code)
	}
	amend := "/moderation/sayings/" + first + "/amend"
	led(t, "correcting one's own", m.get("/moderation/sayings/"+own+"/amend"), "/moderation?case=saying:"+own)
	checkSound(t, "the correction", m.page(amend, 200))
	tree = parsed(t, "a wrong correction", m.post(amend, "text", "", "meaning", "kept"), 422)
	wantText(t, "a wrong correction", tree, "Is required", "kept")
	checkSound(t, "a wrong correction", tree)
	wantText(t, "no reason", parsed(t, "no reason", m.decide("saying:"+first, "reject"), 422), "The reason is required.")
	led(t, "correcting", m.post(amend, "text", "Rivers find the sea.", "meaning", "In time.", "category", "patience"), "/moderation?case=saying:"+first)
	wantText(t, "the case", m.page("/moderation?case=saying:"+first, 200), "The correction is saved.", "Rivers find the sea.", "In time.")
	if a := m.decide("saying:"+first, "approve"); a.Code != 303 {
		t.Fatalf("publishing gives %d %s", a.Code, a.Body)
	}
	led(t, "correcting what is decided", m.post(amend, "text", "Too late."), "/moderation?case=saying:"+first)
	wantText(t, "the page", w.page(t, "/sayings/rivers-find-the-sea", 200), "In time.")
	if a := m.decide("saying:"+first, "approve"); a.Code != 409 {
		t.Errorf("again: %d", a.Code)
	}
	wantText(t, "the outcome", b.page("/account/submissions", 200), "Published")
	d := w.as(t, dee)
	if a := d.decide("saying:"+own, "reject", "reply", "This is not a saying."); a.Code != 303 {
		t.Errorf("refusing gives %d", a.Code)
	}
	wantText(t, "the refusal", m.page("/account/submissions", 200), "Not taken", "This is not a saying.")
	b.post("/sayings/new", "text", "Rude words")
	list, _ = w.Desk.Inbox(t.Context(), mo.Viewer(), desk.Filter{Type: "saying"})
	wantText(t, "a sender who is known", m.page("/moderation", 200), "1 approved")
	if a := m.decide("saying:"+list.Items[0].ID, "abusive"); a.Code != 303 {
		t.Errorf("abuse gives %d", a.Code)
	}
	wantText(t, "abuse", b.page("/account/submissions", 200), "Taken for spam")
	tree = parsed(t, "a duplicate", b.post("/sayings/new", "text", "RIVERS find the sea"), 422)
	wantText(t, "a duplicate", tree, "This saying is here already.", "Read it")

	if a := m.post("/sayings/rivers-find-the-sea/hide"); a.Code != 303 {
		t.Errorf("hiding gives %d", a.Code)
	}
	if a := w.do(http.MethodGet, "/sayings/rivers-find-the-sea"); a.Code != 404 {
		t.Errorf("a hidden one gives %d", a.Code)
	}
	wantText(t, "hidden, to its sender", b.page("/sayings/rivers-find-the-sea", 200), "This saying is hidden", "Ask for another look")
	wantText(t, "hidden, to staff", m.page("/sayings/rivers-find-the-sea", 200), "Show this saying again")
	m.post("/sayings/rivers-find-the-sea/unhide")
	w.page(t, "/sayings/rivers-find-the-sea", 200)
}
