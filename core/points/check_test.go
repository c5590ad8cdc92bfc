package points

import (
	"strings"
	"testing"

	"homeplace/core"
)

// Each kind of damage, done past the rules, is found and named.
func TestCheckNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := setup(t)
	proof, err := w.Check(t.Context(), core.TheSystem())
	if err != nil || proof.Transactions != 0 || len(proof.Faults) != 0 {
		t.Fatalf("an empty ledger: %+v, %v", proof, err)
	}
	ada := w.member(t, "ada")
	w.award(t, ada, core.AwardFile, "a")
	w.award(t, ada, core.AwardFile, "b")
	w.hold(t, ada, 4)
	if proof, err = w.Check(t.Context(), core.TheSystem()); err != nil || proof.Transactions != 3 || len(proof.Faults) != 0 {
		t.Fatalf("a sound ledger: %+v, %v", proof, err)
	}
	for _, c := range []struct{ damage, undo, want string }{
		{`update points_wallets set balance = 17 where kind = 'member'`, `update points_wallets set balance = 16 where kind = 'member'`,
			"holds 17, but its entries sum to 16"},
		{`update points_wallets set events = 4 where kind = 'member'`, `update points_wallets set events = 3 where kind = 'member'`,
			"counts 4 entries and has 3"},
		{`update points_entries set balance_after = 11 where seq = 1 and delta = 10`, `update points_entries set balance_after = 10 where seq = 1 and delta = 10`,
			"should be number 1 and leave 10, not 11"},
		{`update points_entries set seq = 9 where delta = -4`, `update points_entries set seq = 3 where delta = -4`,
			"is at entry 9, which should be number 3"},
		{`update points_entries set delta = 12 where seq = 1 and delta = 10`, `update points_entries set delta = 10 where delta = 12`,
			"its entries sum to 2"},
		{`update points_transactions set kind = 'correction' where ref_id = 'a'; update points_standings set points = 30`,
			`update points_transactions set kind = 'award' where ref_id = 'a'; update points_standings set points = 20`,
			"stands at 30 on the leaderboard, but has earned 20"},
		{`update points_transactions set kind = 'spend' where ref_id = 'a'`, `update points_transactions set kind = 'award' where ref_id = 'a'`,
			"not those of one spend"},
		{`update points_holds set state = 'voided', settled_at = now()`, `update points_holds set state = 'open', settled_at = null`,
			"it is voided, but its transactions say otherwise"},
		{`update points_standings set listed = false`, `update points_standings set listed = true`, "is not on the leaderboard, against its profile"},
		{`update profiles set leaderboard_opt_out = true`, `update profiles set leaderboard_opt_out = false`, "is on the leaderboard, against its profile"},
		{`update points_holds set amount = 5`, `update points_holds set amount = 4`, "open holds say 5"},
		{`update points_transactions set kind = 'reversal' where ref_id = 'b'; update points_entries set delta = -delta where transaction_id in (select id from points_transactions where ref_id = 'b')`,
			`update points_transactions set kind = 'award' where ref_id = 'b'; update points_entries set delta = -delta where transaction_id in (select id from points_transactions where ref_id = 'b')`,
			"takes back 10, but its award paid 0"},
		{`drop index points_transactions_award_once; update points_transactions set ref_id = 'a' where ref_id = 'b'`,
			`update points_transactions set ref_id = 'b' where id = (select max(id::text)::uuid from points_transactions where ref_id = 'a')`,
			"was paid 2 times for file_approved thing a"},
	} {
		past := func(sql string) {
			t.Helper()
			if _, err := w.db.Owner(t).Exec(t.Context(), `set session_replication_role = replica; `+sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		past(c.damage)
		proof, err := w.Check(t.Context(), core.TheSystem())
		if found := strings.Join(proof.Faults, "\n"); err != nil || !strings.Contains(found, c.want) || proof.Transactions != 3 {
			t.Errorf("%s: found %q of %d, %v; want %q", c.damage, found, proof.Transactions, err, c.want)
		}
		past(c.undo)
		w.wantSound(t)
	}
}
