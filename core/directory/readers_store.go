package directory

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/geo"
	"homeplace/core/pg"
)

type point struct{ lat, lng float64 }

// nearestEntries walks the index of points from the nearest on. The chord c of
// two points on the unit sphere is an arc of 2·asin(c/2).
func nearestEntries(ctx context.Context, q pg.Querier, at point, exclude string, now time.Time, limit int) ([]Near, error) {
	return pg.All[Near](ctx, q, `
		select `+summaryColumns+`, d.km as distance_km
		from (
			select entry_id, 2 * @radius::float8 * asin(least(1, chord / 2)) as km
			from (`+nearestDocuments+`) nearest
		) d
		join directory_entries e on e.id = d.entry_id`+joinCategory+`
		where d.km <= @within
		order by d.km, d.entry_id
		limit @limit`, pgx.StrictNamedArgs{
		"lat": at.lat, "lng": at.lng, "exclude": exclude, "now": now, "limit": limit,
		"radius": geo.EarthRadiusKm, "within": NearKm,
	})
}

// nearestDocuments has no second sort key, which would keep PostgreSQL 15 from
// the index; with all ties at hand the caller can still order them.
const nearestDocuments = `
				select d.entry_id, d.position <-> geo_point(@lat, @lng) as chord
				from search_documents d
				where d.position is not null and d.entry_id <> @exclude
					and (d.kind <> 'event' or d.over_at is null or d.over_at >= @now)
				order by d.position <-> geo_point(@lat, @lng)
				fetch first (@limit) rows with ties`

func newestEntries(ctx context.Context, q pg.Querier, limit int) ([]Summary, error) {
	return pg.All[Summary](ctx, q, `
		select `+summaryColumns+`
		from directory_entries e`+joinCategory+`
		where e.status = 'published' and e.hidden_at is null
		order by e.created_at desc, e.id desc
		limit $1`, limit)
}

func upcomingEvents(ctx context.Context, q pg.Querier, now time.Time, limit int) ([]Summary, error) {
	return pg.All[Summary](ctx, q, `
		select `+summaryColumns+`
		from (
			select entry_id, starts_at
			from search_documents
			where kind = 'event' and over_at >= $1
			order by starts_at, entry_id
			limit $2
		) d
		join directory_entries e on e.id = d.entry_id`+joinCategory+`
		order by d.starts_at, d.entry_id`, now, limit)
}

type kindCount struct {
	Kind    Kind
	Entries int
}

func countsByKind(ctx context.Context, q pg.Querier) ([]kindCount, error) {
	return pg.All[kindCount](ctx, q, `select kind, sum(entries)::int as entries from directory_counts group by kind`)
}

func initials(ctx context.Context, q pg.Querier, list listQuery) ([]string, error) {
	rows, err := q.Query(ctx, list.letterSQL(), list.without("limit", "offset"))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func sitemapEntries(ctx context.Context, q pg.Querier, after string, limit int) ([]SitemapEntry, error) {
	return pg.All[SitemapEntry](ctx, q, `
		select id, kind, slug, updated_at
		from directory_entries
		where id > $1 and status = 'published' and hidden_at is null
		order by id
		limit $2`, after, limit)
}

func sameNames(ctx context.Context, q pg.Querier, key, city string, limit int) ([]Summary, error) {
	return pg.All[Summary](ctx, q, `
		select `+summaryColumns+`
		from search_documents d
		join directory_entries e on e.id = d.entry_id`+joinCategory+`
		where d.name_key = $1 and (d.city_key = $2 or d.city_key = '' or $2 = '')
		order by d.city_key = $2 desc, d.sort_name, d.entry_id
		limit $3`, key, city, limit)
}
