package points

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// Proof is what Check found.
type Proof struct {
	Transactions int
	Faults       []string // what is wrong, a sentence each; at most maxFaults
}

const maxFaults = 20

// Check proves the ledger from its entries alone: every transaction sums to
// zero, every balance is the sum of its wallet's entries and was never
// negative, the entries are numbered without a gap, what waits is what open
// holds say, one cause has paid once in each round, no reversal takes more than
// its award paid, what was earned in total is the sum of awards, corrections and
// reversals, and the leaderboard shows whom it may. For the system.
func (s *Service) Check(ctx context.Context, v core.Viewer) (p Proof, err error) {
	if v.Role != core.System {
		return p, core.Forbiddenf("Only the system checks the ledger.")
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		// One statement, so that all of it is seen at one moment.
		rows, err := tx.Query(ctx, proofs, maxFaults)
		if err != nil {
			return err
		}
		var fault string
		_, err = pgx.ForEachRow(rows, []any{&p.Transactions, &fault}, func() error {
			if fault != "" {
				p.Faults = append(p.Faults, fault)
			}
			return nil
		})
		return err
	})
	if err != nil {
		return Proof{}, fmt.Errorf("check points: %w", err)
	}
	return p, nil
}

// proofs is a row for each fault, beside the number of transactions; without
// one a row with an empty fault.
const proofs = `
	with running as (
		select e.wallet_id, e.seq, e.delta, e.balance_after,
			row_number() over w as nth, sum(e.delta) over w as balance
		from points_entries e
		join points_wallets k on k.id = e.wallet_id and k.balance is not null
		window w as (partition by e.wallet_id order by e.seq)
	), sums as (
		select k.id, k.kind, k.balance, k.events, count(e.id) as entries, coalesce(sum(e.delta), 0) as total
		from points_wallets k
		left join points_entries e on e.wallet_id = k.id
		group by k.id
	), earned as (
		select k.account_id, sum(e.delta) as points
		from points_entries e
		join points_transactions t on t.id = e.transaction_id and t.kind in ('award', 'correction', 'reversal')
		join points_wallets k on k.id = e.wallet_id and k.kind = 'member' and k.account_id is not null
		group by k.account_id
	), faults as (
		select 1 as rank, 'transaction ' || transaction_id || ': ' || fault as fault
		from points_transaction_faults
		where fault is not null
		union all
		select 2, 'hold ' || hold_id || ': ' || fault
		from points_hold_faults
		where fault is not null
		union all
		select 3, 'all entries together sum to ' || sum(delta) from points_entries having sum(delta) <> 0
		union all
		select 4, 'wallet ' || id || ' holds ' || balance || ', but its entries sum to ' || total
		from sums
		where balance <> total or balance < 0
		union all
		select 5, 'wallet ' || id || ' counts ' || events || ' entries and has ' || entries
		from sums
		where balance is not null and events <> entries
		union all
		select 6, 'wallet ' || wallet_id || ' is at entry ' || coalesce(seq::text, 'without number') || ', which should be number ' || nth
			|| ' and leave ' || balance || ', not ' || coalesce(balance_after::text, 'nothing')
		from running
		where seq is distinct from nth or balance_after is distinct from balance or balance < 0
		union all
		select 7, 'wallet ' || s.id || ' holds ' || s.balance || ' for others'' decision, but open holds say ' || coalesce(sum(h.amount), 0)
		from sums s
		left join points_holds h on h.held_id = s.id and h.state = 'open'
		where s.kind = 'held'
		group by s.id, s.balance
		having s.balance <> coalesce(sum(h.amount), 0)
		union all
		select 8, 'wallet ' || wallet_id || ' was paid ' || count(*) filter (where kind = 'award') || ' times for '
			|| reason || ' ' || ref_type || ' ' || ref_id || ' and gave back ' || count(*) filter (where kind = 'reversal') || ' times'
		from points_transactions
		where kind in ('award', 'reversal')
		group by wallet_id, reason, ref_type, ref_id
		having count(*) filter (where kind = 'award') not between count(*) filter (where kind = 'reversal') and count(*) filter (where kind = 'reversal') + 1
		union all
		select 8, 'transaction ' || r.id || ' takes back ' || -back.delta || ', but its award paid ' || coalesce(gave.delta, 0)
		from points_transactions r
		join points_entries back on back.transaction_id = r.id and back.wallet_id = r.wallet_id
		left join points_transactions a on a.kind = 'award'
			and (a.wallet_id, a.reason, a.ref_type, a.ref_id, a.round) = (r.wallet_id, r.reason, r.ref_type, r.ref_id, r.round)
		left join points_entries gave on gave.transaction_id = a.id and gave.wallet_id = a.wallet_id
		where r.kind = 'reversal' and -back.delta > coalesce(gave.delta, 0)
		union all
		select 9, 'account ' || coalesce(s.account_id, e.account_id) || ' stands at ' || coalesce(s.points, 0)
			|| ' on the leaderboard, but has earned ' || coalesce(e.points, 0)
		from points_standings s
		full join earned e on e.account_id = s.account_id
		where coalesce(s.points, 0) <> coalesce(e.points, 0)
		union all
		select 10, 'account ' || s.account_id || case when s.listed then ' is on the leaderboard' else ' is not on the leaderboard' end
			|| ', against its profile'
		from points_standings s
		join profiles p on p.account_id = s.account_id
		where s.listed = (p.leaderboard_opt_out or p.pending)
	)
	select (select count(*) from points_transactions), coalesce(f.fault, '')
	from (values (1)) once
	left join (select * from faults order by rank, fault limit $1) f on true
	order by f.rank, f.fault`
