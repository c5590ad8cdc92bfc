package polls

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	_, err := w.Create(t.Context(), core.Nobody(), Input{Question: "Why?", Options: []string{"a", "b"}})
	wantError(t, "nobody's poll", err, core.Unauthenticated, "unauthenticated")
	for what, in := range map[string]Input{
		"no question":        {Options: []string{"a", "b"}},
		"a long question":    {Question: strings.Repeat("é", 281), Options: []string{"a", "b"}},
		"one answer thrice":  {Question: "Why?", Options: []string{"Yes", " yes ", "YES", "", "  "}},
		"nine answers":       {Question: "Why?", Options: strings.Split("abcdefghi", "")},
		"a long answer":      {Question: "Why?", Options: []string{strings.Repeat("x", 121), "b"}},
		"a control sign":     {Question: "Why?\x07", Options: []string{"a", "b"}},
		"a long description": {Question: "Why?", Description: strings.Repeat("x", 2001), Options: []string{"a", "b"}},
	} {
		_, err := w.Create(t.Context(), ada, in)
		wantError(t, what, err, core.Invalid, "validation_failed")
	}
	p, err := w.Create(t.Context(), ada, Input{Question: strings.Repeat("é", 280), Options: []string{" Sweet   tea ", "", "Coffee", "coffee", "a", "b", "c", "d", "e", "f"}})
	if err != nil {
		t.Fatal(err)
	}
	labels := []string{}
	for _, o := range p.Options {
		labels = append(labels, o.Label)
	}
	if !slices.Equal(labels, []string{"Sweet tea", "Coffee", "a", "b", "c", "d", "e", "f"}) || p.AllowComments || p.Status != Published || p.State != Open {
		t.Errorf("made %v, %+v", labels, p)
	}
	if got := p.ClosesAt.Sub(*p.OpensAt); got != 30*24*time.Hour {
		t.Errorf("open for %v, want 30 days", got)
	}
	w.set(t, "poll_days", "7")
	again := w.poll(t, ada, "New")
	if got := again.ClosesAt.Sub(*again.OpensAt); got != 7*24*time.Hour || again.Slug != "poll-new" {
		t.Errorf("%s is open for %v, want 7 days", again.Slug, got)
	}
	if p := w.poll(t, ada, "Daily 2026-03-02"); p.Slug != "poll-daily-2026-03-02" {
		t.Errorf("the slug is %s", p.Slug)
	}
	if a, b := w.poll(t, ada, "Tea or coffee?"), w.poll(t, ada, "Tea or coffee?"); a.Slug != "tea-or-coffee" || b.Slug != "tea-or-coffee-2" {
		t.Errorf("slugs are %s and %s", a.Slug, b.Slug)
	}
	if got, err := w.points.Balance(t.Context(), ada); err != nil || got.Balance != 25 { // five polls of 5 points
		t.Errorf("ada has %+v, %v", got, err)
	}
}

