package points

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// refused tells how the database refused a statement: "denied" for a missing
// right, else the rule that it breaks.
func refused(err error) string {
	switch {
	case err == nil:
		return "done"
	case pg.Denied(err):
		return "denied"
	}
	var server *pgconn.PgError
	if errors.As(err, &server) && server.ConstraintName != "" {
		return server.ConstraintName
	}
	return err.Error()
}

// filled has a member with points, some of them held.
func filled(t *testing.T) (w world, ada core.Viewer) {
	t.Helper()
	w = setup(t)
	ada = w.member(t, "ada")
	w.award(t, ada, core.AwardFile, "a")
	w.hold(t, ada, 4)
	return w, ada
}

func TestServiceAsksWhoYouAre(t *testing.T) {
	t.Parallel()
	w, ada := filled(t)
	_, err := w.Balance(t.Context(), core.Nobody())
	wantError(t, "nobody's balance", err, core.Unauthenticated, "unauthenticated")
	_, err = w.Events(t.Context(), core.Nobody(), core.Page{})
	wantError(t, "nobody's events", err, core.Unauthenticated, "unauthenticated")
	_, err = w.Check(t.Context(), ada)
	wantError(t, "a member's check", err, core.Forbidden, "not_allowed")
	ben := w.member(t, "ben")
	w.wantBalance(t, ben, Balance{})
	if log, err := w.Events(t.Context(), ben, core.Page{}); err != nil || log.Total != 0 {
		t.Errorf("another member's events are %+v, %v", log, err)
	}
}

// Only row-level security stands between these statements and another's points.
func TestRowsAreTheirOwners(t *testing.T) {
	t.Parallel()
	w, ada := filled(t)
	ben, mod := w.member(t, "ben"), w.account(t, "mod", core.Staff)
	counts := []string{
		`select count(*) from points_wallets`,
		`select count(*) from points_holds`,
		`select count(id) from points_transactions`,
		`select count(*) from points_entries`,
	}
	for i, want := range []int{2, 1, 2, 3} { // member and held; the hold; award and hold; the entries of both wallets
		if n := pgtest.Value[int](t, w.db, ada, counts[i]); n != want {
			t.Errorf("ada: %s gives %d, want %d", counts[i], n, want)
		}
		for _, v := range []core.Viewer{ben, mod} {
			if n := pgtest.Value[int](t, w.db, v, counts[i]); n != 0 {
				t.Errorf("%s: %s gives %d", v.Username, counts[i], n)
			}
		}
		if _, err := w.db.Exec(t, core.Nobody(), counts[i]); refused(err) != "denied" {
			t.Errorf("nobody: %s: %v", counts[i], err)
		}
	}
	if _, err := w.db.Exec(t, ada, `select created_by from points_transactions`); refused(err) != "denied" {
		t.Errorf("a member learns who corrected: %v", err)
	}
}

func TestNobodyWrites(t *testing.T) {
	t.Parallel()
	w, ada := filled(t)
	mod := w.account(t, "mod", core.Staff)
	for _, statement := range []string{
		`update points_wallets set balance = 1000`, `delete from points_wallets`,
		`insert into points_wallets (id, kind, balance) values (gen_random_uuid(), 'member', 0)`,
		`update points_holds set state = 'voided', settled_at = now()`, `delete from points_holds`,
		`insert into points_transactions (id, kind, wallet_id, reason, created_at) select gen_random_uuid(), 'spend', id, 'x', now() from points_wallets`,
		`update points_transactions set detail = 'x'`, `delete from points_transactions`, `truncate points_transactions cascade`,
		`insert into points_entries (id, transaction_id, wallet_id, delta) select gen_random_uuid(), transaction_id, wallet_id, 5 from points_entries`,
		`update points_entries set delta = 1000`, `delete from points_entries`, `truncate points_entries`,
		`update points_standings set points = 1000`, `update points_standings set listed = true`, `delete from points_standings`,
		`insert into points_standings (account_id, points, listed) values (viewer_id(), 1000, true)`,
	} {
		for _, v := range []core.Viewer{core.Nobody(), ada, mod} {
			if _, err := w.db.Exec(t, v, statement); refused(err) != "denied" {
				t.Errorf("%s: %s: %v", v.DatabaseRole(), statement, err)
			}
		}
	}
	w.wantBalance(t, ada, Balance{Balance: 6, Held: 4, Lifetime: 10})
}

