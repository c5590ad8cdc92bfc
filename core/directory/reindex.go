package directory

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Reindex writes the search documents of every entry anew, batch by batch,
// while the service goes on: after the program learnt to read text in another
// way. For staff and the system.
func (s *Service) Reindex(ctx context.Context, v core.Viewer) (count int, err error) {
	if err := requireStaff(v); err != nil {
		return 0, err
	}
	after := "00000000-0000-0000-0000-000000000000"
	for {
		var batch []storedEntry
		err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
			if err := lockWriters(ctx, tx); err != nil {
				return err
			}
			batch, err = entriesAfter(ctx, tx, after, importBatch)
			if err != nil || len(batch) == 0 {
				return err
			}
			tx.Touch(Area)
			return s.index(ctx, tx, batch)
		})
		if err != nil {
			return count, fmt.Errorf("write the search index: %w", err)
		}
		if len(batch) == 0 {
			return count, s.recount(ctx, v)
		}
		for _, e := range batch {
			if e.public() {
				count++
			}
		}
		after = batch[len(batch)-1].ID
	}
}

// recount works the counts out anew and refreshes the planner's statistics.
func (s *Service) recount(ctx context.Context, v core.Viewer) error {
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Area)
		err := lockWriters(ctx, tx)
		if err == nil {
			_, err = tx.Exec(ctx, `lock table search_documents in share row exclusive mode`)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `delete from directory_counts`)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `
				insert into directory_counts (kind, category, initial, entries)
				select kind, category, initial, count(*) from search_documents group by 1, 2, 3`)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("count the entries: %w", err)
	}
	return s.refreshStatistics(ctx)
}

// entriesAfter locks the rows, so that no edit slips between reading an entry
// and writing its document.
func entriesAfter(ctx context.Context, tx *pg.Tx, id string, limit int) ([]storedEntry, error) {
	return pg.All[storedEntry](ctx, tx, `
		select `+storedColumns+`
		from directory_entries e`+joinCategory+`
		where e.id > $1
		order by e.id
		limit $2
		for update of e`, id, limit)
}

// IndexState compares the search index with the entries.
type IndexState struct {
	Public    int // entries that the public may see
	Documents int // search documents
	Stray     int // documents of entries that are not public: must be 0
	Miscount  int // kinds, categories and letters whose count is wrong: must be 0
}

// CheckIndex looks for disagreement between entries, documents and counts.
// For the system.
func (s *Service) CheckIndex(ctx context.Context, v core.Viewer) (state IndexState, err error) {
	if err := requireStaff(v); err != nil {
		return IndexState{}, err
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		state, err = pg.One[IndexState](ctx, tx, `
			select
				(select count(*) from directory_entries where status = 'published' and hidden_at is null) as public,
				(select count(*) from search_documents) as documents,
				(select count(*) from search_documents d join directory_entries e on e.id = d.entry_id
					where e.status <> 'published' or e.hidden_at is not null) as stray,
				(select count(*) from (
					select kind, category, initial, count(*)::int as n from search_documents group by 1, 2, 3
				) d full join (select * from directory_counts where entries > 0) c using (kind, category, initial)
				where d.n is distinct from c.entries) as miscount`)
		return err
	})
	return state, err
}
