package signing

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// row is a key as it is stored.
type row struct {
	Kid           string
	Algorithm     string
	PublicJWK     json.RawMessage `db:"public_jwk"`
	PrivateSealed []byte
	CreatedAt     time.Time
	ActiveFrom    time.Time
	RetiredAt     *time.Time
	ExpiresAt     *time.Time
}

// lockKeys makes those wait who would change the keys too.
func lockKeys(ctx context.Context, tx *pg.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('signing_keys', 0))`)
	return err
}

func keyRows(ctx context.Context, q pg.Querier) ([]row, error) {
	return pg.All[row](ctx, q, `
		select kid, algorithm, public_jwk, private_sealed, created_at, active_from, retired_at, expires_at
		from signing_keys
		order by active_from desc, kid`)
}

func insertKey(ctx context.Context, tx *pg.Tx, r row) error {
	_, err := tx.Exec(ctx, `
		insert into signing_keys (kid, algorithm, public_jwk, private_sealed, created_at, active_from)
		values (@kid, @algorithm, @public_jwk, @private_sealed, @created_at, @active_from)`,
		pgx.StrictNamedArgs{"kid": r.Kid, "algorithm": r.Algorithm, "public_jwk": r.PublicJWK, "private_sealed": r.PrivateSealed,
			"created_at": r.CreatedAt, "active_from": r.ActiveFrom})
	return err
}

func retireKey(ctx context.Context, tx *pg.Tx, at, expires time.Time) error {
	_, err := tx.Exec(ctx, `update signing_keys set retired_at = $1, expires_at = $2 where retired_at is null`, at, expires)
	return err
}

func deleteKey(ctx context.Context, tx *pg.Tx, kid string) error {
	_, err := tx.Exec(ctx, `delete from signing_keys where kid = $1`, kid)
	return err
}

func deleteExpired(ctx context.Context, tx *pg.Tx, now time.Time) (deleted int64, err error) {
	tag, err := tx.Exec(ctx, `delete from signing_keys where expires_at <= $1`, now)
	return tag.RowsAffected(), err
}
