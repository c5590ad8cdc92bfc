// Package ratelimit counts tries in an exact sliding window over all instances
// of the service, in PostgreSQL.
package ratelimit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Service counts. Its methods are safe for concurrent use.
type Service struct{ db *pg.DB }

// New makes the service.
func New(db *pg.DB) *Service { return &Service{db: db} }

// Decision is how one try went.
type Decision struct {
	Allowed   bool
	Limit     int
	Remaining int // tries that are left now
	// Reset is the time until the oldest counted try leaves the window; after
	// a refusal, until one more try fits.
	Reset time.Duration
}

// Take counts a try under the key when fewer than max were counted in the last
// per, and refuses it otherwise; a refused try does not count. It is never
// part of the effect of a request: an Idempotency-Key stays out of it. Only a
// hash of the key is stored, since it may hold an address.
func (s *Service) Take(ctx context.Context, key string, max int, per time.Duration) (Decision, error) {
	d := Decision{Limit: max}
	err := s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select allowed, remaining, reset_after from rate_limit_take($1, $2, $3)`,
			hashed(key), max, per).Scan(&d.Allowed, &d.Remaining, &d.Reset)
	})
	if err != nil {
		return Decision{}, fmt.Errorf("count against a rate limit: %w", err)
	}
	return d, nil
}

// Sweep removes keys without a try in their window, and returns how many. A
// job calls it now and then; no decision depends on it.
func (s *Service) Sweep(ctx context.Context) (removed int64, err error) {
	err = s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		// In one order and past rows in use, so that a try never waits here.
		tag, err := tx.Exec(ctx, `
			delete from rate_limits
			where key in (select key from rate_limits where expires_at < clock_timestamp() order by key for update skip locked)`)
		removed = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sweep rate limits: %w", err)
	}
	return removed, nil
}

// hashed is the first half of the key's SHA-256, in 32 hexadecimal digits.
func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}
