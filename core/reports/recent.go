package reports

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Recent lists the latest reports, whatever became of them, each with the title
// of its target, whose case it leads to. For staff.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) (list []core.Submission, err error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		list, err = recent(ctx, q, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list recent reports: %w", err)
	}
	return list, nil
}

func recent(ctx context.Context, q pg.Querier, limit int) ([]core.Submission, error) {
	return pg.All[core.Submission](ctx, q, `
		select 'report' as source, r.id, c.title, r.status, coalesce(p.username::text, '') as submitted_by, r.created_at,
			'/moderation?case=report:' || c.id as path
		from reports r
		join report_cases c on c.target_type = r.target_type and c.target_id = r.target_id
		left join profiles p on p.account_id = r.reporter_id
		order by r.created_at desc, r.id desc
		limit $1`, limit)
}
