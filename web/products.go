package web

import (
	"net/http"
	"net/url"
	"strconv"

	"homeplace/core"
	"homeplace/core/reviews"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

// products is the list of the products, to staff with those that nobody else
// sees.
func (h *handlers) products(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	words, page := lenient(q, "q"), pageNumber(q)
	list, err := h.Reviews.Products(r.Context(), reviews.ProductFilter{Query: words, Page: core.Page{Limit: productsOnPage, Offset: (page - 1) * productsOnPage}})
	if err != nil {
		return nil, err
	}
	pages := pagesOf(list.Total, productsOnPage)
	if page > max(pages, 1) {
		return nil, core.NotFoundf("There are fewer pages of products.")
	}
	p := views.ProductsProps{Words: words, Shown: rangeText(page, productsOnPage, len(list.Items), list.Total) + ", by name", Cards: productCards(list.Items),
		Add: reviews.CanKeep(v)}
	if p.Add && words == "" && page == 1 {
		drafts, err := h.Reviews.Drafts(r.Context(), v, core.Page{Limit: reviews.ProductRule.Max})
		if err != nil {
			return nil, err
		}
		p.Drafts = productCards(drafts.Items)
	}
	address := func(n int) string {
		values := url.Values{}
		if words != "" {
			values.Set("q", words)
		}
		if n > 1 {
			values.Set("page", strconv.Itoa(n))
		}
		return addressWith(views.ProductsPage, values)
	}
	p.Pager = ui.PagerProps{Page: page, Pages: pages, Href: address}
	frame := layout.FrameProps{Title: "Products", Section: views.ReviewsPage, NoIndex: words != "",
		Description: "Things that makers in the community sell, with what neighbours say of them."}
	if words == "" {
		frame.Canonical = h.Addresses.Base() + address(page)
	}
	p.Frame = h.frame(r, v, frame)
	return show(r, http.StatusOK, views.Products(p))
}

func productCards(list []reviews.Product) []ui.EntryProps {
	cards := make([]ui.EntryProps, len(list))
	for i, p := range list {
		cards[i] = ui.EntryProps{Href: productPath(p.Slug), Title: p.Name, Slug: p.Slug, Image: p.ImageURL, Tag: p.Category,
			Summary: joined(" ", prefixed("By ", p.Maker, "."), excerpt(oneLine(p.Summary), 110)), Strong: ratingWords(p.Ratings), Eager: i < 3}
		switch {
		case p.HiddenAt != nil:
			cards[i].Meta = "hidden"
		case p.Status == reviews.Draft:
			cards[i].Meta = "a draft"
		}
	}
	return cards
}

// prefixed is the text between two others, or nothing where it is empty.
func prefixed(before, text, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}
