package directory

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// visibleEntry leaves it to the policies who may see what.
func visibleEntry(ctx context.Context, q pg.Querier, kind Kind, slug string) (Entry, error) {
	return pg.One[Entry](ctx, q, `
		select `+entryColumns+`
		from directory_entries e`+joinCategory+`
		where e.slug = $1 and e.kind = $2`, slug, kind)
}

func entryByID(ctx context.Context, q pg.Querier, id, lock string) (Entry, error) {
	return pg.One[Entry](ctx, q, `
		select `+entryColumns+`
		from directory_entries e`+joinCategory+`
		where e.id = $1`+lock, id)
}

// slugTries is how many numbered slugs are looked up at once.
const slugTries = 50

// freeSlug finds the first of made, made-2, made-3 … that no entry has.
func freeSlug(ctx context.Context, tx *pg.Tx, made string) (string, error) {
	for n := 1; ; n += slugTries {
		candidates := make([]string, slugTries)
		for i := range candidates {
			candidates[i] = slugs.Numbered(made, n+i)
		}
		rows, err := tx.Query(ctx, `select slug from directory_entries where slug = any($1)`, candidates)
		if err != nil {
			return "", err
		}
		taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return "", err
		}
		for _, slug := range candidates {
			if !slices.Contains(taken, slug) {
				return slug, nil
			}
		}
	}
}

func writeRecord(ctx context.Context, tx *pg.Tx, statement string, r record, now time.Time) ([]storedEntry, error) {
	data, err := json.Marshal([]record{r})
	if err != nil {
		return nil, err
	}
	return pg.All[storedEntry](ctx, tx, statement, string(data), now)
}

// returningStored ends a statement that begins a "changed" common table.
const returningStored = `
		returning e.*
	)
	select ` + storedColumns + `
	from changed e` + joinCategory

const insertEntry = inputRecords + insertRows + `
		on conflict (slug) do nothing` + returningStored

const updateEntry = inputRecords + `, changed as (
		update directory_entries e
		set name = r.name, category = r.category, summary = coalesce(r.summary, ''),
			description = coalesce(r.description, ''), description_html = coalesce(r.description_html, ''),
			address = r.address, city = r.city, region = r.region, country = r.country, zip = r.zip, lat = r.lat, lng = r.lng,
			phone = r.phone, email = r.email, website = r.website, image_url = r.image_url,
			links = coalesce(nullif(r.links, 'null'), '[]'), tags = coalesce(r.tags, '{}'), hours = nullif(r.hours, 'null'),
			starts_at = r.starts_at, ends_at = r.ends_at, year_start = r.year_start, year_end = r.year_end, updated_at = $2
		from input r
		where e.id = r.id` + returningStored

// markEntry leaves what is null as it is.
const markEntry = `
	with changed as (
		update directory_entries e
		set status = coalesce($3, e.status), verified = coalesce($4, e.verified), updated_at = $2
		where e.id = $1` + returningStored
