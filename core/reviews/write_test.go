package reviews

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestReviewsArriveJudged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	from := core.Origin{AddressKey: "192.0.2.7", Shared: true}
	sent, err := w.Write(t.Context(), ada, "shea", Input{Rating: 4, Title: " Soft ", Body: "  It melts in the hand. \r\nTruly.", From: from})
	if err != nil || sent.Status != Pending || sent.Title != "Soft" || sent.Body != "It melts in the hand. \nTruly." || sent.ProductName != "Shea Butter" {
		t.Fatalf("%+v, %v", sent, err)
	}
	if got := w.pipeline.seen[0]; got != (core.Text{Scope: "review", From: from, About: core.Target{Type: "review", ID: sent.ID}, Body: "Soft\nIt melts in the hand. \nTruly."}) {
		t.Errorf("the pipeline saw %+v", got)
	}
	if got := pgtest.Value[string](t, w.database, core.TheSystem(), `select title from desk_queue where target_type = 'review' and target_id = $1 and sender_id = $2`,
		sent.ID, ada.ID); got != "Shea Butter: Soft" {
		t.Errorf("the desk shows %q", got)
	}
	own, found, err := w.Own(t.Context(), ada, productID(t, w, "shea"))
	if err != nil || !found || own.ID != sent.ID || own.Author != "ada" || own.Status != Pending {
		t.Errorf("%+v, %v", own, err)
	}
	if _, found, err := w.Own(t.Context(), w.member(t, "ben"), productID(t, w, "shea")); err != nil || found {
		t.Errorf("another has one, too: %v", err)
	}
	if lost := w.write(t, ada, "coffee", 5, "An outage of all other coffee."); lost.Status != Pending {
		t.Errorf("one that could not be judged is %s", lost.Status)
	}
	if bad := w.write(t, ada, "coffee", 5, "buy now, regret never"); bad.Status != Spam {
		t.Errorf("a rejected one is %s", bad.Status)
	}
	if n := w.count(t, `select count(*) from desk_queue`); n != 1 {
		t.Errorf("%d wait, want 1: spam does not", n)
	}
	w.needs.Moderator = nil
	if plain := w.write(t, ada, "coffee", 5, "Nobody judges this."); plain.Status != Pending {
		t.Errorf("without a pipeline it is %s", plain.Status)
	}
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Total != 2 || mine.Items[0].Body != "Nobody judges this." || mine.Items[1].ID != sent.ID {
		t.Errorf("%+v, %v", mine, err)
	}
	if got := w.found(t, Filter{}); got != "" {
		t.Errorf("the public sees %s", got)
	}
}

func productID(t testing.TB, w world, slug string) string {
	t.Helper()
	return pgtest.Value[string](t, w.database, core.TheSystem(), `select id::text from products where slug = $1`, slug)
}

func TestReviewsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	_, err := w.Write(t.Context(), core.Nobody(), "shea", Input{Rating: 5, Body: "Hello, neighbours"})
	wantError(t, "nobody", err, core.Unauthenticated, "unauthenticated")
	gone := ada
	gone.ID = pg.NewID()
	_, err = w.Write(t.Context(), gone, "shea", Input{Rating: 5, Body: "Hello, neighbours"})
	wantError(t, "an account that left", err, core.Unauthenticated, "unauthenticated")
	_, err = w.Write(t.Context(), ada, "nothing", Input{Rating: 5, Body: "Hello, neighbours"})
	wantError(t, "an unknown product", err, core.NotFound, "not_found")
	ten := strings.Repeat("é", 10)
	for field, inputs := range map[string][]Input{
		"rating": {{Body: ten}, {Rating: 6, Body: ten}, {Rating: -1, Body: ten}},
		"title":  {{Rating: 5, Title: strings.Repeat("é", 121), Body: ten}, {Rating: 5, Title: "two\nlines", Body: ten}},
		"body":   {{Rating: 5}, {Rating: 5, Body: "   too  short  "[:9]}, {Rating: 5, Body: strings.Repeat("é", 2001)}, {Rating: 5, Body: "a bell \a rings"}},
	} {
		for _, in := range inputs {
			_, err := w.Write(t.Context(), ada, "shea", in)
			wantError(t, field, err, core.Invalid, "validation_failed")
			if core.AsError(err).Fields[field] == "" {
				t.Errorf("%s is not named: %v", field, err)
			}
		}
	}
	for _, in := range []Input{{Rating: 1, Body: ten}, {Rating: 5, Title: strings.Repeat("é", 120), Body: strings.Repeat("é", 2000)}} {
		if _, err := w.Write(t.Context(), ada, "shea", in); err != nil {
			t.Errorf("at the bounds: %v", err)
		}
	}
}

