package sayings

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
	Slug        *string    `json:"slug"`
	Text        string     `json:"text"`
	Meaning     string     `json:"meaning"`
	Attribution string     `json:"attribution"`
	Region      string     `json:"region"`
	Category    *string    `json:"category"`
	ImageURL    *string    `json:"image_url"`
	Status      Status     `json:"status"`
	Hidden      bool       `json:"hidden"`
	Reason      string     `json:"reason"`
	Owner       *string    `json:"owner"`
	PublishedAt *time.Time `json:"published_at"`
}

// Export writes every saying as JSON Lines that Import reads back. For the
// system.
func (s *Service) Export(ctx context.Context, v core.Viewer, w io.Writer) (count int, err error) {
	if err := requireSystem(v); err != nil {
		return 0, err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		rows, err := q.Query(ctx, `
			select y.id, y.slug, y.text, y.meaning, y.attribution, y.region, y.category_slug as category, y.image_url, y.status,
				y.hidden_at is not null as hidden, s.reason, p.username::text as owner, y.published_at
			from sayings y
			join saying_submissions s on s.saying_id = y.id
			left join profiles p on p.account_id = s.submitted_by
			order by y.created_at, y.id`)
		if err != nil {
			return fmt.Errorf("export sayings: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			one, err := pgx.RowToStructByName[exported](rows)
			if err != nil {
				return fmt.Errorf("export sayings: %w", err)
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
