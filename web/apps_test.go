package web_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
)

// bring makes an app that waits for staff.
func (w world) bring(t *testing.T, owner accounts.Account, name string) apps.App {
	t.Helper()
	a, err := w.Apps.Create(t.Context(), owner.Viewer(), apps.Input{Name: name, Summary: "Every porch with a chair free.",
		Description: "Where **neighbours** sit.<script>alert(1)</script>\n\n# Help is welcome", HomepageURL: "https://porch.example/map"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// publish makes an app public.
func (w world) publish(t *testing.T, staff accounts.Account, slug string) {
	t.Helper()
	w.decided(t, staff, "app:"+w.app(t, slug), core.ActionApprove, "")
}

// upload stores a file as who keeps the app does.
func (w world) upload(t *testing.T, owner accounts.Account, slug, filename, content string) {
	t.Helper()
	if _, err := w.Apps.Upload(t.Context(), owner.Viewer(), slug, apps.UploadInput{Filename: filename, Content: []byte(content), Message: "State of " + filename}); err != nil {
		t.Fatal(err)
	}
}

// sendFile sends a form with an optional file in its field "file".
func (b *browser) sendFile(target, name, content string, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := m.WriteField(fields[i], fields[i+1]); err != nil {
			b.t.Fatal(err)
		}
	}
	if name != "" {
		part, err := m.CreateFormFile("file", name)
		if err != nil {
			b.t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		b.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.t.Context(), http.MethodPost, base+target, &body)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Origin", base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(r)
}

// checkPage is checkSound for pages that describe themselves to search engines.
func checkPage(t *testing.T, what string, tree *html.Node) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		checkOutline(t, tree)
		checkReferences(t, tree)
		checkNothingInline(t, tree)
	})
}

func TestAppsBeginEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tree := w.page(t, "/apps", 200)
	checkPage(t, "an empty list", tree)
	wantText(t, "an empty list", tree, "No apps here yet", "Add your app")
	if strings.Contains(text(w.page(t, "/", 200)), "Built by neighbours") {
		t.Error("the first page speaks of apps where there are none")
	}
	wantText(t, "a search", w.page(t, "/apps?q=zeppelin", 200), "No app has “zeppelin” in its name", "Show all apps")
}

func TestListOfApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, dee := w.account(t, "ada"), w.moderator(t, "dee")
	for _, name := range []string{"Porch Map", "Second Line Timetable", "Fish Fry Finder"} {
		w.publish(t, dee, w.bring(t, ada, name).Slug)
	}
	w.upload(t, ada, "porch-map", "porches.json", `{"porches":[]}`)
	w.bring(t, ada, "Kept Back")
	tree := w.page(t, "/apps", 200)
	checkPage(t, "the list", tree)
	wantText(t, "the list", tree, "All 3, from A to Z", "Porch Map", "by ada", "1 file", "No files yet")
	if strings.Contains(text(tree), "Kept Back") {
		t.Error("an app that waits is listed")
	}
	found := w.page(t, "/apps?q=LINE", 200)
	wantText(t, "a search", found, "Second Line Timetable", "All 1")
	if strings.Contains(text(found), "Porch Map") {
		t.Error("the search finds everything")
	}
	wantText(t, "a page too far", w.page(t, "/apps?page=900", 200), "All 3, from A to Z")
	wantText(t, "the first page", w.page(t, "/", 200), "Built by neighbours", "Porch Map")
	wantText(t, "the profile", w.page(t, "/u/ada", 200), "Built by ada", "Porch Map")
	if a := w.do(http.MethodGet, "/apps/"); a.Header().Get("Location") != "/apps" {
		t.Errorf("/apps/ leads to %q", a.Header().Get("Location"))
	}
	index, list := w.do(http.MethodGet, "/sitemap.xml").Body.String(), w.do(http.MethodGet, "/sitemaps/apps.xml").Body.String()
	if !strings.Contains(index, base+"/sitemaps/apps.xml") || !strings.Contains(list, "<loc>"+base+"/apps/porch-map</loc>") || strings.Contains(list, "kept-back") {
		t.Errorf("the site map holds %s and %s", index, list)
	}
}

func TestPageOfAnApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, dee := w.account(t, "ada"), w.account(t, "ben"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	for _, b := range []*browser{w.browser(t), w.as(t, ben)} {
		if a := b.get("/apps/porch-map"); a.Code != 404 || strings.Contains(a.Body.String(), "chair free") {
			t.Errorf("an app that waits gives %d", a.Code)
		}
	}
	owner := w.as(t, ada)
	tree := owner.page("/apps/porch-map", 200)
	checkPage(t, "an app that waits", tree)
	wantText(t, "an app that waits", tree, "This app waits for a moderator", "Manage this app", "Upload the first file")
	w.publish(t, dee, "porch-map")
	w.upload(t, ada, "porch-map", "porches.json", `{"porches":[]}`)
	w.upload(t, ada, "porch-map", "hours.json", `["`+strings.Repeat("x", 2000)+`"]`)

	answer := w.do(http.MethodGet, "/apps/porch-map")
	if answer.Header().Get("Cache-Control") != "public, max-age=60" || strings.Contains(answer.Body.String(), "<script>alert") {
		t.Errorf("%s: %s", answer.Header().Get("Cache-Control"), answer.Body)
	}
	tree = parsed(t, "/apps/porch-map", answer, 200)
	checkPage(t, "a public app", tree)
	wantText(t, "a public app", tree, "Porch Map", "Made by ada", "porch.example/map", "2 files", "Where neighbours sit", "hours.json", "2.0 kB",
		"curl "+base+"/api/apps/porch-map/data/hours.json", "curl -X POST "+base+"/api/apps/porch-map/submit", "Suggest a file")
	for _, href := range []string{"/u/ada", "/apps/porch-map/files/porches.json", "/api/apps/porch-map/data/porches.json", "/apps/porch-map/submit"} {
		if !slices.Contains(links(tree), href) {
			t.Errorf("nothing leads to %s", href)
		}
	}
	for _, n := range elements(tree, "script") {
		var data struct {
			Graph []struct {
				Type         string `json:"@type"`
				Distribution []struct{ ContentURL string }
			} `json:"@graph"`
		}
		if kind, _ := attribute(n, "type"); kind != "application/ld+json" {
			continue
		}
		if err := json.Unmarshal([]byte(n.FirstChild.Data), &data); err != nil || len(data.Graph) != 2 || data.Graph[0].Type != "WebApplication" ||
			data.Graph[1].Distribution[0].ContentURL != base+"/api/apps/porch-map/data/hours.json" {
			t.Errorf("search engines read %s", n.FirstChild.Data)
		}
	}
	if a := w.do(http.MethodGet, "/preview/apps/porch-map.png"); a.Code != 200 || a.Header().Get("Content-Type") != "image/png" {
		t.Errorf("the preview gives %d", a.Code)
	}
	if slices.Contains(links(tree), "/apps/porch-map/manage") || strings.Contains(text(w.as(t, ben).page("/apps/porch-map", 200)), "Hide this app") {
		t.Error("others are offered to manage or hide it")
	}
}

func TestFilesOfAnApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, dee := w.account(t, "ada"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	w.publish(t, dee, "porch-map")
	for i, name := range []string{"births.json", "deaths.json", "1870.json", "marriages.json"} {
		w.upload(t, ada, "porch-map", name, `["`+strings.Repeat("x", 100*i)+`"]`)
	}
	for query, want := range map[string][]string{
		"":                 {"1870.json", "births.json", "deaths.json", "marriages.json"},
		"?sort=name-desc":  {"marriages.json", "deaths.json", "births.json", "1870.json"},
		"?sort=size":       {"marriages.json", "1870.json", "deaths.json", "births.json"},
		"?letter=D":        {"deaths.json"},
		"?letter=%23":      {"1870.json"},
		"?q=RI":            {"marriages.json"},
		"?sort=x&letter=7": {"1870.json", "births.json", "deaths.json", "marriages.json"},
		"?q=zeppelin":      nil,
		"?page=77":         {"1870.json", "births.json", "deaths.json", "marriages.json"},
	} {
		tree := w.page(t, "/apps/porch-map"+query, 200)
		checkPage(t, query, tree)
		var names []string
		for _, href := range links(tree) {
			if name, found := strings.CutPrefix(href, "/apps/porch-map/files/"); found {
				names = append(names, name)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q lists %v, want %v", query, names, want)
		}
	}
}

func TestPageOfAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, dee := w.account(t, "ada"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	w.upload(t, ada, "porch-map", "porches.json", `{"porches":["<b>old</b>"]}`)
	w.upload(t, ada, "porch-map", "porches.json", `{"porches":["new"]}`)
	path := "/apps/porch-map/files/porches.json"
	for _, target := range []string{path, path + "/download"} {
		if a := w.do(http.MethodGet, target); a.Code != 404 {
			t.Errorf("%s of an app that waits gives %d", target, a.Code)
		}
	}
	wantText(t, "the owner's", w.as(t, ada).page(path, 200), "This file is not public")
	w.publish(t, dee, "porch-map")

	tree := w.page(t, path, 200)
	checkPage(t, "the current version", tree)
	wantText(t, "the current version", tree, "19 bytes", "State of porches.json", "Uploaded by ada", "shown above")
	if got := elements(tree, "pre")[0]; text(got) != `{ "porches": [ "new" ] }` {
		t.Errorf("shows %q", text(got))
	}
	old := w.page(t, path+"?version=1", 200)
	checkPage(t, "an earlier version", old)
	wantText(t, "an earlier version", old, "1 of 2", "not the current one", `"<b>old</b>"`)
	for target, want := range map[string][2]string{
		path + "/download":           {`{"porches":["new"]}`, `attachment; filename="porches.json"`},
		path + "/download?version=1": {`{"porches":["<b>old</b>"]}`, `attachment; filename="porches.v1.json"`},
	} {
		a := w.do(http.MethodGet, target)
		if a.Body.String() != want[0] || a.Header().Get("Content-Disposition") != want[1] || a.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s gives %s, %v", target, a.Body, a.Header())
		}
	}
	for _, target := range []string{path + "?version=3", "/apps/porch-map/files/none.json", "/apps/nothing-here/files/porches.json", "/apps/porch-map/files/a"} {
		if a := w.do(http.MethodGet, target); a.Code != 404 {
			t.Errorf("%s gives %d", target, a.Code)
		}
	}
	w.upload(t, ada, "porch-map", "streets.json", `["`+strings.Repeat(`Auburn","`, 20_000)+`"]`)
	long := w.page(t, "/apps/porch-map/files/streets.json", 200)
	wantText(t, "a long file", long, "Here is the beginning. The whole file has 180 kB")
	if n := len(text(elements(long, "pre")[0])); n > 100_000 || n < 50_000 {
		t.Errorf("a long file shows %d bytes", n)
	}
}

func TestAppsAskToSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, dee := w.account(t, "ada"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	w.publish(t, dee, "porch-map")
	for _, path := range []string{"/apps/new", "/apps/porch-map/edit", "/apps/porch-map/submit", "/account/apps", "/moderation/apps"} {
		if a := w.do(http.MethodGet, path); a.Code != http.StatusSeeOther || !strings.HasPrefix(a.Header().Get("Location"), "/sign-in?next=") {
			t.Errorf("GET %s gives %d to %q", path, a.Code, a.Header().Get("Location"))
		}
	}
	nobody, ben := w.browser(t), w.as(t, w.account(t, "ben"))
	for path, want := range map[string][2]int{ // for nobody, for another member
		"/apps/porch-map/edit": {401, 403}, "/apps/porch-map/hide": {401, 403}, "/apps/porch-map/unhide": {401, 403},
		"/apps/new": {401, 422},
	} {
		if a := nobody.post(path, "reason", "no"); a.Code != want[0] {
			t.Errorf("nobody gets %d for %s", a.Code, path)
		}
		if a := ben.post(path, "reason", "no"); a.Code != want[1] {
			t.Errorf("a member gets %d for %s", a.Code, path)
		}
	}
	if a := ben.get("/apps/porch-map/edit"); a.Code != 403 {
		t.Errorf("another member edits: %d", a.Code)
	}
	if a := ben.get("/moderation/apps"); a.Code != 403 {
		t.Errorf("a member sees the desk: %d", a.Code)
	}
}

func TestBringAndEditAnApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.account(t, "ada"))
	checkPage(t, "the form", b.page("/apps/new", 200))
	tree := parsed(t, "a bad form", b.post("/apps/new", "name", "", "summary", strings.Repeat("x", 201), "description", "Kept\r\nwhole", "homepage_url", "ftp://x"), 422)
	checkPage(t, "a bad form", tree)
	errors, kept := errorsAt(tree), controls(tree)
	if errors["name"] != "Is required" || errors["summary"] == "" || errors["homepage_url"] == "" || errors["repo_url"] != "" || kept["description"] != "Kept\nwhole" {
		t.Errorf("says %v, keeps %q", errors, kept)
	}
	a := b.post("/apps/new", "name", "Porch Map", "summary", "Chairs", "homepage_url", "porch.example")
	if a.Code != http.StatusSeeOther || a.Header().Get("Location") != "/apps/porch-map" {
		t.Fatalf("adding gives %d to %q", a.Code, a.Header().Get("Location"))
	}
	wantText(t, "the new app", b.page("/apps/porch-map", 200), "Thank you. Porch Map has its page", "porch.example")
	tree = b.page("/apps/porch-map/edit", 200)
	checkPage(t, "the edit form", tree)
	if kept := controls(tree); kept["name"] != "Porch Map" || kept["homepage_url"] != "https://porch.example" {
		t.Errorf("the form begins with %q", kept)
	}
	if a := b.post("/apps/porch-map/edit", "name", "Porch Maps", "summary", "Chairs", "homepage_url", ""); a.Header().Get("Location") != "/apps/porch-map" {
		t.Errorf("saving gives %d", a.Code)
	}
	tree = b.page("/apps/porch-map", 200)
	wantText(t, "the saved app", tree, "Saved.", "Porch Maps")
	if strings.Contains(text(tree), "porch.example") {
		t.Error("the website is still there")
	}
}

