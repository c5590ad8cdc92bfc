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
	member.Visit(s.url + "/sayings/new")
	member.Fill("#text", "The kettle sings before the guest has knocked.")
	member.Fill("#meaning", "Good company is felt before it comes.")
	member.Fill("#region", "Sea Islands")
	member.Submit("main form button.btn-solid")
	pages := map[string]string{"home": "/", "list": "/directory/businesses", "detail": "/directory/businesses/blue-heron-bakery",
		"apps": "/apps", "app": "/apps/porch-map", "file": "/apps/porch-map/files/porches.json", "submit": "/apps/porch-map/submit?file=hours.json",
		"sayings": "/sayings", "saying": "/sayings/trouble-dont-last-always", "bring-saying": "/sayings/new", "saying-queue": "/moderation?queue=saying",
		"app-queue": "/moderation?queue=app", "search": "/search?q=soul+food&where=Detroit", "sign-in": "/sign-in", "tokens": "/account/tokens", "queue": "/moderation", "replies": "/moderation/replies",
		"leaderboard": "/leaderboard", "points": "/account/points", "sessions": "/account/sessions", "email": "/account/email",
		"delete": "/account/delete", "manage": "/apps/porch-map/manage", "manage-files": "/apps/porch-map/manage/files",
		"manage-file": "/apps/porch-map/manage/files/porches.json", "manage-queue": "/apps/porch-map/manage/submissions", "my-apps": "/account/apps",
		"shout-outs": "/shout-outs", "shout-out": "/shout-outs?give=1", "reviews": "/reviews", "product": "/reviews/log-cabin-lap-quilt", "products": "/reviews/products",
		"fakes": "/report-fake", "fake": "/report-fake/new", "blocks": "/moderation/blocks", "log": "/moderation/log", "counts": "/moderation-log",
		"admin": "/admin", "lately": "/admin/submissions", "settings": "/admin/settings", "limits": "/admin/settings/limits", "members": "/admin/users", "person": "/admin/users/ada",
		"words": "/admin/words", "new-word": "/admin/words/new", "sent": "/account/submissions"}
	s.run("user", "create", "--email", "kai@homeplace.test", "--username", "kai", "--password", password, "--role", "admin")
	s.run("user", "points", "ada", "64", "--reason", "Neighbour of the month")
	s.run("user", "points", "nia", "40", "--reason", "For the maps")
	for _, dark := range []bool{false, true} {
		for _, width := range []int{360, 1280} {
			p := browser.Open(t, browser.Device{Width: width, Height: 800, Dark: dark})
			for _, name := range []string{"home", "list", "detail", "search", "sign-in", "apps", "app", "file", "sayings", "saying", "shout-outs", "shout-out", "reviews", "product", "products", "fakes", "fake", "counts"} {
				p.Visit(s.url + pages[name])
				p.Screenshot(fmt.Sprintf("%s/%s-%d-%v.png", dir, name, width, dark))
			}
			for username, own := range map[string][]string{
				"dee": {"tokens", "queue", "replies", "app-queue", "submit", "saying-queue", "bring-saying"},
				"kai": {"admin", "lately", "settings", "limits", "members", "person", "words", "new-word", "blocks", "log"},
				"ada": {"sent"},
				"nia": {"leaderboard", "points", "sessions", "email", "delete", "my-apps", "manage", "manage-files", "manage-file", "manage-queue"},
			} {
				p := browser.Open(t, browser.Device{Width: width, Height: 800, Dark: dark})
				signIn(s, p, username)
				for _, name := range own {
					p.Visit(s.url + pages[name])
					p.Screenshot(fmt.Sprintf("%s/%s-%d-%v.png", dir, name, width, dark))
				}
			}
		}
	}
}
