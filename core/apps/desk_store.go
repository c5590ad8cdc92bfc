package apps

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// lockedApp waits for whoever decides at this moment. It locks nothing of the
// viewer's own.
func lockedApp(ctx context.Context, tx *pg.Tx, id string) (App, error) {
	if _, err := tx.Exec(ctx, `select from apps where id = $1 for update`, id); err != nil {
		return App{}, err
	}
	return pg.One[App](ctx, tx, selectApps+`
		where a.id = $1`, id)
}

func decideApp(ctx context.Context, tx *pg.Tx, id string, to Status, reason, by string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update apps
		set status = @status, reason = @reason, decided_by = nullif(@by, '')::uuid, decided_at = @now
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "status": to, "reason": reason, "by": by, "now": now})
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("no right to decide app %s", id)
	}
	return err
}

// decided is a row that staff alone may read.
type decided struct {
	App
	DecidedBy *string
}

func decidedApp(ctx context.Context, q pg.Querier, id string) (decided, error) {
	return pg.One[decided](ctx, q, `select`+summaryColumns+`, a.description, a.description_html, a.reason,
		a.decided_by::text as decided_by`+fromApps+`
		where a.id = $1`, id)
}

// state is what decisions change of an app.
const state = `jsonb_build_object('status', a.status, 'reason', a.reason, 'decided_by', a.decided_by, 'decided_at', a.decided_at, 'hidden_at', a.hidden_at)`

func stateOf(ctx context.Context, q pg.Querier, id string) (found json.RawMessage, err error) {
	err = q.QueryRow(ctx, `select `+state+` from apps a where a.id = $1`, id).Scan(&found)
	return found, err
}

// putBack undoes a decision where nothing has changed since.
func putBack(ctx context.Context, tx *pg.Tx, id string, m memo) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update apps a
		set (status, reason, decided_by, decided_at, hidden_at)
			= (select status, reason, decided_by, decided_at, hidden_at from jsonb_populate_record(null::apps, $2))
		where a.id = $1 and `+state+` = $3`, id, string(m.Before), string(m.After))
	return tag.RowsAffected() == 1, err
}
