package apps

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Recent lists the latest apps that members brought, whatever became of them;
// what the operator imported is none of them. For staff.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	list, err := s.recent(ctx, v, v, `
		select 'app' as source, a.id, a.name as title, case when a.hidden_at is null then a.status else 'hidden' end as status,
			coalesce(p.username::text, '') as submitted_by, a.created_at, '/moderation?case=app:' || a.id as path
		from apps a
		left join profiles p on p.account_id = a.owner_id
		where a.owner_id is not null or a.decided_at is not null or a.status <> 'published'
		order by a.created_at desc, a.id desc
		limit $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list recent apps: %w", err)
	}
	return list, nil
}

// RecentFiles lists the latest data files that members proposed, whatever became
// of them; it names them and does not read them. For staff. It runs as the
// system: a proposal is between its member and who keeps the app, so row-level
// security shows staff none of another's.
func (s *Service) RecentFiles(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	list, err := s.recent(ctx, v, core.TheSystem(), `
		select 'app_file' as source, s.id, s.filename || ' for ' || a.name as title, s.status,
			coalesce(p.username::text, '') as submitted_by, s.created_at, '/apps/' || a.slug || '/manage/submissions/' || s.id as path
		from app_submissions s
		join apps a on a.id = s.app_id
		left join profiles p on p.account_id = s.account_id
		order by s.created_at desc, s.id desc
		limit $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list recent submissions of files: %w", err)
	}
	return list, nil
}

// recent reads as reader what the staff member v asks for.
func (s *Service) recent(ctx context.Context, v, reader core.Viewer, sql string, limit int) (list []core.Submission, err error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, reader, func(q pg.Querier) error {
		list, err = pg.All[core.Submission](ctx, q, sql, limit)
		return err
	})
	return list, err
}
