package polls

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// Columns with c for the comment, p for its poll and a for who wrote it.
const (
	commentColumns = `c.id, c.poll_id, p.slug as poll_slug, p.question, c.body, c.account_id::text as account_id,
		a.username::text as author_name, a.display_name as author_title, c.status, c.reason, c.decided_at, c.created_at`
	fromComments = `
	from poll_comments c
	join polls p on p.id = c.poll_id
	left join profiles a on a.account_id = c.account_id`
)

func commentByID(ctx context.Context, q pg.Querier, id string) (Comment, error) {
	return pg.One[Comment](ctx, q, `select `+commentColumns+fromComments+` where c.id = $1`, id)
}

// commentsOf are the comments that a poll shows.
func commentsOf(ctx context.Context, q pg.Querier, pollID string) ([]Comment, error) {
	return pg.All[Comment](ctx, q, `select `+commentColumns+fromComments+`
	where c.poll_id = $1 and c.status = 'approved'
	order by c.created_at desc, c.id desc limit $2`, pollID, MaxShownComments)
}

func commentsOfAccount(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Comment, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from poll_comments where account_id = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Comment](ctx, q, `select `+commentColumns+fromComments+`
	where c.account_id = $1
	order by c.created_at desc, c.id desc limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

func insertComment(ctx context.Context, tx *pg.Tx, id, pollID, body, account string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into poll_comments (id, poll_id, body, account_id, created_at)
		values ($1, $2, $3, nullif($4, '')::uuid, $5)`, id, pollID, body, account, now)
	return err
}

// judgeComment leaves alone what staff have decided meanwhile.
func judgeComment(ctx context.Context, tx *pg.Tx, id string, status CommentStatus, now time.Time) error {
	_, err := tx.Exec(ctx, `
		update poll_comments
		set status = $2, decided_at = $3
		where id = $1 and status = 'pending'`, id, status, now)
	return err
}

// lockComment waits for whoever decides at this moment. It locks nothing of the
// viewer's own.
func lockComment(ctx context.Context, tx *pg.Tx, id string) (Comment, error) {
	if _, err := tx.Exec(ctx, `select from poll_comments where id = $1 for update`, id); err != nil {
		return Comment{}, err
	}
	return commentByID(ctx, tx, id)
}

func decideComment(ctx context.Context, tx *pg.Tx, id string, to CommentStatus, reason, by string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update poll_comments
		set status = $2, reason = $3, decided_by = nullif($4, '')::uuid, decided_at = $5
		where id = $1`, id, to, reason, by, now)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("no right to decide comment %s", id)
	}
	return err
}
