package settings

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

type storedSetting struct {
	Key, Value string
	UpdatedAt  time.Time
}

func settingsOf(ctx context.Context, q pg.Querier) (map[string]storedSetting, error) {
	rows, err := pg.All[storedSetting](ctx, q, `select key, value, updated_at from settings`)
	stored := make(map[string]storedSetting, len(rows))
	for _, r := range rows {
		stored[r.Key] = r
	}
	return stored, err
}

// lockSettings makes those wait who would change settings, also such as have
// their default and so no row.
func lockSettings(ctx context.Context, tx *pg.Tx) (map[string]storedSetting, error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('settings', 0))`); err != nil {
		return nil, err
	}
	return settingsOf(ctx, tx)
}

func upsertSetting(ctx context.Context, tx *pg.Tx, key, value, accountID string) error {
	_, err := tx.Exec(ctx, `
		insert into settings (key, value, updated_by)
		values (@key, @value, nullif(@account, '')::uuid)
		on conflict (key) do update
		set value = excluded.value, updated_at = clock_timestamp(), updated_by = excluded.updated_by`,
		pgx.StrictNamedArgs{"key": key, "value": value, "account": accountID})
	return err
}

func deleteSetting(ctx context.Context, tx *pg.Tx, key string) error {
	_, err := tx.Exec(ctx, `delete from settings where key = $1`, key)
	return err
}
