package polls

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// Columns with p for the poll and a for its author's profile.
const (
	summaryColumns = `p.id, p.slug, p.question, p.status, p.daily_for, p.opens_at, p.closes_at, p.hidden_at, p.author_id::text as author_id,
		a.username::text as author_name, a.display_name as author_title, p.created_at`
	pollColumns = summaryColumns + `, p.description, p.allow_comments, p.reason, p.decided_at`
	fromPolls   = `
	from polls p
	left join profiles a on a.account_id = p.author_id`
)

func pollBySlug(ctx context.Context, q pg.Querier, slug string) (Poll, error) {
	return pg.One[Poll](ctx, q, `select `+pollColumns+fromPolls+` where p.slug = $1`, slug)
}

func pollByID(ctx context.Context, q pg.Querier, id string) (Poll, error) {
	return pg.One[Poll](ctx, q, `select `+pollColumns+fromPolls+` where p.id = $1`, id)
}

// lockForVote lets other votes in, and holds off whoever would close the poll.
func lockForVote(ctx context.Context, tx *pg.Tx, slug string) (Poll, error) {
	return pg.One[Poll](ctx, tx, `select `+pollColumns+fromPolls+` where p.slug = $1 for share of p`, slug)
}

func lockForDecision(ctx context.Context, tx *pg.Tx, id string) (Poll, error) {
	// First the lock, as one that may not decide cannot take it; then the poll as it is by now.
	if _, err := tx.Exec(ctx, `select from polls where id = $1 for update`, id); err != nil {
		return Poll{}, err
	}
	return pollByID(ctx, tx, id)
}

func optionsOf(ctx context.Context, q pg.Querier, pollID string) ([]Option, error) {
	return pg.All[Option](ctx, q, `select id, label, sort_order, votes from poll_options where poll_id = $1 order by sort_order`, pollID)
}

func hasOption(ctx context.Context, q pg.Querier, pollID, optionID string) (known bool, err error) {
	if !core.ValidID(optionID) {
		return false, nil
	}
	err = q.QueryRow(ctx, `select exists (select from poll_options where poll_id = $1 and id = $2)`, pollID, optionID).Scan(&known)
	return known, err
}

func publicPolls(ctx context.Context, q pg.Querier, state State, now time.Time, page core.Page) ([]Summary, int, error) {
	condition, args := `p.status = 'published' and p.hidden_at is null`, pgx.StrictNamedArgs{}
	switch state {
	case Open:
		condition += ` and p.opens_at <= @now and p.closes_at > @now`
		args["now"] = now
	case Closed:
		condition += ` and p.closes_at <= @now`
		args["now"] = now
	}
	return window[Summary](ctx, q, summaryColumns, condition, `p.opens_at desc, p.id desc`, page, args)
}

func pollsOf(ctx context.Context, q pg.Querier, account string, page core.Page) ([]Poll, int, error) {
	return window[Poll](ctx, q, pollColumns, `p.author_id = @account`, `p.created_at desc, p.id desc`, page, pgx.StrictNamedArgs{"account": account})
}

// window reads a page and counts all rows under the condition.
func window[T any](ctx context.Context, q pg.Querier, columns, condition, order string, page core.Page, args pgx.StrictNamedArgs) (list []T, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from polls p where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = page.Limit, page.Offset
	list, err = pg.All[T](ctx, q, `select `+columns+fromPolls+` where `+condition+` order by `+order+` limit @limit offset @offset`, args)
	return list, total, err
}

func insertDraft(ctx context.Context, tx *pg.Tx, id, slug string, in Input, author string, now time.Time) (stored bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into polls (id, slug, question, description, allow_comments, author_id, created_at)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (slug) do nothing`, id, slug, in.Question, in.Description, in.AllowComments, author, now)
	return tag.RowsAffected() == 1, err
}

func insertDaily(ctx context.Context, tx *pg.Tx, id, slug, question string, day time.Time) (stored bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into polls (id, slug, question, status, daily_for, opens_at, closes_at)
		values ($1, $2, $3, 'published', $4::date, $4, $5)
		on conflict do nothing`, id, slug, question, day, day.AddDate(0, 0, 1))
	return tag.RowsAffected() == 1, err
}

func insertOptions(ctx context.Context, tx *pg.Tx, pollID string, labels []string) error {
	for i, label := range labels {
		if _, err := tx.Exec(ctx, `insert into poll_options (id, poll_id, label, sort_order) values ($1, $2, $3, $4)`,
			pg.NewID(), pollID, label, i+1); err != nil {
			return err
		}
	}
	return nil
}

func openPoll(ctx context.Context, tx *pg.Tx, id string, from, until time.Time, by string) error {
	tag, err := tx.Exec(ctx, `
		update polls
		set status = 'published', opens_at = $2, closes_at = $3, reason = '', decided_at = $2, decided_by = nullif($4, '')::uuid
		where id = $1 and status <> 'published'`, id, from, until, by)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("poll %s is published already", id)
	}
	return err
}

func refuse(ctx context.Context, tx *pg.Tx, id, reason, by string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update polls
		set status = 'refused', reason = $2, decided_by = nullif($3, '')::uuid, decided_at = $4
		where id = $1 and status = 'draft'`, id, reason, by, now)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("no right to refuse poll %s", id)
	}
	return err
}

// closePoll never closes before the poll has opened.
func closePoll(ctx context.Context, tx *pg.Tx, id, by string, now time.Time) error {
	_, err := tx.Exec(ctx, `update polls set closes_at = $2, closed_by = nullif($3, '')::uuid where id = $1 and closes_at > $2`, id, now, by)
	return err
}

// setHidden keeps who did it, so that an appeal goes to somebody else.
func setHidden(ctx context.Context, tx *pg.Tx, id string, hidden bool, by string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		update polls
		set hidden_at = case when $2 then coalesce(hidden_at, $4) end, decided_by = nullif($3, '')::uuid, decided_at = $4
		where id = $1`, id, hidden, by, now)
	return err
}

// insertVote tells whether the vote is a new one: of the voter, and of the
// account.
func insertVote(ctx context.Context, tx *pg.Tx, pollID, optionID string, voter []byte, account string, now time.Time) (counted bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into poll_votes (poll_id, option_id, voter_hash, account_id, created_at)
		values ($1, $2, $3, nullif($4, '')::uuid, $5)
		on conflict do nothing`, pollID, optionID, voter, account, now)
	return tag.RowsAffected() == 1, err
}

func choiceOf(ctx context.Context, q pg.Querier, pollID string, voter []byte, account string) (optionID string, err error) {
	err = q.QueryRow(ctx, `
		select option_id::text from poll_votes
		where poll_id = $1 and (voter_hash = $2 or account_id = nullif($3, '')::uuid)
		order by account_id is null limit 1`, pollID, voter, account).Scan(&optionID)
	return optionID, err
}

func removeOf(ctx context.Context, tx *pg.Tx, account string) error {
	if _, err := tx.Exec(ctx, `delete from poll_comments where account_id = $1`, account); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `delete from polls where author_id = $1`, account)
	return err
}

// forget takes the name from what stays; what nobody has seen goes.
func forget(ctx context.Context, tx *pg.Tx, account string) error {
	for _, sql := range []string{
		`delete from polls where author_id = $1 and status <> 'published'`,
		`update polls set author_id = null where author_id = $1`,
		`update poll_comments set account_id = null where account_id = $1`,
		`update poll_votes set account_id = null where account_id = $1`,
	} {
		if _, err := tx.Exec(ctx, sql, account); err != nil {
			return err
		}
	}
	return nil
}
