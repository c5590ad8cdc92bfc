package pg

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
)

// Tx is a writing transaction of one viewer.
type Tx struct {
	pgx.Tx
	viewer  core.Viewer
	touched []string
}

// become makes what follows in the transaction run as v.
func (tx *Tx) become(ctx context.Context, v core.Viewer) error {
	if _, err := tx.Exec(ctx, `select set_config('role', $1, true), set_config('app.viewer_id', $2, true)`,
		string(v.DatabaseRole()), v.ID); err != nil {
		return translate(fmt.Errorf("become %s: %w", v.DatabaseRole(), err))
	}
	tx.viewer = v
	return nil
}

// AsSystem runs fn as the system within the viewer's transaction, and is the
// viewer again afterwards: for effects that no viewer may cause alone, such as
// the points that a decision pays. After an error of fn the transaction can
// only be rolled back.
func (tx *Tx) AsSystem(ctx context.Context, fn func(tx *Tx) error) error {
	viewer := tx.viewer
	if err := tx.become(ctx, core.TheSystem()); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.become(ctx, viewer)
}

// Touch says that what the public sees of an area changes with this
// transaction: caches of that area are dropped at commit, on this instance
// before Write returns and on every other within a moment.
func (tx *Tx) Touch(area string) {
	if !slices.Contains(tx.touched, area) {
		tx.touched = append(tx.touched, area)
	}
}

// announce queues the notifications that PostgreSQL sends at commit. The
// areas are sorted, so that two transactions never wait for each other here.
func (tx *Tx) announce(ctx context.Context) error {
	if len(tx.touched) == 0 {
		return nil
	}
	slices.Sort(tx.touched)
	if _, err := tx.Exec(ctx, `select pg_notify($1, area) from unnest($2::text[]) area`, channel, tx.touched); err != nil {
		return fmt.Errorf("announce changes: %w", err)
	}
	return nil
}
