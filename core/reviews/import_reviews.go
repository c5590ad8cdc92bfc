package reviews

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

var reviewColumnsIn = []string{"id", "product_slug", "owner", "author", "rating", "title", "body", "status", "hidden", "reason", "created_at"}

// row is a row of an import.
type row struct {
	Input
	id, product, owner, author, status, reason string
	ownerID                                    string
	hidden                                     rowfile.Flag
	createdAt                                  rowfile.Moment
}

// ImportReviews stores reviews of products that are here, upserted by product
// and owner (a username), by product and author (a name, where no account is
// behind it), or by id where a row has neither. A row brings the words whole; a
// missing field else leaves the stored value. A new one is public where the row
// gives no status. For the system.
func (s *Service) ImportReviews(ctx context.Context, v core.Viewer, r *rowfile.Reader, o rowfile.Options) (rowfile.Summary, error) {
	return s.importRows(ctx, v, r, reviewColumnsIn, o, s.importReview)
}

func (s *Service) importReview(ctx context.Context, tx *pg.Tx, raw rowfile.Row, o rowfile.Options) (isNew bool, err error) {
	r, err := readRow(raw)
	if err != nil {
		return false, err
	}
	if r.owner != "" {
		if r.ownerID, err = o.Owner(ctx, r.owner); err != nil {
			return false, err
		}
		if r.ownerID == "" {
			return false, core.InvalidField("owner", "must be the username of an account, which %q is not", r.owner)
		}
		r.author = ""
	}
	p, err := productBySlug(ctx, tx, r.product)
	if pg.NoRows(err) {
		return false, core.InvalidField("product_slug", "must be that of a product here; there is none called %q", r.product)
	}
	if err != nil {
		return false, err
	}
	return upsertReview(ctx, tx, p.ID, r, s.now())
}

func readRow(raw rowfile.Row) (r row, err error) {
	var p core.Problems
	var rating rowfile.Whole
	raw.Fill(&p, map[string]any{"id": &r.id, "product_slug": &r.product, "owner": &r.owner, "author": &r.author, "rating": &rating, "title": &r.Title,
		"body": &r.Body, "status": &r.status, "reason": &r.reason, "hidden": &r.hidden, "created_at": &r.createdAt})
	if rating.Value != nil {
		r.Rating = *rating.Value
	}
	r.Input.problems(&p)
	p.Line("author", &r.author, 0, maxName)
	p.Text("reason", &r.reason, 0, MaxReason)
	if r.status == string(Published) { // the word of every other import
		r.status = string(Approved)
	}
	switch Status(r.status) {
	case "", Pending, Approved, Refused, Spam:
	default:
		p.Add("status", "must be pending, approved, refused or spam, not %q", r.status)
	}
	switch {
	case r.id != "" && !core.ValidID(r.id):
		p.Add("id", "must be a UUID")
	case r.id == "" && r.owner == "" && r.author == "":
		p.Add("author", "is required where there is no owner")
	}
	if hidden := r.hidden.Value; hidden != nil && *hidden && r.status != "" && Status(r.status) != Approved {
		p.Add("hidden", "must be false for what is not approved")
	}
	if r.product == "" {
		p.Add("product_slug", "is required")
	}
	return r, p.Err()
}

// stands finds the review that a row is about.
const stands = `
	select r.id::text from reviews r
	where r.product_id = @product and case
		when @owner <> '' then r.account_id = nullif(@owner, '')::uuid
		when @author <> '' then lower(r.author_name) = lower(@author)
		else r.id = nullif(@id, '')::uuid end
	for update`

// upsertReview keeps a reason only where the review is not shown.
func upsertReview(ctx context.Context, tx *pg.Tx, productID string, r row, now time.Time) (isNew bool, err error) {
	var id string
	err = tx.QueryRow(ctx, stands, pgx.StrictNamedArgs{"product": productID, "owner": r.ownerID, "author": r.author, "id": r.id}).Scan(&id)
	if err != nil && !pg.NoRows(err) {
		return false, err
	}
	args := pgx.StrictNamedArgs{"id": id, "rating": r.Rating, "title": r.Title, "body": r.Body, "status": r.status, "hidden": r.hidden.Value,
		"reason": r.reason, "created": r.createdAt.Value, "now": now}
	if err == nil {
		_, err = tx.Exec(ctx, `
			update reviews r
			set rating = @rating, title = @title, body = @body, status = n.status, hidden_at = n.hidden_at,
				reason = case when n.hidden_at is not null or n.status in ('refused', 'spam') then coalesce(nullif(@reason, ''), r.reason) else '' end,
				created_at = coalesce(@created, r.created_at)
			from (
				select coalesce(nullif(@status, ''), o.status) as status,
					case when coalesce(nullif(@status, ''), o.status) = 'approved' then
						case @hidden::boolean when true then coalesce(o.hidden_at, @now::timestamptz) when false then null else o.hidden_at end end as hidden_at
				from reviews o where o.id = @id) n
			where r.id = @id`, args)
		return false, err
	}
	if args["id"] = r.id; r.id == "" || r.owner != "" || r.author != "" {
		args["id"] = pg.NewID()
	}
	args["product"], args["owner"], args["author"] = productID, r.ownerID, r.author
	_, err = tx.Exec(ctx, `
		insert into reviews (id, product_id, account_id, author_name, rating, title, body, status, hidden_at, reason, created_at)
		select @id, @product, nullif(@owner, '')::uuid, @author, @rating, @title, @body, n.status, n.hidden_at,
			case when n.hidden_at is not null or n.status in ('refused', 'spam') then @reason else '' end, coalesce(@created::timestamptz, @now)
		from (select coalesce(nullif(@status, ''), 'approved') as status, case when @hidden::boolean then @now::timestamptz end as hidden_at) n`, args)
	return true, err
}
