package sessions

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// program is a session with what its tokens are made of.
type program struct {
	ID, AccountID, Email    string
	Origin                  Origin
	SignedInAt, RefreshedAt time.Time
	Generation              int32
}

// shareBrowser tells when a live web session was signed in, and keeps it from
// being ended until this transaction is over: whoever ends it then sees the
// program's session too.
func shareBrowser(ctx context.Context, tx *pg.Tx, accountID, id string, now time.Time) (signedInAt time.Time, err error) {
	err = tx.QueryRow(ctx, `
		select created_at
		from web_sessions
		where id = $1 and account_id = $2 and expires_at > $3
		for key share`, id, accountID, now).Scan(&signedInAt)
	return signedInAt, err
}

// lockAccount makes those wait who would begin a session of the same account.
func lockAccount(ctx context.Context, tx *pg.Tx, id string) (email string, err error) {
	err = tx.QueryRow(ctx, `select coalesce(email, '') from accounts where id = $1 for no key update`, id).Scan(&email)
	return email, err
}

// endLongestUnused leaves the given number of sessions.
func endLongestUnused(ctx context.Context, tx *pg.Tx, accountID string, leave int) error {
	_, err := tx.Exec(ctx, `
		delete from program_sessions
		where id in (
			select id from program_sessions
			where account_id = $1
			order by last_used_at desc, id desc
			offset $2)`, accountID, leave)
	return err
}

func insertProgram(ctx context.Context, tx *pg.Tx, s program, in Start, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into program_sessions (id, account_id, origin, created_at, signed_in_at, last_used_at, refreshed_at, expires_at,
			generation, user_agent, address_key)
		values (@id, @account, @origin, @now, @signed_in_at, @now, @now, @expires_at, @generation, @user_agent, @address_key)`,
		pgx.StrictNamedArgs{"id": s.ID, "account": s.AccountID, "origin": s.Origin, "now": now, "signed_in_at": s.SignedInAt,
			"expires_at": now.Add(idleLifetime), "generation": s.Generation, "user_agent": in.UserAgent, "address_key": in.AddressKey})
	return err
}

// lockProgram reads a live session and makes other refreshes of it wait.
func lockProgram(ctx context.Context, tx *pg.Tx, id string, now time.Time) (program, error) {
	return pg.One[program](ctx, tx, `
		select s.id, s.account_id, coalesce(a.email, '') as email, s.origin, s.signed_in_at, s.refreshed_at, s.generation
		from program_sessions s
		join accounts a on a.id = s.account_id
		where s.id = $1 and s.expires_at > $2
		for update of s`, id, now)
}

func noteRefresh(ctx context.Context, tx *pg.Tx, s program, userAgent string) error {
	_, err := tx.Exec(ctx, `
		update program_sessions
		set generation = @generation, refreshed_at = @now, last_used_at = @now, expires_at = @expires_at,
			user_agent = coalesce(nullif(@user_agent, ''), user_agent)
		where id = @id`,
		pgx.StrictNamedArgs{"id": s.ID, "generation": s.Generation, "now": s.RefreshedAt, "expires_at": s.RefreshedAt.Add(idleLifetime),
			"user_agent": userAgent})
	return err
}

func deleteProgram(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `delete from program_sessions where id = $1`, id)
	return err
}

// liveProgram is what a request needs of a program's session.
type liveProgram struct {
	Origin                 Origin
	SignedInAt, LastUsedAt time.Time
}

func programByID(ctx context.Context, q pg.Querier, id, accountID string, now time.Time) (liveProgram, error) {
	return pg.One[liveProgram](ctx, q, `
		select origin, signed_in_at, last_used_at
		from program_sessions
		where id = $1 and account_id = $2 and expires_at > $3`, id, accountID, now)
}

func noteUse(ctx context.Context, tx *pg.Tx, id string, now time.Time) error {
	_, err := tx.Exec(ctx, `update program_sessions set last_used_at = $2 where id = $1`, id, now)
	return err
}
