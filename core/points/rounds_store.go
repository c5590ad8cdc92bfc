package points

import (
	"context"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// paidRound is an award that was not taken back.
type paidRound struct {
	Round  int
	Amount int
	Detail string
}

// openRound finds it for a cause. Call lockBalance before, as of nextRound, so
// that the rounds stay as they are read.
func openRound(ctx context.Context, tx *pg.Tx, walletID string, a core.Award) (paidRound, error) {
	return pg.One[paidRound](ctx, tx, `
		select t.round, e.delta as amount, t.detail
		from points_transactions t
		join points_entries e on e.transaction_id = t.id and e.wallet_id = t.wallet_id
		where t.kind = 'award' and t.wallet_id = @wallet and t.reason = @reason and t.ref_type = @ref_type and t.ref_id = @ref_id
			and not exists (
				select from points_transactions r
				where r.kind = 'reversal' and (r.wallet_id, r.reason, r.ref_type, r.ref_id, r.round) = (t.wallet_id, t.reason, t.ref_type, t.ref_id, t.round))`,
		causeOf(walletID, a))
}

// nextRound is the round in which a cause can pay: one more than were taken
// back.
func nextRound(ctx context.Context, tx *pg.Tx, walletID string, a core.Award) (round int, err error) {
	err = tx.QueryRow(ctx, `
		select 1 + count(*)
		from points_transactions
		where kind = 'reversal' and wallet_id = @wallet and reason = @reason and ref_type = @ref_type and ref_id = @ref_id`,
		causeOf(walletID, a)).Scan(&round)
	return round, err
}

func causeOf(walletID string, a core.Award) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"wallet": walletID, "reason": a.Reason, "ref_type": a.RefType, "ref_id": a.RefID}
}
