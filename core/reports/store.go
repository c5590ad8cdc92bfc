package reports

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
)

// hider is who hid a target because of reports.
type hider string

const (
	nobody      hider = ""
	byReports   hider = "reports"
	byModerator hider = "moderator"
)

// caseState is what a locked case says.
type caseState struct {
	Title    string
	HiddenBy hider
	KeptEdit *time.Time
}

// keeps tells whether a moderator kept the target as it is now.
func (c caseState) keeps(t core.Reportable) bool {
	return c.KeptEdit != nil && !t.EditedAt.After(*c.KeptEdit)
}

const lockingCase = `
	select title, coalesce(hidden_by, '') as hidden_by, kept_edit
	from report_cases
	where target_type = $1 and target_id = $2
	for update`

// openCase makes the case of a target, or finds it, and makes others wait who
// would report the target or decide about it.
func openCase(ctx context.Context, tx *pg.Tx, kind Type, id, title string) (caseState, error) {
	_, err := tx.Exec(ctx, `
		insert into report_cases as c (target_type, target_id, title)
		values ($1, $2, $3)
		on conflict (target_type, target_id) do update set title = excluded.title`, kind, id, title)
	if err != nil {
		return caseState{}, err
	}
	return pg.One[caseState](ctx, tx, lockingCase, kind, id)
}

func lockCase(ctx context.Context, tx *pg.Tx, kind Type, id string) (caseState, error) {
	return pg.One[caseState](ctx, tx, lockingCase, kind, id)
}

// reportedBefore tells whether the account has an open report of the target, or
// one that was decided about the target as it is now.
func reportedBefore(ctx context.Context, q pg.Querier, in Input, accountID string, edited time.Time) (before bool, err error) {
	err = q.QueryRow(ctx, `
		select exists (
			select from reports
			where target_type = $1 and target_id = $2 and reporter_id = $3
				and (status = 'open' or status in ('dismissed', 'upheld') and decided_at >= $4))`,
		in.Type, in.TargetID, accountID, edited).Scan(&before)
	return before, err
}

func insert(ctx context.Context, tx *pg.Tx, in Input, accountID string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into reports (id, target_type, target_id, reporter_id, category, detail, created_at)
		values (@id, @type, @target, @account, @category, @detail, @now)`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "type": in.Type, "target": in.TargetID, "account": accountID,
			"category": in.Category, "detail": in.Detail, "now": now})
	return err
}

func reporters(ctx context.Context, q pg.Querier, kind Type, id string) (n int, err error) {
	err = q.QueryRow(ctx, `select report_count($1, $2)`, kind, id).Scan(&n)
	return n, err
}

func setHidden(ctx context.Context, tx *pg.Tx, kind Type, id string, by hider) error {
	_, err := tx.Exec(ctx, `
		update report_cases
		set hidden_by = nullif($3, '')
		where target_type = $1 and target_id = $2`, kind, id, by)
	return err
}

func keep(ctx context.Context, tx *pg.Tx, kind Type, id string, edit time.Time) error {
	_, err := tx.Exec(ctx, `
		update report_cases
		set hidden_by = null, kept_edit = $3
		where target_type = $1 and target_id = $2`, kind, id, edit)
	return err
}

func closeReports(ctx context.Context, tx *pg.Tx, kind Type, id string, to Status, reason, by string, now time.Time) (ids []string, err error) {
	rows, err := tx.Query(ctx, `
		update reports
		set status = @status, reason = @reason, decided_by = nullif(@by, '')::uuid, decided_at = @now
		where target_type = @type and target_id = @target and status = 'open'
		returning id::text`,
		pgx.StrictNamedArgs{"status": to, "reason": reason, "by": by, "now": now, "type": kind, "target": id})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

const reportColumns = `
	select r.id, r.target_type, r.target_id, c.title, coalesce(r.reporter_id::text, '') as reporter_id,
		coalesce(p.username::text, '') as username, r.category, r.detail, r.status, r.reason, r.decided_at, r.created_at
	from reports r
	join report_cases c on c.target_type = r.target_type and c.target_id = r.target_id
	left join profiles p on p.account_id = r.reporter_id`

// mostReports bounds what a moderator reads of one target.
const mostReports = 200

func ofTarget(ctx context.Context, q pg.Querier, kind Type, id string) ([]Report, error) {
	return pg.All[Report](ctx, q, reportColumns+`
	where r.target_type = $1 and r.target_id = $2 and r.status <> 'withdrawn'
	order by r.status = 'open' desc, r.created_at desc, r.id
	limit $3`, kind, id, mostReports)
}

func ofReporter(ctx context.Context, q pg.Querier, accountID string, page core.Page) (list []Report, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from reports where reporter_id = $1`, accountID).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Report](ctx, q, reportColumns+`
	where r.reporter_id = $1
	order by r.created_at desc, r.id desc
	limit $2 offset $3`, accountID, page.Limit, page.Offset)
	return list, total, err
}

// lockCaseOf is lockCase for a report of the account; it locks nothing where
// there is none.
func lockCaseOf(ctx context.Context, tx *pg.Tx, reportID, accountID string) error {
	_, err := tx.Exec(ctx, `
		select from report_cases c
		where (c.target_type, c.target_id) in (select target_type, target_id from reports where id = $1 and reporter_id = $2)
		for update`, reportID, accountID)
	return err
}

func withdraw(ctx context.Context, tx *pg.Tx, id, accountID string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update reports
		set status = 'withdrawn'
		where id = $1 and reporter_id = $2 and status = 'open'`, id, accountID)
	return tag.RowsAffected() == 1, err
}

func sentBy(ctx context.Context, q pg.Querier, id, accountID string) (there bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from reports where id = $1 and reporter_id = $2)`, id, accountID).Scan(&there)
	return there, err
}

func deleteOf(ctx context.Context, tx *pg.Tx, accountID string) error {
	// The cases first, as everywhere, so that no two wait for each other.
	if _, err := tx.Exec(ctx, `
		select from report_cases c
		where exists (select from reports r where (r.target_type, r.target_id) = (c.target_type, c.target_id) and r.reporter_id = $1)
		order by c.target_type, c.target_id
		for update`, accountID); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `delete from reports where reporter_id = $1`, accountID)
	return err
}

func forgetReporter(ctx context.Context, tx *pg.Tx, accountID string) error {
	_, err := tx.Exec(ctx, `update reports set reporter_id = null where reporter_id = $1`, accountID)
	return err
}

// breaks tells whether err comes from the named rule of a table.
func breaks(err error, rule string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.ConstraintName == rule
}
