package reviews

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// A product that the viewer may not see has no name here: who wrote a review
// still sees the review.
const reviewColumns = `
	r.id, coalesce(p.slug, '') as product_slug, coalesce(p.name, '') as product_name, coalesce(p.image_url, '') as product_image_url,
	r.rating, r.title, r.body, coalesce(nullif(f.display_name, ''), f.username::text, r.author_name) as author,
	coalesce(f.username::text, '') as username, r.status, r.hidden_at, r.created_at`

const fromReviews = `
	from reviews r
	left join products p on p.id = r.product_id
	left join profiles f on f.account_id = r.account_id`

const (
	selectReviews = `select` + reviewColumns + fromReviews
	selectSent    = `select` + reviewColumns + `, r.reason, r.decided_at` + fromReviews
	selectStored  = `select` + reviewColumns + `, r.reason, r.decided_at, coalesce(r.account_id::text, '') as account_id,
		coalesce(r.decided_by::text, '') as decided_by, coalesce(` + productIsPublic + `, false) as product_seen` + fromReviews
)

func publicReviews(ctx context.Context, q pg.Querier, f Filter) (list []Review, total int, err error) {
	args := pgx.StrictNamedArgs{"rating": f.MinRating}
	condition := isPublic + ` and r.rating >= @rating`
	if f.Product != "" {
		condition += ` and r.product_id = (select p.id from products p where p.slug = @product)`
		args["product"] = f.Product
	}
	if err := q.QueryRow(ctx, `select count(*) from reviews r where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[Review](ctx, q, selectReviews+`
		where `+condition+`
		order by r.created_at desc, r.id desc
		limit @limit offset @offset`, args)
	return list, total, err
}

func ownReview(ctx context.Context, q pg.Querier, account, productID string) (Sent, error) {
	return pg.One[Sent](ctx, q, selectSent+`
		where r.account_id = $1 and r.product_id = $2`, account, productID)
}

func sentByID(ctx context.Context, q pg.Querier, account, id string) (Sent, error) {
	return pg.One[Sent](ctx, q, selectSent+`
		where r.account_id = $1 and r.id = $2`, account, id)
}

func reviewsOfAccount(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Sent, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from reviews where account_id = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Sent](ctx, q, selectSent+`
		where r.account_id = $1
		order by r.created_at desc, r.id desc
		limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

func recentReviews(ctx context.Context, q pg.Querier, limit int) ([]stored, error) {
	return pg.All[stored](ctx, q, selectStored+`
		order by r.created_at desc, r.id desc
		limit $1`, limit)
}

func storedByID(ctx context.Context, q pg.Querier, id string) (stored, error) {
	return pg.One[stored](ctx, q, selectStored+`
		where r.id = $1`, id)
}

// replaceReview stores what a member sends in the place of what they had sent
// of the product before, and tells whether there was something.
func replaceReview(ctx context.Context, tx *pg.Tx, account, productID string, r Review) (replaced bool, err error) {
	err = tx.QueryRow(ctx, `
		insert into reviews (id, product_id, account_id, rating, title, body, created_at)
		values (@id, @product, @account, @rating, @title, @body, @now)
		on conflict (product_id, account_id) do update
		set id = @id, rating = @rating, title = @title, body = @body, created_at = @now, status = 'pending', hidden_at = null, reason = '',
			decided_by = null, decided_at = null
		returning exists (select from reviews o where o.product_id = @product and o.account_id = @account)`, pgx.StrictNamedArgs{"id": r.ID, "product": productID, "account": account, "rating": r.Rating, "title": r.Title,
		"body": r.Body, "now": r.CreatedAt}).Scan(&replaced)
	return replaced, err
}

func markSpam(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `update reviews set status = 'spam' where id = $1`, id)
	return err
}

// deleteReview takes back what CanWithdraw allows; seen tells that the public
// saw it.
func deleteReview(ctx context.Context, tx *pg.Tx, account, id string) (seen bool, err error) {
	err = tx.QueryRow(ctx, `
		delete from reviews
		where id = $1 and account_id = $2 and status in ('pending', 'approved') and hidden_at is null
		returning status = 'approved'`, id, account).Scan(&seen)
	return seen, err
}

func deleteReviewsOf(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `delete from reviews where account_id = $1`, account)
	return err
}

// forgetAuthor names the status, too, so that the desk hears of it.
func forgetAuthor(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `
		update reviews
		set account_id = null, status = status
		where account_id = $1`, account)
	return err
}

// lockReview waits for whoever changes the review at this moment. It locks
// nothing of the viewer's own.
func lockReview(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `select from reviews where id = $1 for update`, id)
	return err
}

// standing is what a decision changes.
type standing struct {
	Status    Status     `json:"status"`
	HiddenAt  *time.Time `json:"hidden_at"`
	Reason    string     `json:"reason"`
	DecidedBy string     `json:"decided_by"`
	DecidedAt *time.Time `json:"decided_at"`
}

func setStanding(ctx context.Context, tx *pg.Tx, id string, s standing) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update reviews
		set status = @status, hidden_at = @hidden, reason = @reason, decided_by = nullif(@by, '')::uuid, decided_at = @at
		where id = @id`, pgx.StrictNamedArgs{"id": id, "status": s.Status, "hidden": s.HiddenAt, "reason": s.Reason, "by": s.DecidedBy, "at": s.DecidedAt})
	return tag.RowsAffected() == 1, err
}
