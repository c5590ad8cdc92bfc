package reports

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// subject is a case and what it is about.
type subject struct {
	ID         string
	TargetType Type
	TargetID   string
}

// subjectOf finds a case by its id, or by that of its target.
func subjectOf(ctx context.Context, q pg.Querier, id string) (subject, error) {
	return pg.One[subject](ctx, q, `
		select id, target_type, target_id
		from report_cases
		where id = $1 or target_id = $1
		order by id = $1 desc, target_type
		limit 1`, id)
}

// reportedCase is a target with what was reported of it.
type reportedCase struct {
	ID         string
	TargetType Type
	TargetID   string
	Title      string
	HiddenBy   hider
	Open       int       // reports
	Oldest     time.Time // of the open ones; the epoch where there is none

	Target core.Reportable `db:"-"`
	Gone   bool            `db:"-"` // the target is not there any more, or no longer public
	All    []Report        `db:"-"` // open ones first, then the latest
}

// caseOf reads a case alone, by its id or by that of its target.
func caseOf(ctx context.Context, q pg.Querier, id string) (reportedCase, error) {
	return pg.One[reportedCase](ctx, q, `
		select c.id, c.target_type, c.target_id, c.title, coalesce(c.hidden_by, '') as hidden_by, o.open, coalesce(o.oldest, 'epoch') as oldest
		from report_cases c
		cross join lateral (
			select count(*) as open, min(r.created_at) as oldest
			from reports r
			where r.target_type = c.target_type and r.target_id = c.target_id and r.status = 'open'
		) o
		where c.id = $1 or c.target_id = $1
		order by c.id = $1 desc, c.target_type
		limit 1`, id)
}

// lastDecision is the latest of a target; empty where there was none.
type lastDecision struct{ By, Reason string }

func decisionOf(ctx context.Context, q pg.Querier, kind Type, id string) (lastDecision, error) {
	last, err := pg.One[lastDecision](ctx, q, `
		select coalesce(decided_by::text, '') as by, reason
		from reports
		where target_type = $1 and target_id = $2 and decided_at is not null
		order by decided_at desc, id
		limit 1`, kind, id)
	if pg.NoRows(err) {
		return lastDecision{}, nil
	}
	return last, err
}

func usernameOf(ctx context.Context, q pg.Querier, accountID string) (name string, err error) {
	err = q.QueryRow(ctx, `select username::text from profiles where account_id = $1`, accountID).Scan(&name)
	if pg.NoRows(err) {
		return "", nil
	}
	return name, err
}

func openReports(ctx context.Context, q pg.Querier, kind Type, id string) (n int, err error) {
	err = q.QueryRow(ctx, `select count(*) from reports where target_type = $1 and target_id = $2 and status = 'open'`, kind, id).Scan(&n)
	return n, err
}

// reopen leaves out those whose reporters have taken them away.
func reopen(ctx context.Context, tx *pg.Tx, ids []string) error {
	_, err := tx.Exec(ctx, `
		update reports
		set status = 'open', reason = '', decided_by = null, decided_at = null
		where id = any($1)`, ids)
	return err
}

func putBack(ctx context.Context, tx *pg.Tx, kind Type, id string, before standing) error {
	_, err := tx.Exec(ctx, `
		update report_cases
		set hidden_by = nullif($3, ''), kept_edit = $4
		where target_type = $1 and target_id = $2`, kind, id, before.HiddenBy, before.KeptEdit)
	return err
}
