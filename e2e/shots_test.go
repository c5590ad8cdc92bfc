package e2e

import (
	"fmt"
	"os"
	"testing"

	"homeplace/e2e/browser"
)

// TestPictures takes pictures of the pages, for people to look at, into the
// directory that HOMEPLACE_PICTURES names; without it there is nothing to do.
func TestPictures(t *testing.T) {
	dir := os.Getenv("HOMEPLACE_PICTURES")
	if dir == "" {
		t.Skip("HOMEPLACE_PICTURES names no directory")
	}
	s := open(t)
	s.fillApps()
	s.run("user", "create", "--email", "dee@homeplace.test", "--username", "dee", "--password", password, "--role", "moderator")
	s.run("user", "create", "--email", "ada@homeplace.test", "--username", "ada", "--password", password)
	member := browser.Open(t, browser.Device{})
	signIn(s, member, "ada")
	for _, name := range []string{"Porch Swing Workshop", "Second Line Shoe Repair"} {
		member.Visit(s.url + "/directory/new?kind=business")
		member.Fill("#name", name)
		member.Fill("#summary", "We mend what you stand and sit on, and talk while we do.")
		member.Fill("#city", "Atlanta")
		member.Select("#region", "GA")
		member.Submit("main form button.btn-solid")
	}
	pages := map[string]string{"home": "/", "list": "/directory/businesses", "detail": "/directory/businesses/blue-heron-bakery",
		"apps": "/apps", "app": "/apps/porch-map", "file": "/apps/porch-map/files/porches.json", "submit": "/apps/porch-map/submit?file=hours.json",
		"app-queue": "/moderation/apps", "search": "/search?q=soul+food&where=Detroit", "sign-in": "/sign-in", "tokens": "/account/tokens", "queue": "/moderation/listings"}
	for _, dark := range []bool{false, true} {
		for _, width := range []int{360, 1280} {
			p := browser.Open(t, browser.Device{Width: width, Height: 800, Dark: dark})
			for _, name := range []string{"home", "list", "detail", "search", "sign-in", "apps", "app", "file"} {
				p.Visit(s.url + pages[name])
				p.Screenshot(fmt.Sprintf("%s/%s-%d-%v.png", dir, name, width, dark))
			}
			signIn(s, p, "dee")
			for _, name := range []string{"tokens", "queue", "app-queue", "submit"} {
				p.Visit(s.url + pages[name])
				p.Screenshot(fmt.Sprintf("%s/%s-%d-%v.png", dir, name, width, dark))
			}
		}
	}
}