// The system, whose statements are the program's own, cannot break the ledger
// either; nor can it be changed by who owns it, unless they switch the rules off.
func TestTheDatabaseHoldsTheRules(t *testing.T) {
	t.Parallel()
	w, ada := filled(t)
	const (
		wallet = `(select id from points_wallets where kind = 'member' and account_id is not null order by created_at limit 1)`
		source = `'00000000-0000-7000-8000-000000000001'`
		sink   = `'00000000-0000-7000-8000-000000000002'`
	)
	transaction := func(kind string) string {
		return `insert into points_transactions (id, kind, wallet_id, reason, ref_type, ref_id, created_at)
			values ('10000000-0000-7000-8000-000000000001', '` + kind + `', ` + wallet + `, 'x', 'thing', 'x', now());`
	}
	entry := func(wallet, delta string) string {
		return `insert into points_entries (id, transaction_id, wallet_id, delta)
			values (gen_random_uuid(), '10000000-0000-7000-8000-000000000001', ` + wallet + `, ` + delta + `);`
	}
	for _, c := range []struct{ name, sql, want string }{
		{"no entries", transaction("award"), "points_proven"},
		{"one entry", transaction("award") + entry(wallet, "5"), "points_proven"},
		{"entries that do not balance", transaction("award") + entry(wallet, "5") + entry(source, "-4"), "points_proven"},
		{"a third entry", transaction("award") + entry(wallet, "5") + entry(source, "-4") + entry(sink, "-1"), "points_proven"},
		{"an award that takes", transaction("award") + entry(wallet, "-5") + entry(source, "5"), "points_proven"},
		{"a spending that gives", transaction("spend") + entry(wallet, "5") + entry(sink, "-5"), "points_proven"},
		{"a spending of nobody's", transaction("spend") + entry(source, "-5") + entry(sink, "5"), "points_proven"},
		{"more than there is", transaction("spend") + entry(wallet, "-7") + entry(sink, "7"), "points_wallets_balance_check"},
		{"twice into one wallet", transaction("award") + entry(wallet, "5") + entry(wallet, "-5"), "points_entries_once"},
		{"an entry for an old transaction", `insert into points_entries (id, transaction_id, wallet_id, delta)
			select gen_random_uuid(), t.id, ` + sink + `, 5 from points_transactions t where t.kind = 'award'`, "points_proven"},
		{"the same cause", `insert into points_transactions (id, kind, wallet_id, reason, ref_type, ref_id, created_at)
			select gen_random_uuid(), kind, wallet_id, reason, ref_type, ref_id, now() from points_transactions where kind = 'award'`, "points_transactions_award_once"},
		{"a balance by hand", `update points_wallets set balance = balance + 1 where balance is not null`, "points_wallets_guarded"},
		{"a number by hand", `update points_wallets set events = events + 1`, "points_wallets_guarded"},
		{"a wallet that begins full", `insert into points_wallets (id, kind, balance) values (gen_random_uuid(), 'member', 5)`, "points_wallets_guarded"},
		{"a second source", `insert into points_wallets (id, kind) values (gen_random_uuid(), 'issued')`, "points_wallets_one_issued"},
		{"a hold without a transaction", `insert into points_holds (id, wallet_id, held_id, amount, created_at)
			select gen_random_uuid(), wallet_id, held_id, 1, now() from points_holds`, "points_proven"},
		{"a hold settled without a transaction", `update points_holds set state = 'voided', settled_at = now()`, "points_proven"},
		{"a hold that grows", `update points_holds set amount = 5, state = 'voided', settled_at = now()`, "denied"},
		{"other words", `update points_transactions set detail = 'x'`, "denied"},
		{"an account for a wallet", `update points_wallets set account_id = null`, "denied"},
		{"no wallet", `delete from points_wallets`, "denied"},
		{"a right award", transaction("award") + entry(wallet, "5") + entry(source, "-5"), "done"},
	} {
		err := w.db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
			for statement := range strings.SplitSeq(c.sql, ";") {
				if strings.TrimSpace(statement) == "" {
					continue
				}
				if _, err := tx.Exec(t.Context(), statement); err != nil {
					return err
				}
			}
			return nil
		})
		if got := refused(err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	w.wantBalance(t, ada, Balance{Balance: 11, Held: 4, Lifetime: 15}) // with the right award
	w.wantSound(t)
}

