package accounts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

const selectCredential = `
	select a.id, a.email, p.username, p.display_name, p.bio, p.avatar_url, p.leaderboard_opt_out, a.role, a.created_at,
		coalesce(w.hash, '') as hash, p.pending
	from accounts a
	join profiles p on p.account_id = a.id
	left join passwords w on w.account_id = a.id `

func credentialByID(ctx context.Context, q pg.Querier, id string) (credential, error) {
	return pg.One[credential](ctx, q, selectCredential+`where a.id = $1`, id)
}

func credentialByEmail(ctx context.Context, q pg.Querier, email string) (credential, error) {
	return pg.One[credential](ctx, q, selectCredential+`where a.email = $1`, email)
}

func credentialByUsername(ctx context.Context, q pg.Querier, username string) (credential, error) {
	return pg.One[credential](ctx, q, selectCredential+`where p.username = $1`, username)
}

func usernameInUse(ctx context.Context, q pg.Querier, username string, now time.Time) (inUse bool, err error) {
	err = q.QueryRow(ctx, `
		select exists (select from profiles where username = $1)
			or exists (select from username_holds where username = $1 and expires_at > $2)`, username, now).Scan(&inUse)
	return inUse, err
}

func holdUsername(ctx context.Context, tx *pg.Tx, username string, until time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into username_holds (username, expires_at)
		values ($1, $2)
		on conflict (username) do update set expires_at = greatest(username_holds.expires_at, excluded.expires_at)`, username, until)
	return err
}

// passwordChange replaces the hash from; an empty one, whichever there is or
// none.
type passwordChange struct{ from, to string }

func updatePassword(ctx context.Context, tx *pg.Tx, accountID string, c passwordChange, now time.Time) (changed bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into passwords (account_id, hash, changed_at)
		values (@account, @to, @now)
		on conflict (account_id) do update
		set hash = excluded.hash, changed_at = excluded.changed_at
		where @from = '' or passwords.hash = @from`,
		pgx.StrictNamedArgs{"account": accountID, "from": c.from, "to": c.to, "now": now})
	return tag.RowsAffected() > 0, err
}

func upsertLink(ctx context.Context, tx *pg.Tx, a Account, p purpose, hash []byte, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into account_links (hash, account_id, purpose, email, created_at, expires_at)
		values (@hash, @account, @purpose, @email, @now, @expires_at)
		on conflict (account_id, purpose) do update
		set hash = excluded.hash, email = excluded.email, created_at = excluded.created_at,
			expires_at = excluded.expires_at, used_at = null`,
		pgx.StrictNamedArgs{"hash": hash, "account": a.ID, "purpose": p.name, "email": a.Email, "now": now, "expires_at": now.Add(p.lasts)})
	return err
}

func liveLink(ctx context.Context, q pg.Querier, p purpose, hash []byte, now time.Time) (link, error) {
	return pg.One[link](ctx, q, `
		select l.account_id, l.email, a.email_verified_at is null as unverified
		from account_links l
		join accounts a on a.id = l.account_id
		where hash = $1 and purpose = $2 and used_at is null and expires_at > $3`, hash, p.name, now)
}

// spendLink is decided by the row's lock: of many at once, one finds it unused.
func spendLink(ctx context.Context, tx *pg.Tx, p purpose, hash []byte, now time.Time) (link, error) {
	return pg.One[link](ctx, tx, `
		update account_links
		set used_at = $3
		where hash = $1 and purpose = $2 and used_at is null and expires_at > $3
		returning account_id, email, (select a.email_verified_at is null from accounts a where a.id = account_id) as unverified`, hash, p.name, now)
}

func deleteLinks(ctx context.Context, tx *pg.Tx, accountID string, purposes ...purpose) error {
	names := make([]string, len(purposes))
	for i, p := range purposes {
		names[i] = p.name
	}
	_, err := tx.Exec(ctx, `delete from account_links where account_id = $1 and purpose = any ($2)`, accountID, names)
	return err
}

// verifyEmail is false where the account has another address by now.
func verifyEmail(ctx context.Context, tx *pg.Tx, l link, now time.Time) (verified bool, err error) {
	tag, err := tx.Exec(ctx, `
		update accounts
		set email_verified_at = coalesce(email_verified_at, $3), updated_at = $3
		where id = $1 and email = $2`, l.AccountID, l.Email, now)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	_, err = tx.Exec(ctx, `update profiles set pending = false where account_id = $1 and pending`, l.AccountID)
	return true, err
}

func deleteStale(ctx context.Context, tx *pg.Tx, now time.Time, pendingAge time.Duration) (removed int64, err error) {
	if _, err := tx.Exec(ctx, `delete from account_links where expires_at <= $1`, now); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `delete from username_holds where expires_at <= $1`, now); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, `
		delete from accounts a
		using profiles p
		where p.account_id = a.id and p.pending and p.created_at <= $1`, now.Add(-pendingAge))
	return tag.RowsAffected(), err
}
