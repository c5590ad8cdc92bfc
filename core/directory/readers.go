package directory

import (
	"context"
	"fmt"

	"homeplace/core/pg"
)

// Newest lists the public entries that came last.
func (s *Service) Newest(ctx context.Context, limit int) ([]Summary, error) {
	list, err := newestEntries(ctx, s.db.Public(), limit)
	if err != nil {
		return nil, fmt.Errorf("list the newest entries: %w", pg.Err(err))
	}
	return list, nil
}

func newestEntries(ctx context.Context, q pg.Querier, limit int) ([]Summary, error) {
	return pg.All[Summary](ctx, q, `
		select `+summaryColumns+`
		from directory_entries e`+joinCategory+`
		where e.status = 'published' and e.hidden_at is null
		order by e.created_at desc, e.id desc
		limit $1`, limit)
}
