package reviews

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
)

// productIsPublic is the condition of the index products_public, and isPublic
// that of reviews_public.
const (
	productIsPublic = `p.status = 'published' and p.hidden_at is null`
	isPublic        = `r.status = 'approved' and r.hidden_at is null`
)

// Each product has one row of ratings: an aggregate without groups.
const selectProducts = `
	select p.id, p.slug, p.name, p.maker, p.summary, p.category, coalesce(p.image_url, '') as image_url, coalesce(p.website, '') as website,
		coalesce(d.slug, '') as business,
		case when d.status = 'published' and d.hidden_at is null then d.name else '' end as business_name,
		p.status, p.hidden_at, p.created_at, p.updated_at, t.reviews, t.average, t.stars
	from products p
	left join directory_entries d on d.id = p.entry_id and d.kind = 'business'
	cross join lateral (
		select count(*) as reviews, coalesce(round(avg(r.rating), 2), 0)::float8 as average,
			array[count(*) filter (where r.rating = 1), count(*) filter (where r.rating = 2), count(*) filter (where r.rating = 3),
				count(*) filter (where r.rating = 4), count(*) filter (where r.rating = 5)]::int[] as stars
		from reviews r
		where r.product_id = p.id and ` + isPublic + `) t`

// condition is that of a filter, with its arguments. Each word is a condition
// of its own, so that the index of trigrams serves. Words hold letters, digits
// and marks alone: nothing in them means something to like.
func (f ProductFilter) condition() (string, pgx.StrictNamedArgs) {
	args, sql := pgx.StrictNamedArgs{}, productIsPublic
	words := searchtext.Words(f.Query)
	if f.Query != "" && len(words) == 0 {
		return sql + ` and false`, args
	}
	slices.Sort(words)
	for i, word := range slices.Compact(words) {
		name := fmt.Sprintf("word%d", i)
		sql += ` and p.words like @` + name
		args[name] = "%" + word + "%"
	}
	return sql, args
}

func publicProducts(ctx context.Context, q pg.Querier, f ProductFilter) (list []Product, total int, err error) {
	condition, args := f.condition()
	if err := q.QueryRow(ctx, `select count(*) from products p where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[Product](ctx, q, selectProducts+`
		where `+condition+`
		order by p.sort_key, p.id
		limit @limit offset @offset`, args)
	return list, total, err
}

func unseenProducts(ctx context.Context, q pg.Querier, page core.Page) (list []Product, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from products p where not (`+productIsPublic+`)`).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Product](ctx, q, selectProducts+`
		where not (`+productIsPublic+`)
		order by p.created_at desc, p.id
		limit $1 offset $2`, page.Limit, page.Offset)
	return list, total, err
}

func productBySlug(ctx context.Context, q pg.Querier, slug string) (Product, error) {
	return pg.One[Product](ctx, q, selectProducts+`
		where p.slug = $1`, slug)
}

func businessExists(ctx context.Context, q pg.Querier, slug string) (found bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from directory_entries where kind = 'business' and slug = $1)`, slug).Scan(&found)
	return found, err
}

func lockSlug(ctx context.Context, tx *pg.Tx, slug string) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('product slug ' || $1, 0))`, slug)
	return err
}

func slugTaken(ctx context.Context, q pg.Querier, slug string) (taken bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from products where slug = $1)`, slug).Scan(&taken)
	return taken, err
}

func productArgs(slug string, in ProductInput, now time.Time) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"slug": slug, "name": in.Name, "sort": searchtext.SortName(in.Name),
		"words": strings.Join(searchtext.Words(in.searchedText()), " "), "maker": in.Maker, "summary": in.Summary, "category": in.Category,
		"image": in.ImageURL, "website": in.Website, "business": in.Business, "status": in.Status, "now": now}
}

const businessID = `(select id from directory_entries where kind = 'business' and slug = @business)`

func insertProduct(ctx context.Context, tx *pg.Tx, slug string, in ProductInput, now time.Time) error {
	args := productArgs(slug, in, now)
	args["id"] = pg.NewID()
	_, err := tx.Exec(ctx, `
		insert into products (id, slug, name, sort_key, words, maker, summary, category, image_url, website, entry_id, status, created_at, updated_at)
		values (@id, @slug, @name, @sort, @words, @maker, @summary, @category, nullif(@image, ''), nullif(@website, ''), `+businessID+`, @status,
			@now, @now)`, args)
	return err
}

func updateProduct(ctx context.Context, tx *pg.Tx, slug string, in ProductInput, now time.Time) (found bool, err error) {
	tag, err := tx.Exec(ctx, `
		update products
		set name = @name, sort_key = @sort, words = @words, maker = @maker, summary = @summary, category = @category,
			image_url = nullif(@image, ''), website = nullif(@website, ''), entry_id = `+businessID+`, status = @status, updated_at = @now
		where slug = @slug`, productArgs(slug, in, now))
	return tag.RowsAffected() == 1, err
}

func setProductHidden(ctx context.Context, tx *pg.Tx, slug string, at *time.Time) (found bool, err error) {
	tag, err := tx.Exec(ctx, `
		update products
		set hidden_at = case when $2::timestamptz is not null then coalesce(hidden_at, $2) end
		where slug = $1`, slug, at)
	return tag.RowsAffected() == 1, err
}
