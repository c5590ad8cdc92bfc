package search

import (
	"context"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

type synonym struct{ Term, Expansion string }

func allSynonyms(ctx context.Context, q pg.Querier) ([]synonym, error) {
	return pg.All[synonym](ctx, q, `select term, expansion from search_synonyms order by term, expansion`)
}

// categoryName is one of the names of a category: label, slug or alias.
type categoryName struct {
	Slug, Name string
	Alias      bool
}

func categoryNames(ctx context.Context, q pg.Querier) ([]categoryName, error) {
	return pg.All[categoryName](ctx, q, `
		select c.slug, n.name, n.name = any(c.aliases) as alias
		from directory_categories c, unnest(c.aliases || c.label || c.slug) n(name)
		order by c.slug, n.name`)
}

// similarWords finds the known words one slip from word, those that look much
// like it, and which of the parts are known.
func similarWords(ctx context.Context, q pg.Querier, word string, deletes, parts []string) ([]string, error) {
	rows, err := q.Query(ctx, `
		(select word from search_words where deletes && $2 limit 200)
		union
		(select word from search_words where length($1) >= 7 and word % $1 order by similarity(word, $1) desc, word limit 50)
		union
		(select word from search_words where word = any($3))`, word, deletes, parts)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// allKnown tells whether every word stands in some public name, city or
// category.
func allKnown(ctx context.Context, q pg.Querier, words []string) (known bool, err error) {
	err = q.QueryRow(ctx, `
		select not exists (
			select from unnest($1::text[]) w
			where not exists (select from search_words s where s.word = w))`, words).Scan(&known)
	return known, err
}

// nearbyKm is how far around a place the surroundings reach.
const nearbyKm = 60.0

// kmPerDegree is the length of a degree of latitude.
const kmPerDegree = 111.2

// rank finds the best matches of an attempt: their ids for the page, and how
// many there are, at most MaxRanked and the names on top of it.
func (s *Service) rank(ctx context.Context, q Query, a attempt, zip *directory.ZIPFilter) (ranking, error) {
	p := a.plan
	typed, meant := p.namedCategories()
	args := pgx.StrictNamedArgs{
		"kinds": kindNames(q.Kinds), "key": p.key, "upper": upperBound(p.key, a.wide),
		"query": a.query, "name": a.name, "whole": a.whole,
		"typed": typed, "meant": meant, "cities": p.cities, "explaining": p.explaining, "explained": allCategories(p.terms),
		"ranked": MaxRanked, "limit": q.Page.Limit, "offset": q.Page.Offset,
	}
	condition, around, score := ``, ``, ``
	if zip != nil && zip.Scope == directory.ScopeMetro {
		condition = ` and ` + directory.MetroCondition
		zip.MetroArgs(args)
	}
	if p.place != nil {
		score = placeScore
		args["region"], args["place_only"] = p.place.Region, len(p.terms) == 0
		args["whole_region"], args["zip"] = p.place.City == "", p.place.ZIP
	}
	if p.place != nil && p.place.located {
		score += distanceScore
		args["lat"], args["lng"] = p.place.lat, p.place.lng
	}
	if len(p.corrections) > 0 {
		score += likenessScore
	}
	if a.around != "" {
		around = aroundBranch
		args["around"], args["reach"] = a.around, nearbyKm/kmPerDegree
	}
	rows, err := s.db.Public().Query(ctx, rankSQL(condition, around, score), args)
	if err != nil {
		return ranking{}, err
	}
	r, err := collectRanking(rows)
	if err == nil && len(r.ids) == 0 && q.Page.Offset > 0 {
		// A page past the end has no row to carry the total.
		q.Page = core.Page{Limit: 1}
		r, err = s.rank(ctx, q, a, zip)
		r.ids = nil
	}
	return r, err
}

// ranking is a page of ids, how many there are in all, and whether one of them
// has the query for its name.
type ranking struct {
	ids   []string
	total int
	named bool
}

func collectRanking(rows pgx.Rows) (r ranking, err error) {
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id, &r.total, &r.named}, func() error {
		r.ids = append(r.ids, id)
		return nil
	})
	return r, err
}

func kindNames(kinds []directory.Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return names
}

// upperBound ends the range of name keys that begin with key: as a whole word,
// or wide, as letters.
func upperBound(key string, wide bool) string {
	if wide {
		return key + "\U0010FFFF"
	}
	return key + "!" // the character after the blank
}

