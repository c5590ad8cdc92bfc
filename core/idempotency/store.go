package idempotency

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

type record struct {
	RequestHash []byte
	Answer      []byte // JSON of a StoredAnswer, nil while there is none
	CreatedAt   time.Time
}

func recordOf(ctx context.Context, q pg.Querier, caller, key string) (record, error) {
	return pg.One[record](ctx, q, `
		select request_hash, answer, created_at
		from idempotency_keys
		where caller = $1 and key = $2`, caller, key)
}

func upsertAnswer(ctx context.Context, tx *pg.Tx, c pg.Claim, answer []byte) error {
	_, err := tx.Exec(ctx, `
		insert into idempotency_keys as k (caller, key, request_hash, answer)
		values (@caller, @key, @hash, @answer)
		on conflict (caller, key) do update set answer = excluded.answer
		where k.answer is null and k.request_hash = excluded.request_hash`,
		pgx.StrictNamedArgs{"caller": c.Caller, "key": c.Key, "hash": c.Hash, "answer": answer})
	return err
}

func deleteOlder(ctx context.Context, tx *pg.Tx, age time.Duration) (int64, error) {
	tag, err := tx.Exec(ctx, `delete from idempotency_keys where created_at < now() - $1::interval`, age)
	return tag.RowsAffected(), err
}
