package moderation_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// Twelve texts within the hour weigh 0.02·12 = 0.24 and are noted; the 25th
// weighs 0.5 and waits for a person. The first ten are not even noted.
func TestSendingRate(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", core.Member)
	for n := range 27 {
		v := w.send(t, ada, "192.0.2.1", distinct(n))
		want := core.DecisionApprove
		if n >= 25 {
			want = core.DecisionReview
		}
		if v.Decision != want || slices.Contains(codes(v), "rate") != (n > 10) {
			t.Errorf("after %d texts: %+v, want %s", n, v, want)
		}
	}
	w.pass(time.Hour + time.Second)
	if v := w.send(t, ada, "192.0.2.1", "An hour later, one more about the garden."); v.Decision != core.DecisionApprove || len(v.Reasons) != 0 {
		t.Errorf("an hour later: %+v", v)
	}
}

// distinct are sentences of words that no other one has.
func distinct(n int) string {
	words := make([]string, 8)
	for i := range words {
		words[i] = fmt.Sprintf("%c%c%c", 'a'+(n*8+i)%26, 'e'+i, 'a'+(n*8+i)/26)
	}
	return strings.Join(words, " ") + "."
}

// The rate of somebody without an account is that of the address, and of nobody
// where many may stand behind it.
func TestRateOfAnAddress(t *testing.T) {
	t.Parallel()
	w := setup(t)
	last := func(from core.Origin) core.Verdict {
		var v core.Verdict
		for n := range 12 {
			var err error
			v, err = w.Judge(t.Context(), core.Nobody(), core.Text{Scope: "poll_comment", Body: fmt.Sprintf("Comment %d about the farmers market on square %d.", n, n*7), From: from})
			if err != nil {
				t.Fatal(err)
			}
		}
		return v
	}
	if v := last(core.Origin{AddressKey: "192.0.2.1"}); !slices.Contains(codes(v), "rate") || v.Decision != core.DecisionApprove {
		t.Errorf("twelve from one address: %+v", v)
	}
	for _, from := range []core.Origin{{AddressKey: "192.0.2.2", Shared: true}, {AddressKey: "unknown"}, {}} {
		if v := last(from); slices.Contains(codes(v), "rate") {
			t.Errorf("twelve from %+v: %+v", from, v)
		}
	}
}

// The same eleven words from one address after the other weigh 0, 0.3, 0.6, …: the
// third is held. Five words weigh half as much: 0, 0.15, 0.3, 0.45, 0.6, and the
// fifth is held.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	for body, held := range map[string]int{
		"Our summer sale starts on Monday, bring all of your friends.": 2,
		"I agree with all of this.":                                    4,
		"Happy birthday":                                               99,
		"So very true":                                                 99,
	} {
		w := setup(t)
		for n := range 5 {
			written := body
			if n%2 == 1 {
				written = strings.ToUpper(body) + "!!" // copies are told by their words
			}
			v := w.send(t, core.Nobody(), fmt.Sprintf("192.0.2.%d", n), written)
			if want := n >= held; (v.Decision == core.DecisionReview) != want {
				t.Errorf("%q, time %d: %+v, want held %v", body, n+1, v, want)
			}
		}
		w.pass(8 * 24 * time.Hour)
		if v := w.send(t, core.Nobody(), "192.0.2.9", body); v.Decision != core.DecisionApprove || len(v.Reasons) != 0 {
			t.Errorf("%q a week later: %+v", body, v)
		}
	}
}

func TestWhatIsNoCopy(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, id := w.account(t, "ada", core.Member), pg.NewID()
	const body = "The river gives and the river takes, says my aunt in Savannah."
	for range 5 {
		if v := w.edit(t, ada, "192.0.2.1", body, id); v.Decision != core.DecisionApprove || len(v.Reasons) != 0 {
			t.Errorf("editing one's own text: %+v", v)
		}
	}
	for range 3 {
		if _, err := w.Judge(t.Context(), ada, core.Text{Scope: "poll", Body: body, From: core.Origin{AddressKey: "192.0.2.1"}}); err != nil {
			t.Fatal(err)
		}
	}
	if v := w.edit(t, ada, "192.0.2.1", body, id); len(v.Reasons) != 0 {
		t.Errorf("the same words as a poll: %+v", v)
	}
}

// Of many who send one text at the same moment on two instances, the first two
// pass (0 and 0.3) and every other one is held.
func TestManyCopiesAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w
	second.Service = w.instance(w.database.Instance(t), answers{})
	var wg sync.WaitGroup
	for n := range 100 {
		sender := []world{w, second}[n%2]
		wg.Go(func() {
			sender.send(t, core.Nobody(), fmt.Sprintf("192.0.2.%d", n), "Sell your house in nine days, we pay more than everybody else.")
		})
	}
	wg.Wait()
	for decision, want := range map[string]int{"approve": 2, "review": 98} {
		if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from judgements where decision = $1`, decision); n != want {
			t.Errorf("%d have the verdict %s, want %d", n, decision, want)
		}
	}
}

// One refused text weighs 0.2, three weigh 0.6 and hold what is harmless; after 30
// days they are forgotten. A block within a year weighs 0.6.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", core.Member)
	refuse := func(n int) {
		for i := range n {
			if v := w.send(t, ada, "", fmt.Sprintf("%s %d", abusive, i)); v.Decision != core.DecisionReject {
				t.Fatalf("abuse: %+v", v)
			}
		}
	}
	refuse(2)
	if v := w.send(t, ada, "", harmless); v.Decision != core.DecisionApprove || !slices.Contains(codes(v), "refused_before") {
		t.Errorf("after two refusals: %+v", v)
	}
	refuse(1)
	if v := w.send(t, ada, "", "We sing on the porch until it is dark."); v.Decision != core.DecisionReview {
		t.Errorf("after three refusals: %+v", v)
	}
	w.pass(31 * 24 * time.Hour)
	if v := w.send(t, ada, "", "A month later we still sing on the porch."); len(v.Reasons) != 0 {
		t.Errorf("a month later: %+v", v)
	}

	w.send(t, core.Nobody(), "192.0.2.9", abusive)
	w.pass(31 * 24 * time.Hour)
	if v := w.send(t, core.Nobody(), "192.0.2.9", "Nobody knows how the peach trees came here."); !slices.Equal(codes(v), []string{"address_history"}) || v.Score != 0.6 {
		t.Errorf("from an address that was blocked: %+v", v)
	}
	w.pass(366 * 24 * time.Hour)
	if v := w.send(t, core.Nobody(), "192.0.2.9", "A year later the peach trees are in bloom."); len(v.Reasons) != 0 {
		t.Errorf("after a quiet year: %+v", v)
	}
}

// A young account is noted (0.1) and never held for that alone.
func TestNewAccount(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", core.Member)
	if _, err := w.database.Exec(t, core.TheSystem(), `update accounts set created_at = now() - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	if v := w.send(t, ada, "", harmless); !slices.Equal(codes(v), []string{"new_account"}) || v.Decision != core.DecisionApprove {
		t.Errorf("an hour old: %+v", v)
	}
	w.pass(25 * time.Hour)
	if v := w.send(t, ada, "", "Behind the church there is a second bench."); len(v.Reasons) != 0 {
		t.Errorf("a day old: %+v", v)
	}
}
