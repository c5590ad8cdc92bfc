package shoutouts

import (
	"sync"
	"sync/atomic"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestMineAndWithdraw(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	_, err := w.Mine(t.Context(), core.Nobody(), core.Page{})
	wantError(t, "nobody's", err, core.Unauthenticated, "unauthenticated")
	id, late := w.post(t, ada, Input{BusinessName: "Take me back"}).ID, w.post(t, ada, Input{BusinessName: "Too late"}).ID
	w.mustDecide(t, mod, late, core.ActionReject, "It is not known.")
	mine, err := w.Mine(t.Context(), ada, core.Page{})
	if err != nil || mine.Total != 2 || mine.Items[0].Reason != "It is not known." || mine.Items[0].DecidedAt == nil || mine.Items[1].Status != Pending {
		t.Fatalf("%+v, %v", mine, err)
	}
	wantError(t, "by another", w.Withdraw(t.Context(), ben, id), core.NotFound, "not_found")
	wantError(t, "by staff", w.Withdraw(t.Context(), mod, id), core.NotFound, "not_found")
	wantError(t, "by nobody", w.Withdraw(t.Context(), core.Nobody(), id), core.Unauthenticated, "unauthenticated")
	wantError(t, "no id", w.Withdraw(t.Context(), ada, "x"), core.NotFound, "not_found")
	wantError(t, "once decided", w.Withdraw(t.Context(), ada, late), core.Conflict, "already_decided")
	if err := w.Withdraw(t.Context(), ada, id); err != nil {
		t.Fatal(err)
	}
	if n := w.count(t, `select (select count(*) from shoutouts) + (select count(*) from shoutout_senders) + (select count(*) from desk_queue where target_type = 'shoutout')`); n != 2 {
		t.Errorf("%d rows are left, want those of the refused one", n)
	}
}

func TestAdoption(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	public := w.post(t, core.Nobody(), Input{BusinessName: "Public", Mark: "browser"}).ID
	waiting := w.post(t, core.Nobody(), Input{BusinessName: "Waiting", Mark: "browser"}).ID
	w.post(t, core.Nobody(), Input{BusinessName: "Another's", Mark: "other"})
	w.post(t, core.Nobody(), Input{BusinessName: "Nobody's"})
	w.mustDecide(t, mod, public, core.ActionApprove, "")
	if w.count(t, `select count(*) from shoutout_senders where browser_hash = convert_to('browser', 'utf8')`) != 0 || len(w.till.paid) != 0 {
		t.Fatal("the mark itself is stored, or nobody was paid")
	}
	_, err := w.Adopt(t.Context(), core.Nobody(), "browser")
	wantError(t, "nobody adopts", err, core.Unauthenticated, "unauthenticated")
	if n, err := w.Adopt(t.Context(), ben, ""); err != nil || n != 0 {
		t.Errorf("without a mark: %d, %v", n, err)
	}
	if n, err := w.Adopt(t.Context(), ada, "browser"); err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	if len(w.till.paid) != 1 || w.till.paid[0].AccountID != ada.ID || w.till.paid[0].RefID != public {
		t.Errorf("paid %+v", w.till.paid)
	}
	for _, v := range []core.Viewer{ada, ben} {
		if n, err := w.Adopt(t.Context(), v, "browser"); err != nil || n != 0 {
			t.Errorf("%s adopts %d more, %v", v.Username, n, err)
		}
	}
	if mine, err := w.Mine(t.Context(), ada, core.Page{}); err != nil || mine.Total != 2 {
		t.Errorf("%+v, %v", mine, err)
	}
	if list, _ := w.List(t.Context(), Filter{}); list.Items[0].DisplayName != "" {
		t.Errorf("it shows the name %q that was not given", list.Items[0].DisplayName)
	}
	if got := pgtest.Value[string](t, w.database, core.TheSystem(), `select sender_id::text from desk_queue where target_id = $1`, waiting); got != ada.ID {
		t.Error("the desk does not know whose it is now")
	}
	w.mustDecide(t, mod, waiting, core.ActionApprove, "")
	if len(w.till.paid) != 2 {
		t.Errorf("paid %+v", w.till.paid)
	}
}

// Whoever comes first adopts, and a decision at the same moment pays once.
func TestManyAdoptAtOnceOnTwoInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod := w.moderator(t, "mod")
	people := []core.Viewer{w.member(t, "ada"), w.member(t, "ben"), w.member(t, "cat")}
	instances := []*Service{w.Service, w.second(t)}
	var ids []string
	for range 10 {
		ids = append(ids, w.post(t, core.Nobody(), Input{BusinessName: "One browser's", Mark: "browser"}).ID)
	}
	var adopted atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			n, err := instances[i%2].Adopt(t.Context(), people[i%3], "browser")
			if err != nil {
				t.Error(err)
			}
			adopted.Add(int64(n))
		})
	}
	for i, id := range ids {
		wg.Go(func() {
			if _, err := instances[i%2].decide(t.Context(), mod, id, core.ActionApprove, ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if adopted.Load() != 10 || len(w.till.paid) != 10 {
		t.Errorf("adopted %d, paid %d, want 10 each", adopted.Load(), len(w.till.paid))
	}
}

func TestLeave(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{true, false} {
		w := setup(t)
		ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
		w.post(t, ben, Input{BusinessName: "Ben stays"})
		public := w.post(t, ada, Input{BusinessName: "Public", SubmitterName: "A. L."}).ID
		w.post(t, ada, Input{BusinessName: "Waiting"})
		w.mustDecide(t, mod, public, core.ActionApprove, "")
		err := w.database.Write(t.Context(), ada, func(tx *pg.Tx) error { return w.LeaveTx(t.Context(), tx, ada.ID, remove) })
		if err != nil {
			t.Fatal(err)
		}
		want := 3
		if remove {
			want = 2
		}
		if n := w.count(t, `select count(*) from shoutouts`); n != want {
			t.Errorf("remove %t leaves %d, want %d", remove, n, want)
		}
		if n := w.count(t, `select count(*) from shoutouts o join shoutout_senders s on s.shoutout_id = o.id
			where s.account_id = $1 or o.author_id = $1 or o.given_name <> ''`, ada.ID); n != 0 {
			t.Errorf("remove %t leaves the name on %d", remove, n)
		}
		if list, err := w.List(t.Context(), Filter{}); err != nil || list.Total != 1 || list.Items[0].DisplayName != "" {
			t.Errorf("what was public is %+v, %v", list, err)
		}
	}
}
