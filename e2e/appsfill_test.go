package e2e

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// visitor is somebody who uses the pages without a browser.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
}

// enter makes an account and signs it in.
func (s *site) enter(username, role string) visitor {
	s.t.Helper()
	s.run("user", "create", "--email", username+"@homeplace.test", "--username", username, "--password", password, "--role", role)
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	v := visitor{s.t, s.url, &http.Client{Jar: jar}}
	v.post("/sign-in", url.Values{"name": {username}, "password": {password}})
	return v
}

func (v visitor) post(path string, fields url.Values) {
	v.t.Helper()
	response, err := v.client.PostForm(v.base+path, fields)
	v.took(path, response, err)
}

// upload puts a file where an app is managed.
func (v visitor) upload(path, filename, content string) {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filename)
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := io.WriteString(part, content); err != nil {
		v.t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		v.t.Fatal(err)
	}
	response, err := v.client.Post(v.base+path, form.FormDataContentType(), &body)
	v.took(path, response, err)
}

func (v visitor) took(path string, response *http.Response, err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		v.t.Fatalf("%s gives %d: %.2000s %v", path, response.StatusCode, text, err)
	}
}

// waitingCase is a case as the form of its decision names it.
var waitingCase = regexp.MustCompile(`name="target" value="([^"]+)" form="several"`)

// approveFirst approves what has waited longest in a queue of the desk.
func (v visitor) approveFirst(queue string) {
	v.t.Helper()
	response, err := v.client.Get(v.base + "/moderation?queue=" + queue)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	found := waitingCase.FindSubmatch(page)
	if found == nil {
		v.t.Fatalf("nothing waits in the queue %s: %.2000s", queue, page)
	}
	v.post("/moderation/decide", url.Values{"target": {string(found[1])}, "action": {"approve"}})
}

// fillApps brings in one app that is public, with files, and one that waits.
func (s *site) fillApps() {
	s.t.Helper()
	maker := s.enter("nia", "member")
	maker.post("/apps/new", url.Values{"name": {"Porch Map"}, "summary": {"Every porch in town that has a chair free, and when."},
		"description":  {"Where neighbours **sit** of an evening.\n\n# Help is welcome\n\n- Is a porch missing? Suggest a file."},
		"homepage_url": {"https://porch.example"}, "repo_url": {"https://git.example/porch"}})
	maker.upload("/apps/porch-map/manage/files", "porches.json", `{"porches":[`+strings.Repeat(`{"street":"Auburn Ave","chairs":3},`, 40)+`{}]}`)
	maker.upload("/apps/porch-map/manage/files", "hours.json", `[{"id":1,"from":"17:00"}]`)
	maker.post("/apps/new", url.Values{"name": {"Second Line Timetable"}, "summary": {"When the bands walk, and where to stand."}})
	s.enter("gus", "moderator").approveFirst("app")
}