func TestHeldAndRejectedPolls(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	in := Input{Question: "Tea?", Description: "Or what?", Options: []string{"Yes", "No"}, From: core.Origin{AddressKey: "192.0.2.7", Shared: true}}
	make := func() Poll {
		t.Helper()
		p, err := w.Create(t.Context(), ada, in)
		if err != nil || p.Status != Draft || p.State != Closed {
			t.Fatalf("made %+v, %v", p, err)
		}
		return p
	}
	w.judge.says = core.DecisionReview
	held := make()
	if text := w.judge.judged[0]; text != (core.Text{Scope: "poll", About: core.Target{Type: "poll", ID: held.ID}, Body: "Tea?\nOr what?\nYes\nNo", From: core.Origin{AddressKey: "192.0.2.7", Shared: true}}) {
		t.Errorf("judged %+v", text)
	}
	w.judge.says, w.judge.fails = "", errors.New("the model sleeps")
	make()
	w.judge.fails = nil
	w.set(t, "polls_require_approval", "true")
	third := make()
	w.judge.says = core.DecisionReject
	_, err := w.Create(t.Context(), ada, in)
	wantError(t, "spam", err, core.Invalid, "spam")

	for who, v := range map[string]core.Viewer{"nobody": core.Nobody(), "another member": ben} {
		_, err := w.Get(t.Context(), v, third.Slug)
		wantError(t, who+" reading a draft", err, core.NotFound, "not_found")
		_, err = w.Vote(t.Context(), v, third.Slug, VoteInput{OptionID: third.Options[0].ID, Voter: browser("a")})
		wantError(t, who+" voting on a draft", err, core.NotFound, "not_found")
	}
	for _, v := range []core.Viewer{ada, mod} {
		if p, err := w.Get(t.Context(), v, third.Slug); err != nil || len(p.Options) != 2 {
			t.Errorf("%s reads %+v, %v", v.Username, p, err)
		}
	}
	if _, err := w.database.Exec(t, ada, `select from desk_queue`); !pg.Denied(err) {
		t.Errorf("a member's look at the queue: %v", err)
	}
	if got := w.queue(t); got != "poll Tea? | poll Tea? | poll Tea?" {
		t.Fatalf("%q waits", got)
	}
	if n := w.count(t, `select count(verdict) from polls`); n != 0 {
		t.Errorf("%d verdicts are kept here, which is the moderation area's to do", n)
	}
	for _, v := range []core.Viewer{ada, ben} {
		_, err := decideAt(t, w.database.DB, w.Desk(), v, third.ID, core.ActionApprove, "")
		wantError(t, v.Username+" approving", err, core.Forbidden, "not_allowed")
	}
	w.clock.add(48 * time.Hour)
	w.decided(t, w.Desk(), mod, third.ID, core.ActionApprove, "")
	if p, err := w.Get(t.Context(), core.Nobody(), third.Slug); err != nil || p.State != Open || !p.OpensAt.Equal(w.clock.now) {
		t.Errorf("approved %+v, %v", p, err)
	}
	_, err = decideAt(t, w.database.DB, w.Desk(), mod, third.ID, core.ActionReject, "Late.")
	wantError(t, "deciding again", err, core.Conflict, "already_decided")
	_, err = decideAt(t, w.database.DB, w.Desk(), mod, held.ID, core.ActionReject, " ")
	wantError(t, "a refusal without a reason", err, core.Invalid, "validation_failed")
	w.decided(t, w.Desk(), mod, held.ID, core.ActionReject, "We had this one.")
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Total != 4 || mine.Items[0].Reason != spamReason || mine.Items[3].Reason != "We had this one." {
		t.Errorf("ada made %+v, %v", mine, err)
	}
	if got, _ := w.points.Balance(t.Context(), ada); got.Balance != 5 {
		t.Errorf("ada has %d points, want those of the one that was approved", got.Balance)
	}
}

