package accounts

import (
	"context"
	"time"

	"homeplace/core/pg"
)

// accountByEmail leaves out who never confirmed that the address is theirs.
func accountByEmail(ctx context.Context, q pg.Querier, email string) (Account, error) {
	return pg.One[Account](ctx, q, selectAccount+`where a.email = $1 and not p.pending`, email)
}

// deleteUnconfirmed makes room for who has confirmed the address. The time of
// confirming stands in the row that is locked, so that it counts also where the
// account is confirmed at this moment.
func deleteUnconfirmed(ctx context.Context, tx *pg.Tx, email string) error {
	_, err := tx.Exec(ctx, `
		delete from accounts a
		using profiles p
		where p.account_id = a.id and p.pending and a.email_verified_at is null and a.email = $1`, email)
	return err
}

// lockAccount makes those wait who would change, leave with, or add something
// to the account.
func lockAccount(ctx context.Context, tx *pg.Tx, id string) (Account, error) {
	return pg.One[Account](ctx, tx, selectAccount+`where a.id = $1 for update of a`, id)
}

// holdPassword keeps the password as it is until the transaction ends, and
// tells whether it still is the one with the hash; "" stands for none.
func holdPassword(ctx context.Context, tx *pg.Tx, accountID, hash string) (held bool, err error) {
	if hash == "" {
		err = tx.QueryRow(ctx, `select not exists (select from passwords where account_id = $1)`, accountID).Scan(&held)
		return held, err
	}
	tag, err := tx.Exec(ctx, `select from passwords where account_id = $1 and hash = $2 for share`, accountID, hash)
	return tag.RowsAffected() == 1, err
}

func updateEmail(ctx context.Context, tx *pg.Tx, l link, now time.Time) error {
	_, err := tx.Exec(ctx, `
		update accounts
		set email = $2, email_verified_at = $3, updated_at = $3
		where id = $1`, l.AccountID, l.Email, now)
	return err
}

func waitingEmail(ctx context.Context, q pg.Querier, accountID string, now time.Time) (WaitingEmail, error) {
	return pg.One[WaitingEmail](ctx, q, `
		select email, expires_at
		from account_links
		where account_id = $1 and purpose = $2 and used_at is null and expires_at > $3`, accountID, toChangeEmail.name, now)
}

// otherAdmins makes administrators who leave at once do so one after another.
func otherAdmins(ctx context.Context, tx *pg.Tx, accountID string) (n int, err error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('accounts administrators', 0))`); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `select count(*) from accounts where role = 'admin' and id <> $1`, accountID).Scan(&n)
	return n, err
}

// deleteAccount takes profile, password, tokens, sessions and links with it.
func deleteAccount(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `delete from accounts where id = $1`, id)
	return err
}
