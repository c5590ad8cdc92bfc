package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"homeplace/e2e/browser"
)

// staffed are a site's owner, sender and moderator of an app.
func (s *site) staffed() {
	for _, name := range []string{"ada", "ben"} {
		s.run("user", "create", "--email", name+"@homeplace.test", "--username", name, "--password", password)
	}
	s.run("user", "create", "--email", "dee@homeplace.test", "--username", "dee", "--password", password, "--role", "moderator")
}

// submitFile sends a file to the Porch Map as a script with a token does.
func (s *site) submitFile(token, filename, content string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"filename": filename, "content": content, "message": "Went by bike on Saturday."})
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, s.url+"/api/apps/porch-map/submit", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		s.t.Fatalf("submitting gives %d: %s, %v", response.StatusCode, answer, err)
	}
}

// served reads a file as any program does.
func (s *site) served(filename string) (status int, content string) {
	s.t.Helper()
	response, err := http.Get(s.url + "/api/apps/porch-map/data/" + filename)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

func wantAll(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", what, want, got)
		}
	}
}

// makeApp lets ada bring in the Porch Map with a first file, and dee publish it.
func makeApp(t *testing.T, s *site, d browser.Device, first string) (owner *browser.Page) {
	t.Helper()
	owner = browser.Open(t, d)
	signIn(s, owner, "ada")
	owner.Visit(s.url + "/apps/new")
	owner.Fill("#name", "Porch Map")
	owner.Fill("#summary", "Every porch with a little library.")
	owner.Submit("main form button.btn-solid")
	owner.Visit(s.url + "/apps/porch-map/manage/files")
	owner.Click("main details.more summary")
	owner.Fill("#content", first)
	owner.Fill("#filename", "places.json")
	owner.Submit("main form button.btn-solid")
	if status, _ := s.served("places.json"); status != http.StatusNotFound {
		t.Errorf("before staff looked, the file answers %d, want 404", status)
	}
	staff := browser.Open(t, d)
	signIn(s, staff, "dee")
	staff.Visit(s.url + "/moderation?queue=app")
	staff.Submit(`.queue li > a`)
	staff.Submit(`.verdict button[value="approve"]`)
	if status, content := s.served("places.json"); status != http.StatusOK || content != first {
		t.Fatalf("once it is published, the file answers %d with %q", status, content)
	}
	return owner
}

func TestAMembersFileIsApproved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site, d browser.Device) {
		s.staffed()
		owner := makeApp(t, s, d, `{"places": [{"id": 1, "name": "Heron"}, {"id": 2, "name": "Mill"}]}`)
		const sent = "{ \"places\" : [\n\t{\"id\": 1, \"name\": \"Blue Heron\"},\r\n\t{\"id\": 3, \"name\": \"Étoile\", \"visits\": 1.50} ]}\n"
		s.submitFile(s.run("token", "create", "--username", "ben", "--label", "Bicycle"), "places.json", sent)

		owner.Visit(s.url + "/apps/porch-map/manage/submissions")
		owner.Submit(".picks a.filename")
		wantAll(t, "the difference", owner.Text("main"), "sent by ben", "Went by bike on Saturday.", "1 added", "1 removed", "1 changed",
			"places[id=1].name", `"Blue Heron"`, "places[id=3]", "places[id=2]")
		if !d.NoScript {
			owner.CheckAccessibility("the difference")
			decide := owner.URL()
			for _, page := range []string{"", "/files", "/files/places.json", "/schemas", "/submissions", "/delete"} {
				owner.Visit(s.url + "/apps/porch-map/manage" + page)
				owner.CheckAccessibility("manage" + page)
			}
			owner.Visit(decide)
		}
		owner.Fill("#reason", "Thank you for looking.")
		owner.Submit("main form button.btn-solid")
		wantAll(t, "the queue", owner.Text("body"), "places.json from ben is approved. It is version 2 now.", "Nothing waits")
		if status, content := s.served("places.json"); status != http.StatusOK || content != sent {
			t.Errorf("the file answers %d with %q, want the bytes that were sent", status, content)
		}

		sender := browser.Open(t, d)
		signIn(s, sender, "ben")
		sender.Visit(s.url + "/account/submissions")
		wantAll(t, "what became of it", sender.Text("main"), "places.json", "as version 2", "Thank you for looking.")
	})
}

func TestTwoTabsDecideOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.staffed()
	first := makeApp(t, s, browser.Device{}, `[1]`)
	token := s.run("token", "create", "--username", "ben", "--label", "Bicycle")
	s.submitFile(token, "places.json", `[1, 2]`)
	first.Visit(s.url + "/apps/porch-map/manage/submissions")
	first.Submit(".picks a.filename")
	second := browser.Open(t, browser.Phone)
	signIn(s, second, "ada")
	second.Visit(first.URL())

	first.Submit("main form button.btn-solid")
	second.Fill("#reason", "Not yet.")
	second.Submit("main form button.btn-danger")
	wantAll(t, "the later tab", second.Text("main"), "Somebody was faster", "Approved as version 2 by ada")
	if _, content := s.served("places.json"); content != `[1, 2]` {
		t.Errorf("the file is %q", content)
	}
	if text := second.Text("main"); strings.Contains(text, "Your decision") {
		t.Errorf("what is decided can be decided again:\n%s", text)
	}
}
