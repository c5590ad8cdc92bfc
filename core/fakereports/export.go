package fakereports

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// exported is a row of an export: the fields that Import reads, under the same
// names.
type exported struct {
	ID          string     `json:"id"`
	Category    Category   `json:"category"`
	Description string     `json:"description"`
	Platform    string     `json:"platform"`
	ContentURL  string     `json:"content_url"`
	Handle      string     `json:"handle"`
	Status      Status     `json:"status"`
	Reason      string     `json:"reason"`
	CreatedAt   time.Time  `json:"created_at"`
	ConfirmedAt *time.Time `json:"confirmed_at"`
	Owner       *string    `json:"owner"`
}

// Export writes every report as JSON Lines that Import reads back, whatever its
// status; the name and the address that a sender gave stay. For the system.
func (s *Service) Export(ctx context.Context, v core.Viewer, w io.Writer) (count int, err error) {
	if err := requireSystem(v); err != nil {
		return 0, err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		rows, err := q.Query(ctx, `
			select r.id, r.category, r.description, r.platform, r.content_url, r.handle, r.status, r.reason, r.created_at, r.confirmed_at,
				p.username::text as owner
			from fake_reports r
			left join profiles p on p.account_id = r.submitted_by
			order by r.created_at, r.id`)
		if err != nil {
			return fmt.Errorf("export reports of fake content: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			one, err := pgx.RowToStructByName[exported](rows)
			if err != nil {
				return fmt.Errorf("export reports of fake content: %w", err)
			}
			if err := encoder.Encode(one); err != nil {
				return err
			}
			count++
		}
		return rows.Err()
	})
	return count, err
}
