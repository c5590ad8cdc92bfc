package polls

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Recent lists the latest polls that members made, whatever became of them. For
// staff.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	list, err := s.recent(ctx, v, `
		select 'poll' as source, p.id, p.question as title,
			case when p.hidden_at is null then p.status else 'hidden' end as status,
			coalesce(a.username::text, '') as submitted_by, p.created_at, '/moderation?case=poll:' || p.id as path
		from polls p
		left join profiles a on a.account_id = p.author_id
		where p.daily_for is null
		order by p.created_at desc, p.id desc
		limit $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list recent polls: %w", err)
	}
	return list, nil
}

// RecentComments lists the latest comments, whatever became of them. For staff.
func (s *Service) RecentComments(ctx context.Context, v core.Viewer, limit int) ([]core.Submission, error) {
	list, err := s.recent(ctx, v, `
		select 'poll_comment' as source, c.id, btrim(left(regexp_replace(c.body, '\s+', ' ', 'g'), 300)) as title, c.status,
			coalesce(a.username::text, '') as submitted_by, c.created_at, '/moderation?case=poll_comment:' || c.id as path
		from poll_comments c
		left join profiles a on a.account_id = c.account_id
		order by c.created_at desc, c.id desc
		limit $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list recent comments on polls: %w", err)
	}
	return list, nil
}

func (s *Service) recent(ctx context.Context, v core.Viewer, sql string, limit int) (list []core.Submission, err error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		list, err = pg.All[core.Submission](ctx, q, sql, limit)
		return err
	})
	return list, err
}
