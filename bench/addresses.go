package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeplace/core/directory"
	"homeplace/core/searchtext"
)

// What the cached scenarios ask for.
const (
	cachedAddress = "/api/directory/businesses"
	cachedPage    = "/directory/businesses"
)

const (
	// perConnection is how many addresses each connection goes round: no two
	// connections share one, so that nothing is answered for two at once.
	perConnection = 60
	sampleSize    = connections * perConnection
	// deepestPage is as far as a list is paged: most people stop long before.
	deepestPage = 20
)

// addresses are what the uncached scenarios ask for; the same for the same
// directory.
type addresses struct{ lists, details, searches, pages []string }

func chooseAddresses(ctx context.Context, databaseURL string) (a addresses, err error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return a, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	entries, err := sampleEntries(ctx, conn)
	if err != nil {
		return a, fmt.Errorf("choose entries: %w", err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, e := range entries {
		a.details = append(a.details, "/api/directory/"+e.Kind.Segment()+"/"+e.Slug)
		if q := e.query(r); q != "" {
			a.searches = append(a.searches, "/api/directory/search?q="+url.QueryEscape(q))
		}
	}
	if a.lists, err = listAddresses(ctx, conn, r); err != nil {
		return a, err
	}
	a.pages, err = pageAddresses(a.lists)
	return a, err
}

// sampled is an entry that the scenarios look for.
type sampled struct {
	Kind           directory.Kind
	Slug           string
	Name           string
	City, Category string
}

func sampleEntries(ctx context.Context, conn *pgx.Conn) ([]sampled, error) {
	rows, err := conn.Query(ctx, `
		select e.kind, e.slug, e.name, e.city, c.label as category
		from directory_entries e
		join directory_categories c on c.kind = e.kind and c.slug = e.category
		order by e.kind = 'person', md5(e.slug)
		limit $1`, sampleSize)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[sampled])
}

// query is two words by which the entry is found: of its name, its category or
// its city.
func (e sampled) query(r *rand.Rand) string {
	var name []string
	for _, w := range searchtext.Words(e.Name) {
		if len(w) > 3 {
			name = append(name, w)
		}
	}
	category, city := searchtext.Words(e.Category), searchtext.Words(e.City)
	if len(name) < 2 || len(category) == 0 || len(city) == 0 {
		return ""
	}
	first := name[r.IntN(len(name))]
	switch r.IntN(4) {
	case 0:
		return name[0] + " " + name[len(name)-1]
	case 1:
		return first + " " + city[0]
	case 2:
		return first + " " + category[0]
	default:
		return category[0] + " " + city[0]
	}
}

// listAddresses mixes pages of whole kinds, of categories, of letters and of
// both, each at most deepestPage pages deep.
func listAddresses(ctx context.Context, conn *pgx.Conn, r *rand.Rand) ([]string, error) {
	rows, err := conn.Query(ctx, `
		select kind, category, initial, sum(entries)::int as entries
		from directory_counts
		where entries > 0 and category <> ''
		group by grouping sets ((kind), (kind, category), (kind, initial), (kind, category, initial))
		order by md5(concat_ws(' ', kind, category, initial))`)
	if err != nil {
		return nil, err
	}
	type group struct {
		Kind              directory.Kind
		Category, Initial *string
		Entries           int
	}
	groups, err := pgx.CollectRows(rows, pgx.RowToStructByName[group])
	if err != nil {
		return nil, err
	}
	var list []string
	seen := map[string]bool{}
	for i := 0; len(list) < sampleSize && i < 100*sampleSize; i++ {
		g := groups[r.IntN(len(groups))]
		if g.Category != nil && g.Initial != nil && r.IntN(4) > 0 {
			continue // there are so many of these that they would be nearly all
		}
		parameters := url.Values{}
		if g.Category != nil {
			parameters.Set("category", *g.Category)
		}
		if g.Initial != nil {
			parameters.Set("letter", *g.Initial)
		}
		pages := min((g.Entries+directory.ListRule.Default-1)/directory.ListRule.Default, deepestPage)
		if page := r.IntN(pages); page > 0 {
			parameters.Set("offset", fmt.Sprint(page*directory.ListRule.Default))
		}
		address := strings.TrimSuffix("/api/directory/"+g.Kind.Segment()+"?"+parameters.Encode(), "?")
		if address != cachedAddress && !seen[address] {
			seen[address] = true
			list = append(list, address)
		}
	}
	return list, nil
}
