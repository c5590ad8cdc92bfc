package fakereports

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// publicColumns are those that anon has a right to.
const publicColumns = `r.id, r.category, r.description, r.platform, r.handle, r.content_url, r.status, r.created_at, r.confirmed_at`

const sentColumns = publicColumns + `, r.submitter_name, r.submitter_email, r.reason, r.decided_at`

const selectRecords = `
	select ` + sentColumns + `, r.submitted_by, p.username::text as username, r.decided_by
	from fake_reports r
	left join profiles p on p.account_id = r.submitted_by`

func confirmed(ctx context.Context, q pg.Querier, c Category, page core.Page) (list []Report, total int, err error) {
	condition, args := `r.status = 'confirmed'`, pgx.StrictNamedArgs{}
	if c != "" {
		condition += ` and r.category = @category`
		args["category"] = string(c)
	}
	if err := q.QueryRow(ctx, `select count(*) from fake_reports r where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = page.Limit, page.Offset
	list, err = pg.All[Report](ctx, q, `
		select `+publicColumns+`
		from fake_reports r
		where `+condition+`
		order by r.confirmed_at desc, r.id
		limit @limit offset @offset`, args)
	return list, total, err
}

// insert stores what is sent, so that it waits; account is empty for nobody.
func insert(ctx context.Context, tx *pg.Tx, account string, s Sent) error {
	_, err := tx.Exec(ctx, `
		insert into fake_reports (id, category, description, platform, handle, content_url, created_at, submitted_by, submitter_name, submitter_email)
		values (@id, @category, @description, @platform, @handle, @url, @now, nullif(@account, '')::uuid, @name, @email)`,
		pgx.StrictNamedArgs{"id": s.ID, "category": string(s.Category), "description": s.Description, "platform": s.Platform, "handle": s.Handle,
			"url": s.ContentURL, "now": s.CreatedAt, "account": account, "name": s.SubmitterName, "email": s.SubmitterEmail})
	return err
}

// setStatus runs as the system: nobody judges themselves.
func setStatus(ctx context.Context, tx *pg.Tx, id string, status Status) error {
	_, err := tx.Exec(ctx, `update fake_reports set status = $2 where id = $1`, id, string(status))
	return err
}

func sentByAccount(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Sent, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from fake_reports where submitted_by = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Sent](ctx, q, `
		select `+sentColumns+`
		from fake_reports r
		where r.submitted_by = $1
		order by r.created_at desc, r.id desc
		limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

func statusOfOwn(ctx context.Context, q pg.Querier, account, id string) (status Status, err error) {
	err = q.QueryRow(ctx, `select status from fake_reports where id = $1 and submitted_by = $2`, id, account).Scan(&status)
	return status, err
}

func deletePending(ctx context.Context, tx *pg.Tx, account, id string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		delete from fake_reports
		where id = $1 and submitted_by = $2 and status = 'pending'`, id, account)
	return tag.RowsAffected() == 1, err
}

func recordByID(ctx context.Context, q pg.Querier, id string) (record, error) {
	return pg.One[record](ctx, q, selectRecords+`
		where r.id = $1`, id)
}

func latest(ctx context.Context, q pg.Querier, limit int) ([]record, error) {
	return pg.All[record](ctx, q, selectRecords+`
		order by r.created_at desc, r.id desc
		limit $1`, limit)
}

// lock waits for whoever decides at this moment. It locks nothing of the
// viewer's own.
func lock(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `
		select from fake_reports
		where id = $1
		for update`, id)
	return err
}

// settle stores a decision; one that confirms dates itself.
func settle(ctx context.Context, tx *pg.Tx, id string, to Status, reason, by string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update fake_reports
		set status = @to, confirmed_at = case when @to = 'confirmed' then @now::timestamptz end, reason = @reason,
			decided_by = nullif(@by, '')::uuid, decided_at = @now
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "to": string(to), "reason": reason, "by": by, "now": now})
	return changed(tag.RowsAffected(), id, err)
}

// putBack stores the state before a decision, which never is Confirmed. It runs
// as the system: nobody else writes what another decided.
func putBack(ctx context.Context, tx *pg.Tx, id string, was state) error {
	tag, err := tx.Exec(ctx, `
		update fake_reports
		set status = @status, confirmed_at = null, reason = @reason, decided_by = (select id from accounts where id = @by), decided_at = @at
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "status": string(was.Status), "reason": was.Reason, "by": was.DecidedBy, "at": was.DecidedAt})
	return changed(tag.RowsAffected(), id, err)
}

func changed(rows int64, id string, err error) error {
	if err == nil && rows != 1 {
		return fmt.Errorf("no right to decide report of fake content %s", id)
	}
	return err
}

// deleteUnconfirmed leaves what became public: that is the community's.
func deleteUnconfirmed(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `delete from fake_reports where submitted_by = $1 and status <> 'confirmed'`, account)
	return err
}

func forgetSender(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `
		update fake_reports
		set submitted_by = null, submitter_name = '', submitter_email = ''
		where submitted_by = $1`, account)
	return err
}
