package contributions

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, ben, mod, own := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod"), w.moderator(t, "own")
	adas, mods := w.offered(t, ada, "Ada's Oven"), w.offered(t, own, "Own Oven")
	const fine = ""
	for _, c := range []struct {
		who                                          string
		viewer                                       core.Viewer
		id                                           string
		mine, recent, get, withdraw, approve, refuse string
	}{
		{"nobody", core.Nobody(), adas.ID, "unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated"},
		{"the zero viewer", core.Viewer{}, adas.ID, "unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated"},
		{"another member", ben, adas.ID, fine, "not_allowed", "not_found", "not_found", "not_allowed", "not_allowed"},
		{"its member", ada, adas.ID, fine, "not_allowed", fine, "", "not_allowed", "not_allowed"},
		{"a moderator, of another's", mod, adas.ID, fine, fine, fine, "not_allowed", "", ""},
		{"a moderator, of their own", own, mods.ID, fine, fine, fine, "", "not_allowed", "not_allowed"},
		{"anybody, of nothing", mod, pg.NewID(), fine, fine, "not_found", "not_found", "not_found", "not_found"},
		{"anybody, of no id", mod, "x", fine, fine, "not_found", "not_found", "not_found", "not_found"},
	} {
		_, mine := w.Mine(t.Context(), c.viewer, core.Page{})
		_, recent := w.Recent(t.Context(), c.viewer, 1)
		_, get := w.Get(t.Context(), c.viewer, c.id)
		wantCode(t, c.who+": mine", mine, c.mine)
		wantCode(t, c.who+": what was sent lately", recent, c.recent)
		wantCode(t, c.who+": get", get, c.get)
		if c.withdraw != fine {
			wantCode(t, c.who+": withdraw", w.Withdraw(t.Context(), c.viewer, c.id), c.withdraw)
		}
		if c.approve != fine {
			wantCode(t, c.who+": approve", w.decide(t, c.viewer, c.id, core.ActionApprove), c.approve)
		}
		if c.refuse != fine {
			wantCode(t, c.who+": refuse", w.decide(t, c.viewer, c.id, core.ActionReject), c.refuse)
		}
	}
	if n := w.count(t, `select count(*) from directory_contributions where status = 'pending'`); n != 2 {
		t.Errorf("%d wait, want 2", n)
	}
	w.wantQueue(t, "two were sent", "Ada's Oven | Own Oven")
	if !CanDecide(own, adas) || CanDecide(own, mods) || CanDecide(ada, mods) || !CanDecide(core.TheSystem(), adas) {
		t.Error("the policy says otherwise than the service")
	}
	if CanWithdraw(core.Nobody(), Contribution{Status: Pending}) || !CanWithdraw(ada, adas) || CanWithdraw(own, adas) {
		t.Error("the policy of withdrawing says otherwise than the service")
	}
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if code == "" && err == nil {
		return
	}
	if code == "" || err == nil || core.AsError(err).Code != code {
		t.Errorf("%s gives %v, want %q", what, err, code)
	}
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	c := w.offered(t, ada, "Ada's Oven")
	if err := w.Withdraw(t.Context(), ada, c.ID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "withdrawing again", w.Withdraw(t.Context(), ada, c.ID), "already_decided")
	wantError(t, "approving what was withdrawn", w.decide(t, mod, c.ID, core.ActionApprove), core.Conflict, "already_decided")
	w.wantQueue(t, "withdrawn", "")
	decided := w.offered(t, ada, "Ada's Mill")
	w.decided(t, mod, decided.ID, core.ActionReject, "no")
	wantCode(t, "withdrawing what was refused", w.Withdraw(t.Context(), ada, decided.ID), "already_decided")
	own := w.offered(t, mod, "Mod's Mill")
	if err := w.Withdraw(t.Context(), mod, own.ID); err != nil {
		t.Errorf("a moderator's own: %v", err)
	}
}

// Forty moderators press at once, on two instances: one decision is made.
func TestOneDecision(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	c := w.offered(t, ada, "Ada's Oven")
	instances := []instance{w.instance, w.second(t)}
	var moderators []core.Viewer
	for i := range 40 {
		moderators = append(moderators, w.moderator(t, "mod-"+string(rune('a'+i/10))+string(rune('0'+i%10))))
	}
	var approved, refused, conflicts atomic.Int32
	var wg sync.WaitGroup
	for i, mod := range moderators {
		wg.Go(func() {
			won, action := &approved, core.ActionApprove
			if i%4 >= 2 {
				won, action = &refused, core.ActionReject
			}
			err := instances[i%2].decide(t, mod, c.ID, action)
			switch {
			case err == nil:
				won.Add(1)
			case core.AsError(err).Code == "already_decided" && core.KindOf(err) == core.Conflict:
				conflicts.Add(1)
			default:
				t.Errorf("decide: %v", err)
			}
		})
	}
	wg.Wait()
	if approved.Load()+refused.Load() != 1 || conflicts.Load() != 39 {
		t.Errorf("%d approved, %d refused, %d came late", approved.Load(), refused.Load(), conflicts.Load())
	}
	if n := w.count(t, `select count(*) from directory_entries`); n != int(approved.Load()) {
		t.Errorf("%d entries were made", n)
	}
	w.wantSound(t)
}

