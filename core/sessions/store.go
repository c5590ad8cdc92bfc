package sessions

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

func sessionByHash(ctx context.Context, q pg.Querier, tokenHash string, now time.Time) (Found, error) {
	return pg.One[Found](ctx, q, `
		select id, coalesce(account_id::text, '') as account_id, data, last_seen_at
		from web_sessions
		where token_hash = $1 and expires_at > $2`, tokenHash, now)
}

func noteVisit(ctx context.Context, tx *pg.Tx, id string, now time.Time) error {
	_, err := tx.Exec(ctx, `update web_sessions set last_seen_at = $2 where id = $1`, id, now)
	return err
}

func insertSession(ctx context.Context, tx *pg.Tx, id string, o Opening, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into web_sessions (token_hash, id, account_id, data, created_at, last_seen_at, expires_at, user_agent, address_key)
		values (@hash, @id, nullif(@account, '')::uuid, @data, @now, @now, @expires_at, @user_agent, @address_key)`,
		pgx.StrictNamedArgs{"hash": o.TokenHash, "id": id, "account": o.AccountID, "data": o.Data, "now": now,
			"expires_at": o.ExpiresAt, "user_agent": o.UserAgent, "address_key": o.AddressKey})
	return err
}

func updateSession(ctx context.Context, tx *pg.Tx, r Replacement, now time.Time) (found bool, err error) {
	tag, err := tx.Exec(ctx, `
		update web_sessions
		set token_hash = coalesce(nullif(@new_hash, ''), token_hash), data = @data, expires_at = @expires_at, last_seen_at = @now
		where token_hash = @old_hash and expires_at > @now`,
		pgx.StrictNamedArgs{"old_hash": r.OldHash, "new_hash": r.NewHash, "data": r.Data, "expires_at": r.ExpiresAt, "now": now})
	return tag.RowsAffected() > 0, err
}

func deleteByHash(ctx context.Context, tx *pg.Tx, tokenHash string) error {
	_, err := tx.Exec(ctx, `delete from web_sessions where token_hash = $1`, tokenHash)
	return err
}

func sessionsOf(ctx context.Context, q pg.Querier, accountID string, now time.Time) ([]Session, error) {
	return pg.All[Session](ctx, q, `
		select id, '' as origin, created_at, last_seen_at, expires_at, user_agent, address_key
		from web_sessions
		where account_id = $1 and expires_at > $2
		union all
		select id, origin, created_at, last_used_at, expires_at, user_agent, address_key
		from program_sessions
		where account_id = $1 and expires_at > $2
		order by last_seen_at desc, id desc`, accountID, now)
}

// countSessions counts those that are alive.
func countSessions(ctx context.Context, q pg.Querier, accountID string, now time.Time) (n int, err error) {
	err = q.QueryRow(ctx, `
		select (select count(*) from web_sessions where account_id = $1 and expires_at > $2)
			+ (select count(*) from program_sessions where account_id = $1 and expires_at > $2)`, accountID, now).Scan(&n)
	return n, err
}

func sessionStart(ctx context.Context, q pg.Querier, accountID, id string, now time.Time) (at time.Time, err error) {
	err = q.QueryRow(ctx, `
		select created_at
		from web_sessions
		where account_id = $1 and id = nullif($2, '')::uuid and expires_at > $3`, accountID, id, now).Scan(&at)
	return at, err
}

func deleteOwn(ctx context.Context, tx *pg.Tx, accountID, id string) (found bool, err error) {
	for _, sql := range []string{
		`delete from web_sessions where account_id = $1 and id = $2`,
		`delete from program_sessions where account_id = $1 and id = $2`,
	} {
		tag, err := tx.Exec(ctx, sql, accountID, id)
		if err != nil || tag.RowsAffected() > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// deleteOthers ends browsers first: see shareBrowser.
func deleteOthers(ctx context.Context, tx *pg.Tx, accountID, keep string) (deleted int, err error) {
	for _, sql := range []string{
		`delete from web_sessions where account_id = $1 and id is distinct from nullif($2, '')::uuid`,
		`delete from program_sessions where account_id = $1 and id is distinct from nullif($2, '')::uuid`,
	} {
		tag, err := tx.Exec(ctx, sql, accountID, keep)
		if err != nil {
			return 0, err
		}
		deleted += int(tag.RowsAffected())
	}
	return deleted, nil
}

func deletePrograms(ctx context.Context, tx *pg.Tx) (deleted int64, err error) {
	tag, err := tx.Exec(ctx, `delete from program_sessions`)
	return tag.RowsAffected(), err
}

func deleteExpired(ctx context.Context, tx *pg.Tx, now time.Time) (deleted int64, err error) {
	for _, sql := range []string{`delete from web_sessions where expires_at <= $1`, `delete from program_sessions where expires_at <= $1`} {
		tag, err := tx.Exec(ctx, sql, now)
		if err != nil {
			return 0, err
		}
		deleted += tag.RowsAffected()
	}
	return deleted, nil
}
