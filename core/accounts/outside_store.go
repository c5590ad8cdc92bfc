package accounts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
	"homeplace/core/provider"
)

// lockIdentity makes those wait who come in as the same person at the same
// time.
func lockIdentity(ctx context.Context, tx *pg.Tx, s provider.Subject) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('account_identities ' || $1 || ' ' || $2, 0))`, s.Issuer, s.Subject)
	return err
}

// knownAccount is the account that an identity leads into.
type knownAccount struct {
	Account
	Pending bool
}

func accountByIdentity(ctx context.Context, q pg.Querier, s provider.Subject) (knownAccount, error) {
	return pg.One[knownAccount](ctx, q, `
		select a.id, a.email, p.username, p.display_name, p.bio, p.avatar_url, p.leaderboard_opt_out, a.role, a.created_at, p.pending
		from account_identities i
		join accounts a on a.id = i.account_id
		join profiles p on p.account_id = a.id
		where i.issuer = $1 and i.subject = $2`, s.Issuer, s.Subject)
}

// holder is who has an e-mail address.
type holder struct {
	Account
	Verified bool
}

func holderOfEmail(ctx context.Context, q pg.Querier, email string) (holder, error) {
	return pg.One[holder](ctx, q, `
		select a.id, a.email, p.username, p.display_name, p.bio, p.avatar_url, p.leaderboard_opt_out, a.role, a.created_at,
			a.email_verified_at is not null as verified
		from accounts a
		join profiles p on p.account_id = a.id
		where a.email = $1`, email)
}

func insertIdentity(ctx context.Context, tx *pg.Tx, accountID string, s provider.Subject, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into account_identities (id, account_id, issuer, subject, email, created_at)
		values (@id, @account, @issuer, @subject, nullif(@email, '')::citext, @now)`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "account": accountID, "issuer": s.Issuer, "subject": s.Subject, "email": storedEmail(s.Email), "now": now})
	return err
}

func identitiesOf(ctx context.Context, q pg.Querier, accountID string) ([]Identity, error) {
	return pg.All[Identity](ctx, q, `
		select id, issuer, email, created_at
		from account_identities
		where account_id = $1
		order by created_at, id`, accountID)
}

func deleteIdentity(ctx context.Context, tx *pg.Tx, accountID, id string) (found bool, err error) {
	tag, err := tx.Exec(ctx, `delete from account_identities where account_id = $1 and id = $2`, accountID, id)
	return tag.RowsAffected() > 0, err
}

func deleteIdentities(ctx context.Context, tx *pg.Tx, accountID string) error {
	_, err := tx.Exec(ctx, `delete from account_identities where account_id = $1`, accountID)
	return err
}

func hasPassword(ctx context.Context, q pg.Querier, accountID string) (has bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from passwords where account_id = $1)`, accountID).Scan(&has)
	return has, err
}
