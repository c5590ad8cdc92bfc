package directory

import (
	"context"
	"encoding/json"
	"time"

	"homeplace/core/pg"
)

// record is an entry on its way into the table; the JSON names are columns,
// and null leaves a stored value as it is.
type record struct {
	ID              string     `json:"id"`
	Slug            string     `json:"slug"`
	Kind            Kind       `json:"kind"`
	Name            string     `json:"name"`
	Category        *string    `json:"category"`
	Summary         *string    `json:"summary"`
	Description     *string    `json:"description"`
	DescriptionHTML *string    `json:"description_html"`
	Address         *string    `json:"address"`
	City            *string    `json:"city"`
	Region          *string    `json:"region"`
	Country         *string    `json:"country"`
	Zip             *string    `json:"zip"`
	Lat             *float64   `json:"lat"`
	Lng             *float64   `json:"lng"`
	Phone           *string    `json:"phone"`
	Email           *string    `json:"email"`
	Website         *string    `json:"website"`
	ImageURL        *string    `json:"image_url"`
	Links           []Link     `json:"links"`
	Tags            []string   `json:"tags"`
	Hours           *Hours     `json:"hours"`
	Verified        *bool      `json:"verified"`
	StartsAt        *time.Time `json:"starts_at"`
	EndsAt          *time.Time `json:"ends_at"`
	YearStart       *int       `json:"year_start"`
	YearEnd         *int       `json:"year_end"`
	Status          *string    `json:"status"`
	Hidden          bool       `json:"hidden"`
	OwnerID         *string    `json:"owner_id"`

	line int
}

// storedRecord is a row after the upsert.
type storedRecord struct {
	storedEntry
	Created bool
}

// upsert stores the records by slug and keeps the search index in step.
func (s *Service) upsert(ctx context.Context, tx *pg.Tx, records []record) (stored []storedEntry, created int, err error) {
	data, err := json.Marshal(records)
	if err != nil {
		return nil, 0, err
	}
	if err := lockWriters(ctx, tx); err != nil {
		return nil, 0, err
	}
	rows, err := pg.All[storedRecord](ctx, tx, upsertEntries, string(data), s.now())
	if err != nil {
		return nil, 0, err
	}
	for _, r := range rows {
		stored = append(stored, r.storedEntry)
		if r.Created {
			created++
		}
	}
	tx.Touch(Area)
	return stored, created, s.index(ctx, tx, stored)
}

// inputRecords reads the records of $1.
const inputRecords = `
	with input as (
		select *
		from jsonb_to_recordset($1) as r(id uuid, slug text, kind text, name text, category text, summary text,
			description text, description_html text, address text, city text, region text, country text, zip text,
			lat float8, lng float8, phone text, email text, website text, image_url text, links jsonb, tags text[],
			hours jsonb, verified boolean, starts_at timestamptz, ends_at timestamptz, year_start int, year_end int,
			status text, hidden boolean, owner_id uuid)
	)`

// insertRows begins the statements that store them at the time $2.
const insertRows = `, changed as (
		insert into directory_entries as e (id, slug, kind, name, category, summary, description, description_html,
			address, city, region, country, zip, lat, lng, phone, email, website, image_url, links, tags, hours, verified,
			starts_at, ends_at, year_start, year_end, status, hidden_at, owner_id, created_at, updated_at)
		select id, slug, kind, name, category, coalesce(summary, ''), coalesce(description, ''), coalesce(description_html, ''),
			address, city, region, country, zip, lat, lng, phone, email, website, image_url,
			coalesce(nullif(links, 'null'), '[]'), coalesce(tags, '{}'), nullif(hours, 'null'), coalesce(verified, false),
			starts_at, ends_at, year_start, year_end, coalesce(status, 'published'), case when hidden then $2::timestamptz end, owner_id, $2, $2
		from input
		order by slug`

const upsertEntries = inputRecords + insertRows + `
		on conflict (slug) do update set
			kind = excluded.kind, name = excluded.name, category = coalesce(excluded.category, case when e.kind = excluded.kind then e.category end),
			summary = coalesce(nullif(excluded.summary, ''), e.summary),
			description = coalesce(nullif(excluded.description, ''), e.description),
			description_html = coalesce(nullif(excluded.description_html, ''), e.description_html),
			address = coalesce(excluded.address, e.address), city = coalesce(excluded.city, e.city),
			region = coalesce(excluded.region, e.region), country = coalesce(excluded.country, e.country),
			zip = coalesce(excluded.zip, e.zip), lat = coalesce(excluded.lat, e.lat), lng = coalesce(excluded.lng, e.lng),
			phone = coalesce(excluded.phone, e.phone), email = coalesce(excluded.email, e.email),
			website = coalesce(excluded.website, e.website), image_url = coalesce(excluded.image_url, e.image_url),
			links = case when excluded.links = '[]' then e.links else excluded.links end,
			tags = case when excluded.tags = '{}' then e.tags else excluded.tags end,
			hours = coalesce(excluded.hours, e.hours),
			verified = coalesce((select i.verified from input i where i.slug = e.slug), e.verified),
			starts_at = coalesce(excluded.starts_at, e.starts_at), ends_at = coalesce(excluded.ends_at, e.ends_at),
			year_start = coalesce(excluded.year_start, e.year_start), year_end = coalesce(excluded.year_end, e.year_end),
			status = coalesce((select i.status from input i where i.slug = e.slug), e.status),
			hidden_at = coalesce(e.hidden_at, excluded.hidden_at), owner_id = coalesce(excluded.owner_id, e.owner_id), updated_at = $2
		returning e.*, xmax = 0 as created
	)
	select ` + storedColumns + `, e.created
	from changed e` + joinCategory
