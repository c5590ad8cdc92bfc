package desk

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"homeplace/core"
	"homeplace/core/pg"
)

// appealRow is an appeal as staff read it.
type appealRow struct {
	Appeal
	AccountID *string
	Username  string
	AgainstID *string
	DecidedBy *string
}

const selectAppeals = `
	select a.id, a.target_type, a.target_id, a.title, a.body, a.status, a.reason, a.decided_at, a.created_at`

func appealByID(ctx context.Context, q pg.Querier, id string) (appealRow, error) {
	return pg.One[appealRow](ctx, q, selectAppeals+`, a.account_id, coalesce(p.username::text, '') as username, a.against_id, a.decided_by
		from desk_appeals a
		left join profiles p on p.account_id = a.account_id
		where a.id = $1`, id)
}

// lockAppeal waits for whoever decides at this moment. As the system, since the
// policy shows staff for update what they may decide alone.
func lockAppeal(ctx context.Context, tx *pg.Tx, id string) (row appealRow, err error) {
	err = tx.AsSystem(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `select from desk_appeals where id = $1 for update`, id); err != nil {
			return err
		}
		row, err = appealByID(ctx, tx, id)
		return err
	})
	return row, err
}

func hasAppealed(ctx context.Context, q pg.Querier, t core.Target, account string) (there bool, err error) {
	err = q.QueryRow(ctx, `
		select exists (select from desk_appeals where target_type = $1 and target_id = $2 and account_id = $3)`, t.Type, t.ID, account).Scan(&there)
	return there, err
}

func insertAppeal(ctx context.Context, tx *pg.Tx, id string, c core.Case, account, body string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into desk_appeals (id, target_type, target_id, title, account_id, body, created_at)
		values ($1, $2, $3, $4, $5, $6, $7)`, id, c.Type, c.ID, title(c.Title), account, body, now)
	return err
}

func setAgainst(ctx context.Context, tx *pg.Tx, id, moderator string) error {
	_, err := tx.Exec(ctx, `update desk_appeals set against_id = nullif($2, '')::uuid where id = $1`, id, moderator)
	return err
}

func settleAppeal(ctx context.Context, tx *pg.Tx, id string, status AppealStatus, reason, by string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update desk_appeals
		set status = $2, reason = $3, decided_by = $4, decided_at = $5
		where id = $1 and status = 'open'`, id, status, reason, by, now)
	if err == nil && tag.RowsAffected() != 1 {
		return core.Forbiddenf("Nobody decides about their own appeal, nor about one against their own decision.")
	}
	return err
}

func reopenAppeal(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `
		update desk_appeals
		set status = 'open', reason = '', decided_by = null, decided_at = null
		where id = $1`, id)
	return err
}

func appealsOf(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Appeal, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from desk_appeals where account_id = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Appeal](ctx, q, selectAppeals+`
		from desk_appeals a
		where a.account_id = $1
		order by a.created_at desc, a.id desc
		limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

// title is a heading in one line, with what the tables have room for.
func title(s string) string {
	letters := []rune(strings.Join(strings.Fields(s), " "))
	switch {
	case len(letters) == 0:
		return "Without a title"
	case len(letters) > 300:
		return string(letters[:299]) + "…"
	}
	return string(letters)
}

func lowerFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[size:]
}
