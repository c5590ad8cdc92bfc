package directory

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
)

// NearKm is how far around a point Near looks.
const NearKm = 100.0

// Near is an entry with its great-circle distance from a point.
type Near struct {
	Summary
	DistanceKm float64 // on a sphere of geo.EarthRadiusKm
}

// Near lists the public entries within NearKm of a point, nearest first, at
// most limit. Events that are over are left out, and so is the entry exclude
// ("" = none).
func (s *Service) Near(ctx context.Context, lat, lng float64, exclude string, limit int) ([]Near, error) {
	if !core.ValidID(exclude) {
		exclude = noID
	}
	list, err := nearestEntries(ctx, s.db.Public(), point{lat, lng}, exclude, s.now(), limit)
	return list, wrapPublic("find what is near", err)
}

// Newest lists the public entries that came last.
func (s *Service) Newest(ctx context.Context, limit int) ([]Summary, error) {
	list, err := newestEntries(ctx, s.db.Public(), limit)
	return list, wrapPublic("list the newest entries", err)
}

// Upcoming lists the public events that are not over, soonest first.
func (s *Service) Upcoming(ctx context.Context, limit int) ([]Summary, error) {
	list, err := upcomingEvents(ctx, s.db.Public(), s.now(), limit)
	return list, wrapPublic("list the next events", err)
}

// Counts tells how many public entries each kind has; every kind is there.
func (s *Service) Counts(ctx context.Context) (map[Kind]int, error) {
	counts := map[Kind]int{}
	for _, kind := range Kinds {
		counts[kind] = 0
	}
	rows, err := countsByKind(ctx, s.db.Public())
	for _, r := range rows {
		counts[r.Kind] = r.Entries
	}
	return counts, wrapPublic("count the entries", err)
}

// Letters lists the initials under which entries stand when every filter but
// the letter is kept: a to z, then "#".
func (s *Service) Letters(ctx context.Context, f Filter) ([]string, error) {
	f.Letter = ""
	page, err := s.resolve(ctx, &f)
	if err != nil {
		return nil, err
	}
	letters, err := initials(ctx, s.db.Public(), s.newListQuery(f, page.ZIPFilter))
	return letters, wrapPublic("list the letters", err)
}

// SitemapEntry is what a site map says of an entry.
type SitemapEntry struct {
	ID        string
	Kind      Kind
	Slug      string
	UpdatedAt time.Time
}

// MaxSitemap is the most addresses that one file of a site map may hold.
const MaxSitemap = 50_000

// ForSitemap lists public entries in the order of their ids, after the given
// one ("" = from the start), at most limit and never more than MaxSitemap: a
// page costs the same however far it lies.
func (s *Service) ForSitemap(ctx context.Context, after string, limit int) ([]SitemapEntry, error) {
	if !core.ValidID(after) {
		after = noID
	}
	list, err := sitemapEntries(ctx, s.db.Public(), after, min(limit, MaxSitemap))
	return list, wrapPublic("list entries for the site map", err)
}

// noID sorts before every id and belongs to nothing.
const noID = "00000000-0000-0000-0000-000000000000"

// maxDuplicates is how many likely duplicates are shown.
const maxDuplicates = 5

// Duplicates lists public entries that may be what the input means: those of
// the same name, spelling aside, in the same city. Where one of the two has no
// city, the name decides.
func (s *Service) Duplicates(ctx context.Context, in Input) ([]Summary, error) {
	key := searchtext.NameKey(in.Name)
	if key == "" {
		return []Summary{}, nil
	}
	list, err := sameNames(ctx, s.db.Public(), key, searchtext.SortName(in.City), maxDuplicates)
	return list, wrapPublic("look for duplicates", err)
}

// PointOf is where the input is, in degrees: its point, else, not exact, the
// middle of its ZIP. ok is false where neither is known.
func (s *Service) PointOf(in Input) (lat, lng float64, exact, ok bool) {
	if in.Lat != nil && in.Lng != nil {
		return *in.Lat, *in.Lng, true, true
	}
	zip, known := s.places().ZIP(in.Zip)
	return zip.Lat, zip.Lng, false, known && zip.Located()
}

func wrapPublic(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, pg.Err(err))
}