// app is the id of an app.
func (w world) app(t testing.TB, slug string) string {
	t.Helper()
	a, err := w.Apps.Get(t.Context(), core.TheSystem(), slug)
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func TestStaffDecideAboutApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, dee := w.account(t, "ada"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	w.bring(t, dee, "Desk Bell")
	staff, owner := w.as(t, dee), w.as(t, ada)
	porch, bell := "app:"+w.app(t, "porch-map"), "app:"+w.app(t, "desk-bell")
	tree := staff.page("/moderation?queue=app", 200)
	checkPage(t, "the desk", tree)
	wantText(t, "the desk", tree, "1 waiting", "1 more waits for another moderator", "Apps 1", "Listings 0", "Porch Map", "ada")
	checkPage(t, "the other queue", staff.page("/moderation?queue=contribution", 200))
	wantText(t, "an own app", staff.page("/moderation?case="+bell, 200), "This is yours")
	if a := staff.decide(bell, "approve"); a.Code != 403 {
		t.Errorf("a moderator publishes an own app: %d", a.Code)
	}

	tree = parsed(t, "no reason", staff.decide(porch, "reject", "reason", " "), 422)
	checkPage(t, "no reason", tree)
	if errorsAt(tree)["reason"] != "The reason is required." {
		t.Errorf("says %q", errorsAt(tree)["reason"])
	}
	if a := staff.decide(porch, "reject", "reason", "Say more about it"); a.Code != http.StatusSeeOther {
		t.Fatalf("refusing gives %d", a.Code)
	}
	wantText(t, "a refused app", owner.page("/apps/porch-map", 200), "This app was not taken", "“Say more about it”", "Ask for another look")
	owner.post("/apps/porch-map/edit", "name", "Porch Map", "summary", "More about it")
	wantText(t, "a mended app", owner.page("/apps/porch-map", 200), "waits for a moderator again")
	if a := staff.decide(porch, "approve"); a.Code != http.StatusSeeOther {
		t.Fatalf("publishing gives %d", a.Code)
	}
	wantText(t, "a second try", parsed(t, "published", staff.decide(porch, "approve"), 409), "This does not wait any more", "It is published.")
	w.page(t, "/apps/porch-map", 200)

	wantText(t, "staff's page", staff.page("/apps/porch-map", 200), "Hide this app")
	if a := staff.post("/apps/porch-map/hide"); a.Header().Get("Location") != "/apps/porch-map" {
		t.Fatalf("hiding gives %d", a.Code)
	}
	w.page(t, "/apps/porch-map", 404)
	wantText(t, "a hidden app", owner.page("/apps/porch-map", 200), "This app is hidden")
	staff.post("/apps/porch-map/unhide")
	w.page(t, "/apps/porch-map", 200)
}

func TestSuggestAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, dee := w.account(t, "ada"), w.account(t, "ben"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	b := w.as(t, ben)
	if a := b.get("/apps/porch-map/submit"); a.Code != 404 {
		t.Errorf("an app that waits takes files: %d", a.Code)
	}
	w.publish(t, dee, "porch-map")
	w.upload(t, ada, "porch-map", "hours.json", `[{"id":1,"to":"20:30"}]`)
	const path = "/apps/porch-map/submit"
	tree := b.page(path+"?file=hours.json", 200)
	checkPage(t, "the form", tree)
	if kept := controls(tree); kept["of"] != "hours.json" || kept["content"] != "[\n  {\n    \"id\": 1,\n    \"to\": \"20:30\"\n  }\n]" {
		t.Errorf("the form begins with %q", kept)
	}

	tree = parsed(t, "a bad file", b.sendFile(path, "", "", "filename", "benches", "content", "{\r\n \"a\": 1,\r\n}", "message", "Mine"), 422)
	checkPage(t, "a bad file", tree)
	errors, kept := errorsAt(tree), controls(tree)
	if errors["filename"] == "" || !strings.HasPrefix(errors["content"], "Line 3, column 1: ") || kept["content"] != "{\n \"a\": 1,\n}" || kept["message"] != "Mine" || kept["filename"] != "benches" {
		t.Errorf("says %v, keeps %q", errors, kept)
	}
	tree = parsed(t, "a bad choice", b.sendFile(path, "benches.json", `{"a":}`, "message", "Mine"), 422)
	if errors, kept = errorsAt(tree), controls(tree); errors["content"] == "" || kept["content"] != `{"a":}` || kept["filename"] != "benches.json" {
		t.Errorf("a bad choice: says %v, keeps %q", errors, kept)
	}
	tree = parsed(t, "a large file", b.sendFile(path, "benches.json", `["`+strings.Repeat("x", apps.MaxFileBytes)+`"]`, "content", "[1]"), 413)
	if errors, kept = errorsAt(tree), controls(tree); !strings.Contains(errors["file"], "1 MB") || kept["content"] != "[1]" {
		t.Errorf("a large file: says %v, keeps %.100q", errors, kept)
	}
	if a := b.sendFile(path, "benches.json", strings.Repeat("x", 2*apps.MaxFileBytes)); a.Code != 413 {
		t.Errorf("more than the route takes gives %d", a.Code)
	}
	if a := b.sendFile("/apps/new", "a.json", strings.Repeat("x", 600<<10)); a.Code != 413 {
		t.Errorf("a form without files takes large bodies: %d", a.Code)
	}

	if a := b.sendFile(path, "", "", "of", "hours.json", "content", "[{\"id\": 1,\r\n \"to\": \"21:00\"}]", "message", "I sit there"); a.Header().Get("Location") != "/account/submissions" {
		t.Fatalf("sending gives %d: %.1500s", a.Code, a.Body)
	}
	if a := b.sendFile(path, "benches.json", `{"benches":[]}`, "content", "[]"); a.Header().Get("Location") != "/account/submissions" {
		t.Fatalf("sending a chosen file gives %d", a.Code)
	}
	list := b.page("/account/submissions", 200)
	checkPage(t, "what was sent", list)
	wantText(t, "what was sent", list, "benches.json waits for ada now", "2 things", "File for Porch Map", "I sit there", "Waiting for the owner", "Take it back")
}

func TestWhatBecomesOfAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, dee := w.account(t, "ada"), w.account(t, "ben"), w.moderator(t, "dee")
	w.bring(t, ada, "Porch Map")
	w.publish(t, dee, "porch-map")
	w.upload(t, ada, "porch-map", "hours.json", `[{"id":1,"to":"20:30"}]`)
	w.offer(t, ben, heronForm...)
	var sent []apps.Submission
	for i, name := range []string{"hours.json", "new.json", "other.json"} {
		s, err := w.Apps.Submit(t.Context(), ben.Viewer(), "porch-map", apps.SubmitInput{Filename: name, Content: json.RawMessage(`[{"id":1,"to":"2` + strconv.Itoa(i) + `:00"}]`), Message: "Note"})
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, s)
	}
	b, path := w.as(t, ben), "/account/submissions/files/"
	tree := b.page("/account/submissions", 200)
	checkPage(t, "everything sent", tree)
	wantText(t, "everything sent", tree, "4 things", "For the directory", "Blue Heron Bakery", "For apps", "new.json")
	tree = b.page(path+sent[0].ID, 200)
	checkPage(t, "a difference", tree)
	wantText(t, "a difference", tree, "hours.json", "Note", "1 changed", "[id=1].to", `"20:30"`, `"20:00"`)
	wantText(t, "a new file", b.page(path+sent[1].ID, 200), "It would be a new file")
	for _, other := range []*browser{w.as(t, dee), w.as(t, w.account(t, "eve"))} {
		if a := other.get(path + sent[0].ID); a.Code != 404 {
			t.Errorf("somebody else reads it: %d", a.Code)
		}
		if a := other.post(path + sent[0].ID + "/withdraw"); a.Code != 404 && a.Code != 403 {
			t.Errorf("somebody else takes it back: %d", a.Code)
		}
	}
	owner := w.as(t, ada)
	mine := owner.page("/account/apps", 200)
	checkPage(t, "own apps", mine)
	wantText(t, "own apps", mine, "Porch Map", "Public", "3 files wait for you", "Manage")
	wantText(t, "no apps", b.page("/account/apps", 200), "You have no apps yet")

	if _, err := w.Apps.Approve(t.Context(), ada.Viewer(), sent[0].ID, apps.ApproveInput{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apps.Reject(t.Context(), ada.Viewer(), sent[1].ID, "We have these"); err != nil {
		t.Fatal(err)
	}
	if a := b.post(path + sent[2].ID + "/withdraw"); a.Header().Get("Location") != "/account/submissions" {
		t.Errorf("taking back gives %d", a.Code)
	}
	wantText(t, "what became of it", b.page("/account/submissions", 200), "Taken back.", "Approved, as version 2", "Not taken", "We have these", "You took it back")
	b.post(path + sent[0].ID + "/withdraw")
	wantText(t, "too late", b.page("/account/submissions", 200), "Approved, as version 2")
	wantText(t, "the history", w.page(t, "/apps/porch-map/files/hours.json", 200), "Suggested by ben", "2")
	if a := b.get("/account/submissions?files=9"); a.Code != 404 {
		t.Errorf("a page too far gives %d", a.Code)
	}
}
