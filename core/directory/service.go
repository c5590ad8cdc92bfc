package directory

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/geo"
	"homeplace/core/pg"
)

// Service answers for the directory.
type Service struct {
	db       *pg.DB
	now      core.Clock
	places   func() *geo.Gazetteer
	curation curationCache
}

// New makes the service. places gives the gazetteer in use at the moment.
func New(db *pg.DB, now core.Clock, places func() *geo.Gazetteer) *Service {
	s := &Service{db: db, now: now, places: places}
	db.OnChange(func(area string) {
		if area == Area || area == pg.Everything {
			s.curation.drop()
		}
	})
	return s
}

// Get reads a public entry by kind and slug. Errors: NotFound.
func (s *Service) Get(ctx context.Context, kind Kind, slug string) (Entry, error) {
	if !core.ValidSlug(slug) {
		return Entry{}, errNoEntry(slug)
	}
	e, err := entryBySlug(ctx, s.db.Public(), kind, slug)
	if pg.NoRows(err) {
		return Entry{}, errNoEntry(slug)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("get entry: %w", pg.Err(err))
	}
	return e, nil
}

func errNoEntry(slug string) *core.Error {
	return core.NotFoundf("There is no entry %q here. It may have moved or been withdrawn; try the search.", slug)
}

// KindOf tells the kind of a public entry, for addresses from the time when
// businesses and landmarks were one list of places. Errors: NotFound.
func (s *Service) KindOf(ctx context.Context, slug string) (Kind, error) {
	if !core.ValidSlug(slug) {
		return "", errNoEntry(slug)
	}
	kind, err := kindBySlug(ctx, s.db.Public(), slug)
	if pg.NoRows(err) {
		return "", errNoEntry(slug)
	}
	return kind, pg.Err(err)
}

// ByIDs reads the public ones among the entries, in the order of the ids: for
// readers such as the search that know which ones they want.
func (s *Service) ByIDs(ctx context.Context, ids []string) ([]Summary, error) {
	if len(ids) == 0 {
		return []Summary{}, nil
	}
	list, err := summariesByID(ctx, s.db.Public(), ids)
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", pg.Err(err))
	}
	return list, nil
}

// List reads a page of one kind's public entries in the order of their names,
// or of their time where Filter.When narrows it, with the facets under the same
// filters.
func (s *Service) List(ctx context.Context, f Filter) (Listing, error) {
	page, err := s.resolve(ctx, &f)
	if err != nil {
		return Listing{}, err
	}
	q := s.newListQuery(f, page.ZIPFilter)
	batch := &pgx.Batch{}
	batch.Queue(q.pageSQL(), q.args)
	batch.Queue(q.facetSQL(), q.without("category", "limit", "offset", "letter", "after"))
	results := s.db.Public().SendBatch(ctx, batch)
	defer results.Close()

	if page.Items, err = collectBatch[Summary](results); err != nil {
		return Listing{}, fmt.Errorf("list entries: %w", pg.Err(err))
	}
	facets, err := collectBatch[Facet](results)
	if err != nil {
		return Listing{}, fmt.Errorf("count entries: %w", pg.Err(err))
	}
	for _, facet := range facets {
		if len(f.Categories) == 0 || slices.Contains(f.Categories, facet.Slug) {
			page.Total += facet.Count
		}
		if facet.Slug != "" { // entries outside the curated list count, but are no facet
			page.Facets = append(page.Facets, facet)
		}
	}
	return page, nil
}

func collectBatch[T any](results pgx.BatchResults) ([]T, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// resolve checks the filter, drops what cannot narrow, and starts the page.
func (s *Service) resolve(ctx context.Context, f *Filter) (Listing, error) {
	f.Page = ListRule.Clamp(f.Page)
	var p core.Problems
	p.Query("q", &f.Query)
	f.Letter = foldLetter(f.Letter)
	if f.Letter != "" && f.Letter != "#" && (len(f.Letter) != 1 || f.Letter[0] < 'a' || f.Letter[0] > 'z') {
		p.Add("letter", "must be a letter from a to z, or #")
	}
	switch {
	case f.When != AnyTime && f.When != Upcoming && f.When != Past:
		p.Add("when", "must be upcoming or past")
	case f.When != AnyTime && f.Kind != KindEvent:
		p.Add("when", "narrows events only")
	}
	if err := p.Err(); err != nil {
		return Listing{}, err
	}
	curated, err := s.curated(ctx)
	if err != nil {
		return Listing{}, err
	}
	f.Categories = curated.known(f.Kind, f.Categories)
	page := Listing{List: core.List[Summary]{Items: []Summary{}, Page: f.Page}, Facets: []Facet{}}
	if f.ZIP != "" {
		page.ZIPFilter = s.ResolveZIP(f.ZIP)
	}
	return page, nil
}

// ResolveZIP finds the big-city metro of a ZIP. It never fails: what cannot
// be resolved has ScopeNone.
func (s *Service) ResolveZIP(zip string) *ZIPFilter {
	f := &ZIPFilter{ZIP: zip, Scope: ScopeNone}
	z, ok := s.places().ZIP(zip)
	if !ok {
		return f
	}
	m, ok := s.places().Metro(z.Lat, z.Lng)
	if !ok {
		return f
	}
	f.Resolved, f.Scope, f.MetroCity, f.MetroRegion, f.metro = true, ScopeMetro, &m.City, &m.Region, m
	return f
}

// Categories lists the curated subcategories of every kind, by label.
func (s *Service) Categories(ctx context.Context) (map[Kind][]Category, error) {
	c, err := s.curated(ctx)
	if err != nil {
		return nil, err
	}
	return c.byKind, nil
}

// CategoryKind tells which of the kinds all the named categories belong to,
// "" where they are unknown or mixed.
func (s *Service) CategoryKind(ctx context.Context, categories []string) (Kind, error) {
	c, err := s.curated(ctx)
	if err != nil || len(categories) == 0 {
		return "", err
	}
	for _, kind := range Kinds {
		if len(c.known(kind, categories)) == len(categories) {
			return kind, nil
		}
	}
	return "", nil
}

// Empty tells whether the directory has no entry at all, whatever its state.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) error {
		return tx.QueryRow(ctx, `select not exists (select from directory_entries)`).Scan(&empty)
	})
	return empty, err
}

var errNotStaff = core.Forbiddenf("Only staff change directory entries directly.")

// requireStaff guards the methods that write entries as they are given.
func requireStaff(v core.Viewer) error {
	if !v.IsStaff() {
		return errNotStaff
	}
	return nil
}
