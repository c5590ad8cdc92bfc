package shoutouts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

func businessBySlug(ctx context.Context, q pg.Querier, slug string) (id, name string, err error) {
	err = q.QueryRow(ctx, `select id::text, name from directory_entries where slug = $1 and kind = 'business'`, slug).Scan(&id, &name)
	return id, name, err
}

// standingOf locks the shout-out until the transaction ends, as decisions do.
func standingOf(ctx context.Context, tx *pg.Tx, id string) (standing, error) {
	return pg.One[standing](ctx, tx, `
		select o.status, o.hidden_at, s.reason
		from shoutouts o
		join shoutout_senders s on s.shoutout_id = o.id
		where o.id = nullif($1, '')::uuid
		for update of o`, id)
}

func insertImported(ctx context.Context, tx *pg.Tx, r row, now time.Time) error {
	if r.createdAt.Value != nil {
		now = *r.createdAt.Value
	}
	if _, err := tx.Exec(ctx, `
		insert into shoutout_senders (shoutout_id, account_id)
		values ($1, nullif($2, '')::uuid)`, r.id, r.ownerID); err != nil {
		return err
	}
	return insertShoutOut(ctx, tx, r.id, r.author(), r.Input, now)
}

func updateImported(ctx context.Context, tx *pg.Tx, r row) error {
	if _, err := tx.Exec(ctx, `
		update shoutouts
		set business_name = @business, city = @city, rating = @rating, body = @body,
			entry_id = coalesce(nullif(@entry, '')::uuid, entry_id), created_at = coalesce(@created, created_at),
			given_name = case when @named then @name else given_name end,
			author_id = case when @named then nullif(@author, '')::uuid else author_id end
		where id = @id`,
		pgx.StrictNamedArgs{"id": r.id, "business": r.BusinessName, "city": r.City, "rating": r.Rating, "body": r.Body, "entry": r.EntryID,
			"created": r.createdAt.Value, "named": r.named(), "name": r.SubmitterName, "author": r.author()}); err != nil {
		return err
	}
	if r.ownerID == "" {
		return nil
	}
	_, err := tx.Exec(ctx, `
		update shoutout_senders
		set account_id = $2, browser_hash = null
		where shoutout_id = $1`, r.id, r.ownerID)
	return err
}

func storeReason(ctx context.Context, tx *pg.Tx, id, reason string) error {
	_, err := tx.Exec(ctx, `update shoutout_senders set reason = $2 where shoutout_id = $1`, id, reason)
	return err
}
