package apps

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// The methods below lend apps to reports; they run in the transaction of staff
// or the system.

// ReportableTx reads an app that is public, or would be but for being hidden.
// Errors: NotFound.
func (s *Service) ReportableTx(ctx context.Context, q pg.Querier, id string) (core.Reportable, error) {
	a, err := appByID(ctx, q, id)
	if pg.NoRows(err) || err == nil && (a.Status != Published || !a.APIEnabled) {
		return core.Reportable{}, core.NotFoundf("There is no such app here. It may have been withdrawn.")
	}
	if err != nil {
		return core.Reportable{}, err
	}
	r := core.Reportable{Title: a.Name, Slug: a.Slug, EditedAt: a.UpdatedAt, Hidden: a.HiddenAt != nil}
	if a.OwnerID != nil {
		r.OwnerID = *a.OwnerID
	}
	return r, nil
}

// HideTx takes the app out of every public read.
func (s *Service) HideTx(ctx context.Context, tx *pg.Tx, id string) error {
	now := s.now()
	return s.setHiddenTx(ctx, tx, id, &now)
}

// RestoreTx puts it back.
func (s *Service) RestoreTx(ctx context.Context, tx *pg.Tx, id string) error {
	return s.setHiddenTx(ctx, tx, id, nil)
}

func (s *Service) setHiddenTx(ctx context.Context, tx *pg.Tx, id string, at *time.Time) error {
	tx.Touch(Area)
	_, err := setHidden(ctx, tx, id, at)
	return err
}
