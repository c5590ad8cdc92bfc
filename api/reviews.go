package api

import (
	"net/http"
	"time"

	"homeplace/core/reviews"
	"homeplace/web/httpx"
)

// review is an approved review with what one shows of its product (SERVICE.md
// §2, CONTRACT.md §3).
type review struct {
	ID              string    `json:"id"`
	Rating          int       `json:"rating"`
	Title           *string   `json:"title"`
	Body            string    `json:"body"`
	Author          *string   `json:"author"` // null for one who left
	CreatedAt       time.Time `json:"created_at"`
	ProductSlug     string    `json:"product_slug"`
	ProductName     string    `json:"product_name"`
	ProductImageURL *string   `json:"product_image_url"`
	PageURL         string    `json:"page_url"` // of the product
}

func (h *handlers) reviewItem(r reviews.Review) review {
	return review{ID: r.ID, Rating: r.Rating, Title: optional(r.Title), Body: r.Body, Author: optional(r.Author), CreatedAt: r.CreatedAt.UTC(),
		ProductSlug: r.ProductSlug, ProductName: r.ProductName, ProductImageURL: optional(r.ProductImageURL),
		PageURL: h.Addresses.Page("reviews", r.ProductSlug)}
}

type reviewList struct {
	envelope
	Reviews []review `json:"reviews"`
}

func (h *handlers) listReviews(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	filter := reviews.Filter{MinRating: q.Int("min_rating", reviews.MinRating, reviews.MaxRating, 0), Product: q.String("product"), Page: q.Page(reviews.ListRule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	found, err := h.Reviews.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	items := make([]review, len(found.Items))
	for i, one := range found.Items {
		items[i] = h.reviewItem(one)
	}
	e := h.envelope(r, q, found.Page, found.Total)
	return list(reviewList{e, items}, e)
}
