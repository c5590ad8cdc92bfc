package contributions

import (
	"strings"
	"sync"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// leave does what accounts.Access does with an account that goes.
func (i instance) leave(t *testing.T, v core.Viewer, remove bool) {
	t.Helper()
	err := i.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		if err := i.LeaveTx(t.Context(), tx, v.ID, remove); err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), `select from accounts where id = $1 for update`, v.ID); err != nil {
			return err
		}
		if err := i.LeaveTx(t.Context(), tx, v.ID, remove); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `delete from accounts where id = $1`, v.ID)
		return err
	})
	if err != nil {
		t.Errorf("%s leaves: %v", v.Username, err)
	}
}

func TestKeptContributionsStayDecidable(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	listing, edit, refused := w.offered(t, ada, "Ada's Oven"), w.suggested(t, ada, "404-555-0199"), w.offered(t, ada, "Ada's Mill")
	open, err := w.StillOpen(t.Context(), ada, directory.KindBusiness, "blue-heron", true, "Ask for Ada.")
	if err != nil {
		t.Fatal(err)
	}
	w.leave(t, ada, false)
	w.wantQueue(t, "left", "Ada's Oven | Blue Heron Bakery | Ada's Mill | Blue Heron Bakery")
	for _, id := range []string{listing.ID, edit.ID, refused.ID, open.ID} {
		c := w.read(t, mod, id)
		if c.AccountID != "" || c.Username != "" || !CanDecide(mod, c) || !CanDecide(core.TheSystem(), c) || CanWithdraw(core.Nobody(), c) || CanWithdraw(core.TheSystem(), c) {
			t.Errorf("%s is %+v", c.EntryName, c)
		}
	}
	if c, err := w.Get(t.Context(), mod, open.ID); err != nil || c.Message != "Ask for Ada." {
		t.Errorf("Get = %+v, %v", c, err)
	}
	for _, id := range []string{listing.ID, edit.ID, open.ID} {
		w.decided(t, mod, id, core.ActionApprove, "")
		if c := w.read(t, mod, id); c.Status != Approved {
			t.Errorf("%s is %s", c.EntryName, c.Status)
		}
	}
	w.decided(t, mod, refused.ID, core.ActionReject, "no")
	if c := w.read(t, mod, refused.ID); c.Status != Refused {
		t.Errorf("%s is %s", c.EntryName, c.Status)
	}
	if e := w.heron(t); *e.Phone != "404-555-0199" || !e.Verified {
		t.Errorf("the entry is %+v", e)
	}
	if n := w.count(t, `select count(*) from directory_entries where name = 'Ada''s Oven' and owner_id is null and status = 'published'`); n != 1 {
		t.Errorf("%d listings were published, want 1 of nobody", n)
	}
	w.wantSound(t)
}

func TestRemovedContributions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	approved, waiting := w.offered(t, ada, "Ada's Oven"), w.offered(t, ada, "Ada's Mill")
	w.offered(t, ben, "Ben's Oven")
	w.decided(t, mod, approved.ID, core.ActionApprove, "")
	w.leave(t, ada, true)
	w.wantQueue(t, "left", "Ben's Oven")
	wantError(t, "approving what was removed", w.decide(t, mod, waiting.ID, core.ActionApprove), core.NotFound, "not_found")
	if n := w.count(t, `select count(*) from directory_contributions`); n != 1 {
		t.Errorf("%d contributions are left, want Ben's", n)
	}
	if n := w.count(t, `select count(*) from directory_entries where name = 'Ada''s Oven' and owner_id is null and status = 'published'`); n != 1 {
		t.Errorf("%d entries are left, want the one that was approved", n)
	}
	_, err := w.Offer(t.Context(), ada, directory.Input{Kind: directory.KindBusiness, Name: "Late Oven", City: "Atlanta"})
	wantError(t, "offering after leaving", err, core.Unauthenticated, "unauthenticated")
	// Who decides may leave as well.
	w.leave(t, mod, true)
	if n := w.count(t, `select count(*) from directory_contributions`); n != 1 {
		t.Errorf("%d contributions are left after the moderator left", n)
	}
}

