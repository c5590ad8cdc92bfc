package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"homeplace/e2e/browser"
)

// people makes accounts by name, each with the role given.
func (s *site) people(role string, names ...string) {
	for _, name := range names {
		s.run("user", "create", "--email", name+"@homeplace.test", "--username", name, "--password", password, "--role", role)
	}
}

// press sends a key to the page and waits for what it leads to.
func press(p *browser.Page, d browser.Device, key, button string) {
	if d.NoScript || d.Width > 0 && d.Width < 600 {
		p.Submit(button)
		return
	}
	p.Press(key)
}

func TestAMemberBringsASayingAndAModeratorDecides(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site, d browser.Device) {
		s.people("member", "ada")
		s.people("moderator", "dee", "kim")
		ada := browser.Open(t, d)
		signIn(s, ada, "ada")
		for _, text := range []string{"The porch light knows who is late.", "Feed the cat before you count the mice."} {
			ada.Visit(s.url + "/sayings/new")
			ada.Fill("#text", text)
			ada.Submit("main form button.btn-solid")
		}
		ada.Visit(s.url + "/account/submissions")
		wantAll(t, "what ada sent", ada.Text("main"), "The porch light knows who is late.", "Waiting for a moderator")

		dee := browser.Open(t, d)
		signIn(s, dee, "dee")
		dee.Visit(s.url + "/moderation")
		dee.Submit(".queue li:nth-child(1) > a")
		wantAll(t, "the case", dee.Text(".case"), "The porch light knows who is late.", "ada")
		dee.Submit(`form[action="/moderation/claim"] button`)

		kim := browser.Open(t, d)
		signIn(s, kim, "kim")
		kim.Visit(s.url + "/moderation?queue=saying")
		wantAll(t, "kim’s desk", kim.Text(".queue"), "dee")
		kim.Submit(".queue li:nth-child(2) > a")
		wantAll(t, "the case that kim gets", kim.Text(".case"), "Feed the cat")

		press(dee, d, "a", `.verdict button[value="approve"]`)
		dee.WaitFor(".done")
		wantAll(t, "dee’s notice", dee.Text(".done"), "Undo")
		ada.Visit(s.url + "/account/submissions")
		wantAll(t, "what became of it", ada.Text("main"), "Published")
		ada.Visit(s.url + "/account/points")
		wantAll(t, "the points", ada.Text("main"), "5 points", "Saying approved")

		press(dee, d, "u", `.done form[action="/moderation/undo"] button`)
		dee.WaitFor(".done")
		ada.Visit(s.url + "/account/submissions")
		if got := ada.Text("main"); strings.Contains(got, "Published") {
			t.Errorf("it is public after the decision was undone:\n%s", got)
		}
		ada.Visit(s.url + "/account/points")
		wantAll(t, "the points", ada.Text("main"), "taken back")

		kim.Visit(s.url + "/moderation?queue=saying")
		kim.Submit(".queue li:nth-child(1) > a")
		kim.Click("#why summary")
		kim.Fill("#reason", "We have this one in other words.")
		kim.Submit(`.verdict button[value="reject"]`)
		ada.Visit(s.url + "/account/submissions")
		wantAll(t, "the refusal", ada.Text("main"), "Not taken", "We have this one in other words.")
		ada.Submit(`a[href^="/account/appeals/new"]`)
		ada.Fill("textarea", "My aunt says it otherwise, and it means something else.")
		ada.Submit("main form button.btn-solid")
		kim.Visit(s.url + "/moderation?queue=appeal")
		if got := kim.Text("main"); strings.Contains(got, "My aunt") {
			t.Errorf("the appeal goes to who decided:\n%s", got)
		}
		dee.Visit(s.url + "/moderation?queue=appeal")
		dee.Submit(".queue li:nth-child(1) > a")
		wantAll(t, "the appeal", dee.Text(".case"), "My aunt says it otherwise", "We have this one in other words.")
		dee.Submit(`.verdict button[value="approve"]`)
		ada.Visit(s.url + "/account/submissions")
		wantAll(t, "the end", ada.Text("main"), "You were right: it is public now")
	})
}

func TestThreeReportersHideAnEntryAndAModeratorBringsItBack(t *testing.T) {
	t.Parallel()
	const entry, name = "/directory/businesses/blue-heron-bakery", "Blue Heron Bakery"
	// Each address, and whether the entry is on it while everybody sees it.
	everywhere := []string{"/directory/businesses?q=heron", "/search?q=heron", "/api/directory/businesses?q=heron", "/api/directory/search?q=heron"}
	each(t, func(t *testing.T, s *site, d browser.Device) {
		names := []string{"ada", "ben", "cal"}
		s.people("member", names...)
		s.people("moderator", "dee")
		visible := func(when string, want bool) {
			t.Helper()
			for _, path := range everywhere {
				if _, body := s.fetch(path); strings.Contains(body, name) != want {
					t.Errorf("%s, on %s: %v, want %v", when, path, !want, want)
				}
			}
			for _, path := range []string{entry, "/api" + entry} {
				if status, _ := s.fetch(path); (status == http.StatusOK) != want || !want && status != http.StatusNotFound {
					t.Errorf("%s, %s gives %d", when, path, status)
				}
			}
		}
		for i, reporter := range names {
			visible("with "+reporter+" still to report", true)
			p := browser.Open(t, d)
			signIn(s, p, reporter)
			p.Visit(s.url + entry)
			p.Submit(`a[href^="/report"]`)
			p.Click(`input[name="reason"][value="misleading"]`)
			p.Fill("#detail", "It closed last year, says "+reporter+".")
			p.Submit("main form button.btn-solid")
			if i == len(names)-1 {
				p.Visit(s.url + "/account/submissions")
				wantAll(t, "what "+reporter+" sent", p.Text("main"), name)
			}
		}
		visible("with three reports", false)
		dee := browser.Open(t, d)
		signIn(s, dee, "dee")
		dee.Visit(s.url + "/moderation?queue=report")
		dee.Submit(".queue li:nth-child(1) > a")
		wantAll(t, "the case", dee.Text(".case"), name, "It closed last year, says ada.", "It closed last year, says cal.")
		press(dee, d, "e", `.verdict button[value="keep"]`)
		dee.WaitFor(".done")
		visible("after a moderator kept it", true)
	})
}

// fetch reads an address as nobody in particular.
func (s *site) fetch(path string) (status int, body string) {
	s.t.Helper()
	response, err := http.Get(s.url + path)
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
