package directory

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
)

// Hide takes an entry out of every public read; its owner and staff still see
// it. Errors: Forbidden, NotFound.
func (s *Service) Hide(ctx context.Context, v core.Viewer, id string) error {
	return s.setHidden(ctx, v, id, true)
}

// Show undoes Hide.
func (s *Service) Show(ctx context.Context, v core.Viewer, id string) error {
	return s.setHidden(ctx, v, id, false)
}

func (s *Service) setHidden(ctx context.Context, v core.Viewer, id string, hidden bool) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	if !core.ValidID(id) {
		return errNoEntry(id)
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error { return s.setHiddenTx(ctx, tx, id, hidden) })
	return named("hide entry", err)
}

func (s *Service) setHiddenTx(ctx context.Context, tx *pg.Tx, id string, hidden bool) error {
	if err := lockWriters(ctx, tx); err != nil {
		return err
	}
	row, err := updateHidden(ctx, tx, id, hidden, s.now())
	if pg.NoRows(err) {
		return errNoEntry(id)
	}
	if err != nil {
		return err
	}
	tx.Touch(Area)
	return s.index(ctx, tx, []storedEntry{row})
}

// The methods below lend entries to reports.

// ReportableTx reads a published entry, hidden or not. Errors: NotFound.
func (s *Service) ReportableTx(ctx context.Context, q pg.Querier, id string) (core.Reportable, error) {
	e, err := s.EntryTx(ctx, q, id)
	if err != nil {
		return core.Reportable{}, err
	}
	if e.Status != Published {
		return core.Reportable{}, errNoEntry(e.Slug)
	}
	return core.Reportable{Title: e.Name, Kind: string(e.Kind), Slug: e.Slug, OwnerID: text(e.OwnerID), EditedAt: e.UpdatedAt, Hidden: e.Hidden}, nil
}

// HideTx is Hide in the transaction of staff or the system.
func (s *Service) HideTx(ctx context.Context, tx *pg.Tx, id string) error {
	return s.setHiddenTx(ctx, tx, id, true)
}

// RestoreTx is Show in the transaction of staff or the system.
func (s *Service) RestoreTx(ctx context.Context, tx *pg.Tx, id string) error {
	return s.setHiddenTx(ctx, tx, id, false)
}
