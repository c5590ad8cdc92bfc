package contributions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// selectContributions reads with c for the contribution. Policies hide the
// entry where the viewer may not see it.
const selectContributions = `
	select c.id, c.kind, c.entry_id, c.entry_name, e.kind as entry_kind, e.slug as entry_slug,
		coalesce(c.account_id::text, '') as account_id, coalesce(p.username::text, '') as username,
		c.proposal as patch, (c.proposal ->> 'open')::boolean as open, c.base_updated_at, c.message,
		c.status, c.reason, c.decided_at, c.created_at
	from directory_contributions c
	left join directory_entries e on e.id = c.entry_id
	left join profiles p on p.account_id = c.account_id`

func insert(ctx context.Context, tx *pg.Tx, c Contribution) error {
	proposal, err := json.Marshal(c.Patch)
	if c.Kind == KindStillOpen {
		proposal, err = json.Marshal(map[string]bool{"open": *c.Open})
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		insert into directory_contributions (id, kind, entry_id, entry_name, account_id, proposal, base_updated_at, message, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		c.ID, c.Kind, c.EntryID, c.EntryName, c.AccountID, string(proposal), c.BaseUpdatedAt, c.Message, c.CreatedAt)
	return err
}

// lockRoom keeps the account's other contributions from coming in until the
// transaction ends, as directory_contribution_room does, and counts those that
// wait.
func lockRoom(ctx context.Context, tx *pg.Tx, account string) (waiting int, err error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('directory_contributions ' || $1::uuid, 0))`, account); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `select count(*) from directory_contributions where account_id = $1 and status = 'pending'`, account).Scan(&waiting)
	return waiting, err
}

// pendingListing is what the account has offered under the name in the city,
// "" where nothing of it waits.
func pendingListing(ctx context.Context, tx *pg.Tx, account string, in directory.Input) (id string, err error) {
	err = tx.QueryRow(ctx, `
		select coalesce((
			select id::text
			from directory_contributions
			where account_id = $1 and kind = 'listing' and status = 'pending' and proposal ->> 'kind' = $2
				and lower(entry_name) = lower($3) and lower(coalesce(proposal ->> 'city', '')) = lower($4)
			order by id
			limit 1), '')`, account, in.Kind, in.Name, in.City).Scan(&id)
	return id, err
}

// breaks tells whether err comes from the named rule of the table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}

func byID(ctx context.Context, q pg.Querier, id string) (Contribution, error) {
	return pg.One[Contribution](ctx, q, selectContributions+`
	where c.id = $1`, id)
}

func ofAccount(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Contribution, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from directory_contributions where account_id = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Contribution](ctx, q, selectContributions+`
	where c.account_id = $1
	order by c.created_at desc, c.id desc
	limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

func withdraw(ctx context.Context, tx *pg.Tx, id, account string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update directory_contributions
		set status = 'withdrawn'
		where id = $1 and account_id = $2 and status = 'pending'`, id, account)
	return tag.RowsAffected() == 1, err
}

func deleteOf(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `delete from directory_contributions where account_id = $1`, account)
	return err
}

func forgetSender(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `update directory_contributions set account_id = null where account_id = $1`, account)
	return err
}

// given counts nothing of an account that stays out of the leaderboard.
func given(ctx context.Context, q pg.Querier, account string) (Given, error) {
	return pg.One[Given](ctx, q, `
		select count(*) filter (where c.kind = 'listing') as listings,
			count(*) filter (where c.kind = 'edit') as edits
		from directory_contributions c
		join profiles p on p.account_id = c.account_id
		where c.account_id = $1 and c.status = 'approved' and not p.leaderboard_opt_out`, account)
}

func storeDecision(ctx context.Context, tx *pg.Tx, c Contribution, by string) error {
	tag, err := tx.Exec(ctx, `
		update directory_contributions
		set status = $2, entry_id = $3, reason = $4, decided_by = nullif($5, '')::uuid, decided_at = $6
		where id = $1`, c.ID, c.Status, c.EntryID, c.Reason, by, c.DecidedAt)
	if err == nil && tag.RowsAffected() != 1 {
		return fmt.Errorf("no right to decide contribution %s", c.ID)
	}
	return err
}
