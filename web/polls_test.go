package web_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pgtest"
	"homeplace/core/polls"
)

// tea is a poll at /polls/tea.
func (w world) tea(t testing.TB, author accounts.Account) polls.Poll {
	t.Helper()
	p, err := w.Polls.Create(t.Context(), author.Viewer(), polls.Input{Question: "Tea?", Description: "Or\nwhat?", Options: []string{"Yes", "No <b>"}, AllowComments: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// vote sends the form of a poll, again once the browser has its cookie.
func (b *browser) vote(target string, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	a := b.post(target, fields...)
	if a.Code == http.StatusTemporaryRedirect {
		a = b.post(a.Header().Get("Location"), fields...)
	}
	return a
}

func hasWords(t testing.TB, what, body string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(body, word) {
			t.Errorf("%s lacks %q", what, word)
		}
	}
}

func TestPollPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account(t, "ada")
	tea := w.tea(t, ada)
	today, _, err := w.Polls.Today(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/", "/polls"} {
		hasWords(t, target, w.do(http.MethodGet, target).Body.String(), html.EscapeString(today.Question), `action="/polls/`+today.Slug+`/vote"`, `type="radio"`)
	}
	list := w.do(http.MethodGet, "/polls")
	hasWords(t, "the list", list.Body.String(), `href="/polls/tea"`, "No poll has closed yet")
	if got := list.Header().Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("the list may be kept %q", got)
	}
	page := w.do(http.MethodGet, "/polls/tea")
	body := page.Body.String()
	hasWords(t, "the page", body, "Tea?", "No &lt;b&gt;", "See how it stands", `action="/polls/tea/vote"`)
	if strings.Contains(body, "<meter") || page.Header().Get("Cache-Control") != "private, no-store" || page.Header().Get("Set-Cookie") != "" {
		t.Errorf("an open poll shows its results, or is kept %q", page.Header().Get("Cache-Control"))
	}
	hasWords(t, "its results", w.do(http.MethodGet, "/polls/tea?results=1").Body.String(), "<meter", "0.0%", "0 votes")

	ben, cleo := w.browser(t), w.browser(t)
	first := ben.post("/polls/tea/vote", "option_id", tea.Options[0].ID)
	if first.Code != http.StatusTemporaryRedirect || !strings.HasPrefix(first.Header().Get("Set-Cookie"), "__Host-voter=") {
		t.Fatalf("the first vote gives %d, %v", first.Code, first.Header())
	}
	if a := ben.vote("/polls/tea/vote", "option_id", tea.Options[0].ID, "comment", "Always."); a.Header().Get("Location") != "/polls/tea?results=1&vote=pending#results" {
		t.Errorf("ben's vote gives %d, %v", a.Code, a.Header())
	}
	if a := cleo.vote("/polls/tea/vote", "option_id", tea.Options[1].ID); a.Header().Get("Location") != "/polls/tea?results=1&vote=none#results" {
		t.Errorf("cleo's vote gives %d, %v", a.Code, a.Header())
	}
	if a := ben.vote("/polls/tea/vote", "option_id", tea.Options[1].ID); a.Header().Get("Location") != "/polls/tea?results=1&vote=again#results" {
		t.Errorf("ben's second vote gives %d, %v", a.Code, a.Header())
	}
	body = ben.get("/polls/tea").Body.String()
	hasWords(t, "ben's page", body, "50.0%", "1 vote", "2 votes", "Your answer", `value="0.5000"`)
	if strings.Contains(body, `action="/polls/tea/vote"`) || strings.Contains(body, "Always.") {
		t.Error("ben is asked again, or reads what nobody has approved")
	}
	hasWords(t, "after voting", ben.get("/polls/tea?vote=none").Body.String(), "Your vote counts")
	if a := w.browser(t).vote("/polls/tea/vote"); a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body.String(), "choose one") {
		t.Errorf("no answer gives %d", a.Code)
	}
	if a := ben.vote("/polls/nothing/vote", "option_id", tea.Options[0].ID); a.Code != http.StatusNotFound {
		t.Errorf("no poll gives %d", a.Code)
	}
	// A browser that keeps no cookies is sent on once and then told apart by its address.
	r := httptest.NewRequest(http.MethodPost, base+"/polls/tea/vote?cookie=asked", strings.NewReader(url.Values{"option_id": {tea.Options[0].ID}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	bare := httptest.NewRecorder()
	w.handler.ServeHTTP(bare, r)
	if bare.Header().Get("Location") != "/polls/tea?results=1&vote=none#results" {
		t.Errorf("without cookies: %d, %v", bare.Code, bare.Header())
	}
	mod := w.as(t, w.moderator(t, "mod"))
	hasWords(t, "a moderator's page", mod.get("/polls/tea").Body.String(), "/polls/tea/close", "/polls/tea/hide")
	if a := mod.post("/polls/tea/close"); a.Code != http.StatusSeeOther {
		t.Errorf("closing gives %d", a.Code)
	}
	if a := w.browser(t).vote("/polls/tea/vote", "option_id", tea.Options[0].ID); a.Header().Get("Location") != "/polls/tea?vote=late#results" {
		t.Errorf("a late vote gives %d, %v", a.Code, a.Header())
	}
	hasWords(t, "the closed poll", w.do(http.MethodGet, "/polls/tea").Body.String(), "How it went", "<meter")
	mod.post("/polls/tea/hide")
	w.page(t, "/polls/tea", http.StatusNotFound)
	mod.post("/polls/tea/unhide")
	w.page(t, "/polls/tea", http.StatusOK)
	for _, target := range []string{"/polls/tea/close", "/polls/tea/hide", "/moderation/decide"} {
		if a := w.as(t, ada).post(target); a.Code != http.StatusForbidden {
			t.Errorf("a member at %s gets %d", target, a.Code)
		}
	}
}

func TestAskingAndDeciding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, mod := w.account(t, "ada"), w.moderator(t, "mod")
	member, desk := w.as(t, ada), w.as(t, mod)
	if a := w.do(http.MethodGet, "/polls/new"); a.Code != http.StatusSeeOther {
		t.Errorf("nobody gets %d", a.Code)
	}
	hasWords(t, "the form", member.get("/polls/new").Body.String(), `name="question"`, `id="options-8"`, "30 days")
	bad := member.post("/polls/new", "question", "Tea?", "options", "Yes", "options", " yes ", "options", "")
	hasWords(t, "a refusal", bad.Body.String(), "2 to 8 different answers", `value=" yes "`)
	if bad.Code != http.StatusUnprocessableEntity {
		t.Errorf("one answer gives %d", bad.Code)
	}
	if err := w.Settings.Set(t.Context(), core.TheSystem(), "polls_require_approval", "true"); err != nil {
		t.Fatal(err)
	}
	for _, question := range []string{"Tea?", "Cake?"} {
		if a := member.post("/polls/new", "question", question, "options", "Yes", "options", "No", "allow_comments", "true"); a.Code != http.StatusSeeOther {
			t.Fatalf("%s gives %d", question, a.Code)
		}
	}
	w.page(t, "/polls/tea", http.StatusNotFound)
	hasWords(t, "its author's page", member.get("/polls/tea").Body.String(), "waits for a moderator")
	hasWords(t, "the desk", desk.get("/moderation?queue=poll").Body.String(), "Tea?", "Cake?", "2 waiting")
	poll := func(slug string) string {
		return "poll:" + pgtest.Value[string](t, w.db, core.TheSystem(), `select id::text from polls where slug = $1`, slug)
	}
	if a := desk.decide(poll("cake"), "reject", "reason", " "); a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body.String(), "The reason is required.") {
		t.Errorf("a rejection without a reason gives %d", a.Code)
	}
	desk.decide(poll("cake"), "reject", "reason", "We had cake.")
	desk.decide(poll("tea"), "approve")
	if a := desk.decide(poll("tea"), "approve"); a.Code != http.StatusConflict {
		t.Errorf("deciding again gives %d", a.Code)
	}
	w.page(t, "/polls/tea", http.StatusOK)
	tea, err := w.Polls.Get(t.Context(), core.Nobody(), "tea")
	if err != nil {
		t.Fatal(err)
	}
	member.vote("/polls/tea/vote", "option_id", tea.Options[0].ID, "comment", "With milk.")
	hasWords(t, "the desk", desk.get("/moderation?queue=poll_comment").Body.String(), "With milk.", `value="poll_comment:`)
	id := pgtest.Value[string](t, w.db, core.TheSystem(), `select id::text from poll_comments`)
	if a := desk.decide("poll_comment:"+id, "approve"); a.Code != http.StatusSeeOther {
		t.Errorf("approving a comment gives %d", a.Code)
	}
	hasWords(t, "the poll", w.do(http.MethodGet, "/polls/tea").Body.String(), "With milk.", `href="/u/ada"`)
	hasWords(t, "what ada sent", member.get("/account/submissions").Body.String(), "Tea?", "We had cake.", "Not taken", "With milk.", "Shown", "3 things")
	hasWords(t, "ada's first page", member.get("/polls").Body.String(), "/polls/tea")
}

func TestVotesOfAnAddressHaveALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tea := w.tea(t, w.account(t, "ada"))
	if err := w.Settings.Set(t.Context(), core.TheSystem(), "votes_per_hour", "1"); err != nil {
		t.Fatal(err)
	}
	b := w.browser(t)
	b.vote("/polls/tea/vote", "option_id", tea.Options[0].ID)
	if a := b.vote("/polls/tea/vote", "option_id", tea.Options[0].ID); a.Code != http.StatusTooManyRequests || a.Header().Get("Retry-After") == "" {
		t.Errorf("one vote too many gives %d", a.Code)
	}
}
