package directory

import (
	"context"
	"time"

	"homeplace/core/pg"
)

// summaryColumns are what a Summary is read from, with e for the entry and c
// for its category.
const summaryColumns = `
	e.id, e.slug, e.kind, e.name, e.summary, e.category, c.label as category_label,
	e.address, e.city, e.region, e.country, e.zip, e.lat, e.lng, e.website, e.phone, e.image_url, e.verified,
	e.starts_at, e.ends_at, e.year_start, e.year_end, e.updated_at`

const entryColumns = summaryColumns + `,
	e.description, e.description_html, e.email, e.links, e.tags, e.hours, e.status,
	e.hidden_at is not null as hidden, e.owner_id, e.created_at`

const joinCategory = `
	left join directory_categories c on c.kind = e.kind and c.slug = e.category`

func entryBySlug(ctx context.Context, q pg.Querier, kind Kind, slug string) (Entry, error) {
	return pg.One[Entry](ctx, q, `
		select `+entryColumns+`
		from directory_entries e`+joinCategory+`
		where e.slug = $1 and e.kind = $2 and e.status = 'published' and e.hidden_at is null`, slug, kind)
}

func summariesByID(ctx context.Context, q pg.Querier, ids []string) ([]Summary, error) {
	return pg.All[Summary](ctx, q, `
		select `+summaryColumns+`
		from unnest($1::uuid[]) with ordinality wanted(id, position)
		join directory_entries e on e.id = wanted.id`+joinCategory+`
		where e.status = 'published' and e.hidden_at is null
		order by wanted.position`, ids)
}

func kindBySlug(ctx context.Context, q pg.Querier, slug string) (kind Kind, err error) {
	err = q.QueryRow(ctx, `
		select kind
		from directory_entries
		where slug = $1 and status = 'published' and hidden_at is null`, slug).Scan(&kind)
	return kind, err
}

// updateHidden is no edit: what reports and suggestions are compared with stays.
func updateHidden(ctx context.Context, tx *pg.Tx, id string, hidden bool, now time.Time) (storedEntry, error) {
	return pg.One[storedEntry](ctx, tx, `
		with changed as (
			update directory_entries
			set hidden_at = case when $2 then coalesce(hidden_at, $3::timestamptz) end
			where id = $1
			returning *
		)
		select `+storedColumns+`
		from changed e`+joinCategory, id, hidden, now)
}

// categoryRow is a curated subcategory as stored.
type categoryRow struct {
	Category
	Aliases []string
}

func allCategories(ctx context.Context, q pg.Querier) ([]categoryRow, error) {
	return pg.All[categoryRow](ctx, q, `
		select kind, slug, label, aliases
		from directory_categories
		order by kind, lower(label), slug`)
}

// addCategory puts a category that an import brought on the curated list.
func addCategory(ctx context.Context, tx *pg.Tx, c Category) error {
	_, err := tx.Exec(ctx, `
		insert into directory_categories (kind, slug, label)
		values ($1, $2, $3)
		on conflict (kind, slug) do nothing`, c.Kind, c.Slug, c.Label)
	return err
}

type synonymRow struct{ Term, Expansion string }

// seedTables fills what is empty. The lock makes a second instance wait and
// then find the rows of the first.
func seedTables(ctx context.Context, tx *pg.Tx, categories []categoryRow, synonyms []synonymRow) (added bool, err error) {
	if _, err := tx.Exec(ctx, `lock table directory_categories, search_synonyms in share row exclusive mode`); err != nil {
		return false, err
	}
	var noCategories, noSynonyms bool
	err = tx.QueryRow(ctx, `
		select not exists (select from directory_categories), not exists (select from search_synonyms)`).
		Scan(&noCategories, &noSynonyms)
	if err != nil {
		return false, err
	}
	if noCategories {
		if err := insertRecords(ctx, tx, `
			insert into directory_categories (kind, slug, label, aliases)
			select "Kind", "Slug", "Label", "Aliases"
			from jsonb_to_recordset($1) as r("Kind" text, "Slug" text, "Label" text, "Aliases" text[])`, categories); err != nil {
			return false, err
		}
	}
	if noSynonyms {
		if err := insertRecords(ctx, tx, `
			insert into search_synonyms (term, expansion)
			select "Term", "Expansion"
			from jsonb_to_recordset($1) as r("Term" text, "Expansion" text)
			on conflict do nothing`, synonyms); err != nil {
			return false, err
		}
	}
	return noCategories || noSynonyms, nil
}
