package settings

import (
	"context"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

type storedSetting struct{ Key, Value string }

func settingsOf(ctx context.Context, q pg.Querier) ([]storedSetting, error) {
	return pg.All[storedSetting](ctx, q, `select key, value from settings`)
}

func upsertSetting(ctx context.Context, tx *pg.Tx, key, value, accountID string) error {
	_, err := tx.Exec(ctx, `
		insert into settings (key, value, updated_by)
		values (@key, @value, nullif(@account, '')::uuid)
		on conflict (key) do update
		set value = excluded.value, updated_at = now(), updated_by = excluded.updated_by`,
		pgx.StrictNamedArgs{"key": key, "value": value, "account": accountID})
	return err
}

func deleteSetting(ctx context.Context, tx *pg.Tx, key string) error {
	_, err := tx.Exec(ctx, `delete from settings where key = $1`, key)
	return err
}
