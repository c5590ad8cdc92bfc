package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/reviews"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

var reviewLabels = []label{{"rating", "Your rating"}, {"title", "In a few words"}, {"body", "What it was like"}}

// product is the page of one product with its reviews.
func (h *handlers) product(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p, err := h.productProps(r, v)
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.Product(p))
}

func (h *handlers) productProps(r *http.Request, v core.Viewer) (p views.ProductProps, err error) {
	one, err := h.Reviews.Product(r.Context(), v, chi.URLParam(r, "product"))
	if err != nil {
		return p, err
	}
	p = views.ProductProps{Slug: one.Slug, Name: one.Name, Image: one.ImageURL, Kicker: one.Category, Maker: one.Maker, Summary: one.Summary,
		Halves: halves(one.Average), Average: strconv.FormatFloat(one.Average, 'f', 1, 64)}
	if one.Website != "" {
		p.Website = webLink(&one.Website)
	}
	if one.BusinessName != "" {
		p.Business = ui.Link{Text: one.BusinessName, Href: entryPath(directory.KindBusiness, one.Business)}
	}
	if one.Reviews > 0 {
		p.Count = reviewCount(one.Reviews)
		for stars := reviews.MaxRating; stars >= reviews.MinRating; stars-- {
			p.Bars = append(p.Bars, views.RatingBarProps{Stars: starCount(stars), Votes: one.Stars[stars-1], All: one.Reviews})
		}
	}
	list, err := h.productReviews(r, v, one, &p)
	if err != nil {
		return p, err
	}
	if err := h.addOwnReview(r, v, one, &p); err != nil {
		return p, err
	}
	addKeeping(v, one, &p)
	p.Frame = h.frame(r, v, h.productFrame(one, list, p.Pager.Page))
	return p, nil
}

// productReviews fills in a page of what people say of a product.
func (h *handlers) productReviews(r *http.Request, v core.Viewer, one reviews.Product, p *views.ProductProps) ([]reviews.Review, error) {
	number := min(pageNumber(httpx.ParseQuery(r)), max(pagesOf(one.Reviews, reviewsOnPage), 1))
	list, err := h.Reviews.List(r.Context(), reviews.Filter{Product: one.Slug, Page: core.Page{Limit: reviewsOnPage, Offset: (number - 1) * reviewsOnPage}})
	if err != nil {
		return nil, err
	}
	for _, said := range list.Items {
		p.List = append(p.List, h.reviewCard(v, said, false))
	}
	p.Pager = ui.PagerProps{Page: number, Pages: pagesOf(list.Total, reviewsOnPage), Href: func(n int) string { return pageAddress(productPath(one.Slug), n) + "#reviews" }}
	return list.Items, nil
}

// addOwnReview fills in what the viewer said, and the form to say it.
func (h *handlers) addOwnReview(r *http.Request, v core.Viewer, one reviews.Product, p *views.ProductProps) error {
	path := productPath(one.Slug)
	if !v.SignedIn() {
		p.SignIn = "/sign-in?" + url.Values{"next": {path}}.Encode()
		return nil
	}
	if one.Public() {
		p.Write = &views.WriteProps{Action: path, MaxTitle: reviews.MaxTitle, MaxBody: reviews.MaxBody}
	}
	own, found, err := h.Reviews.Own(r.Context(), v, one.ID)
	if err != nil || !found {
		return err
	}
	p.Own = &views.OwnReviewProps{Slug: one.Slug, Notice: ownNotice(own), Reason: own.Reason}
	if !own.Public() {
		card := h.reviewCard(v, own.Review, false)
		p.Own.Review = &card
	}
	if reviews.CanWithdraw(own) {
		p.Own.Withdraw = sentReviewsPath + "/" + own.ID + "/withdraw"
	}
	if p.Write != nil {
		p.Write.Again, p.Write.Rating, p.Write.Title, p.Write.Body = true, strconv.Itoa(own.Rating), own.Title, own.Body
	}
	return nil
}

