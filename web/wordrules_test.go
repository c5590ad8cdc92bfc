package web_test

import (
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/moderation"
	"homeplace/views"
	"homeplace/web"
)

func TestOnlyAdministratorsSeeTheWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, dee := w.as(t, w.account(t, "ada")), w.as(t, w.moderator(t, "dee"))
	for _, path := range []string{views.WordsPage, views.WordsPage + "/new", views.WordsPage + "/00000000-0000-0000-0000-000000000000"} {
		for name, b := range map[string]*browser{"a member": ada, "a moderator": dee} {
			if a := b.get(path); a.Code != http.StatusForbidden {
				t.Errorf("%s gets %d for %s", name, a.Code, path)
			}
			if a := b.post(path, "term", "zorbel", "do", "save"); a.Code != http.StatusForbidden && a.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s posts to %s and gets %d", name, path, a.Code)
			}
		}
		if a := w.browser(t).get(path); a.Code != http.StatusSeeOther {
			t.Errorf("nobody gets %d for %s", a.Code, path)
		}
	}
}

// An administrator writes a rule, tries it, switches it on and off, and removes it.
func TestAWordRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	judge := func(body string) core.Decision {
		v, err := w.Moderation.Judge(t.Context(), core.Nobody(), core.Text{Scope: "saying", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		return v.Decision
	}
	judge("Who saw the <i>zorbel</i>?")
	root := w.as(t, w.administrator(t, "mae"))
	fields := []string{"term", "zorbel", "action", "review", "severity", "2", "category", "birds", "scope", "", "note", "A bird."}

	tree := parsed(t, "a bad rule", root.post(views.WordsPage+"/new", "term", "{birds}", "action", "review", "severity", "9", "category", "", "do", "save"), 422)
	checkSound(t, "a bad rule", tree)
	if at := errorsAt(tree); !strings.Contains(at["term"], `no class "birds"`) || at["severity"] == "" || at["category"] == "" {
		t.Errorf("says %v", at)
	}
	tree = parsed(t, "trying", root.post(views.WordsPage+"/new", append(fields, "do", "try")...), 200)
	checkSound(t, "trying", tree)
	wantText(t, "trying", tree, "It holds in 1 text.")
	wantText(t, "trying", tree, "Who saw the <i> zorbel </i>?")
	wantText(t, "trying", tree, "let through before, held with this rule")

	made := root.post(views.WordsPage+"/new", append(fields, "do", "save")...)
	path := made.Header().Get("Location")
	if made.Code != http.StatusSeeOther || !strings.HasPrefix(path, views.WordsPage+"/") {
		t.Fatalf("adding gives %d, %q", made.Code, path)
	}
	tree = root.page(path, 200)
	checkSound(t, "a draft", tree)
	wantText(t, "a draft", tree, "Draft")
	tree = parsed(t, "too early", root.post(path+"/switch", "on", "true"), 409)
	wantText(t, "too early", tree, "Try this rule first")
	parsed(t, "trying again", root.post(path, append(fields, "do", "try")...), 200)
	if a := root.post(path+"/switch", "on", "true"); a.Code != http.StatusSeeOther || judge("One more zorbel") != core.DecisionReview {
		t.Errorf("switching on gives %d: %s", a.Code, a.Body)
	}
	tree = root.page(views.WordsPage+"?q=zorb", 200)
	checkSound(t, "the list", tree)
	wantText(t, "the list", tree, "1 rule")
	wantText(t, "the list", tree, "A bird.")
	if a := root.post(path+"/switch", "on", "false"); a.Code != http.StatusSeeOther || judge("Another zorbel") != core.DecisionApprove {
		t.Errorf("switching off gives %d", a.Code)
	}
	if a := root.post(path + "/remove"); a.Header().Get("Location") != views.WordsPage || root.get(path).Code != 404 {
		t.Errorf("removing gives %d", a.Code)
	}
}

func TestTheListOfWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.as(t, w.administrator(t, "mae"))
	for _, path := range []string{"", "?page=2", "?action=deny", "?category=threat&origin=ours", "?q=nosuchwordatall"} {
		checkSound(t, path, root.page(views.WordsPage+path, 200))
	}
	if a := root.get(views.WordsPage + "?page=99"); a.Code != 404 {
		t.Errorf("page 99 gives %d", a.Code)
	}
	list, err := w.Moderation.WordRules(t.Context(), core.TheSystem(), moderation.RuleFilter{})
	if err != nil {
		t.Fatal(err)
	}
	path := views.WordsPage + "/" + list.Items[0].ID
	checkSound(t, "a built-in rule", root.page(path, 200))
	checkSound(t, "trying one", parsed(t, path, root.post(path, "do", "try"), 200))
	root.post(path+"/switch", "on", "false")
	wantText(t, "switched off", root.page(path, 200), "Off")
	if a := root.post(path, "term", "x", "do", "save"); a.Code != http.StatusForbidden && a.Code != 422 {
		t.Errorf("changing a built-in rule gives %d", a.Code)
	}
}

// A profile that is held tells its member so, and others see the username alone.
func TestAHeldProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Accounts = w.Accounts.WithModerator(w.Moderation)
	w.handler = web.New(w.Services, w.surface)
	ann := w.account(t, "ann")
	b := w.as(t, ann)
	if a := b.post("/account", "display_name", "Ann", "bio", "Subscribe to my channel please"); a.Code != http.StatusSeeOther {
		t.Fatalf("saving gives %d: %s", a.Code, a.Body)
	}
	tree := b.page("/account", 200)
	checkSound(t, "the account", tree)
	wantText(t, "the account", tree, "A moderator looks at your profile first")
	wantText(t, "the account", tree, "Subscribe to my channel please")
	if page := w.do("GET", "/u/ann").Body.String(); strings.Contains(page, "Subscribe") || strings.Contains(page, ">Ann<") {
		t.Error("everybody sees what waits")
	}
	tree = parsed(t, "abuse", b.post("/account", "display_name", "Ann", "bio", "kill all Muslims"), 422)
	if errorsAt(tree)["bio"] == "" {
		t.Errorf("abuse is refused with %v", errorsAt(tree))
	}
	if n := w.do("GET", "/u/ann"); strings.Contains(n.Body.String(), "Muslims") {
		t.Error("abuse is stored")
	}
}
