// Package geography keeps the gazetteer in use: the one built into the
// program, or the one that an operator imported instead, the same on every
// instance.
package geography

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"homeplace/core"
	"homeplace/core/geo"
	"homeplace/core/pg"
)

// Area is the name under which a new gazetteer is announced.
const Area = "geography"

// Service hands out the gazetteer. Its methods are safe for concurrent use.
type Service struct {
	db *pg.DB

	mu         sync.Mutex
	current    *geo.Gazetteer // nil = read again
	generation int
}

// New makes the service.
func New(db *pg.DB) *Service {
	s := &Service{db: db}
	db.OnChange(func(area string) {
		if area == Area || area == pg.Everything {
			s.mu.Lock()
			s.current = nil
			s.generation++
			s.mu.Unlock()
		}
	})
	return s
}

// patience is how long Current waits for the database.
const patience = 5 * time.Second

// Current is the gazetteer in use. While the database cannot be asked, or what
// was imported cannot be read, it is the built-in one.
func (s *Service) Current() *geo.Gazetteer {
	s.mu.Lock()
	current, generation := s.current, s.generation
	s.mu.Unlock()
	if current != nil {
		return current
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	data, err := s.stored(ctx)
	if err != nil {
		return geo.Builtin()
	}
	if current, err = decode(data); err != nil {
		slog.Error("the built-in gazetteer is used until another one is imported", "error", err)
		current = geo.Builtin()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == generation {
		s.current = current
	}
	return current
}

// Imported tells whether an operator imported a gazetteer; it fails when that
// one cannot be read.
func (s *Service) Imported(ctx context.Context) (bool, error) {
	data, err := s.stored(ctx)
	if err == nil {
		_, err = decode(data)
	}
	return data != nil, err
}

// decode reads a stored gazetteer; without one it is the built-in.
func decode(data []byte) (*geo.Gazetteer, error) {
	if data == nil {
		return geo.Builtin(), nil
	}
	g, err := geo.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("decode the imported gazetteer: %w", err)
	}
	return g, nil
}

func (s *Service) stored(ctx context.Context) (data []byte, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) error {
		return tx.QueryRow(ctx, `select (select data from gazetteers where name = 'imported')`).Scan(&data)
	})
	return data, err
}

// Source is a file to import, with its name for messages.
type Source struct {
	Name string
	Read io.Reader
}

// Import replaces the built-in tables by what the files hold: postal codes,
// cities, or both, in the GeoNames layouts (geo.Gazetteer.ParseZIPs,
// ParseCities). The reports say what became of the lines. For the system.
func (s *Service) Import(ctx context.Context, v core.Viewer, zips, cities *Source) (reports []geo.Report, err error) {
	if v.Role != core.System {
		return nil, core.Forbiddenf("Only the operator imports gazetteers.")
	}
	g := s.Current()
	for _, part := range []struct {
		source *Source
		parse  func(io.Reader) (*geo.Gazetteer, geo.Report, error)
	}{
		{zips, func(r io.Reader) (*geo.Gazetteer, geo.Report, error) { return g.ParseZIPs(r) }},
		{cities, func(r io.Reader) (*geo.Gazetteer, geo.Report, error) { return g.ParseCities(r, nil) }},
	} {
		if part.source == nil {
			continue
		}
		next, report, err := part.parse(part.source.Read)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.source.Name, err)
		}
		g = next
		reports = append(reports, report)
	}
	return reports, s.store(ctx, `
		insert into gazetteers (name, data) values ('imported', $1)
		on conflict (name) do update set data = excluded.data, imported_at = now()`, g.Encode())
}

// Reset goes back to the built-in tables. For the system.
func (s *Service) Reset(ctx context.Context, v core.Viewer) error {
	if v.Role != core.System {
		return core.Forbiddenf("Only the operator changes gazetteers.")
	}
	return s.store(ctx, `delete from gazetteers where name = 'imported'`)
}

func (s *Service) store(ctx context.Context, sql string, args ...any) error {
	err := s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		tx.Touch(Area)
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("store the gazetteer: %w", err)
	}
	return nil
}