// ownNotice says what became of one's own review.
func ownNotice(own reviews.Sent) ui.NoticeProps {
	switch {
	case own.Status == reviews.Pending:
		return ui.NoticeProps{Title: "Your review waits for a moderator", Text: "Nobody else sees it until then. You can still write it again or take it back."}
	case own.Status == reviews.Refused:
		return ui.NoticeProps{Tone: ui.Warn, Title: "Your review was not taken", Text: "You can write it again."}
	case own.Status == reviews.Spam:
		return ui.NoticeProps{Tone: ui.Warn, Title: "Your review was taken for spam", Text: "Nobody sees it."}
	case own.HiddenAt != nil:
		return ui.NoticeProps{Tone: ui.Warn, Title: "Your review is hidden", Text: "A moderator took it out of sight. You can write it again."}
	}
	return ui.NoticeProps{Tone: ui.Good, Title: "Your review is public", Text: "Thank you. Everybody can read it."}
}

// addKeeping adds what staff may do, and says who sees a product that is not
// public.
func addKeeping(v core.Viewer, one reviews.Product, p *views.ProductProps) {
	if !reviews.CanKeep(v) {
		return
	}
	path := views.ProductsPage + "/" + one.Slug
	p.Edit = path + "/edit"
	if one.HiddenAt != nil {
		p.Unhide = path + "/unhide"
		p.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This product is hidden", Text: "Only moderators see it and its reviews."}
		return
	}
	p.Hide = path + "/hide"
	if one.Status == reviews.Draft {
		p.Notice = &ui.NoticeProps{Tone: ui.Warn, Title: "This product is a draft", Text: "Only moderators see it. Change it to let everybody see it."}
	}
}

// writeReview takes a member's review, or shows the form again.
func (h *handlers) writeReview(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	slug := chi.URLParam(r, "product")
	rating, _ := strconv.Atoi(values.Get("rating")) // what is no number is no rating
	in := reviews.Input{Rating: rating, Title: values.Get("title"), Body: pastedText(values, "body"), From: httpx.OriginOf(r)}
	sent, err := h.Reviews.Write(r.Context(), v, slug, in)
	switch {
	case core.KindOf(err) == core.NotFound && err != nil:
		return nil, err
	case err != nil:
		p, pageErr := h.productProps(r, v)
		if pageErr != nil {
			return nil, pageErr
		}
		if p.Write == nil {
			return nil, err
		}
		return h.refuse(r, err, reviewLabels, func(refusal views.Refusal) templ.Component {
			p.Write.Open, p.Write.Rating, p.Write.Title, p.Write.Body, p.Write.Refusal = true, values.Get("rating"), in.Title, in.Body, refusal
			return views.Product(p)
		})
	case sent.Status == reviews.Spam:
		return then(r, productPath(slug)+"#write", "This was taken for spam, so it will not be shown.")
	}
	return then(r, productPath(slug)+"#write", "Thank you. Your review waits for a moderator now.")
}

// productFrame is what search engines and other sites are told of a product.
func (h *handlers) productFrame(p reviews.Product, said []reviews.Review, page int) layout.FrameProps {
	frame := layout.FrameProps{Title: p.Name, Section: views.ReviewsPage, Article: true,
		Description: excerpt(joined(" ", prefixed("By ", p.Maker, "."), oneLine(p.Summary), ratingWords(p.Ratings)+"."), 220)}
	if page > 1 {
		frame.Title += ", page " + strconv.Itoa(page)
	}
	if !p.Public() {
		frame.NoIndex = true
		return frame
	}
	frame.Canonical = h.Addresses.Base() + pageAddress(productPath(p.Slug), page)
	frame.Image, frame.ImageAlt = h.productPicture(p), p.Name
	frame.JSONLD = h.productSchema(p, said)
	return frame
}

// productPicture is the address of its own picture, or of the one drawn of it.
func (h *handlers) productPicture(p reviews.Product) string {
	if p.ImageURL != "" {
		return p.ImageURL
	}
	return h.Addresses.Page("preview", "reviews", p.Slug+".png")
}

// productPreview is the picture that other sites show of a product.
func (h *handlers) productPreview(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	slug, ok := strings.CutSuffix(chi.URLParam(r, "file"), ".png")
	if !ok {
		return nil, core.NotFoundf("There is no such picture.")
	}
	p, err := h.Reviews.Product(r.Context(), core.Nobody(), slug)
	if err != nil {
		return nil, err
	}
	kicker := p.Category
	if kicker == "" {
		kicker = "Product"
	}
	body, err := drawPreview(r.Context(), poster{seed: p.Slug, kicker: strings.ToUpper(kicker), name: excerpt(p.Name, 110), place: prefixed("by ", p.Maker, ""),
		site: h.Settings.Text(settings.SiteName)})
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "image/png", Body: body}, nil
}
