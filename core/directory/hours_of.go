package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// HoursOf reads the opening hours of the public ones among the entries, by id;
// entries without hours are left out.
func (s *Service) HoursOf(ctx context.Context, ids []string) (map[string]*Hours, error) {
	byID := map[string]*Hours{}
	if len(ids) == 0 {
		return byID, nil
	}
	type row struct {
		ID    string
		Hours *Hours
	}
	rows, err := pg.All[row](ctx, s.db.Public(), `
		select e.id, e.hours
		from directory_entries e
		where e.id = any(@ids) and e.hours is not null and e.status = 'published' and e.hidden_at is null`,
		pgx.StrictNamedArgs{"ids": ids})
	for _, r := range rows {
		byID[r.ID] = r.Hours
	}
	return byID, wrapPublic("read opening hours", err)
}
