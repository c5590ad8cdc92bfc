package accounts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// newAccount is an account on its way into the database.
type newAccount struct {
	Account
	passwordHash string     // empty = none
	pending      bool       // until its e-mail address is verified
	verifiedAt   *time.Time // nil = never
	held         *Review    // a name that waits for a moderator; nil = none
}

func insertAccount(ctx context.Context, tx *pg.Tx, a newAccount) error {
	if _, err := tx.Exec(ctx, `
		insert into accounts (id, email, role, email_verified_at, created_at, updated_at)
		values (@id, @email, @role, @verified_at, @created_at, @created_at)`,
		pgx.StrictNamedArgs{"id": a.ID, "email": a.Email, "role": a.Role, "verified_at": a.verifiedAt, "created_at": a.CreatedAt}); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `
		insert into profiles (account_id, username, display_name, pending, created_at)
		values (@id, @username, @display_name, @pending, @created_at)`,
		pgx.StrictNamedArgs{"id": a.ID, "username": a.Username, "display_name": a.DisplayName, "pending": a.pending, "created_at": a.CreatedAt}); err != nil {
		return err
	}
	if a.held != nil {
		if err := upsertReview(ctx, tx, *a.held); err != nil {
			return err
		}
	}
	if a.passwordHash == "" {
		return nil
	}
	_, err := tx.Exec(ctx, `
		insert into passwords (account_id, hash, changed_at)
		values (@id, @hash, @changed_at)`,
		pgx.StrictNamedArgs{"id": a.ID, "hash": a.passwordHash, "changed_at": a.CreatedAt})
	return err
}

const selectAccount = `
	select a.id, a.email, p.username, p.display_name, p.bio, p.avatar_url, p.leaderboard_opt_out, a.role, a.created_at
	from accounts a
	join profiles p on p.account_id = a.id `

func accountByID(ctx context.Context, q pg.Querier, id string) (Account, error) {
	return pg.One[Account](ctx, q, selectAccount+`where a.id = $1`, id)
}

func accountByUsername(ctx context.Context, q pg.Querier, username string) (Account, error) {
	return pg.One[Account](ctx, q, selectAccount+`where p.username = $1`, username)
}

// QueueCreated asks, in a batch that runs as the system, when an account was
// made. at is filled in once the batch is sent, and stays as it is where there is
// no such account.
func QueueCreated(b *pgx.Batch, accountID string, at *time.Time) {
	b.Queue(`select created_at from accounts where id = $1`, accountID).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(at); !pg.NoRows(err) {
			return err
		}
		return nil
	})
}

// lockTokens makes those wait who would add a token to the same account.
func lockTokens(ctx context.Context, tx *pg.Tx, accountID string) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('personal_tokens ' || $1, 0))`, accountID)
	return err
}

func countLiveTokens(ctx context.Context, q pg.Querier, accountID string, now time.Time) (n int, err error) {
	err = q.QueryRow(ctx, `
		select count(*)
		from personal_tokens
		where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
		accountID, now).Scan(&n)
	return n, err
}

func insertToken(ctx context.Context, tx *pg.Tx, accountID string, t Token, hash []byte) error {
	_, err := tx.Exec(ctx, `
		insert into personal_tokens (id, account_id, label, hash, last_four, created_at, expires_at)
		values (@id, @account, @label, @hash, @last_four, @created_at, @expires_at)`,
		pgx.StrictNamedArgs{"id": t.ID, "account": accountID, "label": t.Label, "hash": hash,
			"last_four": t.LastFour, "created_at": t.CreatedAt, "expires_at": t.ExpiresAt})
	return err
}

func tokensOf(ctx context.Context, q pg.Querier, accountID string) ([]Token, error) {
	return pg.All[Token](ctx, q, `
		select id, label, last_four, created_at, last_used_at, expires_at, revoked_at
		from personal_tokens
		where account_id = $1
		order by created_at desc, id desc`, accountID)
}

func revokeToken(ctx context.Context, tx *pg.Tx, accountID, id string, now time.Time) (found bool, err error) {
	tag, err := tx.Exec(ctx, `
		update personal_tokens
		set revoked_at = coalesce(revoked_at, $3)
		where account_id = $1 and id = $2`, accountID, id, now)
	return tag.RowsAffected() > 0, err
}

// tokenUse is a live token with the account behind it.
type tokenUse struct {
	TokenID    string
	LastUsedAt *time.Time
	Account
}

// stale tells whether the time of last use should be noted again: once in a
// minute is exact enough for a person, and keeps reads from writing.
func (u tokenUse) stale(now time.Time) bool {
	return u.LastUsedAt == nil || now.Sub(*u.LastUsedAt) > time.Minute
}

func tokenByHash(ctx context.Context, q pg.Querier, hash []byte, now time.Time) (tokenUse, error) {
	return pg.One[tokenUse](ctx, q, `
		select t.id as token_id, t.last_used_at,
			a.id, a.email, p.username, p.display_name, p.bio, p.avatar_url, p.leaderboard_opt_out, a.role, a.created_at
		from personal_tokens t
		join accounts a on a.id = t.account_id
		join profiles p on p.account_id = a.id
		where t.hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2)`, hash, now)
}

func noteTokenUse(ctx context.Context, tx *pg.Tx, id string, now time.Time) error {
	_, err := tx.Exec(ctx, `update personal_tokens set last_used_at = $2 where id = $1`, id, now)
	return err
}

func updateProfile(ctx context.Context, tx *pg.Tx, accountID string, patch ProfilePatch) error {
	_, err := tx.Exec(ctx, `
		update profiles
		set display_name = case when @display_name::text is null then display_name else nullif(@display_name, '') end,
			bio = coalesce(@bio::text, bio),
			avatar_url = case when @avatar_url::text is null then avatar_url else nullif(@avatar_url, '') end,
			leaderboard_opt_out = coalesce(@opt_out::boolean, leaderboard_opt_out)
		where account_id = @account`,
		pgx.StrictNamedArgs{"account": accountID, "display_name": patch.DisplayName, "bio": patch.Bio,
			"avatar_url": patch.AvatarURL, "opt_out": patch.LeaderboardOptOut})
	return err
}

// profileByUsername leaves out pending profiles even for callers whose role
// would see them.
func profileByUsername(ctx context.Context, q pg.Querier, username string) (Profile, error) {
	return pg.One[Profile](ctx, q, `
		select account_id, username, display_name, bio, avatar_url, leaderboard_opt_out, created_at
		from profiles
		where username = $1 and not pending`, username)
}
