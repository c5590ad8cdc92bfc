package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// ownAccount is an account as its owner sees it.
func ownAccount(ctx context.Context, q pg.Querier, id string) (Account, error) {
	a, err := accountByID(ctx, q, id)
	if err != nil {
		return Account{}, err
	}
	r, err := pg.One[Review](ctx, q, `
		select account_id, display_name, bio, status, reason, decided_at, created_at
		from profile_reviews
		where account_id = $1`, id)
	switch {
	case pg.NoRows(err):
		return a, nil
	case err != nil:
		return Account{}, err
	}
	if a.Review = &r; r.Status == ReviewWaiting {
		a.DisplayName, a.Bio = r.DisplayName, r.Bio
	}
	return a, nil
}

func upsertReview(ctx context.Context, tx *pg.Tx, r Review) error {
	_, err := tx.Exec(ctx, `
		insert into profile_reviews (account_id, display_name, bio, status, created_at)
		values (@account, @display_name, @bio, 'waiting', @now)
		on conflict (account_id) do update
		set display_name = excluded.display_name, bio = excluded.bio, status = 'waiting', reason = '', decided_by = null, decided_at = null,
			created_at = excluded.created_at`,
		pgx.StrictNamedArgs{"account": r.AccountID, "display_name": r.DisplayName, "bio": r.Bio, "now": r.CreatedAt})
	return err
}

func deleteReview(ctx context.Context, tx *pg.Tx, accountID string) error {
	_, err := tx.Exec(ctx, `delete from profile_reviews where account_id = $1`, accountID)
	return err
}

// reviewed is a review with whose it is, for the desk.
type reviewed struct {
	Review
	Username  string
	DecidedBy *string // account
}

const selectReviewed = `
	select r.account_id, r.display_name, r.bio, r.status, r.reason, r.decided_at, r.created_at, r.decided_by, p.username
	from profile_reviews r
	join profiles p on p.account_id = r.account_id`

func reviewOf(ctx context.Context, q pg.Querier, accountID string) (reviewed, error) {
	r, err := pg.One[reviewed](ctx, q, selectReviewed+`
		where r.account_id = $1`, accountID)
	if pg.NoRows(err) {
		return r, core.NotFoundf("No profile texts of this member wait here. They may have been changed.")
	}
	return r, err
}

func lockReview(ctx context.Context, tx *pg.Tx, accountID string) (reviewed, error) {
	if _, err := tx.Exec(ctx, `select from profile_reviews where account_id = $1 for update`, accountID); err != nil {
		return reviewed{}, err
	}
	return reviewOf(ctx, tx, accountID)
}

func recentReviews(ctx context.Context, q pg.Querier, limit int) ([]reviewed, error) {
	return pg.All[reviewed](ctx, q, selectReviewed+`
		order by r.created_at desc, r.account_id
		limit $1`, limit)
}

// reviewDecision is what is stored of one; undoing one goes back to the one before.
type reviewDecision struct {
	Status ReviewStatus
	Reason string
	By     *string // account
	At     *time.Time
}

func decideReview(ctx context.Context, tx *pg.Tx, accountID string, from ReviewStatus, d reviewDecision) error {
	tag, err := tx.Exec(ctx, `
		update profile_reviews
		set status = @status, reason = @reason, decided_by = @by, decided_at = @at
		where account_id = @account and status = @from`,
		pgx.StrictNamedArgs{"account": accountID, "from": from, "status": d.Status, "reason": d.Reason, "by": d.By, "at": d.At})
	if err == nil && tag.RowsAffected() != 1 {
		return fmt.Errorf("no right to decide about the profile of %s", accountID)
	}
	return err
}

// showTexts puts name and bio into the public profile, or takes them out of it.
func showTexts(ctx context.Context, tx *pg.Tx, accountID string, name *string, bio string) error {
	_, err := tx.Exec(ctx, `update profiles set display_name = $2, bio = $3 where account_id = $1`, accountID, name, bio)
	return err
}
