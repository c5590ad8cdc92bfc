package apps

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// submissionColumns reads everything but the content. A submitter may have lost
// sight of the app, which a left join survives.
const submissionColumns = `
	select s.id, s.app_id, coalesce(a.slug, '') as app_slug, coalesce(a.name, '') as app_name, s.filename, s.size_bytes,
		encode(s.sha256, 'hex') as sha256, s.message, s.questionable, s.account_id, p.username::text as username, p.display_name,
		s.base_version, coalesce(f.version, 0) as current_version, s.status, s.reason, d.username::text as decided_by,
		s.decided_at, v.number as version_number, s.created_at
	from app_submissions s
	left join apps a on a.id = s.app_id
	left join app_files f on f.app_id = s.app_id and f.filename = s.filename
	left join app_file_versions v on v.id = s.version_id
	left join profiles p on p.account_id = s.account_id
	left join profiles d on d.account_id = s.decided_by`

func submissionByID(ctx context.Context, q pg.Querier, id string) (Submission, error) {
	return pg.One[Submission](ctx, q, submissionColumns+`
		where s.id = $1`, id)
}

func submissionContent(ctx context.Context, q pg.Querier, id string) (content []byte, err error) {
	err = q.QueryRow(ctx, `select content from app_submissions where id = $1`, id).Scan(&content)
	return content, err
}

// submissionsTo lists what was sent to an app: what waits oldest first, as it is
// to be worked on, and what is decided latest first.
func submissionsTo(ctx context.Context, q pg.Querier, appID string, f SubmissionFilter) (list []Submission, total int, err error) {
	args := pgx.StrictNamedArgs{"app": appID, "status": f.Status, "filename": f.Filename}
	const condition = `s.app_id = @app and s.status = @status and (@filename = '' or s.filename = @filename)`
	if err := q.QueryRow(ctx, `select count(*) from app_submissions s where `+condition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	order := `s.created_at, s.id`
	if f.Status != Waiting {
		order = `s.created_at desc, s.id desc`
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[Submission](ctx, q, submissionColumns+`
		where `+condition+`
		order by `+order+`
		limit @limit offset @offset`, args)
	return list, total, err
}

func submissionsFrom(ctx context.Context, q pg.Querier, accountID string, page core.Page) (list []Submission, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from app_submissions where account_id = $1`, accountID).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Submission](ctx, q, submissionColumns+`
		where s.account_id = $1
		order by s.created_at desc, s.id desc
		limit $2 offset $3`, accountID, page.Limit, page.Offset)
	return list, total, err
}

func countSubmissions(ctx context.Context, q pg.Querier, appID string) (map[SubmissionStatus]int, error) {
	type row struct {
		Status SubmissionStatus
		Count  int
	}
	rows, err := pg.All[row](ctx, q, `
		select status, count(*) as count
		from app_submissions
		where app_id = $1
		group by status`, appID)
	counts := map[SubmissionStatus]int{Waiting: 0, Approved: 0, Rejected: 0, Withdrawn: 0}
	for _, r := range rows {
		counts[r.Status] = r.Count
	}
	return counts, err
}

func insertSubmission(ctx context.Context, tx *pg.Tx, s Submission, sha256 []byte) error {
	_, err := tx.Exec(ctx, `
		insert into app_submissions (id, app_id, filename, content, size_bytes, sha256, message, questionable, account_id, base_version, created_at)
		values (@id, @app, @filename, @content, @size, @sha256, @message, @questionable, @account, @base, @now)`,
		pgx.StrictNamedArgs{"id": s.ID, "app": s.AppID, "filename": s.Filename, "content": s.Content, "size": s.SizeBytes, "sha256": sha256,
			"message": s.Message, "questionable": s.Questionable, "account": s.AccountID, "base": s.BaseVersion, "now": s.CreatedAt})
	return err
}

// countWaiting sees every submission to the app only as the system.
func countWaiting(ctx context.Context, q pg.Querier, appID string) (count int, err error) {
	err = q.QueryRow(ctx, `select count(*) from app_submissions where app_id = $1 and status = 'pending'`, appID).Scan(&count)
	return count, err
}

// lockWaiting waits for whoever decides at this moment, and tells whether there
// is still something to decide.
func lockWaiting(ctx context.Context, tx *pg.Tx, id string) (bool, error) {
	tag, err := tx.Exec(ctx, `
		select from app_submissions
		where id = $1 and status = 'pending'
		for update`, id)
	return tag.RowsAffected() == 1, err
}

// decision is what is stored of one.
type decision struct {
	id        string
	status    SubmissionStatus
	reason    string
	by        string // account id; "" is the program
	at        time.Time
	versionID *string
}

func storeDecision(ctx context.Context, tx *pg.Tx, d decision) error {
	tag, err := tx.Exec(ctx, `
		update app_submissions
		set status = @status, reason = @reason, decided_by = nullif(@by, '')::uuid, decided_at = @at, version_id = @version
		where id = @id and status = 'pending'`,
		pgx.StrictNamedArgs{"id": d.id, "status": d.status, "reason": d.reason, "by": d.by, "at": d.at, "version": d.versionID})
	if err == nil && tag.RowsAffected() != 1 {
		return fmt.Errorf("no right to decide submission %s", d.id)
	}
	return err
}

func withdraw(ctx context.Context, tx *pg.Tx, id, accountID string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update app_submissions
		set status = 'withdrawn'
		where id = $1 and account_id = $2 and status = 'pending'`, id, accountID)
	return tag.RowsAffected() == 1, err
}