func TestNobodyDecidesTheirOwn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod, other := w.moderator(t, "mod"), w.moderator(t, "other")
	w.set(t, "polls_require_approval", "true")
	p, err := w.Create(t.Context(), mod, Input{Question: "Tea?", Options: []string{"Yes", "No"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = decideAt(t, w.database.DB, w.Desk(), mod, p.ID, core.ActionApprove, "")
	wantError(t, "approving one's own", err, core.Forbidden, "not_allowed")
	w.decided(t, w.Desk(), other, p.ID, core.ActionApprove, "")
	_, err = w.Close(t.Context(), mod, p.Slug)
	wantError(t, "closing one's own", err, core.Forbidden, "not_allowed")
	_, err = w.SetHidden(t.Context(), mod, p.Slug, true)
	wantError(t, "hiding one's own", err, core.Forbidden, "not_allowed")
}

func TestWhenAPollIsOpen(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	long, short := w.poll(t, ada, "Long"), w.poll(t, ada, "Short")
	w.clock.add(time.Hour)
	if p, err := w.Close(t.Context(), mod, short.Slug); err != nil || p.State != Closed {
		t.Errorf("closed %+v, %v", p, err)
	}
	_, err := w.Close(t.Context(), mod, short.Slug)
	wantError(t, "closing twice", err, core.Conflict, "poll_closed")
	slugsOf := func(state State) (list []string) {
		t.Helper()
		found, err := w.List(t.Context(), Filter{State: state})
		if err != nil || found.Total != len(found.Items) {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, s := range found.Items {
			list = append(list, s.Slug+" "+string(s.State))
		}
		return list
	}
	if got := slugsOf(Open); !slices.Equal(got, []string{"long open", "daily-2026-03-01 open"}) {
		t.Errorf("open are %v", got)
	}
	if got := slugsOf(Closed); !slices.Equal(got, []string{"short closed"}) {
		t.Errorf("closed are %v", got)
	}
	w.clock.add(11*time.Hour - time.Microsecond) // the last moment of the day
	if got := slugsOf(Open); !slices.Contains(got, "daily-2026-03-01 open") {
		t.Errorf("open are %v", got)
	}
	w.clock.add(time.Microsecond)
	if got := slugsOf(""); !slices.Equal(got, []string{"daily-2026-03-02 open", "short closed", "long open", "daily-2026-03-01 closed"}) {
		t.Errorf("all are %v", got)
	}
	w.clock.add(long.ClosesAt.Sub(w.clock.read()))
	_, err = w.Vote(t.Context(), ada, long.Slug, VoteInput{OptionID: long.Options[0].ID, Voter: browser("a")})
	wantError(t, "a vote on the stroke", err, core.Conflict, "poll_closed")
	if _, err := w.SetHidden(t.Context(), mod, long.Slug, true); err != nil {
		t.Fatal(err)
	}
	_, err = w.Get(t.Context(), core.Nobody(), long.Slug)
	wantError(t, "a hidden poll", err, core.NotFound, "not_found")
	if p, err := w.Get(t.Context(), ada, long.Slug); err != nil || p.HiddenAt == nil {
		t.Errorf("its author reads %+v, %v", p, err)
	}
}

// Whatever day it is, the questions of the next days as many as there are
// differ, and a day always has the same one.
func TestRotation(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for first := range 100 {
		seen := map[string]bool{}
		for i := range pool {
			q := questionOf(start.AddDate(0, 0, first+i))
			if seen[q.Question] {
				t.Fatalf("%q comes again within %d days", q.Question, len(pool))
			}
			seen[q.Question] = true
		}
	}
	if a, b := questionOf(start), questionOf(start.Add(24*time.Hour-1)); a.Question != b.Question {
		t.Errorf("one day has %q and %q", a.Question, b.Question)
	}
	if len(pool) < 40 {
		t.Errorf("%d questions are prepared", len(pool))
	}
	for _, q := range pool {
		in := Input{Question: q.Question, Options: slices.Clone(q.Options)}
		if err := in.check(); err != nil || !slices.Equal(in.Options, q.Options) {
			t.Errorf("%q: %v", q.Question, err)
		}
	}
}

func TestManyReadTheDayFirst(t *testing.T) {
	t.Parallel()
	w := setup(t)
	there := w.second(t)
	var group sync.WaitGroup
	ids := make([]string, 32)
	for i := range ids {
		group.Go(func() {
			p, found, err := []*Service{w.Service, there}[i%2].Today(t.Context())
			if err != nil || !found {
				t.Errorf("today: %t, %v", found, err)
			}
			ids[i] = p.ID
		})
	}
	group.Wait()
	if distinct := slices.Compact(slices.Sorted(slices.Values(ids))); len(distinct) != 1 {
		t.Errorf("%d polls of the day", len(distinct))
	}
	if n := w.count(t, `select count(*) from poll_options`); n != len(questionOf(w.clock.now).Options) {
		t.Errorf("%d options", n)
	}
	if _, err := w.SetHidden(t.Context(), core.TheSystem(), "daily-2026-03-01", true); err != nil {
		t.Fatal(err)
	}
	if _, found, err := w.second(t).Today(t.Context()); err != nil || found {
		t.Errorf("once hidden: %t, %v", found, err)
	}
}