// Only the policies stand in the way of these statements.
func TestPolicies(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, heron)
	ada, ben, mod := w.member(t, "ada"), w.member(t, "ben"), w.moderator(t, "mod")
	adas, mods := w.offered(t, ada, "Ada's Oven"), w.offered(t, mod, "Mod's Oven")
	const insert = `insert into directory_contributions (id, kind, entry_name, account_id, proposal) values (gen_random_uuid(), 'listing', 'X', $1, '{}')`
	const withStatus = `insert into directory_contributions (id, kind, entry_name, account_id, proposal, status) values (gen_random_uuid(), 'listing', 'X', $1, '{}', 'withdrawn')`
	const withdraw = `update directory_contributions set status = 'withdrawn' where id = $1`
	const refuse = `update directory_contributions set status = 'refused', reason = 'no', decided_at = now(), decided_by = viewer_id() where id = $1`
	const asAnother = `update directory_contributions set status = 'refused', reason = 'no', decided_at = now(), decided_by = account_id where id = $1`
	for _, c := range []struct {
		what   string
		viewer core.Viewer
		sql    string
		arg    string
		want   string // rows changed, or "denied"
	}{
		{"nobody inserts", core.Nobody(), insert, ada.ID, "denied"},
		{"nobody reads", core.Nobody(), `select from directory_contributions where id = $1`, adas.ID, "denied"},
		{"a member inserts for another", ben, insert, ada.ID, "denied"},
		{"a moderator inserts for another", mod, insert, ada.ID, "denied"},
		{"a member inserts what is decided", ben, withStatus, ben.ID, "denied"},
		{"a member reads another's", ben, `select from directory_contributions where id = $1`, adas.ID, "0"},
		{"a member reads their own", ada, `select from directory_contributions where id = $1`, adas.ID, "1"},
		{"a member withdraws another's", ben, withdraw, adas.ID, "0"},
		{"a member approves their own", ada, `update directory_contributions set status = 'approved' where id = $1`, adas.ID, "denied"},
		{"a member writes another message", ada, `update directory_contributions set message = 'x' where id = $1`, adas.ID, "denied"},
		{"a member deletes their own", ada, `delete from directory_contributions where id = $1`, adas.ID, "denied"},
		{"a moderator deletes", mod, `delete from directory_contributions where id = $1`, adas.ID, "denied"},
		{"a moderator withdraws another's", mod, withdraw, adas.ID, "denied"},
		{"a moderator decides their own", mod, refuse, mods.ID, "denied"},
		{"a moderator decides in another's name", mod, asAnother, adas.ID, "denied"},
		{"a moderator changes a proposal", mod, `update directory_contributions set proposal = '{}' where id = $1`, adas.ID, "denied"},
		{"a moderator refuses", mod, refuse, adas.ID, "1"},
		{"and again", mod, refuse, adas.ID, "0"},
		{"its member withdraws what was refused", ada, withdraw, adas.ID, "0"},
		{"a moderator withdraws their own", mod, withdraw, mods.ID, "1"},
	} {
		rows, err := w.database.Exec(t, c.viewer, c.sql, c.arg)
		got := strings.Repeat("many", int(rows))
		switch {
		case pg.Denied(err):
			got = "denied"
		case err != nil:
			got = err.Error()
		case rows < 2:
			got = string(rune('0' + rows))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	if n := pgtest.Value[int](t, w.database, ben, `select count(*) from directory_contributions`); n != 0 {
		t.Errorf("a member sees %d of others", n)
	}
}

// The room of a member is kept by the table itself, for staff and the program too.
func TestRoomIsTheTables(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	const many = `
		insert into directory_contributions (id, kind, entry_name, account_id, proposal)
		select gen_random_uuid(), 'listing', 'X', $1, '{}' from generate_series(1, $2)`
	for _, writer := range []core.Viewer{ada, mod, core.TheSystem()} {
		of := ada
		if writer.Role == core.Staff {
			of = mod
		}
		if _, err := w.database.Exec(t, writer, many, of.ID, MaxPending+1); !breaks(err, "directory_contributions_room") {
			t.Errorf("%s: %v", writer.DatabaseRole(), err)
		}
	}
	if _, err := w.database.Exec(t, ada, many, ada.ID, MaxPending); err != nil {
		t.Errorf("as many as may be: %v", err)
	}
}
