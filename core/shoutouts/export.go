package shoutouts

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
	ID           string    `json:"id"`
	BusinessSlug *string   `json:"business_slug"`
	BusinessName string    `json:"business_name"`
	Rating       float64   `json:"rating"`
	City         string    `json:"city"`
	Body         string    `json:"body"`
	DisplayName  *string   `json:"display_name"` // null where it shows the owner's own
	Owner        *string   `json:"owner"`
	Status       Status    `json:"status"`
	Hidden       bool      `json:"hidden"`
	Reason       string    `json:"reason"`
	CreatedAt    time.Time `json:"created_at"`
}

// Export writes every shout-out as JSON Lines that Import reads back, whatever
// its status; the marks of browsers stay. For the system.
func (s *Service) Export(ctx context.Context, v core.Viewer, w io.Writer) (count int, err error) {
	if err := requireSystem(v); err != nil {
		return 0, err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		rows, err := q.Query(ctx, `
			select o.id, e.slug as business_slug, o.business_name, o.rating::float8 as rating, o.city, o.body,
				case when o.author_id is null then o.given_name end as display_name, p.username::text as owner, o.status,
				o.hidden_at is not null as hidden, s.reason, o.created_at
			from shoutouts o
			join shoutout_senders s on s.shoutout_id = o.id
			left join profiles p on p.account_id = s.account_id
			left join directory_entries e on e.id = o.entry_id and e.kind = 'business'
			order by o.created_at, o.id`)
		if err != nil {
			return fmt.Errorf("export shout-outs: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			one, err := pgx.RowToStructByName[exported](rows)
			if err != nil {
				return fmt.Errorf("export shout-outs: %w", err)
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