func TestWritingAgainReplaces(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	first := w.approved(t, ada, mod, "shea", 5, "Soft hands at last.")
	if w.found(t, Filter{}) != "ada" {
		t.Fatal("it is not shown")
	}
	second := w.write(t, ada, "shea", 2, "It did not last at all.")
	if second.ID == first.ID || w.count(t, `select count(*) from reviews`) != 1 || w.found(t, Filter{}) != "" {
		t.Error("the second does not stand in the place of the first")
	}
	third := w.write(t, ada, "shea", 3, "It lasted in the end.")
	_, err := w.decide(t, mod, second.ID, core.ActionApprove, "")
	wantError(t, "deciding about words that are gone", err, core.NotFound, "not_found")
	if n := w.count(t, `select count(*) from desk_queue where target_id = $1`, third.ID); n != 1 || w.count(t, `select count(*) from desk_queue`) != 1 {
		t.Error("the desk does not have the third, or has others, too")
	}
	if _, err := w.decide(t, mod, third.ID, core.ActionReject, "Say how you used it."); err != nil {
		t.Fatal(err)
	}
	fourth := w.write(t, ada, "shea", 3, "I used it on my hands.")
	own, _, err := w.Own(t.Context(), ada, productID(t, w, "shea"))
	if err != nil || own.ID != fourth.ID || own.Status != Pending || own.Reason != "" || own.DecidedAt != nil {
		t.Errorf("%+v, %v", own, err)
	}
	if spam := w.write(t, ada, "shea", 5, "buy now, buy now"); spam.Status != Spam || w.count(t, `select count(*) from desk_queue`) != 0 {
		t.Errorf("as spam it is %s, and waits", spam.Status)
	}
	if own := w.write(t, mod, "shea", 4, "A moderator writes, too."); own.Status != Pending {
		t.Errorf("a moderator's own is %s", own.Status)
	}
}

func TestManyAtOnceOnTwoInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for n := range 25 {
		w.products(t, fmt.Sprintf(`{"slug":"p-%d","name":"Product %d"}`, n, n))
	}
	ada, ben := w.member(t, "ada"), w.member(t, "ben")
	instances := []*Service{w.Service, w.second(t)}
	run := func(n int, what func(s *Service, i int) error) (done int) {
		var took atomic.Int64
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				switch err := what(instances[i%2], i); {
				case err == nil:
					took.Add(1)
				case core.KindOf(err) != core.Conflict:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return int(took.Load())
	}
	if got := run(12, func(s *Service, i int) error { // two tabs, and more
		words := fmt.Sprintf("Words of tab %d", i)
		if i%3 == 0 {
			words += ", buy now"
		}
		_, err := s.Write(t.Context(), ada, "shea", Input{Rating: 1 + i%5, Body: words})
		return err
	}); got != 12 {
		t.Errorf("%d of 12 were taken", got)
	}
	own, found, err := w.Own(t.Context(), ada, productID(t, w, "shea"))
	if err != nil || !found || w.count(t, `select count(*) from reviews`) != 1 {
		t.Fatalf("ada has %d reviews: %v", w.count(t, `select count(*) from reviews`), err)
	}
	if want := map[bool]Status{true: Spam, false: Pending}[strings.Contains(own.Body, "buy now")]; own.Status != want {
		t.Errorf("%q is %s", own.Body, own.Status)
	}
	for _, seen := range w.pipeline.seen {
		if seen.About.ID == own.ID && seen.Body != own.Body {
			t.Errorf("the verdict of %q is about %q", own.Body, seen.Body)
		}
	}
	if n := w.count(t, `select count(*) from desk_queue q join reviews r on r.id = q.target_id`); n != w.count(t, `select count(*) from desk_queue`) || n > 1 {
		t.Errorf("%d wait at the desk", n)
	}
	run(25, func(s *Service, i int) error {
		_, err := s.Write(t.Context(), ben, fmt.Sprintf("p-%d", i), Input{Rating: 5, Body: "All of them at once"})
		return err
	})
	if n := w.count(t, `select count(*) from reviews where account_id = $1`, ben.ID); n != MaxPending {
		t.Errorf("%d of ben's wait, want %d", n, MaxPending)
	}
	one := pgtest.Value[string](t, w.database, core.TheSystem(), `select p.slug from reviews r join products p on p.id = r.product_id where account_id = $1 limit 1`, ben.ID)
	if _, err := w.Write(t.Context(), ben, one, Input{Rating: 4, Body: "Writing one of them again"}); err != nil {
		t.Errorf("with 20 waiting, one cannot be written again: %v", err)
	}
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "other")}
	sent := w.write(t, ada, "coffee", 5, "Decide me once, please")
	if got := run(8, func(s *Service, i int) error {
		_, err := decide(t, s, mods[i%2], sent.ID, core.ActionApprove, "")
		return err
	}); got != 1 {
		t.Errorf("approved %d times", got)
	}
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	sent := w.write(t, ada, "shea", 5, "Take me back, please")
	wantError(t, "by another", w.Withdraw(t.Context(), ben, sent.ID), core.NotFound, "not_found")
	wantError(t, "by staff", w.Withdraw(t.Context(), mod, sent.ID), core.NotFound, "not_found")
	wantError(t, "by nobody", w.Withdraw(t.Context(), core.Nobody(), sent.ID), core.Unauthenticated, "unauthenticated")
	wantError(t, "no id", w.Withdraw(t.Context(), ada, "x"), core.NotFound, "not_found")
	if err := w.Withdraw(t.Context(), ada, sent.ID); err != nil {
		t.Fatal(err)
	}
	if n := w.count(t, `select (select count(*) from reviews) + (select count(*) from desk_queue)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	shown := w.approved(t, ada, mod, "shea", 5, "Shown, and then taken back")
	if err := w.Withdraw(t.Context(), ada, shown.ID); err != nil || w.found(t, Filter{}) != "" {
		t.Errorf("what is shown stays: %v", err)
	}
	refused := w.write(t, ada, "shea", 5, "This will be refused")
	if _, err := w.decide(t, mod, refused.ID, core.ActionReject, "No"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "what was refused", w.Withdraw(t.Context(), ada, refused.ID), core.Conflict, "already_decided")
}

func TestLeave(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{true, false} {
		w := setup(t)
		ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
		w.write(t, ben, "shea", 4, "Ben stays where he is.")
		w.approved(t, ada, mod, "shea", 5, "Public already, by now")
		waiting := w.write(t, ada, "coffee", 5, "Waiting still, for you")
		if err := w.db.Write(t.Context(), ada, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ada.ID, remove) }); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{true: 1, false: 3}[remove]
		if n := w.count(t, `select count(*) from reviews`); n != want {
			t.Errorf("remove %t leaves %d, want %d", remove, n, want)
		}
		if n := w.count(t, `select (select count(*) from reviews where account_id = $1) + (select count(*) from desk_queue where sender_id = $1)`, ada.ID); n != 0 {
			t.Errorf("remove %t leaves the name on %d", remove, n)
		}
		if _, err := w.database.Exec(t, core.TheSystem(), `delete from accounts where id = $1`, ada.ID); err != nil {
			t.Errorf("the account cannot go: %v", err)
		}
		if remove {
			continue
		}
		if list, err := w.List(t.Context(), Filter{}); err != nil || list.Total != 1 || list.Items[0].Author != "" {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err := w.decide(t, mod, waiting.ID, core.ActionApprove, ""); err != nil {
			t.Errorf("deciding nobody's: %v", err)
		}
	}
}
