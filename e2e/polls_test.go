package e2e

import (
	"fmt"
	"os"
	"testing"

	"homeplace/e2e/browser"
)

// TestPollOfTheDay votes on the first page as nobody in particular, comes to
// the results, and cannot vote again; then a member asks something.
func TestPollOfTheDay(t *testing.T) {
	s := open(t)
	s.run("user", "create", "--email", "ada@homeplace.test", "--username", "ada", "--password", password)
	s.run("user", "create", "--email", "dee@homeplace.test", "--username", "dee", "--password", password, "--role", "moderator")
	p := browser.Open(t, browser.Device{})
	p.Visit(s.url + "/")
	p.Click(".poll .choice:first-child input")
	p.Submit(".poll form button.btn-solid")
	p.WaitFor(".results-bars meter")
	p.WaitFor(".results-bars .state-good")
	p.CheckAccessibility("results")
	p.Visit(s.url + "/polls")
	p.CheckAccessibility("polls")

	member := browser.Open(t, browser.Device{})
	signIn(s, member, "ada")
	member.Visit(s.url + "/polls/new")
	member.Fill("#question", "Where should the new benches go?")
	for id, answer := range map[string]string{"#options": "Along the creek", "#options-2": "By the bus stop", "#options-3": "On the square, under the old oak that has stood there for as long as anybody remembers"} {
		member.Fill(id, answer)
	}
	member.Submit("main form button.btn-solid")
	member.Click(".poll .choice:first-child input")
	member.Fill("#comment", "The creek has shade all day.")
	member.Submit(".poll form button.btn-solid")
	member.WaitFor(".results-bars meter")
	desk := browser.Open(t, browser.Device{})
	signIn(s, desk, "dee")
	desk.Visit(s.url + "/moderation?queue=poll_comment")
	desk.CheckAccessibility("poll desk")
	pollPictures(t, s)
}

// pollPictures are for people to look at; see TestPictures.
func pollPictures(t *testing.T, s *site) {
	dir := os.Getenv("HOMEPLACE_PICTURES")
	if dir == "" {
		return
	}
	const benches = "/polls/where-should-the-new-benches-go"
	for _, dark := range []bool{false, true} {
		for _, width := range []int{360, 1280} {
			p := browser.Open(t, browser.Device{Width: width, Height: 800, Dark: dark})
			signIn(s, p, "dee")
			for name, path := range map[string]string{"home-poll": "/", "polls": "/polls", "poll": benches, "poll-results": benches + "?results=1",
				"new-poll": "/polls/new", "poll-queue": "/moderation?queue=poll_comment"} {
				p.Visit(s.url + path)
				p.Screenshot(fmt.Sprintf("%s/%s-%d-%v.png", dir, name, width, dark))
			}
		}
	}
}
