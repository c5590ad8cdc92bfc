package shoutouts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// Columns with o for the shout-out, a for the profile of whose name it shows, and
// e for the listing while that is public.
const (
	columns = `
	o.id, o.business_name, coalesce(e.slug, '') as business_slug, o.city, o.rating::float8 as rating, o.body,
	coalesce(nullif(o.given_name, ''), a.display_name, a.username::text, '') as display_name,
	case when o.given_name = '' then coalesce(a.username::text, '') else '' end as username,
	o.status, o.hidden_at, o.created_at`

	fromShoutOuts = `
	from shoutouts o
	left join profiles a on a.account_id = o.author_id
	left join directory_entries e on e.id = o.entry_id and ` + isPublicBusiness

	isPublicBusiness = `e.kind = 'business' and e.status = 'published' and e.hidden_at is null`

	// isPublic is the condition of the index shoutouts_public.
	isPublic = `o.status = 'approved' and o.hidden_at is null`
)

func publicShoutOuts(ctx context.Context, q pg.Querier, f Filter) (list []ShoutOut, total int, err error) {
	condition, args := isPublic, pgx.StrictNamedArgs{}
	if f.EntryID != "" {
		condition += ` and o.entry_id = @entry`
		args["entry"] = f.EntryID
	}
	if err := q.QueryRow(ctx, `select count(*) from shoutouts o where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[ShoutOut](ctx, q, `select`+columns+fromShoutOuts+`
		where `+condition+`
		order by o.created_at desc, o.id desc
		limit @limit offset @offset`, args)
	return list, total, err
}

func summaryOf(ctx context.Context, q pg.Querier, entryID string) (sum Summary, err error) {
	err = q.QueryRow(ctx, `
		select count(*), coalesce(round(avg(o.rating), 2), 0)::float8
		from shoutouts o
		where o.entry_id = $1 and `+isPublic, entryID).Scan(&sum.Count, &sum.Average)
	return sum, err
}

func isBusiness(ctx context.Context, q pg.Querier, id string) (known bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from directory_entries e where e.id = $1 and `+isPublicBusiness+`)`, id).Scan(&known)
	return known, err
}

// businessesNamed looks in the search documents: there is one for each public
// entry and none for any other.
func businessesNamed(ctx context.Context, q pg.Querier, key, city string, limit int) ([]Business, error) {
	return pg.All[Business](ctx, q, `
		select e.id, e.slug, e.name, coalesce(e.city, '') as city, coalesce(e.region, '') as region
		from search_documents d
		join directory_entries e on e.id = d.entry_id
		where d.kind = 'business' and d.name_key = $1 and (d.city_key = $2 or d.city_key = '' or $2 = '')
		order by d.city_key = $2 desc, d.sort_name, d.entry_id
		limit $3`, key, city, limit)
}

func recent(ctx context.Context, q pg.Querier, limit int) ([]core.Submission, error) {
	return pg.All[core.Submission](ctx, q, `
		select 'shoutout' as source, o.id, concat_ws(', ', o.business_name, nullif(o.city, '')) as title, o.status,
			coalesce(p.username::text, o.given_name) as submitted_by, o.created_at, '/moderation?case=shoutout:' || o.id as path
		from shoutouts o
		join shoutout_senders s on s.shoutout_id = o.id
		left join profiles p on p.account_id = s.account_id
		order by o.created_at desc, o.id desc
		limit $1`, limit)
}
