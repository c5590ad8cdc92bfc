package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/settings"
)

func (w world) describe(t testing.TB, a accounts.Account, name, bio string) {
	t.Helper()
	if _, err := w.Accounts.UpdateProfile(t.Context(), a.Viewer(), accounts.ProfilePatch{DisplayName: &name, Bio: &bio}); err != nil {
		t.Fatal(err)
	}
}

func TestNothingInAProfileRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	w.describe(t, ada, `</script><script>alert(1)</script>`, strings.Join([]string{
		`<script>alert(2)</script> <img src=x onerror=alert(3)>`,
		`[here](javascript:alert(4)) [there](https://porch.example/x) www.porch.example ada@porch.example`,
		`![a picture](https://tracker.example/pixel.png) *loud* # no heading`, ``, `# none here either`, `> nor a quote`}, "\n"))
	a := w.do(http.MethodGet, "/u/ada")
	page := parsed(t, "/u/ada", a, 200)
	for _, n := range elements(page, "") {
		for _, attr := range n.Attr {
			if strings.HasPrefix(attr.Key, "on") || strings.Contains(attr.Val, "javascript:") || strings.Contains(attr.Val, "tracker.example") {
				t.Errorf("<%s %s=%q>", n.Data, attr.Key, attr.Val)
			}
		}
		if n.Data == "script" {
			kind, _ := attribute(n, "type")
			if src, ok := attribute(n, "src"); kind != "application/ld+json" && (!ok || !strings.HasPrefix(src, "/static/")) {
				t.Errorf("a script runs: %s", text(n))
			}
		}
	}
	links := map[string]string{}
	for _, n := range elements(elements(page, "main")[0], "a") {
		href, _ := attribute(n, "href")
		links[href], _ = attribute(n, "rel")
	}
	for _, href := range []string{"https://porch.example/x", "http://www.porch.example", "mailto:ada@porch.example"} {
		if !strings.Contains(links[href], "nofollow") || !strings.Contains(links[href], "noopener") {
			t.Errorf("the link to %s has rel %q among %v", href, links[href], links)
		}
	}
	if len(links) != 3 {
		t.Errorf("links %v, want three", links)
	}
	body := text(elements(page, "main")[0])
	for _, want := range []string{"<script>alert(2)</script>", "here", "a picture", "loud", "# none here either", "> nor a quote"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q: %s", want, body)
		}
	}
	checkOutline(t, page)
	checkReferences(t, page)
	checkNothingInline(t, page)
}

func TestProfileForOtherSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada_l")
	w.describe(t, ada, "Ada <L.>", "Counts *everything*.")
	page := w.page(t, "/u/ada_l", 200)
	metas := map[string]string{}
	for _, n := range elements(page, "meta") {
		for _, key := range []string{"name", "property"} {
			if name, ok := attribute(n, key); ok {
				metas[name], _ = attribute(n, "content")
			}
		}
	}
	for name, want := range map[string]string{"og:title": "Ada <L.>", "og:url": base + "/u/ada_l", "og:image": base + "/preview/u/ada_l.png",
		"og:description": "Counts everything.", "description": "Counts everything."} {
		if metas[name] != want {
			t.Errorf("%s is %q, want %q", name, metas[name], want)
		}
	}
	var schema map[string]any
	for _, n := range elements(page, "script") {
		if kind, _ := attribute(n, "type"); kind == "application/ld+json" {
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &schema); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string]string{"@type": "Person", "name": "Ada <L.>", "alternateName": "ada_l", "url": base + "/u/ada_l",
		"description": "Counts everything.", "image": base + "/preview/u/ada_l.png"} {
		if schema[name] != want {
			t.Errorf("the schema's %s is %v, want %q", name, schema[name], want)
		}
	}
	if a := w.do(http.MethodGet, "/preview/u/ada_l.png"); a.Code != 200 || a.Header().Get("Content-Type") != "image/png" {
		t.Errorf("the preview gives %d, %s", a.Code, a.Header().Get("Content-Type"))
	}
	for _, file := range []string{"ada_l", "nobody.png", ".png", "%00.png"} {
		if a := w.do(http.MethodGet, "/preview/u/"+file); a.Code != http.StatusNotFound {
			t.Errorf("/preview/u/%s gives %d", file, a.Code)
		}
	}
	w.describe(t, ada, "", "")
	if page := w.do(http.MethodGet, "/u/ada_l").Body.String(); !strings.Contains(page, "ada_l is a neighbour at "+w.Settings.Text(settings.SiteName)) {
		t.Error("an empty profile has no description")
	}
}

func TestWhatAMemberGave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	ada, mod := w.account(t, "ada"), w.moderator(t, "mod")
	shown := func() string { return text(elements(w.page(t, "/u/ada", 200), "main")[0]) }
	if got := shown(); strings.Contains(got, "Gave the directory") {
		t.Errorf("before anything was approved: %s", got)
	}
	for _, name := range []string{"Ada's Oven", "Ada's Mill"} {
		c, err := w.Contributions.Offer(t.Context(), ada.Viewer(), directory.Input{Kind: directory.KindBusiness, Name: name, City: "Atlanta", Region: "GA"})
		if err != nil {
			t.Fatal(err)
		}
		w.decided(t, mod, "contribution:"+c.ID, core.ActionApprove, "")
	}
	if got := shown(); !strings.Contains(got, "Gave the directory 2 listings.") {
		t.Errorf("after two listings: %s", got)
	}
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "zoras-den")
	if err != nil {
		t.Fatal(err)
	}
	in := directory.FormOf(e)
	in.Phone = "404-555-0100"
	c, err := w.Contributions.SuggestEdit(t.Context(), ada.Viewer(), directory.KindBusiness, "zoras-den", in, "")
	if err != nil {
		t.Fatal(err)
	}
	w.decided(t, mod, "contribution:"+c.ID, core.ActionApprove, "")
	if got := shown(); !strings.Contains(got, "Gave the directory 2 listings and 1 change.") {
		t.Errorf("after a change: %s", got)
	}
	yes := true
	if _, err := w.Accounts.UpdateProfile(t.Context(), ada.Viewer(), accounts.ProfilePatch{LeaderboardOptOut: &yes}); err != nil {
		t.Fatal(err)
	}
	if got := shown(); strings.Contains(got, "Gave the directory") {
		t.Errorf("after leaving the leaderboard: %s", got)
	}
}
