package directory

import (
	"maps"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeplace/core/searchtext"
)

// metroTwinDegrees is how far from its metro's centre, in degrees of latitude
// and longitude, a city of the same name may lie to be meant too: Kansas City
// lies in two states, Portland is two cities.
const metroTwinDegrees = 1.0

// listQuery builds the two statements of a list from fixed fragments: each
// combination of filters is a statement of its own, so that the planner sees
// which indexes serve it.
type listQuery struct {
	byCategory string // the filter on categories, kept apart: facets leave it out
	byName     string // the letter as a range of names, in the order of which the index delivers
	others     string
	indexed    bool // answered by directory_counts alone
	key, order string
	args       pgx.StrictNamedArgs
}

func (s *Service) newListQuery(f Filter, zip *ZIPFilter) listQuery {
	q := listQuery{indexed: true, key: `d.sort_name`, args: pgx.StrictNamedArgs{
		"kind": f.Kind, "limit": f.Page.Limit, "offset": f.Page.Offset,
	}}
	if len(f.Categories) == 1 {
		q.byCategory = ` and d.category = @category`
		q.args["category"] = f.Categories[0]
	} else if len(f.Categories) > 1 {
		q.byCategory = ` and d.category = any(@category)`
		q.args["category"] = f.Categories
	}
	if f.Letter != "" {
		q.others += ` and d.initial = @initial`
		q.args["initial"] = f.Letter
	}
	if f.Letter != "" && f.Letter != "#" {
		q.byName = ` and d.sort_name >= @letter and d.sort_name < @after`
		q.args["letter"], q.args["after"] = f.Letter, string(f.Letter[0]+1)
	}
	if f.Query != "" {
		q.indexed = false
		q.others += ` and d.haystack like all(@patterns)`
		q.args["patterns"] = patterns(f.Query)
	}
	if zip != nil && zip.Scope == ScopeMetro {
		q.indexed = false
		q.others += ` and ` + MetroCondition
		zip.MetroArgs(q.args)
	}
	switch f.When {
	case Upcoming:
		q.others, q.key = q.others+` and d.over_at >= @now`, `d.starts_at`
	case Past:
		q.others, q.key, q.order = q.others+` and d.over_at < @now`, `d.over_at`, ` desc`
	}
	if f.When != AnyTime {
		q.indexed = false
		q.args["now"] = s.now()
	}
	return q
}

// MetroCondition keeps the documents d of a metro: the same state, or the
// metro's own name just across the line. Its arguments are set by ZIPFilter.MetroArgs.
const MetroCondition = `(d.region = @metro_region
	or d.city_key = @metro_city and d.lat between @metro_lat::float8 - @metro_reach::float8 and @metro_lat::float8 + @metro_reach::float8
		and d.lng between @metro_lng::float8 - @metro_reach::float8 and @metro_lng::float8 + @metro_reach::float8)`

// MetroArgs sets the arguments of MetroCondition, for a filter with ScopeMetro.
func (zip *ZIPFilter) MetroArgs(args pgx.StrictNamedArgs) {
	args["metro_region"] = *zip.MetroRegion
	args["metro_city"] = searchtext.SortName(*zip.MetroCity)
	args["metro_lat"], args["metro_lng"] = zip.metro.Lat, zip.metro.Lng
	args["metro_reach"] = metroTwinDegrees
}

// patterns turns the tokens of a query into LIKE patterns over the haystack.
func patterns(query string) []string {
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	var list []string
	for _, token := range strings.Fields(searchtext.Fold(query)) {
		list = append(list, "%"+escape.Replace(token)+"%")
	}
	return list
}

func foldLetter(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func (q listQuery) pageSQL() string {
	return `
	select ` + summaryColumns + `
	from (
		select d.entry_id, ` + q.key + `
		from search_documents d
		where d.kind = @kind` + q.byCategory + q.byName + q.others + `
		order by ` + q.key + q.order + `, d.entry_id
		limit @limit offset @offset
	) d
	join directory_entries e on e.id = d.entry_id` + joinCategory + `
	order by ` + q.key + q.order + `, d.entry_id`
}

func (q listQuery) facetSQL() string {
	counted := `select d.category, count(*) as n from search_documents d where d.kind = @kind` + q.others + ` group by 1`
	if q.indexed {
		counted = `select d.category, sum(d.entries) as n from directory_counts d where d.kind = @kind` + q.others + ` group by 1`
	}
	return `
	select f.category as slug, coalesce(c.label, '') as label, f.n::int as count
	from (` + counted + `) f
	left join directory_categories c on c.kind = @kind and c.slug = f.category
	where f.n > 0
	order by lower(c.label), f.category`
}

func (q listQuery) letterSQL() string {
	source := `search_documents d where d.kind = @kind`
	if q.indexed {
		source = `directory_counts d where d.entries > 0 and d.kind = @kind`
	}
	return `
	select d.initial
	from ` + source + q.byCategory + q.others + `
	group by d.initial
	order by d.initial = '#', d.initial`
}

// without are the arguments that are left for a statement that does not use
// the named ones.
func (q listQuery) without(names ...string) pgx.StrictNamedArgs {
	args := maps.Clone(q.args)
	for _, name := range names {
		delete(args, name)
	}
	return args
}
