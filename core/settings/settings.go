// Package settings holds what an operator can change while the service runs:
// one table of typed settings with defaults, a store in the database, and a
// snapshot in memory that follows every change made on any instance.
package settings

import (
	"context"
	"fmt"
	"log/slog"

	"homeplace/core"
	"homeplace/core/pg"
)

// Area is the name under which changes are announced; see pg.Tx.Touch.
const Area = "settings"

// Reset is the value that takes a setting back to its default.
const Reset = "default"

// masked stands for a secret that is set.
const masked = "••••••••"

// Service reads and changes settings. Its methods are safe for concurrent use.
type Service struct {
	db     *pg.DB
	audit  auditor // nil keeps nothing
	table  []*definition
	values snapshot
	reload reloader
}

// New makes the service. Until Load every setting has its default; from then
// on the values follow what db.OnChange tells.
func New(db *pg.DB) *Service { return newService(db, table) }

func newService(db *pg.DB, table []*definition) *Service {
	s := &Service{db: db, table: table}
	s.values.replace(defaults(table))
	db.OnChange(func(changed string) {
		if changed == Area || changed == pg.Everything {
			s.reload.start(s.Load)
		}
	})
	return s
}

// Load reads every setting from the database. A stored value that its setting
// no longer takes is logged, and the default holds.
func (s *Service) Load(ctx context.Context) error {
	return s.values.load(func() (map[*definition]any, error) {
		stored, err := s.stored(ctx)
		if err != nil {
			return nil, fmt.Errorf("load settings: %w", err)
		}
		values := defaults(s.table)
		for _, d := range s.table {
			now, ok := stored[d.key]
			if !ok {
				continue
			}
			value, _, err := d.parse(now.Value)
			if err != nil {
				slog.WarnContext(ctx, "a stored setting is not valid; its default is used", "key", d.key, "error", err)
				continue
			}
			values[d] = value
		}
		return values, nil
	})
}

// Row is one setting as a person sees it.
type Row struct {
	Key     string
	Kind    Kind
	Value   string // a secret that is set is masked
	Default string
	Meaning string
	Takes   string // what a value looks like, such as "a whole number from 1 to 9"; may be empty
	Changed bool   // differs from the default
	State   string // for Edit: tells whether it was changed in the meantime, and nothing of a secret
}

func (d *definition) row(stored map[string]storedSetting) Row {
	r := Row{Key: d.key, Kind: d.kind, Value: d.preset, Default: d.preset, Meaning: d.meaning, Takes: d.takes, State: d.state(stored)}
	if now, ok := stored[d.key]; ok {
		r.Value, r.Changed = now.Value, true
		if d.kind == KindSecret {
			r.Value = masked
		}
	}
	return r
}

// List returns every setting as the database has it now. For the system and
// administrators.
func (s *Service) List(ctx context.Context, v core.Viewer) ([]Row, error) {
	if err := mayManage(v); err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx)
	if err != nil {
		return nil, fmt.Errorf("list settings: %w", err)
	}
	rows := make([]Row, len(s.table))
	for i, d := range s.table {
		rows[i] = d.row(stored)
	}
	return rows, nil
}

// Get returns one setting as the database has it now. For the system and
// administrators. Errors: NotFound, with the names that are near.
func (s *Service) Get(ctx context.Context, v core.Viewer, key string) (Row, error) {
	if err := mayManage(v); err != nil {
		return Row{}, err
	}
	d, err := s.find(key)
	if err != nil {
		return Row{}, err
	}
	stored, err := s.stored(ctx)
	if err != nil {
		return Row{}, fmt.Errorf("read setting %s: %w", key, err)
	}
	return d.row(stored), nil
}

// Set changes a setting on every instance, on this one before it returns. The
// value Reset takes it back to its default. For the system and administrators.
// Errors: Invalid at the field "value"; NotFound, with the names that are near.
func (s *Service) Set(ctx context.Context, v core.Viewer, key, value string) error {
	if err := mayManage(v); err != nil {
		return err
	}
	d, err := s.find(key)
	if err != nil {
		return err
	}
	if value == Reset {
		value = d.preset
	}
	_, written, err := d.parse(value)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		stored, err := lockSettings(ctx, tx)
		if err != nil {
			return err
		}
		return s.store(ctx, tx, v, d, stored, written)
	})
	if err != nil {
		return fmt.Errorf("change setting %s: %w", key, err)
	}
	return s.Load(ctx)
}

func mayManage(v core.Viewer) error {
	switch {
	case v.Role == core.System, v.Admin:
		return nil
	case !v.SignedIn():
		return core.Unauthenticatedf("Sign in as an administrator to see the settings.")
	}
	return core.Forbiddenf("Only administrators see and change the settings.")
}

func (s *Service) find(key string) (*definition, error) {
	for _, d := range s.table {
		if d.key == key {
			return d, nil
		}
	}
	near := nearest(key, s.table)
	if near == "" {
		return nil, core.NotFoundf("There is no setting %q.", key)
	}
	return nil, core.NotFoundf("There is no setting %q. Did you mean %s?", key, near)
}

// stored reads the rows of the table: settings that differ from their default.
func (s *Service) stored(ctx context.Context) (stored map[string]storedSetting, err error) {
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		stored, err = settingsOf(ctx, tx)
		return err
	})
	return stored, err
}
