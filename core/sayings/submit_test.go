package sayings

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

func TestSubmissionsArriveJudged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	sent, err := w.Submit(t.Context(), ada, Input{Words: Words{Text: "  A hard head makes a soft behind. ", Meaning: "Listen first.",
		Attribution: "Said in the South", Region: "US South", Category: "caution"}, SubmitterName: "Ada", SubmitterEmail: "ada@example.org", From: core.Origin{AddressKey: "192.0.2.7", Shared: true}})
	if err != nil || sent.Status != Pending || sent.Text != "A hard head makes a soft behind." {
		t.Fatalf("%+v, %v", sent, err)
	}
	if got := w.pipeline.seen[0]; got != (core.Text{Scope: "saying", From: core.Origin{AddressKey: "192.0.2.7", Shared: true}, About: core.Target{Type: "saying", ID: sent.ID},
		Body: "A hard head makes a soft behind.\nListen first.\nSaid in the South\nUS South\nAda"}) {
		t.Errorf("the pipeline saw %+v", got)
	}
	w.wantQueue(t, "sent", "A hard head makes a soft behind.")
	c, err := w.Case(t.Context(), mod, sent.ID)
	if err != nil || *c.Username != "ada" || c.SubmitterName != "Ada" || c.SubmitterEmail != "ada@example.org" || c.CategoryLabel != "Caution and trouble" {
		t.Errorf("the case is %+v, %v", c, err)
	}
	if good := w.submit(t, ada, "Say amen and mean it"); good.Status != Pending {
		t.Errorf("an approved one is %s", good.Status)
	}
	if lost := w.submit(t, ada, "An outage is a lesson"); lost.Status != Pending {
		t.Errorf("one that could not be judged is %s", lost.Status)
	}
	if bad := w.submit(t, ada, "buy now, regret never"); bad.Status != Spam {
		t.Errorf("a rejected one is %s", bad.Status)
	}
	w.needs.Moderator = nil
	if plain := w.submit(t, ada, "Nobody judges this"); plain.Status != Pending {
		t.Errorf("without a pipeline it is %s", plain.Status)
	}
	w.wantQueue(t, "spam does not wait", "A hard head makes a soft behind. | Say amen and mean it | An outage is a lesson | Nobody judges this")
	if n := w.count(t, `select count(verdict) from saying_submissions`); n != 0 {
		t.Errorf("%d verdicts are kept here, which is the moderation area's to do", n)
	}
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Total != 5 || mine.Items[0].Text != "Nobody judges this" || mine.Items[1].Status != Spam {
		t.Errorf("%+v, %v", mine, err)
	}
	if got := w.found(t, Filter{}); got != "" {
		t.Errorf("the public sees %s", got)
	}
}

func TestSubmissionsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	_, err := w.Submit(t.Context(), core.Nobody(), Input{Words: Words{Text: "Hello"}})
	wantError(t, "nobody", err, core.Unauthenticated, "unauthenticated")
	gone := ada
	gone.ID = pg.NewID()
	_, err = w.Submit(t.Context(), gone, Input{Words: Words{Text: "Hello"}})
	wantError(t, "an account that left", err, core.Unauthenticated, "unauthenticated")
	for field, in := range map[string]Input{
		"text":            {},
		"meaning":         {Words: Words{Text: "x", Meaning: strings.Repeat("é", 1001)}},
		"attribution":     {Words: Words{Text: "x", Attribution: "two\nlines"}},
		"region":          {Words: Words{Text: "x", Region: strings.Repeat("r", 61)}},
		"category":        {Words: Words{Text: "x", Category: "nonsense"}},
		"submitter_email": {Words: Words{Text: "x"}, SubmitterEmail: strings.Repeat("e", 255)},
	} {
		_, err := w.Submit(t.Context(), ada, in)
		wantError(t, field, err, core.Invalid, "validation_failed")
		if core.AsError(err).Fields[field] == "" {
			t.Errorf("%s is not named: %v", field, err)
		}
	}
	_, err = w.Submit(t.Context(), ada, Input{Words: Words{Text: "x", Category: "nonsense"}})
	if msg := core.AsError(err).Fields["category"]; !strings.Contains(msg, "wisdom") || !strings.Contains(msg, "love-and-friendship") {
		t.Errorf("it does not name the categories: %s", msg)
	}
	for _, text := range []string{"?!…", strings.Repeat("é", 501), "a\x00b"} {
		_, err := w.Submit(t.Context(), ada, Input{Words: Words{Text: text}})
		wantError(t, text, err, core.Invalid, "validation_failed")
	}
	if _, err := w.Submit(t.Context(), ada, Input{Words: Words{Text: strings.Repeat("é", 500)}}); err != nil {
		t.Errorf("500 characters: %v", err)
	}
	w.load(t, `{"slug":"crawfish","text":"Don’t count your crawfish, child."}`)
	_, err = w.Submit(t.Context(), ada, Input{Words: Words{Text: "Dont COUNT your crawfish child"}})
	wantError(t, "a near duplicate", err, core.Conflict, "already_here")
	if core.AsError(err).Details["slug"] != "crawfish" {
		t.Errorf("it does not say where: %+v", core.AsError(err).Details)
	}
	w.submit(t, ada, "This one waits")
	_, err = w.Submit(t.Context(), w.member(t, "ben"), Input{Words: Words{Text: "this one, waits"}})
	wantError(t, "what another sent", err, core.Conflict, "already_here")
	if core.AsError(err).Details != nil {
		t.Error("it tells of what is not public")
	}
}

func TestManyAtOnceOnTwoInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
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
	if got := run(12, func(s *Service, i int) error {
		_, err := s.Submit(t.Context(), []core.Viewer{ada, ben}[i%2], Input{Words: Words{Text: "All at once"}})
		return err
	}); got != 1 {
		t.Errorf("one saying was taken %d times", got)
	}
	if got := run(30, func(s *Service, i int) error {
		_, err := s.Submit(t.Context(), ben, Input{Words: Words{Text: fmt.Sprintf("Number %d", i)}})
		return err
	}); w.count(t, `select count(*) from sayings y join saying_submissions s on s.saying_id = y.id where s.submitted_by = $1`, ben.ID) != MaxPending {
		t.Errorf("%d more were taken, and the member has not %d waiting", got, MaxPending)
	}
	mods := []core.Viewer{w.moderator(t, "mod"), w.moderator(t, "other")}
	sent := w.submit(t, ada, "Decide me once")
	if got := run(8, func(s *Service, i int) error {
		_, err := w.decideAt(t, s.db, s.Desk(), mods[i%2], sent.ID, core.ActionApprove, "")
		return err
	}); got != 1 || len(w.till.paid) != 1 {
		t.Errorf("approved %d times, paid %d times", got, len(w.till.paid))
	}
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	sent := w.submit(t, ada, "Take me back")
	wantError(t, "by another", w.Withdraw(t.Context(), ben, sent.ID), core.NotFound, "not_found")
	wantError(t, "by staff", w.Withdraw(t.Context(), mod, sent.ID), core.NotFound, "not_found")
	wantError(t, "by nobody", w.Withdraw(t.Context(), core.Nobody(), sent.ID), core.Unauthenticated, "unauthenticated")
	wantError(t, "no id", w.Withdraw(t.Context(), ada, "x"), core.NotFound, "not_found")
	if err := w.Withdraw(t.Context(), ada, sent.ID); err != nil {
		t.Fatal(err)
	}
	if n := w.count(t, `select (select count(*) from sayings) + (select count(*) from saying_submissions)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	late := w.submit(t, ada, "Too late")
	w.decided(t, mod, late.ID, core.ActionApprove, "")
	wantError(t, "once decided", w.Withdraw(t.Context(), ada, late.ID), core.Conflict, "already_decided")
}

func TestLeave(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{true, false} {
		w := setup(t)
		ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
		w.submit(t, ben, "Ben stays")
		public := w.submit(t, ada, "Public already")
		w.decided(t, mod, public.ID, core.ActionApprove, "")
		w.submit(t, ada, "Waiting still")
		err := w.database.DB.Write(t.Context(), ada, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ada.ID, remove) })
		if err != nil {
			t.Fatal(err)
		}
		want := 3
		if remove {
			want = 2
		}
		if n := w.count(t, `select count(*) from sayings`); n != want {
			t.Errorf("remove %t leaves %d, want %d", remove, n, want)
		}
		if n := w.count(t, `select count(*) from saying_submissions where submitted_by = $1 or submitter_name <> ''`, ada.ID); n != 0 {
			t.Errorf("remove %t leaves the name on %d", remove, n)
		}
		if w.found(t, Filter{}) != "public-already" {
			t.Error("what was public is gone")
		}
		waiting := "Ben stays"
		if !remove {
			waiting += " | Waiting still"
		}
		w.wantQueue(t, "left", waiting)
		last := pgtest.Value[string](t, w.database, mod, `select target_id::text from desk_queue order by since desc limit 1`)
		if _, err := w.decideAt(t, w.database.DB, w.Desk(), mod, last, core.ActionApprove, ""); err != nil {
			t.Errorf("deciding what is left: %v", err)
		}
	}
}
