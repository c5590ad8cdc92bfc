package directory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// Export hands every entry, whatever its state, to each in the order of slugs;
// the owner's username stands beside it. For staff and the system. It reads
// one state of the database, however long each takes.
func (s *Service) Export(ctx context.Context, v core.Viewer, each func(e Entry, owner string) error) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	return s.db.Read(ctx, v, func(tx pg.Querier) error {
		rows, err := tx.Query(ctx, `
			select `+entryColumns+`, coalesce(p.username::text, '') as owner
			from directory_entries e`+joinCategory+`
			left join profiles p on p.account_id = e.owner_id
			order by e.slug`)
		if err != nil {
			return fmt.Errorf("export entries: %w", err)
		}
		type exported struct {
			Entry
			Owner string
		}
		defer rows.Close()
		for rows.Next() {
			e, err := pgx.RowToStructByName[exported](rows)
			if err != nil {
				return fmt.Errorf("export entries: %w", err)
			}
			if err := each(e.Entry, e.Owner); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}
