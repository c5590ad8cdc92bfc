package sayings

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Recent lists the latest sayings that people brought, whatever became of them;
// what the operator imported is none of them. For staff.
func (s *Service) Recent(ctx context.Context, v core.Viewer, limit int) (list []core.Submission, err error) {
	if err := requireStaff(v); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, v, func(q pg.Querier) error {
		list, err = recent(ctx, q, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list recent sayings: %w", err)
	}
	return list, nil
}

func recent(ctx context.Context, q pg.Querier, limit int) ([]core.Submission, error) {
	return pg.All[core.Submission](ctx, q, `
		select 'saying' as source, y.id, btrim(left(regexp_replace(y.text, '\s+', ' ', 'g'), 300)) as title,
			case when y.hidden_at is null then y.status else 'hidden' end as status,
			coalesce(p.username::text, s.submitter_name) as submitted_by, y.created_at, '/moderation?case=saying:' || y.id as path
		from sayings y
		join saying_submissions s on s.saying_id = y.id
		left join profiles p on p.account_id = s.submitted_by
		where s.submitted_by is not null or s.submitter_name <> '' or s.decided_at is not null or y.status <> 'published'
		order by y.created_at desc, y.id desc
		limit $1`, limit)
}
