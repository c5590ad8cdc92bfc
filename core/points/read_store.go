package points

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
)

// balanceOf reads what an account has: zeros before its first points.
func balanceOf(ctx context.Context, q pg.Querier, accountID string) (Balance, error) {
	return pg.One[Balance](ctx, q, `
		select
			coalesce((select balance from points_wallets where account_id = $1 and kind = 'member'), 0) as balance,
			coalesce((select balance from points_wallets where account_id = $1 and kind = 'held'), 0) as held,
			coalesce((select points from points_standings where account_id = $1), 0) as lifetime`, accountID)
}

// wallet is a member's, with the number of its entries. The zero value is that
// of a member who has none yet.
type wallet struct {
	ID      string
	Balance int
	Events  int
}

func ownWallet(ctx context.Context, q pg.Querier, accountID string) (wallet, error) {
	w, err := pg.One[wallet](ctx, q, `
		select id, balance, events
		from points_wallets
		where account_id = $1 and kind = 'member'`, accountID)
	if pg.NoRows(err) {
		return wallet{}, nil
	}
	return w, err
}

// eventsOf pages by the entries' own numbers, which have no gap: the deepest
// page costs what the first does.
func eventsOf(ctx context.Context, q pg.Querier, w wallet, page core.Page) ([]Event, error) {
	last := w.Events - page.Offset
	if last < 1 {
		return []Event{}, nil
	}
	return pg.All[Event](ctx, q, `
		select e.id, t.kind, e.delta, e.balance_after, t.reason, t.detail, t.ref_type, t.ref_id, h.state as hold, t.created_at
		from points_entries e
		join points_transactions t on t.id = e.transaction_id
		left join points_holds h on h.id = t.hold_id
		where e.wallet_id = $1 and e.seq between $2 and $3
		order by e.seq desc`, w.ID, last-page.Limit+1, last)
}

func countLeaders(ctx context.Context, q pg.Querier) (n int, err error) {
	err = q.QueryRow(ctx, `select count(*) from points_standings where listed and points > 0`).Scan(&n)
	return n, err
}

// leaders takes the page off the index before it looks for names.
func leaders(ctx context.Context, q pg.Querier, page core.Page) ([]Leader, error) {
	return pg.All[Leader](ctx, q, `
		select s.account_id, p.username, p.display_name, p.avatar_url, s.points
		from (
			select account_id, points
			from points_standings
			where listed and points > 0
			order by points desc, account_id
			limit $1 offset $2
		) s
		join profiles p on p.account_id = s.account_id
		order by s.points desc, s.account_id`, page.Limit, page.Offset)
}

func leader(ctx context.Context, q pg.Querier, accountID string) (Leader, error) {
	return pg.One[Leader](ctx, q, `
		select s.account_id, p.username, p.display_name, p.avatar_url, s.points
		from points_standings s
		join profiles p on p.account_id = s.account_id
		where s.account_id = $1 and s.listed and s.points > 0`, accountID)
}

// leadersAbove counts those with more points.
func leadersAbove(ctx context.Context, q pg.Querier, points int) (n int, err error) {
	err = q.QueryRow(ctx, `select count(*) from points_standings where listed and points > $1 and points > 0`, points).Scan(&n)
	return n, err
}
