package polls

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
	ID            string     `json:"id"`
	Slug          string     `json:"slug"`
	Question      string     `json:"question"`
	Description   string     `json:"description"`
	Options       []string   `json:"options"`
	AllowComments bool       `json:"allow_comments"`
	Status        Status     `json:"status"`
	Hidden        bool       `json:"hidden"`
	Reason        string     `json:"reason"`
	Owner         *string    `json:"owner"`
	DailyFor      *string    `json:"daily_for"`
	OpensAt       *time.Time `json:"opens_at"`
	ClosesAt      *time.Time `json:"closes_at"`
}

// Export writes every poll as JSON Lines that Import reads back; votes and
// comments stay. For the system.
func (s *Service) Export(ctx context.Context, v core.Viewer, w io.Writer) (count int, err error) {
	if v.Role != core.System {
		return 0, core.Forbiddenf("Only the operator of the site brings polls in and out in bulk.")
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		rows, err := q.Query(ctx, `
			select p.id, p.slug, p.question, p.description,
				array(select o.label from poll_options o where o.poll_id = p.id order by o.sort_order) as options, p.allow_comments,
				p.status, p.hidden_at is not null as hidden, p.reason, a.username::text as owner, p.daily_for::text as daily_for, p.opens_at, p.closes_at`+fromPolls+`
			order by p.created_at, p.id`)
		if err != nil {
			return fmt.Errorf("export polls: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			one, err := pgx.RowToStructByName[exported](rows)
			if err != nil {
				return fmt.Errorf("export polls: %w", err)
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
