package e2e

import (
	"fmt"
	"testing"

	"homeplace/e2e/browser"
)

// publicPages are those that everybody may see, with their odd states.
var publicPages = []string{"/", "/directory", "/directory/businesses", "/directory/events?when=past", "/directory/people?letter=q", "/directory/landmarks?view=map",
	"/directory/businesses/blue-heron-bakery", "/directory/people/ida-b-wells", "/search", "/search?q=bakery&where=Atlanta", "/search?q=zzzzqq",
	"/apps", "/apps?q=zzzzqq", "/apps/porch-map", "/apps/porch-map?q=zzzzqq", "/apps/porch-map/files/porches.json", "/u/nia", "/docs/api", "/credits", "/sign-in", "/sign-up", "/recover", "/u/ada", "/leaderboard",
	"/sayings", "/sayings?q=zzzzqq", "/polls", "/report-fake", "/report-fake/new", "/report-fake/thanks", "/shout-outs", "/shout-outs?give=1", "/reviews", "/reviews?min_rating=5&product=coffee", "/reviews/products", "/reviews/log-cabin-lap-quilt", "/moderation-log", "/nowhere"}

// TestEveryPageIsAccessible runs axe over the pages, in both themes, on a phone
// and on a desktop.
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.fillApps()
	s.run("user", "create", "--email", "dee@homeplace.test", "--username", "dee", "--password", password, "--role", "moderator")
	s.run("user", "create", "--email", "ada@homeplace.test", "--username", "ada", "--password", password)
	s.run("user", "create", "--email", "kai@homeplace.test", "--username", "kai", "--password", password, "--role", "admin")
	private := []string{"/account", "/account/points", "/account/tokens", "/account/sessions", "/account/submissions", "/account/email",
		"/account/export", "/account/delete", "/directory/new", "/directory/new?kind=event",
		"/directory/businesses/blue-heron-bakery/edit", "/directory/businesses/blue-heron-bakery/still-open", "/moderation", "/moderation?queue=contribution",
		"/apps/new", "/apps/second-line-timetable", "/apps/porch-map/submit?file=hours.json", "/account/apps", "/moderation?queue=app",
		"/sayings/new", "/polls/new", "/reviews/products/new", "/reviews/log-cabin-lap-quilt", "/moderation?queue=report", "/moderation?mine=1", "/moderation/replies", "/moderation/blocks", "/moderation/log"}
	admin := []string{"/admin", "/admin/submissions", "/admin/settings", "/admin/settings/limits", "/admin/settings/model", "/admin/settings/polls",
		"/admin/users", "/admin/users?q=zzzzqq", "/admin/users/ada", "/admin/users/kai", "/admin/words", "/admin/words/new"}
	for _, width := range []int{360, 1280} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			t.Parallel()
			visit := func(p *browser.Page, paths []string) {
				for _, path := range paths {
					p.Visit(s.url + path)
					p.CheckAccessibility(path)
					p.Darken(true)
					p.CheckColours(path + ", dark")
					p.Darken(false)
				}
			}
			device := browser.Device{Width: width, Height: 900}
			p := browser.Open(t, device)
			p.Visit(s.url)
			const ink = `getComputedStyle(document.body).color`
			light := browser.Evaluate[string](p, ink)
			if p.Darken(true); browser.Evaluate[string](p, ink) == light {
				t.Fatal("the dark theme looks like the light one")
			}
			p.Darken(false)
			visit(p, publicPages)
			signIn(s, p, "dee")
			visit(p, private)
			p = browser.Open(t, device)
			signIn(s, p, "kai")
			visit(p, admin)
		})
	}
}
