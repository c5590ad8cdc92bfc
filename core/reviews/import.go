package reviews

import (
	"context"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

// importRows stores the rows of one type. For the system.
func (s *Service) importRows(ctx context.Context, v core.Viewer, r *rowfile.Reader, columns []string, o rowfile.Options,
	store func(ctx context.Context, tx *pg.Tx, raw rowfile.Row, o rowfile.Options) (isNew bool, err error)) (rowfile.Summary, error) {
	if err := requireSystem(v); err != nil {
		return rowfile.Summary{}, err
	}
	return rowfile.Import(ctx, r, columns, o, func(b *rowfile.Batch) error {
		return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
			tx.Touch(Area)
			return explained("store row", b.Each(func(raw rowfile.Row) (bool, error) { return store(ctx, tx, raw, o) }))
		})
	})
}
