package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/polls"
)

const toTea = "/api/polls/tea/vote"

type pollItem struct {
	Slug, Question, Status string
	DailyFor               *string `json:"daily_for"`
	URL                    string
	APIURL                 string `json:"api_url"`
}

type pollDetail struct {
	pollItem
	Description   string
	ClosesAt      *time.Time `json:"closes_at"`
	AllowComments bool       `json:"allow_comments"`
	Options       []struct {
		ID, Label string
		SortOrder int `json:"sort_order"`
	}
	Results []struct {
		OptionID string `json:"option_id"`
		Label    string
		Votes    int
		Pct      float64
	}
	TotalVotes    int    `json:"total_votes"`
	VoteURL       string `json:"vote_url"`
	Comments      []struct{ Body string }
	PendingReview bool `json:"pending_review"`
}

type voted struct {
	OK, Duplicate bool
	CommentStatus string `json:"comment_status"`
}

// tea is a poll at /api/polls/tea.
func (in instance) tea(t testing.TB, v core.Viewer) polls.Poll {
	t.Helper()
	p, err := in.polls.Create(t.Context(), v, polls.Input{Question: "Tea?", Options: []string{"Yes", "No", "Coffee"}, AllowComments: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (c *client) post(t testing.TB, target, body string, headers ...http.Header) answer {
	t.Helper()
	return c.send(t, http.MethodPost, target, strings.NewReader(body), append([]http.Header{{"Content-Type": {"application/json"}}}, headers...)...)
}

func choose(option string) string { return fmt.Sprintf(`{"option_id":%q}`, option) }

func TestPolls(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	today := time.Now().UTC().Format(time.DateOnly)
	type pollList struct {
		Total, Limit int
		Polls        []pollItem
	}
	list := read[pollList](t, w.get(t, "/api/polls"), 200)
	if list.Total != 1 || list.Limit != 30 || *list.Polls[0].DailyFor != today || list.Polls[0].URL != base+"/polls/daily-"+today || list.Polls[0].APIURL != base+"/api/polls/daily-"+today {
		t.Fatalf("the polls are %+v", list)
	}
	body := `{"question":" Tea? ","options":["Yes",""," yes","No"],"description":"Or what?"}`
	made := read[pollDetail](t, w.post(t, "/api/polls", body, bearer(p.ownerToken)), 201)
	if made.Slug != "tea" || made.Question != "Tea?" || made.Status != "open" || made.PendingReview || !made.AllowComments || len(made.Options) != 2 || made.DailyFor != nil || made.VoteURL != base+toTea {
		t.Errorf("made %+v", made)
	}
	if list := read[pollList](t, w.get(t, "/api/polls?limit=1"), 200); list.Total != 2 || list.Polls[0].Slug != "tea" {
		t.Errorf("the polls are %+v", list)
	}
	if list := read[pollList](t, w.get(t, "/api/polls?status=closed"), 200); list.Total != 0 || list.Polls == nil {
		t.Errorf("the closed polls are %+v", list)
	}
	refused(t, w.get(t, "/api/polls?status=all"), 400, "validation_failed", "status")
	refused(t, w.post(t, "/api/polls", body), 401, "unauthenticated", "")
	refused(t, w.post(t, "/api/polls", `{"question":"Tea?","options":["Yes"]}`, bearer(p.ownerToken)), 400, "validation_failed", "options")
	refused(t, w.post(t, "/api/polls", `{"question":"Tea?","options":"Yes"}`, bearer(p.ownerToken)), 400, "validation_failed", "options")
	refused(t, w.post(t, "/api/polls", `{"options":["Yes","No"],"allow_comments":1}`, bearer(p.ownerToken)), 400, "validation_failed", "allow_comments")

	if err := w.settings.Set(t.Context(), core.TheSystem(), "polls_require_approval", "true"); err != nil {
		t.Fatal(err)
	}
	held := read[pollDetail](t, w.post(t, "/api/polls", body, bearer(p.ownerToken)), 201)
	if !held.PendingReview || held.Status != "draft" || held.ClosesAt != nil {
		t.Errorf("held %+v", held)
	}
	target := "/api/polls/" + held.Slug
	for who, token := range map[string]string{"its author": p.ownerToken, "staff": p.staffToken} {
		if a := w.get(t, target, bearer(token)); a.status != 200 || a.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s get %d, %s", who, a.status, a.header.Get("Cache-Control"))
		}
	}
	refused(t, w.get(t, target), 404, "not_found", "")
	refused(t, w.get(t, target, bearer(p.otherToken)), 404, "not_found", "")
	refused(t, w.get(t, target, bearer("tok_nonsense")), 401, "unauthenticated", "")
	if a := w.get(t, "/api/polls/tea"); a.header.Get("Cache-Control") != "public, max-age=60" || a.header.Get("ETag") == "" {
		t.Errorf("nobody may keep it %q, with the tag %q", a.header.Get("Cache-Control"), a.header.Get("ETag"))
	}
}

func TestVotes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	tea := w.tea(t, p.owner)
	vote := func(body string, headers ...http.Header) (voted, answer) {
		t.Helper()
		a := w.post(t, toTea, body, headers...)
		return read[voted](t, a, 200), a
	}
	got, a := vote(`{"option_id":"` + tea.Options[0].ID + `","comment":"Always."}`)
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if got != (voted{true, false, "pending"}) || !strings.HasPrefix(cookie, "__Host-voter=") || a.header.Get("Deprecation") == "" || a.header.Get("RateLimit-Limit") != "60" {
		t.Fatalf("voted %+v, %v", got, a.header)
	}
	for what, c := range map[string]struct {
		headers   []http.Header
		duplicate bool
	}{
		"the cookie of the first vote": {[]http.Header{{"Cookie": {cookie}}}, true},
		"no cookie again":              {nil, true},
		"a page of another site":       {[]http.Header{{"Cookie": {cookie}, "Origin": {"https://elsewhere.test"}, "Sec-Fetch-Site": {"cross-site"}}}, true},
		"another program":              {[]http.Header{{"User-Agent": {"another"}}}, false},
		"a member":                     {[]http.Header{bearer(p.otherToken), {"User-Agent": {"a third"}}}, false},
	} {
		if got, _ := vote(choose(tea.Options[0].ID), c.headers...); got != (voted{true, c.duplicate, "none"}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if got, _ := vote(choose(tea.Options[1].ID), bearer(p.otherToken), http.Header{"User-Agent": {"a fourth"}}); !got.Duplicate {
		t.Error("a member voted twice")
	}
	d := read[pollDetail](t, w.get(t, "/api/polls/tea"), 200)
	if d.TotalVotes != 3 || d.Results[0].Pct != 1 || d.Results[1].Votes != 0 || len(d.Comments) != 0 {
		t.Errorf("the results are %+v", d.Results)
	}
	if me, err := w.points.Balance(t.Context(), p.other); err != nil || me.Balance != 1 {
		t.Errorf("the member has %+v, %v", me, err)
	}
	refused(t, w.post(t, toTea, choose("tea")), 400, "validation_failed", "option_id")
	refused(t, w.post(t, toTea, `{}`), 400, "validation_failed", "option_id")
	refused(t, w.post(t, toTea, `{"option_id":"`+tea.Options[0].ID+`","comment":"`+strings.Repeat("x", 501)+`"}`), 400, "validation_failed", "comment")
	refused(t, w.post(t, toTea, choose(tea.Options[0].ID), bearer("tok_nonsense")), 401, "unauthenticated", "")
	refused(t, w.post(t, "/api/polls/nothing/vote", choose(tea.Options[0].ID)), 404, "not_found", "")
	if _, err := w.polls.Close(t.Context(), p.staff, "tea"); err != nil {
		t.Fatal(err)
	}
	closed := w.post(t, toTea, choose(tea.Options[0].ID))
	refused(t, closed, 409, "poll_closed", "")
	if closed.header.Get("Deprecation") == "" {
		t.Error("a refusal does not say that the form is archived")
	}
	if d := read[pollDetail](t, w.get(t, "/api/polls/tea"), 200); d.Status != "closed" {
		t.Errorf("it is %s", d.Status)
	}
}

func TestVotesOfAnAddressAreCounted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	tea := w.tea(t, p.owner)
	if err := w.settings.Set(t.Context(), core.TheSystem(), "votes_per_hour", "3"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		read[voted](t, w.post(t, toTea, choose(tea.Options[0].ID)), 200)
	}
	refused(t, w.post(t, toTea, choose(tea.Options[0].ID), bearer(p.otherToken)), 429, "rate_limited", "")
}

// A hundred votes with one cookie on two instances count once.
func TestOneCookieVotesOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	there := newInstance(t, w.database.Instance(t))
	tea := w.tea(t, p.owner)
	other, err := w.polls.Create(t.Context(), p.owner, polls.Input{Question: "Cake?", Options: []string{"Yes", "No"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []instance{w.instance, there} {
		if err := in.settings.Set(t.Context(), core.TheSystem(), "votes_per_hour", "1000"); err != nil {
			t.Fatal(err)
		}
		if err := in.settings.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	first := w.post(t, "/api/polls/cake/vote", choose(other.Options[0].ID))
	cookie, _, _ := strings.Cut(first.header.Get("Set-Cookie"), ";")
	var group sync.WaitGroup
	answers := make([]answer, 100)
	for i := range answers {
		group.Go(func() {
			answers[i] = []instance{w.instance, there}[i%2].post(t, toTea, choose(tea.Options[i%3].ID), http.Header{"Cookie": {cookie}, "User-Agent": {fmt.Sprint(i)}})
		})
	}
	group.Wait()
	counted := 0
	for _, a := range answers {
		if !read[voted](t, a, 200).Duplicate {
			counted++
		}
	}
	if d := read[pollDetail](t, w.get(t, "/api/polls/tea"), 200); d.TotalVotes != 1 || counted != 1 {
		t.Errorf("%d votes, and %d were told that theirs counts", d.TotalVotes, counted)
	}
}

func TestRepeatedVoteWithAKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	tea := w.tea(t, p.owner)
	key := http.Header{"Idempotency-Key": {"k-1"}}
	first := read[voted](t, w.post(t, toTea, choose(tea.Options[0].ID), key), 200)
	again := w.post(t, toTea, choose(tea.Options[0].ID), key)
	if got := read[voted](t, again, 200); !reflect.DeepEqual(got, first) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again: %+v, %v", got, again.header)
	}
	refused(t, w.post(t, toTea, choose(tea.Options[1].ID), key), 422, "idempotency_key_reused", "")
}