// At commit the transaction is its viewer again, who sees nothing of another's
// points: the proof must not depend on that.
func TestProofSeesAllOfTheLedger(t *testing.T) {
	t.Parallel()
	w, ada := filled(t)
	ben := w.member(t, "ben")
	err := in(t, w.db.DB, ben, func(ctx context.Context, tx *pg.Tx) error {
		return tx.AsSystem(ctx, func(tx *pg.Tx) error {
			wallet, _, err := memberWallet(ctx, tx, ada.ID, w.now())
			if err != nil {
				return err
			}
			id := pg.NewID()
			if _, err := insertTransaction(ctx, tx, transaction{ID: id, Kind: KindSpend, WalletID: wallet, Reason: "x", CreatedAt: w.now()}); err != nil {
				return err
			}
			return insertEntries(ctx, tx, id, movement{wallet, -5}, movement{spent, 4})
		})
	})
	if refused(err) != "points_proven" {
		t.Errorf("what does not balance gives %v", err)
	}
	w.wantBalance(t, ada, Balance{Balance: 6, Held: 4, Lifetime: 10})
}

func TestOwnerCannotRewrite(t *testing.T) {
	t.Parallel()
	w, _ := filled(t)
	for statement, want := range map[string]string{
		`update points_entries set delta = 5`:                                                      "points_append_only",
		`delete from points_entries`:                                                               "points_append_only",
		`truncate points_entries`:                                                                  "points_append_only",
		`update points_transactions set detail = 'x'`:                                              "points_append_only",
		`delete from points_transactions`:                                                          "points_append_only",
		`delete from points_holds`:                                                                 "points_append_only",
		`delete from points_wallets`:                                                               "points_append_only",
		`update points_holds set amount = 5, state = 'voided', settled_at = now()`:                 "points_holds_guarded",
		`update points_wallets set kind = 'held' where kind = 'member'`:                            "points_wallets_guarded",
		`update points_wallets set balance = 5 where kind = 'member'`:                              "points_wallets_guarded",
		`update points_wallets set account_id = gen_random_uuid() where kind in ('member','held')`: "points_wallets_guarded",
	} {
		if _, err := w.db.Owner(t).Exec(t.Context(), statement); refused(err) != want {
			t.Errorf("%s gives %v, want %s", statement, err, want)
		}
	}
}

func TestAccountThatGoesLeavesItsSums(t *testing.T) {
	t.Parallel()
	w, ada := filled(t)
	id := w.hold(t, ada, 3)
	open := pgtest.Value[string](t, w.db, ada, `select id::text from points_holds where id <> $1`, id)
	ben := w.member(t, "ben")
	w.give(t, ben, 5)
	w.system(t, `delete from accounts where id = $1`, ada.ID)
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from points_wallets where account_id is null and kind in ('member', 'held')`); n != 2 {
		t.Errorf("%d wallets without a name, want 2", n)
	}
	list, err := w.Leaderboard(t.Context(), core.Page{})
	if err != nil || list.Total != 1 || list.Items[0].Username != "ben" {
		t.Errorf("the leaderboard is %+v, %v", list, err)
	}
	w.wantSound(t)
	if err := w.post(t, ben, id); err != nil {
		t.Errorf("posting what waited: %v", err)
	}
	if err := w.void(t, ben, open); err != nil {
		t.Errorf("voiding what waited: %v", err)
	}
	if paid := w.award(t, ada, core.AwardFile, "b"); paid != 0 {
		t.Errorf("who is gone is paid %d", paid)
	}
	w.wantSound(t)

	// The same person again is somebody else to the ledger.
	again := w.member(t, "ada")
	if paid := w.award(t, again, core.AwardFile, "a"); paid != 10 {
		t.Errorf("a new account is paid %d", paid)
	}
	w.wantBalance(t, again, Balance{Balance: 10, Lifetime: 10})
	w.wantSound(t)
}
