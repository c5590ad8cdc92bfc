package auditlog

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

func insert(ctx context.Context, tx *pg.Tx, accountID string, r core.Ruling, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into audit_log (id, account_id, kind, about_type, about_id, title, reason, created_at)
		values (@id, nullif(@account, '')::uuid, @kind, @type, @about, @title, @reason, @now)`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "account": accountID, "kind": r.Kind, "type": r.About.Type, "about": r.About.ID,
			"title": r.Title, "reason": r.Reason, "now": now})
	return err
}

func records(ctx context.Context, q pg.Querier, kind string, page core.Page) (list []Record, total int, err error) {
	const condition = `
		where $1 = '' or l.kind = $1`
	if err := q.QueryRow(ctx, `select count(*) from audit_log l`+condition, kind).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Record](ctx, q, `
		select l.id, coalesce(l.account_id::text, '') as account_id, coalesce(p.username::text, '') as username,
			l.kind, l.about_type, l.about_id, coalesce(nullif(l.title, ''), w.username::text, '') as title, l.reason, l.created_at
		from audit_log l
		left join profiles p on p.account_id = l.account_id
		left join profiles w on w.account_id = case when l.about_type = 'account' then l.about_id::uuid end`+condition+`
		order by l.created_at desc, l.id desc
		limit $2 offset $3`, kind, page.Limit, page.Offset)
	return list, total, err
}

func counts(ctx context.Context, q pg.Querier, now time.Time) ([]Count, error) {
	return pg.All[Count](ctx, q, `
		select month::timestamptz as month, kind, decisions
		from audit_counts
		where month > ($1::timestamptz at time zone 'UTC')::date - make_interval(months => $2)
		order by month desc, kind`, now, Months)
}

func kinds(ctx context.Context, q pg.Querier) ([]string, error) {
	rows, err := q.Query(ctx, `select distinct kind from audit_counts order by kind`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