const (
	// placeScore lifts what lies in the place itself over what names it.
	placeScore = `
		+ case when d.region = @region and @whole_region then case when @place_only then 30 else 10 end
			when d.region = @region then 3 else 0 end
		+ case when d.zip = nullif(@zip, '') then 4 else 0 end`
	// distanceScore lifts what lies close to the middle of the place.
	distanceScore = `
		+ coalesce(2 / (1 + sqrt(power(d.lat - @lat::float8, 2) + power((d.lng - @lng::float8) * cos(radians(@lat::float8)), 2)) * 10), 0)`
	// likenessScore lifts, among what mended words find, the names that look
	// like what was typed.
	likenessScore = `
		+ 30 * similarity(d.name_key, @key)`
	// aroundBranch adds what fulfils the rest of the query around the place.
	aroundBranch = `
		union
		(select entry_id from search_documents d
		where d.kind = any(@kinds) and d.words @@ @around::tsquery
			and d.lat between @lat::float8 - @reach::float8 and @lat::float8 + @reach::float8
			and d.lng between @lng::float8 - @reach::float8 / cos(radians(@lat::float8))
				and @lng::float8 + @reach::float8 / cos(radians(@lat::float8))
		limit @ranked)`
)

// rankSQL gathers names that are or begin with the query, and what fulfils it,
// and orders them. The weights of the score were set by the evaluation
// (homeplace search evaluate): a name that is the query wins; then what is of
// the category and in the city that together make up the query; then names
// that begin with the query or hold all its words; then how often and where
// the words occur.
func rankSQL(condition, around, score string) string {
	return `
	with found as (
		(select entry_id from search_documents d
		where d.kind = any(@kinds) and d.name_key = @key` + condition + ` limit 200)
		union
		(select entry_id from search_documents d
		where d.kind = any(@kinds) and d.name_key ~>=~ @key and d.name_key ~<~ @upper` + condition + ` limit 200)
		union
		(select entry_id from search_documents d
		where d.kind = any(@kinds) and d.words @@ @query::tsquery` + condition + ` limit @ranked)` + around + `
	)
	select d.entry_id, count(*) over ()::int as total, bool_or(d.name_key = @key) over () as named
	from found
	join search_documents d on d.entry_id = found.entry_id
	order by
		case when d.name_key = @key then 100 when starts_with(d.name_key, @key || ' ') then 40 else 0 end
		+ case when d.words @@ @name::tsquery then 20 else 0 end
		+ case when d.words @@ @whole::tsquery then 12 else 0 end
		+ case when d.words @@ @query::tsquery then 15 else 0 end
		+ case when d.city_key = any(@explaining) then 25 when d.city_key = any(@cities) then 10 else 0 end
		+ case when d.category = any(@typed) then case when @explained or d.city_key = any(@explaining) then 45 else 10 end
			when d.category = any(@meant) then case when @explained or d.city_key = any(@explaining) then 15 else 6 end
			else 0 end
		+ 4 * ts_rank('{0.05, 0.2, 0.6, 1.0}', d.words, @query::tsquery)` + score + `
		+ d.prominence desc,
		d.sort_name, d.entry_id
	limit @limit offset @offset`
}

// browse lists the entries of several kinds by name, for a search without
// words.
func (s *Service) browse(ctx context.Context, q Query, zip *directory.ZIPFilter) (ranking, error) {
	args := pgx.StrictNamedArgs{"kinds": kindNames(q.Kinds), "limit": q.Page.Limit, "offset": q.Page.Offset}
	condition := ``
	count := `select coalesce(sum(entries), 0) from directory_counts where kind = any(@kinds)`
	if zip != nil && zip.Scope == directory.ScopeMetro {
		condition = ` and ` + directory.MetroCondition
		zip.MetroArgs(args)
		count = `select count(*) from search_documents d where d.kind = any(@kinds)` + condition
	}
	rows, err := s.db.Public().Query(ctx, `
		select d.entry_id, (`+count+`)::int as total, false as named
		from search_documents d
		where d.kind = any(@kinds)`+condition+`
		order by d.sort_name, d.entry_id
		limit @limit offset @offset`, args)
	if err != nil {
		return ranking{}, err
	}
	r, err := collectRanking(rows)
	if err != nil || len(r.ids) > 0 || q.Page.Offset == 0 {
		return r, err
	}
	// A page past the end has no row to carry the total.
	delete(args, "limit")
	delete(args, "offset")
	err = s.db.Public().QueryRow(ctx, `select (`+count+`)::int`, args).Scan(&r.total)
	return r, err
}
