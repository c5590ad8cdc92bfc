package sayings

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
	"homeplace/core/searchtext"
	"homeplace/core/slugs"
)

const columns = `
	y.id, coalesce(y.slug, '') as slug, y.text, y.meaning, y.attribution, y.region, coalesce(y.category_slug, '') as category,
	coalesce(c.label, '') as category_label, coalesce(y.image_url, '') as image_url, y.status, y.hidden_at, y.created_at, y.published_at`

const fromSayings = `
	from sayings y
	left join saying_categories c on c.slug = y.category_slug`

const selectSayings = `select` + columns + fromSayings

// isPublic is the condition of the index sayings_public.
const isPublic = `y.status = 'published' and y.hidden_at is null`

// key tells sayings of the same words apart from others: neither case nor
// accents nor punctuation count.
func key(text string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(searchtext.Words(text), " ")))
	return sum[:]
}

// searched is what a saying is found by.
func searched(w Words) string {
	return strings.Join(append(searchtext.Words(w.Text), searchtext.Words(w.Meaning)...), " ")
}

// condition is that of a filter, with its arguments. Each word is a condition
// of its own, so that the index of trigrams serves. Words hold letters, digits
// and marks alone: nothing in them means something to like.
func (f Filter) condition() (string, pgx.StrictNamedArgs) {
	args := pgx.StrictNamedArgs{"category": f.Category, "region": searchtext.SortName(f.Region)}
	sql := isPublic + ` and @category in ('', y.category_slug) and @region in ('', y.region_key)`
	words := searchtext.Words(f.Query)
	if f.Query != "" && len(words) == 0 {
		return sql + ` and false`, args
	}
	slices.Sort(words)
	for i, word := range slices.Compact(words) {
		name := fmt.Sprintf("word%d", i)
		sql += ` and y.words like @` + name
		args[name] = "%" + word + "%"
	}
	return sql, args
}

func publicSayings(ctx context.Context, q pg.Querier, f Filter) (list []Saying, total int, err error) {
	condition, args := f.condition()
	if err := q.QueryRow(ctx, `select count(*) from sayings y where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[Saying](ctx, q, selectSayings+`
		where `+condition+`
		order by y.published_at desc, y.id
		limit @limit offset @offset`, args)
	return list, total, err
}

func bySlug(ctx context.Context, q pg.Querier, slug string) (Saying, error) {
	return pg.One[Saying](ctx, q, selectSayings+`
		where y.slug = $1 and y.status = 'published'`, slug)
}

func randomSaying(ctx context.Context, q pg.Querier) (Saying, error) {
	return pg.One[Saying](ctx, q, selectSayings+`
		where y.id = (
			select y.id from sayings y
			where `+isPublic+`
			order by y.published_at desc, y.id
			limit 1
			offset floor(random() * (select count(*) from sayings y where `+isPublic+`))::bigint)`)
}

// sayingOfDay goes through an order that looks like none, a step a day. Where
// all were published on the day itself, they take part at once.
func sayingOfDay(ctx context.Context, q pg.Querier, day time.Time) (Saying, error) {
	return pg.One[Saying](ctx, q, `
		with all_public as (
			select y.id, y.published_at < @day as settled from sayings y where `+isPublic+`
		), pool as (
			select id from all_public where settled or not exists (select from all_public where settled)
		)`+selectSayings+`
		where y.id = (
			select id from pool
			order by md5(id::text), id
			limit 1
			offset mod(@number, greatest((select count(*) from pool), 1)))`,
		pgx.StrictNamedArgs{"day": day, "number": day.Unix() / (24 * 60 * 60)})
}

func categories(ctx context.Context, q pg.Querier) ([]Category, error) {
	return pg.All[Category](ctx, q, `
		select c.slug, c.label, count(y.id) as count
		from saying_categories c
		left join sayings y on y.category_slug = c.slug and `+isPublic+`
		group by c.slug
		order by c.sort_order`)
}

func regions(ctx context.Context, q pg.Querier) ([]Region, error) {
	return pg.All[Region](ctx, q, `
		select min(y.region) as name, count(*) as count
		from sayings y
		where `+isPublic+` and y.region_key <> ''
		group by y.region_key
		order by y.region_key`)
}

func setHidden(ctx context.Context, tx *pg.Tx, id string, at *time.Time) error {
	_, err := tx.Exec(ctx, `
		update sayings
		set hidden_at = $2
		where id = $1 and (hidden_at is null) <> ($2::timestamptz is null)`, id, at)
	return err
}

// reserved are the words below /sayings and /api/sayings that lead elsewhere.
var reserved = []string{"categories", "new", "random", "submit"}

// freeSlug is the first of its name that nobody has. Others who look for one of
// the same name wait until this transaction ends.
func freeSlug(ctx context.Context, tx *pg.Tx, wanted string) (string, error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('saying slug ' || $1, 0))`, wanted); err != nil {
		return "", err
	}
	first := 1
	if slices.Contains(reserved, wanted) {
		first = 2
	}
	for n := first; ; n++ {
		slug, taken := slugs.Numbered(wanted, n), false
		if err := tx.QueryRow(ctx, `select exists (select from sayings where slug = $1)`, slug).Scan(&taken); err != nil || !taken {
			return slug, err
		}
	}
}
