package blocks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

func blockedUntil(ctx context.Context, q pg.Querier, addressKey string, now time.Time) (until *time.Time, err error) {
	err = q.QueryRow(ctx, `
		select max(until)
		from address_blocks
		where address_key = $1 and lifted_at is null and until > $2`, addressKey, now).Scan(&until)
	return until, err
}

func queueTimes(b *pgx.Batch, addressKey string, since time.Time, times *int) {
	b.Queue(`
		select count(*)
		from address_blocks
		where address_key = $1 and lifted_at is null and blocked_at > $2`, addressKey, since).
		QueryRow(func(row pgx.Row) error { return row.Scan(times) })
}

func insert(ctx context.Context, tx *pg.Tx, id, by string, a core.Abuse, now time.Time) (blocked bool, err error) {
	err = tx.QueryRow(ctx, `
		select address_block(@id, @address, @reason, nullif(@type, ''), nullif(@about, ''), nullif(@by, '')::uuid, @now)`,
		pgx.StrictNamedArgs{"id": id, "address": a.From.AddressKey, "reason": a.Reason, "type": a.About.Type, "about": a.About.ID, "by": by, "now": now}).
		Scan(&blocked)
	return blocked, err
}

func blocks(ctx context.Context, q pg.Querier, now time.Time, page core.Page) (list []Block, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from address_blocks`).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Block](ctx, q, `
		select b.id, b.address_key, b.reason, b.about_type, b.about_id, coalesce(p.username::text, '') as blocked_by,
			b.blocked_at, b.until, b.times, b.lifted_at, coalesce(l.username::text, '') as lifted_by, b.lift_reason
		from address_blocks b
		left join profiles p on p.account_id = b.blocked_by
		left join profiles l on l.account_id = b.lifted_by
		order by (b.lifted_at is null and b.until > $1) desc, b.blocked_at desc, b.id desc
		limit $2 offset $3`, now, page.Limit, page.Offset)
	return list, total, err
}

func lift(ctx context.Context, tx *pg.Tx, id, by, reason string, now time.Time) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update address_blocks
		set lifted_at = $3, lifted_by = nullif($2, '')::uuid, lift_reason = $4
		where id = $1 and lifted_at is null and until > $3`, id, by, now, reason)
	return tag.RowsAffected() == 1, err
}

func liftAbout(ctx context.Context, tx *pg.Tx, about core.Target, by, reason string, now time.Time) (ids []string, err error) {
	rows, err := tx.Query(ctx, `
		update address_blocks
		set lifted_at = $4, lifted_by = nullif($3, '')::uuid, lift_reason = $5
		where about_type = $1 and about_id = $2 and lifted_at is null and until > $4
		returning id::text`, about.Type, about.ID, by, now, reason)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func exists(ctx context.Context, q pg.Querier, id string) (there bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from address_blocks where id = $1)`, id).Scan(&there)
	return there, err
}
