package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory"
	"homeplace/core/reviews"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

const (
	reviewsOnPage   = 20
	productsOnPage  = 24
	productsAside   = 6
	sentReviewsPath = submissionsPath + "/reviews"
)

// reviewRoutes are the pages of the reviews and products for visitors, for
// members who write, and for staff who keep the products.
func (h *handlers) reviewRoutes() []route {
	const get, post, age = http.MethodGet, http.MethodPost, httpx.OpenReadAge
	shown := []string{reviews.Area, accounts.Area, directory.Area, settings.Area}
	list := []route{
		{method: get, pattern: views.ReviewsPage, page: h.reviews, areas: shown, params: []string{"product", "min_rating", "page"}, maxAge: age},
		{method: get, pattern: views.ProductsPage, page: h.products, areas: shown, params: []string{"q", "page"}, maxAge: age},
		{method: get, pattern: views.ReviewsPage + "/{product}", page: h.product, areas: shown, params: []string{"page"}, maxAge: age},
	}
	for _, r := range list {
		list = append(list, route{method: get, pattern: r.pattern + "/", page: withoutSlash})
	}
	return append(list,
		route{method: get, pattern: "/preview/reviews/{file}", page: h.productPreview, areas: shown, maxAge: previewAge},

		route{method: post, pattern: views.ReviewsPage + "/{product}", guard: member, page: h.writeReview},
		route{method: post, pattern: sentReviewsPath + "/{id}/withdraw", guard: member, page: h.withdrawReview},

		route{method: get, pattern: views.NewProductPage, guard: staff, page: h.newProduct},
		route{method: post, pattern: views.NewProductPage, guard: staff, page: h.addProduct},
		route{method: get, pattern: views.ProductsPage + "/{product}/edit", guard: staff, page: h.editProduct},
		route{method: post, pattern: views.ProductsPage + "/{product}/edit", guard: staff, page: h.changeProduct},
		route{method: post, pattern: views.ProductsPage + "/{product}/hide", guard: staff, page: h.hideProduct},
		route{method: post, pattern: views.ProductsPage + "/{product}/unhide", guard: staff, page: h.unhideProduct},
	)
}

func productPath(slug string) string { return views.ReviewsPage + "/" + slug }

// reviews is the feed of the reviews beside the products.
func (h *handlers) reviews(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	f, page := reviews.Filter{Product: lenient(q, "product"), MinRating: leastRating(q)}, pageNumber(q)
	read := func() (core.List[reviews.Review], error) {
		f.Page = core.Page{Limit: reviewsOnPage, Offset: (page - 1) * reviewsOnPage}
		return h.Reviews.List(r.Context(), f)
	}
	list, err := read()
	if err != nil {
		return nil, err
	}
	pages := pagesOf(list.Total, reviewsOnPage)
	if page > max(pages, 1) { // a list that has become shorter
		page = max(pages, 1)
		if list, err = read(); err != nil {
			return nil, err
		}
	}
	p := views.ReviewsProps{Product: f.Product, Narrowed: f.Product != "" || f.MinRating != 0, Ratings: ratingOptions(),
		Shown: rangeText(page, reviewsOnPage, len(list.Items), list.Total) + ", the newest first"}
	if f.MinRating != 0 {
		p.Rating = strconv.Itoa(f.MinRating)
	}
	for _, one := range list.Items {
		p.List = append(p.List, h.reviewCard(v, one, true))
	}
	if err := h.addProducts(r.Context(), &p); err != nil {
		return nil, err
	}
	address := func(n int) string { return reviewsAddress(f, n) }
	p.Pager = ui.PagerProps{Page: page, Pages: pages, Href: address}
	frame := layout.FrameProps{Title: "Reviews", Section: views.ReviewsPage, NoIndex: p.Narrowed,
		Description: "What neighbours say of the things that makers in the community sell, from hot sauce to quilts."}
	if page > 1 {
		frame.Title += ", page " + strconv.Itoa(page)
	}
	if !p.Narrowed {
		frame.Canonical = h.Addresses.Base() + address(page)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Reviews(p))
}

// leastRating reads ?min_rating=; what is no rating narrows nothing.
func leastRating(q *httpx.Query) int {
	n, err := strconv.Atoi(lenient(q, "min_rating"))
	if err != nil || n < reviews.MinRating || n > reviews.MaxRating {
		return 0
	}
	return n
}

