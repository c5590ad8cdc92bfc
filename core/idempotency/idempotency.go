// Package idempotency keeps the answers of writes that came with an
// Idempotency-Key, so that a repetition gets the first answer again. The key
// itself is stored by pg.DB.Write in the transaction of the effect.
package idempotency

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Age is how long a key is kept at least (CONTRACT.md §1).
const Age = 24 * time.Hour

// StoredAnswer is what a repetition gets again.
type StoredAnswer struct {
	Status      int                 `json:"status"`
	ContentType string              `json:"content_type"`
	Headers     map[string][]string `json:"headers"`
	Body        []byte              `json:"body"`
}

// Record is a key that was used. Answer is nil while the first request is at
// work, or when it died before it could answer.
type Record struct {
	Hash      []byte // SHA-256 over method, path and body
	Answer    *StoredAnswer
	CreatedAt time.Time
}

// Service keeps keys and answers. Its methods are safe for concurrent use and
// run as the system: what a caller may see is the caller's own key.
type Service struct{ db *pg.DB }

// New makes the service.
func New(db *pg.DB) *Service { return &Service{db: db} }

// Find returns the record of a caller's key.
func (s *Service) Find(ctx context.Context, caller, key string) (r Record, found bool, err error) {
	var row record
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		row, err = recordOf(ctx, tx, caller, key)
		return err
	})
	if pg.NoRows(err) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("look up an idempotency key: %w", err)
	}
	r = Record{Hash: row.RequestHash, CreatedAt: row.CreatedAt}
	if row.Answer != nil {
		if err := json.Unmarshal(row.Answer, &r.Answer); err != nil {
			return Record{}, false, fmt.Errorf("read a stored answer: %w", err)
		}
	}
	return r, true, nil
}

// Finish stores the answer of a claim, and the claim where no transaction has
// done so: the answer to a write that was refused. An answer that is stored
// already stays, and so does a claim of the same key for another request.
func (s *Service) Finish(ctx context.Context, c pg.Claim, a StoredAnswer) error {
	answer, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("store an answer: %w", err)
	}
	err = s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
		return upsertAnswer(ctx, tx, c, answer)
	})
	if err != nil {
		return fmt.Errorf("store an answer: %w", err)
	}
	return nil
}

// Sweep removes keys older than Age, and returns how many. Until a job calls
// it they go on being answered.
func (s *Service) Sweep(ctx context.Context) (removed int64, err error) {
	err = s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) (err error) {
		removed, err = deleteOlder(ctx, tx, Age)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sweep idempotency keys: %w", err)
	}
	return removed, nil
}
