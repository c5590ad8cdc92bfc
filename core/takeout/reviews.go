package takeout

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/reviews"
)

type reviewFile struct {
	ID          string     `json:"id"`
	ProductSlug string     `json:"product_slug"`
	ProductName string     `json:"product_name"`
	Rating      int        `json:"rating"`
	Title       string     `json:"title"`
	Body        string     `json:"body"`
	Status      string     `json:"status"`
	Hidden      bool       `json:"hidden"`
	Reason      string     `json:"reason"`
	DecidedAt   *time.Time `json:"decided_at"`
	CreatedAt   time.Time  `json:"created_at"`
}

// Reviews are those that the owner wrote of products.
func Reviews(s *reviews.Service) Section {
	return document("Reviews", "The reviews of products that you wrote, with what became of each.", "reviews.json",
		func(ctx context.Context, v core.Viewer) (any, error) {
			return gathered(reviews.MineRule,
				func(page core.Page) (core.List[reviews.Sent], error) { return s.Mine(ctx, v, page) },
				func(one reviews.Sent) reviewFile {
					return reviewFile{ID: one.ID, ProductSlug: one.ProductSlug, ProductName: one.ProductName, Rating: one.Rating, Title: one.Title,
						Body: one.Body, Status: string(one.Status), Hidden: one.HiddenAt != nil, Reason: one.Reason, DecidedAt: one.DecidedAt, CreatedAt: one.CreatedAt}
				})
		})
}