func ratingOptions() []ui.Option {
	return []ui.Option{{Text: "Any rating"}, {Value: "5", Text: "5 stars"}, {Value: "4", Text: "4 stars or more"}, {Value: "3", Text: "3 stars or more"},
		{Value: "2", Text: "2 stars or more"}}
}

func reviewsAddress(f reviews.Filter, n int) string {
	values := url.Values{}
	if f.Product != "" {
		values.Set("product", f.Product)
	}
	if f.MinRating != 0 {
		values.Set("min_rating", strconv.Itoa(f.MinRating))
	}
	if n > 1 {
		values.Set("page", strconv.Itoa(n))
	}
	return addressWith(views.ReviewsPage, values)
}

// addProducts fills in the products that the feed can be narrowed to, and those
// that most is said of. Of very many, the form offers the first by name; each
// product's own page leads to its reviews.
func (h *handlers) addProducts(ctx context.Context, p *views.ReviewsProps) error {
	list, err := h.Reviews.Products(ctx, reviews.ProductFilter{Page: core.Page{Limit: reviews.ProductRule.Max}})
	if err != nil {
		return err
	}
	p.Products = []ui.Option{{Text: "All products"}}
	for _, one := range list.Items {
		p.Products = append(p.Products, ui.Option{Value: one.Slug, Text: one.Name})
	}
	if p.Product != "" && !slices.ContainsFunc(list.Items, func(one reviews.Product) bool { return one.Slug == p.Product }) {
		name := p.Product
		if one, err := h.Reviews.Product(ctx, core.Nobody(), p.Product); err == nil {
			name = one.Name
		}
		p.Products = append(p.Products, ui.Option{Value: p.Product, Text: name})
	}
	slices.SortStableFunc(list.Items, func(a, b reviews.Product) int { return cmp.Compare(b.Reviews, a.Reviews) })
	for _, one := range list.Items[:min(len(list.Items), productsAside)] {
		p.Most = append(p.Most, views.ProductLinkProps{Slug: one.Slug, Name: one.Name, Image: one.ImageURL, Href: productPath(one.Slug), About: ratingWords(one.Ratings)})
	}
	p.All = "All " + thousands(list.Total) + " products"
	if list.Total == 1 {
		p.All = "The list of products"
	}
	return nil
}

// reviewCard sets a review; named tells of which product it is.
func (h *handlers) reviewCard(v core.Viewer, r reviews.Review, named bool) views.ReviewProps {
	p := views.ReviewProps{Rating: r.Rating, Heading: r.Title, Body: r.Body, By: reviewer(r), When: h.moment(r.CreatedAt)}
	if p.Heading == "" {
		p.Heading = starCount(r.Rating) + " from " + p.By.Text
	}
	if named {
		p.Product = &views.ProductLinkProps{Slug: r.ProductSlug, Name: r.ProductName, Image: r.ProductImageURL, Href: productPath(r.ProductSlug)}
	}
	if v.IsStaff() && r.Username != v.Username {
		p.Desk = "/moderation?case=" + reviews.Scope + ":" + r.ID
	}
	return p
}

// reviewer is who wrote a review, with the address of their profile.
func reviewer(r reviews.Review) ui.Link {
	switch {
	case r.Username != "":
		return ui.Link{Text: r.Author, Href: "/u/" + r.Username}
	case r.Author != "":
		return ui.Link{Text: r.Author}
	}
	return ui.Link{Text: "a former member"}
}

func starCount(n int) string {
	if n == 1 {
		return "1 star"
	}
	return strconv.Itoa(n) + " stars"
}

func reviewCount(n int) string {
	if n == 1 {
		return "1 review"
	}
	return thousands(n) + " reviews"
}

// ratingWords sum up what people say: "4.5 of 5 in 3 reviews".
func ratingWords(r reviews.Ratings) string {
	if r.Reviews == 0 {
		return "No reviews yet"
	}
	return fmt.Sprintf("%.1f of %d in %s", r.Average, reviews.MaxRating, reviewCount(r.Reviews))
}

// halves is an average in half stars, to be drawn.
func halves(average float64) int { return int(math.Round(2 * average)) }
