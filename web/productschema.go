package web

import (
	"time"

	"homeplace/core/reviews"
)

// productSchema describes a product with its rating and the reviews of the page
// to search engines.
func (h *handlers) productSchema(p reviews.Product, said []reviews.Review) map[string]any {
	t := thing{"@context": "https://schema.org", "@type": "Product", "name": p.Name, "url": h.Addresses.Page("reviews", p.Slug), "image": h.productPicture(p)}
	t.text("description", p.Summary)
	t.text("category", p.Category)
	t.text("sameAs", p.Website)
	if p.Maker != "" {
		t["brand"] = thing{"@type": "Brand", "name": p.Maker}
	}
	if p.Reviews == 0 {
		return t
	}
	t["aggregateRating"] = thing{"@type": "AggregateRating", "ratingValue": p.Average, "reviewCount": p.Reviews,
		"bestRating": reviews.MaxRating, "worstRating": reviews.MinRating}
	var list []thing
	for _, r := range said {
		one := thing{"@type": "Review", "reviewBody": r.Body, "datePublished": r.CreatedAt.UTC().Format(time.DateOnly),
			"author":       thing{"@type": "Person", "name": reviewer(r).Text},
			"reviewRating": thing{"@type": "Rating", "ratingValue": r.Rating, "bestRating": reviews.MaxRating, "worstRating": reviews.MinRating}}
		one.text("name", r.Title)
		list = append(list, one)
	}
	if list != nil {
		t["review"] = list
	}
	return t
}
