package contributions

import (
	"context"
	"encoding/json"

	"homeplace/core/pg"
)

// lock waits for whoever decides at this moment.
func lock(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `select from directory_contributions where id = $1 for update`, id)
	return err
}

// state is what decisions change of a contribution. The entry of a listing stays
// with it.
const state = `jsonb_build_object('status', c.status, 'reason', c.reason, 'decided_by', c.decided_by, 'decided_at', c.decided_at)`

func stateOf(ctx context.Context, q pg.Querier, id string) (found json.RawMessage, err error) {
	err = q.QueryRow(ctx, `select `+state+` from directory_contributions c where c.id = $1`, id).Scan(&found)
	return found, err
}

// putBack undoes a decision where nothing has changed since.
func putBack(ctx context.Context, tx *pg.Tx, id string, m memo) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update directory_contributions c
		set (status, reason, decided_by, decided_at)
			= (select status, reason, decided_by, decided_at from jsonb_populate_record(null::directory_contributions, $2))
		where c.id = $1 and `+state+` = $3`, id, string(m.Before), string(m.After))
	return tag.RowsAffected() == 1, err
}

func decidedBy(ctx context.Context, q pg.Querier, id string) (account string, err error) {
	err = q.QueryRow(ctx, `select coalesce(decided_by::text, '') from directory_contributions where id = $1`, id).Scan(&account)
	return account, err
}

func storeProposal(ctx context.Context, tx *pg.Tx, c Contribution) error {
	proposal, err := json.Marshal(c.Patch)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		update directory_contributions
		set proposal = $2, entry_name = $3, base_updated_at = $4
		where id = $1`, c.ID, string(proposal), c.EntryName, c.BaseUpdatedAt)
	return err
}
