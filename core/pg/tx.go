package pg

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Tx is a writing transaction of one viewer.
type Tx struct {
	pgx.Tx
	touched []string
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
