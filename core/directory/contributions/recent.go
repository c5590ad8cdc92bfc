package contributions

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Recent lists the latest of what members sent, whatever became of it. For
// staff.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) (list []core.Submission, err error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		list, err = recent(ctx, q, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list recent contributions: %w", err)
	}
	return list, nil
}

func recent(ctx context.Context, q pg.Querier, limit int) ([]core.Submission, error) {
	return pg.All[core.Submission](ctx, q, `
		select 'directory_entry' as source, c.id, c.entry_name as title, c.status, coalesce(p.username::text, '') as submitted_by,
			c.created_at, '/moderation?case=contribution:' || c.id as path
		from directory_contributions c
		left join profiles p on p.account_id = c.account_id
		order by c.created_at desc, c.id desc
		limit $1`, limit)
}
