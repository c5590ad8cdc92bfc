package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/apps"
)

// publicApp is an app of the owner that staff have published, at
// /apps/porch-map.
func (w world) publicApp(t testing.TB, owner accounts.Account) apps.App {
	t.Helper()
	a, err := w.Apps.Create(t.Context(), owner.Viewer(), apps.Input{Name: "Porch Map", Summary: "Little libraries on porches."})
	if err != nil {
		t.Fatal(err)
	}
	w.decided(t, w.moderator(t, "publisher"), "app:"+a.ID, core.ActionApprove, "")
	if a, err = w.Apps.Get(t.Context(), owner.Viewer(), a.Slug); err != nil {
		t.Fatal(err)
	}
	return a
}

func (w world) store(t testing.TB, owner accounts.Account, filename, content string) apps.Stored {
	t.Helper()
	stored, err := w.Apps.Upload(t.Context(), owner.Viewer(), "porch-map", apps.UploadInput{Filename: filename, Content: []byte(content)})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func (w world) submit(t testing.TB, sender accounts.Account, filename, content string) apps.Submission {
	t.Helper()
	s, err := w.Apps.Submit(t.Context(), sender.Viewer(), "porch-map", apps.SubmitInput{Filename: filename, Content: json.RawMessage(content), Message: "From " + sender.Username})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// upload sends a form with files as name, content pairs, after its fields.
func (b *browser) upload(target string, fields map[string]string, files ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			b.t.Fatal(err)
		}
	}
	for i := 0; i < len(files); i += 2 {
		part, err := form.CreateFormFile("file", files[i])
		if err == nil {
			_, err = part.Write([]byte(files[i+1]))
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
	form.Close()
	r := httptest.NewRequestWithContext(b.t.Context(), http.MethodPost, base+target, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Origin", base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(r)
}

const porchDesk = "/apps/porch-map/manage"

func TestOnlyTheOwnerManagesAnApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	w.publicApp(t, ann)
	w.store(t, ann, "places.json", `{"a":1}`)
	s := w.submit(t, ben, "places.json", `{"a":2}`)
	gets := []string{"", "/delete", "/files", "/files/places.json", "/files/places.json/remove", "/files/places.json/versions/1",
		"/schemas", "/submissions", "/submissions/" + s.ID, "/submissions/" + s.ID + "/content"}
	posts := []string{"/api", "/delete", "/files", "/files/places.json", "/files/places.json/remove", "/files/places.json/restore", "/schemas",
		"/schemas/places.json", "/schemas/places.json/remove", "/submissions", "/submissions/" + s.ID + "/approve", "/submissions/" + s.ID + "/reject"}
	for name, b := range map[string]*browser{"the sender": w.as(t, ben), "a moderator": w.as(t, w.moderator(t, "dee"))} {
		for _, path := range gets {
			if a := b.get(porchDesk + path); a.Code != http.StatusForbidden {
				t.Errorf("%s gets %d for %q", name, a.Code, path)
			}
		}
		for _, path := range posts {
			if a := b.post(porchDesk+path, "id", s.ID, "decision", "approve", "version", "1", "filename", "x.json", "schema", "{}", "content", "{}"); a.Code != http.StatusForbidden {
				t.Errorf("%s gets %d for sending %q", name, a.Code, path)
			}
		}
	}
	if a := w.do(http.MethodGet, porchDesk); a.Code != http.StatusSeeOther || !strings.HasPrefix(a.Header().Get("Location"), "/sign-in?") {
		t.Errorf("nobody gets %d to %q", a.Code, a.Header().Get("Location"))
	}
	if a := w.as(t, ann).get("/apps/nothing-here/manage"); a.Code != http.StatusNotFound {
		t.Errorf("an app that is not there gives %d", a.Code)
	}
}

func TestManagePagesAreSound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	w.publicApp(t, ann)
	b := w.as(t, ann)
	for _, path := range []string{"", "/files", "/schemas", "/submissions", "/submissions?status=approved", "/delete"} {
		checkSound(t, "empty "+path, b.page(porchDesk+path, 200))
	}
	w.store(t, ann, "places.json", `{"a":1}`)
	w.store(t, ann, "places.json", `{"a":2}`)
	s := w.submit(t, ben, "places.json", `{"a":3,"<b>":"</ins><script>alert(1)</script>"}`)
	if err := w.Apps.SetSchema(t.Context(), ann.Viewer(), "porch-map", "places.json", []byte(`{"type":"object"}`)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/files", "/files?q=none", "/files/places.json", "/files/places.json/remove", "/schemas", "/schemas/places.json",
		"/schemas/places.json/remove", "/submissions", "/submissions/" + s.ID} {
		checkSound(t, path, b.page(porchDesk+path, 200))
	}
	wantText(t, "the overview", b.page(porchDesk, 200), "Public.", "Waiting for you", "From ben")
	wantText(t, "the submission", b.page(porchDesk+"/submissions/"+s.ID, 200), "1 added", "1 changed", "A change to version 2", "alert(1)")
}

func TestTheOverviewSaysInWhatStateAnAppIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, dee := w.account(t, "ann"), w.moderator(t, "dee")
	a, err := w.Apps.Create(t.Context(), ann.Viewer(), apps.Input{Name: "Porch Map"})
	if err != nil {
		t.Fatal(err)
	}
	b := w.as(t, ann)
	wantText(t, "a new app", b.page(porchDesk, 200), "Waiting.", "Staff look at this app first")
	w.decided(t, dee, "app:"+a.ID, core.ActionReject, "Say where the data come from.")
	wantText(t, "a refused app", b.page(porchDesk, 200), "Refused.", "Say where the data come from. Once you edit the details, it is looked at again.")
	w.decided(t, dee, "app:"+a.ID, core.ActionRestore, "")
	if err := w.Apps.Hide(t.Context(), dee.Viewer(), "porch-map"); err != nil {
		t.Fatal(err)
	}
	wantText(t, "a hidden app", b.page(porchDesk, 200), "Hidden.", "Nobody else sees it until staff show it again.")
	wantText(t, "the question", b.page(porchDesk+"/delete", 200), "Delete Porch Map?")
	if a := b.post(porchDesk + "/delete"); a.Header().Get("Location") != "/account/apps" {
		t.Fatalf("deleting leads to %q with %d", a.Header().Get("Location"), a.Code)
	}
	wantText(t, "the own apps", b.page("/account/apps", 200), "Porch Map is deleted.")
	if a := b.get(porchDesk); a.Code != http.StatusNotFound {
		t.Errorf("the deleted app gives %d", a.Code)
	}
}

func TestTheAPISwitchSaysWhatHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	w.publicApp(t, ann)
	b := w.as(t, ann)
	if a := b.post(porchDesk+"/api", "on", "false"); a.Header().Get("Location") != porchDesk {
		t.Fatalf("leads to %q", a.Header().Get("Location"))
	}
	wantText(t, "the overview", b.page(porchDesk, 200), "The public API is off.", "Switched off", "Switch the public API on")
	if a := w.do(http.MethodGet, "/apps/porch-map"); a.Code != http.StatusNotFound {
		t.Errorf("switched off, the public page gives %d", a.Code)
	}
	b.post(porchDesk+"/api", "on", "true")
	wantText(t, "the overview", b.page(porchDesk, 200), "Everybody sees Porch Map now.", "Switch the public API off")
}

func TestFilesAreUploaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	w.publicApp(t, ann)
	b := w.as(t, ann)
	const content = "{\"a\":\n 1}"
	for name, send := range map[string]func(name string) *httptest.ResponseRecorder{
		"chosen": func(name string) *httptest.ResponseRecorder { return b.upload(porchDesk+"/files", nil, name, content) },
		"renamed": func(name string) *httptest.ResponseRecorder {
			return b.upload(porchDesk+"/files", map[string]string{"filename": name}, "my file (2).json", content)
		},
		"pasted": func(name string) *httptest.ResponseRecorder {
			return b.upload(porchDesk+"/files", map[string]string{"filename": name, "content": strings.ReplaceAll(content, "\n", "\r\n"), "message": "First"})
		},
	} {
		file := name + ".json"
		if a := send(file); a.Header().Get("Location") != porchDesk+"/files/"+file {
			t.Fatalf("%s: %d to %q: %.600s", name, a.Code, a.Header().Get("Location"), a.Body)
		}
		d, err := w.Apps.Data(t.Context(), "porch-map", file, 0)
		if err != nil || string(d.Content) != content {
			t.Errorf("%s: stored %q, %v", name, d.Content, err)
		}
	}
	tree := parsed(t, "several", b.upload(porchDesk+"/files", map[string]string{"message": "Two"}, "chosen.json", "[1]", "bad.json", `{"a":}`), 422)
	checkSound(t, "several", tree)
	wantText(t, "several", tree, "1 of 2 went through", "is stored as version 2.", "line 1, column 6: a value should stand here")

	for what, a := range map[string]*httptest.ResponseRecorder{
		"Choose a file, or paste its text.": b.upload(porchDesk+"/files", nil),
		"Must begin with a letter":          b.upload(porchDesk+"/files", nil, "a b.json", "{}"),
		"Line 2, column 1: ":                b.upload(porchDesk+"/files", map[string]string{"filename": "x.json", "content": "{\r\n"}),
		"Choose at most 5 files at once.":   b.upload(porchDesk+"/files", nil, slices.Repeat([]string{"a.json", "{}"}, 6)...),
		"at most 1048576 (1 MB) are taken":  b.upload(porchDesk+"/files", nil, "a.json", "["+strings.Repeat(" ", 1<<20)+"]"),
	} {
		tree := parsed(t, what, a, a.Code)
		checkSound(t, what, tree)
		wantText(t, what, tree, what)
		if a.Code != 422 && a.Code != 413 {
			t.Errorf("%q comes with %d", what, a.Code)
		}
	}
	kept := controls(parsed(t, "bad text", b.upload(porchDesk+"/files", map[string]string{"filename": "x.json", "content": "{ oh", "message": "Why"}), 422))
	if kept["content"] != "{ oh" || kept["filename"] != "x.json" || kept["message"] != "Why" {
		t.Errorf("the form forgot: %v", kept)
	}
	if a := b.upload(porchDesk+"/files", nil, "a.json", strings.Repeat("x", 7<<20)); a.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("7 MB give %d", a.Code)
	}
}

func TestAFileIsReplacedRestoredAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	w.publicApp(t, ann)
	w.store(t, ann, "places.json", "[1]")
	b := w.as(t, ann)
	page := porchDesk + "/files/places.json"
	if a := b.upload(page, map[string]string{"message": "Corrected"}, "whatever.json", "[2]"); a.Code != http.StatusSeeOther {
		t.Fatalf("replacing gives %d: %.600s", a.Code, a.Body)
	}
	wantText(t, "the file", b.page(page, 200), "places.json is stored as version 2.", "History, 2 versions", "Corrected")
	b.upload(page, nil, "x.json", "[2]")
	wantText(t, "the same again", b.page(page, 200), "no new version was made", "History, 2 versions")
	if a := b.post(page+"/restore", "version", "1"); a.Code != http.StatusSeeOther {
		t.Fatalf("restoring gives %d: %.600s", a.Code, a.Body)
	}
	wantText(t, "restored", b.page(page, 200), "Version 1 is back, as version 3.", "Restored")
	for number, want := range map[string]string{"1": "[1]", "2": "[2]", "3": "[1]"} {
		a := b.get(page + "/versions/" + number)
		if a.Body.String() != want || a.Header().Get("Content-Type") != "application/json" || a.Header().Get("Cache-Control") != "private, no-store" {
			t.Errorf("version %s is %q, %v", number, a.Body, a.Header())
		}
	}
	for _, number := range []string{"0", "9", "x", "-1", "99999999999999"} {
		if a := b.get(page + "/versions/" + number); a.Code != http.StatusNotFound {
			t.Errorf("version %s gives %d", number, a.Code)
		}
	}
	b.post(page + "/remove")
	wantText(t, "the files", b.page(porchDesk+"/files", 200), "places.json is removed.", "No files yet")
	if a := b.get(page); a.Code != http.StatusNotFound {
		t.Errorf("the removed file gives %d", a.Code)
	}
}

func TestSchemasRefuseWithTheFailingPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	w.publicApp(t, ann)
	w.store(t, ann, "places.json", `[{"name":"Heron"}]`)
	waits := w.submit(t, ben, "places.json", `[{"name":7}]`)
	b := w.as(t, ann)
	const bad, good = `{"type": "arr"}`, `{"items": {"properties": {"name": {"type": "string"}}}}`
	tree := parsed(t, "bad schema", b.upload(porchDesk+"/schemas", map[string]string{"filename": "places.json", "schema": bad}), 422)
	checkSound(t, "bad schema", tree)
	if kept := controls(tree); kept["schema"] != bad || kept["filename"] != "places.json" || !strings.Contains(errorsAt(tree)["schema"], "ype") {
		t.Errorf("shown again with %v and %q", kept, errorsAt(tree)["schema"])
	}
	if a := b.upload(porchDesk+"/schemas/places.json", nil, "schema.json", good); a.Code != http.StatusSeeOther {
		t.Fatalf("attaching gives %d: %.600s", a.Code, a.Body)
	}
	if kept := controls(b.page(porchDesk+"/schemas/places.json", 200)); kept["schema"] != good {
		t.Errorf("the schema is shown as %q", kept["schema"])
	}
	tree = parsed(t, "misfit", b.upload(porchDesk+"/files/places.json", nil, "x.json", `[{"name":"a"},{"name":2}]`), 422)
	checkSound(t, "misfit", tree)
	wantText(t, "misfit", tree, "does not fit the schema in 1 place", "[1].name")
	tree = parsed(t, "approval", b.post(porchDesk+"/submissions/"+waits.ID+"/approve", "seen", "1"), 422)
	checkSound(t, "approval", tree)
	wantText(t, "approval", tree, "cannot be approved as it is", "[0].name")
	b.post(porchDesk + "/schemas/places.json/remove")
	wantText(t, "the schemas", b.page(porchDesk+"/schemas", 200), "may hold anything again", "No schemas yet")
	if a := b.post(porchDesk+"/submissions/"+waits.ID+"/approve", "seen", "1"); a.Code != http.StatusSeeOther {
		t.Errorf("approving without a schema gives %d", a.Code)
	}
}

func TestTheQueueDecidesSeveral(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	w.publicApp(t, ann)
	w.store(t, ann, "places.json", "[1]")
	first, second := w.submit(t, ben, "places.json", "[2]"), w.submit(t, ben, "places.json", "[3]")
	other, gone := w.submit(t, ben, "cities.json", "[]"), w.submit(t, ben, "old.json", "[]")
	b := w.as(t, ann)
	if tree := parsed(t, "none", b.post(porchDesk+"/submissions", "decision", "approve"), 422); !strings.Contains(text(tree), "Choose at least one") {
		t.Errorf("choosing none says %s", text(tree))
	}
	if err := w.Apps.Withdraw(t.Context(), ben.Viewer(), gone.ID); err != nil {
		t.Fatal(err)
	}
	a := b.post(porchDesk+"/submissions", "decision", "approve", "reason", "Thank you", "id", first.ID, "id", second.ID, "id", other.ID, "id", gone.ID)
	tree := parsed(t, "the outcome", a, http.StatusConflict)
	checkSound(t, "the outcome", tree)
	wantText(t, "the outcome", tree, "2 of 4 went through", "places.json from ben is approved, as version 2.", "places.json from ben was not decided.",
		"cities.json from ben is approved, as version 1.", "old.json from ben was not decided. This submission was withdrawn already")
	wantText(t, "what is left", b.page(porchDesk+"/submissions", 200), "1 waiting", "2 approved", "1 taken back", "The file has changed since this was sent.")
	tree = parsed(t, "rejecting", b.post(porchDesk+"/submissions", "decision", "reject", "reason", "Too late", "id", second.ID), 200)
	wantText(t, "rejecting", tree, "Done", "places.json from ben is rejected.", "Nothing waits")
	wantText(t, "the rejected", b.page(porchDesk+"/submissions?status=rejected", 200), "Rejected by ann", "Too late")
}

func TestAChangedBaseIsSaidBeforeAndAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	w.publicApp(t, ann)
	w.store(t, ann, "places.json", `{"a":1}`)
	s := w.submit(t, ben, "places.json", `{"a":2}`)
	b := w.as(t, ann)
	page := porchDesk + "/submissions/" + s.ID
	drawn := controls(b.page(page, 200))
	if drawn["seen"] != "1" {
		t.Fatalf("the page was drawn with version %q", drawn["seen"])
	}
	w.store(t, ann, "places.json", `{"a":1,"b":5}`)
	tree := parsed(t, "approving", b.post(page+"/approve", "seen", drawn["seen"], "reason", "Fine"), http.StatusConflict)
	checkSound(t, "approving", tree)
	wantText(t, "approving", tree, "Not approved yet", "It was made against version 1, and version 2 is there now. Approving replaces what came between", "1 removed",
		"Approve and replace version 2")
	drawn = controls(tree)
	if drawn["seen"] != "2" || drawn["reason"] != "Fine" {
		t.Errorf("shown again with %v", drawn)
	}
	if a := b.post(page+"/approve", "seen", drawn["seen"], "reason", "Fine"); a.Code != http.StatusSeeOther {
		t.Fatalf("approving what was seen gives %d: %.600s", a.Code, a.Body)
	}
	wantText(t, "the queue", b.page(porchDesk+"/submissions", 200), "places.json from ben is approved. It is version 3 now.")
}

func TestTwoTabsEndInOneDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	w.publicApp(t, ann)
	s := w.submit(t, w.account(t, "ben"), "places.json", "[]")
	page := porchDesk + "/submissions/" + s.ID
	answers := make([]*httptest.ResponseRecorder, 6)
	var all sync.WaitGroup
	for i := range answers {
		tab := w.as(t, ann)
		all.Go(func() { answers[i] = tab.post(page+[]string{"/approve", "/reject"}[i%2], "seen", "0") })
	}
	all.Wait()
	won := 0
	for _, a := range answers {
		if a.Code == http.StatusSeeOther {
			won++
			continue
		}
		tree := parsed(t, "the later tab", a, http.StatusConflict)
		checkSound(t, "the later tab", tree)
		wantText(t, "the later tab", tree, "Somebody was faster", "by ann, just now")
	}
	if won != 1 {
		t.Errorf("%d tabs decided", won)
	}
}

func TestASubmissionBelongsToItsApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.account(t, "ann")
	w.publicApp(t, ann)
	s := w.submit(t, w.account(t, "ben"), "places.json", "[]")
	if _, err := w.Apps.Create(t.Context(), ann.Viewer(), apps.Input{Name: "Other"}); err != nil {
		t.Fatal(err)
	}
	b := w.as(t, ann)
	for _, path := range []string{"/apps/other/manage/submissions/" + s.ID, "/apps/other/manage/submissions/" + s.ID + "/content", porchDesk + "/submissions/nonsense"} {
		if a := b.get(path); a.Code != http.StatusNotFound {
			t.Errorf("%s gives %d", path, a.Code)
		}
	}
	for _, decision := range []string{"/approve", "/reject"} {
		if a := b.post("/apps/other/manage/submissions/" + s.ID + decision); a.Code != http.StatusNotFound {
			t.Errorf("%s through another app gives %d", decision, a.Code)
		}
	}
}

// largeFile has n places, each with its number raised by shift.
func largeFile(n, shift int) string {
	places := make([]map[string]any, n)
	for i := range places {
		places[i] = map[string]any{"id": i, "name": fmt.Sprintf("Place %d", i), "visits": i + shift, "note": strings.Repeat("word ", 8)}
	}
	text, err := json.Marshal(places)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestALargeDifferenceStaysUsable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.account(t, "ann"), w.account(t, "ben")
	w.publicApp(t, ann)
	before, after := largeFile(10_000, 0), largeFile(10_000, 1)
	if len(before) < 900_000 || len(after) > apps.MaxFileBytes {
		t.Fatalf("the files have %d and %d bytes", len(before), len(after))
	}
	w.store(t, ann, "places.json", before)
	s := w.submit(t, ben, "places.json", after)
	b := w.as(t, ann)
	start := time.Now()
	a := b.get(porchDesk + "/submissions/" + s.ID)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the page takes %v", took)
	}
	if a.Body.Len() > 300_000 {
		t.Errorf("the page has %d bytes", a.Body.Len())
	}
	tree := parsed(t, "the difference", a, 200)
	wantText(t, "the difference", tree, "10,000 changed", "9,800 more not listed")
	if rows := len(elements(tree, "ins")); rows != 200 {
		t.Errorf("%d rows are listed", rows)
	}
}