// A member leaves while moderators on two instances decide: every decision
// holds or comes too late, and nothing belongs to somebody who is not there.
func TestLeavingWhileOthersDecide(t *testing.T) {
	t.Parallel()
	w := setup(t)
	mod := w.moderator(t, "mod")
	instances := []instance{w.instance, w.second(t)}
	for round, remove := range []bool{false, true, false, true} {
		v := w.member(t, "ada-"+string(rune('a'+round)))
		var sent []Contribution
		for range 6 {
			sent = append(sent, w.offered(t, v, "Oven "+v.Username))
		}
		var all sync.WaitGroup
		for i, c := range sent {
			all.Go(func() {
				if err := instances[i%2].decide(t, mod, c.ID, core.ActionApprove); err != nil && (!remove || core.KindOf(err) != core.NotFound) {
					t.Errorf("approve while the member leaves: %v", err)
				}
			})
		}
		all.Go(func() { instances[round%2].leave(t, v, remove) })
		all.Wait()
	}
	if n := w.count(t, `select count(*) from directory_entries where owner_id is not null`); n != 0 {
		t.Errorf("%d entries belong to somebody", n)
	}
	if kept := w.count(t, `select count(*) from directory_contributions where status = 'approved' and account_id is null`); kept != 12 {
		t.Errorf("%d approved contributions were kept, want the 12 of two members", kept)
	}
	if n := w.count(t, `select count(*) from directory_contributions`); n != 12 {
		t.Errorf("%d contributions are left, want 12", n)
	}
	w.wantSound(t)
}

// A member who removes everything goes on sending from another browser: nothing
// slips through.
func TestSendingWhileLeaving(t *testing.T) {
	t.Parallel()
	w := setup(t)
	instances := []instance{w.instance, w.second(t)}
	for round := range 4 {
		v := w.member(t, "ada-"+string(rune('a'+round)))
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				_, err := instances[i%2].Offer(t.Context(), v, directory.Input{Kind: directory.KindBusiness, Name: "Oven", City: "Atlanta"})
				if err != nil && core.KindOf(err) != core.Unauthenticated {
					t.Errorf("offer while leaving: %v", err)
				}
			})
		}
		all.Go(func() { instances[round%2].leave(t, v, true) })
		all.Wait()
	}
	if n := w.count(t, `select count(*) from directory_contributions`); n != 0 {
		t.Errorf("%d contributions are left, want none", n)
	}
}

// Only the policies stand in the way of these statements.
func TestNobodysIsNobodysOwn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	c := w.offered(t, ada, "Ada's Oven")
	w.leave(t, ada, false)
	nameless := core.Viewer{Role: core.Member}
	const read = `select from directory_contributions where id = $1`
	const withdraw = `update directory_contributions set status = 'withdrawn' where id = $1`
	const adopt = `update directory_contributions set account_id = viewer_id() where id = $1`
	const insert = `insert into directory_contributions (id, kind, entry_name, account_id, proposal) values (gen_random_uuid(), 'listing', $1, null, '{}')`
	const decide = `update directory_contributions set status = 'refused', reason = 'no', decided_at = now(), decided_by = viewer_id() where id = $1`
	for _, s := range []struct {
		what   string
		viewer core.Viewer
		sql    string
		want   string
	}{
		{"a member reads it", ben, read, "0"},
		{"a member without an id reads it", nameless, read, "0"},
		{"a member withdraws it", ben, withdraw, "0"},
		{"a moderator withdraws it", mod, withdraw, "denied"},
		{"a member adopts it", ben, adopt, "denied"},
		{"a moderator adopts it", mod, adopt, "denied"},
		{"a member sends something of nobody", ben, insert, "denied"},
		{"a moderator sends something of nobody", mod, insert, "denied"},
		{"a member without an id sends something", nameless, insert, "denied"},
		{"a member decides it", ben, decide, "denied"},
		{"a moderator decides it", mod, decide, "1"},
	} {
		rows, err := w.database.Exec(t, s.viewer, s.sql, c.ID)
		got := strings.Repeat("1", int(rows))
		switch {
		case pg.Denied(err):
			got = "denied"
		case err != nil:
			got = err.Error()
		case rows == 0:
			got = "0"
		}
		if got != s.want {
			t.Errorf("%s: %s, want %s", s.what, got, s.want)
		}
	}
}

func TestGiven(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	one, two, edit, refused := w.offered(t, ada, "One"), w.offered(t, ada, "Two"), w.suggested(t, ada, "404-555-0199"), w.offered(t, ada, "Three")
	w.offered(t, ada, "Waiting")
	open, err := w.StillOpen(t.Context(), ada, directory.KindBusiness, "blue-heron", true, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Contribution{one, two, edit, open} {
		w.decided(t, mod, c.ID, core.ActionApprove, "")
	}
	w.decided(t, mod, refused.ID, core.ActionReject, "no")
	want := func(what, account string, want Given) {
		t.Helper()
		if g, err := w.Given(t.Context(), account); err != nil || g != want {
			t.Errorf("%s: %+v, %v, want %+v", what, g, err, want)
		}
	}
	want("ada", ada.ID, Given{Listings: 2, Edits: 1})
	want("somebody who gave nothing", mod.ID, Given{})
	want("nobody", pg.NewID(), Given{})
	want("no id", "x", Given{})
	if _, err := w.database.Exec(t, core.TheSystem(), `update profiles set leaderboard_opt_out = true where account_id = $1`, ada.ID); err != nil {
		t.Fatal(err)
	}
	want("who stays out of the leaderboard", ada.ID, Given{})
}
