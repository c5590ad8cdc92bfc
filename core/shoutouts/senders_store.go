package shoutouts

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// insertSent stores what an account sends, so that it waits. Its name shows
// unless another was given.
func insertSent(ctx context.Context, tx *pg.Tx, account, id string, in Input, contribution *string, now time.Time) error {
	if _, err := tx.Exec(ctx, `
		insert into shoutout_senders (shoutout_id, account_id, contribution_id)
		values ($1, $2, $3)`, id, account, contribution); err != nil {
		return err
	}
	author := account
	if in.SubmitterName != "" {
		author = ""
	}
	return insertShoutOut(ctx, tx, id, author, in, now)
}

// insertAnonymous stores what nobody in particular sends.
func insertAnonymous(ctx context.Context, tx *pg.Tx, id string, in Input, browser []byte, now time.Time) error {
	if _, err := tx.Exec(ctx, `insert into shoutout_senders (shoutout_id, browser_hash) values ($1, $2)`, id, browser); err != nil {
		return err
	}
	return insertShoutOut(ctx, tx, id, "", in, now)
}

func insertShoutOut(ctx context.Context, tx *pg.Tx, id, author string, in Input, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into shoutouts (id, business_name, city, rating, body, given_name, author_id, entry_id, created_at)
		values (@id, @business, @city, @rating, @body, @name, nullif(@author, '')::uuid, nullif(@entry, '')::uuid, @now)`,
		pgx.StrictNamedArgs{"id": id, "business": in.BusinessName, "city": in.City, "rating": in.Rating, "body": in.Body,
			"name": in.SubmitterName, "author": author, "entry": in.EntryID, "now": now})
	return err
}

const selectSent = `select` + columns + `, s.reason, s.decided_at` + fromShoutOuts + `
	join shoutout_senders s on s.shoutout_id = o.id`

func sentByAccount(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Sent, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from shoutout_senders where account_id = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Sent](ctx, q, selectSent+`
		where s.account_id = $1
		order by o.created_at desc, o.id desc
		limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

func sentByID(ctx context.Context, q pg.Querier, account, id string) (Sent, error) {
	return pg.One[Sent](ctx, q, selectSent+`
		where o.id = $1 and s.account_id = $2`, id, account)
}

func deletePending(ctx context.Context, tx *pg.Tx, account, id string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		delete from shoutouts o
		using shoutout_senders s
		where o.id = $1 and s.shoutout_id = o.id and s.account_id = $2 and o.status = 'pending'`, id, account)
	return tag.RowsAffected() == 1, err
}

// caseRow is a shout-out as staff see it.
type caseRow struct {
	Sent
	GivenName  string
	EntryName  string
	Drafted    bool    // a listing was drafted with it, and waits
	AccountID  *string // nil: nobody was signed in, or they left
	SenderName string  // username of the account
	DecidedBy  *string // nil: nobody yet, or the program
}

func caseByID(ctx context.Context, q pg.Querier, id string) (caseRow, error) {
	return pg.One[caseRow](ctx, q, `select`+columns+`, s.reason, s.decided_at, o.given_name, coalesce(e.name, '') as entry_name,
		exists (select from directory_contributions c where c.id = s.contribution_id and c.status = 'pending') as drafted,
		s.account_id, coalesce(p.username::text, '') as sender_name, s.decided_by`+fromShoutOuts+`
		join shoutout_senders s on s.shoutout_id = o.id
		left join profiles p on p.account_id = s.account_id
		where o.id = $1`, id)
}

// lockForDecision locks nothing of the viewer's own, which is not theirs to
// decide about.
func lockForDecision(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `select from shoutouts where id = $1 for update`, id)
	return err
}

func setStatus(ctx context.Context, tx *pg.Tx, id string, status Status, hidden *time.Time) error {
	tag, err := tx.Exec(ctx, `update shoutouts set status = $2, hidden_at = $3 where id = $1`, id, status, hidden)
	return changed(tag.RowsAffected(), id, err)
}

func storeDecision(ctx context.Context, tx *pg.Tx, id, reason string, by *string, at *time.Time) error {
	tag, err := tx.Exec(ctx, `
		update shoutout_senders
		set reason = $2, decided_by = $3, decided_at = $4
		where shoutout_id = $1`, id, reason, by, at)
	return changed(tag.RowsAffected(), id, err)
}

func changed(rows int64, id string, err error) error {
	if err == nil && rows != 1 {
		return fmt.Errorf("no right to decide shout-out %s", id)
	}
	return err
}

func lockOfBrowser(ctx context.Context, tx *pg.Tx, browser []byte) error {
	_, err := tx.Exec(ctx, `
		select from shoutouts
		where id in (select shoutout_id from shoutout_senders where browser_hash = $1 and account_id is null)
		order by id
		for update`, browser)
	return err
}

// adopted is what paying for an adopted shout-out needs.
type adopted struct {
	ID           string
	BusinessName string
	Status       Status
	Hidden       bool
}

func adopt(ctx context.Context, tx *pg.Tx, account string, browser []byte) ([]adopted, error) {
	return pg.All[adopted](ctx, tx, `
		update shoutout_senders s
		set account_id = $1, browser_hash = null
		from shoutouts o
		where s.browser_hash = $2 and s.account_id is null and o.id = s.shoutout_id
		returning o.id, o.business_name, o.status, o.hidden_at is not null as hidden`, account, browser)
}

// deleteUnapproved leaves what was approved: that is the business's.
func deleteUnapproved(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `
		delete from shoutouts o
		using shoutout_senders s
		where s.shoutout_id = o.id and s.account_id = $1 and o.status <> 'approved'`, account)
	return err
}

func forgetSender(ctx context.Context, tx *pg.Tx, account string) error {
	if _, err := tx.Exec(ctx, `
		update shoutouts o
		set given_name = '', author_id = null
		from shoutout_senders s
		where s.shoutout_id = o.id and s.account_id = $1`, account); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `update shoutout_senders set account_id = null where account_id = $1`, account)
	return err
}
