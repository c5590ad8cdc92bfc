package reviews

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

// exportedProduct is a row of an export: the fields that ImportProducts reads,
// under the same names.
type exportedProduct struct {
	ID       string        `json:"id"`
	Slug     string        `json:"slug"`
	Name     string        `json:"name"`
	Maker    string        `json:"maker"`
	Summary  string        `json:"summary"`
	Category string        `json:"category"`
	ImageURL *string       `json:"image_url"`
	Website  *string       `json:"website"`
	Business *string       `json:"business"`
	Status   ProductStatus `json:"status"`
	Hidden   bool          `json:"hidden"`
}

// exportedReview is a row of an export: the fields that ImportReviews reads,
// under the same names.
type exportedReview struct {
	ID          string    `json:"id"`
	ProductSlug string    `json:"product_slug"`
	Owner       *string   `json:"owner"`
	Author      *string   `json:"author"`
	Rating      int       `json:"rating"`
	Title       string    `json:"title"`
	Body        string    `json:"body"`
	Status      Status    `json:"status"`
	Hidden      bool      `json:"hidden"`
	Reason      string    `json:"reason"`
	CreatedAt   time.Time `json:"created_at"`
}

// ExportProducts writes every product as JSON Lines that ImportProducts reads
// back. For the system.
func (s *Service) ExportProducts(ctx context.Context, v core.Viewer, w io.Writer) (count int, err error) {
	return export[exportedProduct](ctx, s, v, w, `
		select p.id, p.slug, p.name, p.maker, p.summary, p.category, p.image_url, p.website, d.slug as business, p.status,
			p.hidden_at is not null as hidden
		from products p
		left join directory_entries d on d.id = p.entry_id and d.kind = 'business'
		order by p.created_at, p.id`)
}

// ExportReviews writes every review as JSON Lines that ImportReviews reads back.
// For the system.
func (s *Service) ExportReviews(ctx context.Context, v core.Viewer, w io.Writer) (count int, err error) {
	return export[exportedReview](ctx, s, v, w, `
		select r.id, p.slug as product_slug, f.username::text as owner, nullif(r.author_name, '') as author, r.rating, r.title, r.body, r.status,
			r.hidden_at is not null as hidden, r.reason, r.created_at
		from reviews r
		join products p on p.id = r.product_id
		left join profiles f on f.account_id = r.account_id
		order by r.created_at, r.id`)
}

// export writes the rows of a query, one object a line.
func export[T any](ctx context.Context, s *Service, v core.Viewer, w io.Writer, sql string) (count int, err error) {
	if err := requireSystem(v); err != nil {
		return 0, err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) error {
		rows, err := q.Query(ctx, sql)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			one, err := pgx.RowToStructByName[T](rows)
			if err != nil {
				return fmt.Errorf("export: %w", err)
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
