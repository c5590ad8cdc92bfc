package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/reviews"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/views/ui"
	"homeplace/web/httpx"
)

var productLabels = []label{{"name", "Name"}, {"maker", "Maker"}, {"category", "What it is"}, {"summary", "About it"}, {"website", "Where one buys it"},
	{"image_url", "Address of a picture"}, {"business", "Business in the directory"}, {"status", "Who sees it"}}

// readProduct reads the form. The business may be given by the address of its
// page.
func readProduct(values url.Values) reviews.ProductInput {
	business := strings.TrimSpace(values.Get("business"))
	if _, slug, found := strings.Cut(business, "/directory/"+directory.KindBusiness.Segment()+"/"); found {
		business = strings.Trim(slug, "/")
	}
	return reviews.ProductInput{Name: values.Get("name"), Maker: values.Get("maker"), Summary: pastedText(values, "summary"), Category: values.Get("category"),
		ImageURL: values.Get("image_url"), Website: values.Get("website"), Business: business, Status: reviews.ProductStatus(values.Get("status"))}
}

func productForm(in reviews.ProductInput) views.ProductFormProps {
	if in.Status == "" {
		in.Status = reviews.Published
	}
	return views.ProductFormProps{Name: in.Name, Maker: in.Maker, Summary: in.Summary, Category: in.Category, Image: in.ImageURL, Website: in.Website,
		Business: in.Business, Status: string(in.Status), Max: views.ProductLengths{Name: reviews.MaxProductName, Maker: reviews.MaxMaker,
			Summary: reviews.MaxSummary, Category: reviews.MaxCategory, Address: reviews.MaxAddress}}
}

func (h *handlers) newProductProps(r *http.Request, v core.Viewer, in reviews.ProductInput) views.ProductFormProps {
	p := productForm(in)
	p.Heading, p.Action, p.Cancel, p.Button = "Add a product", views.NewProductPage, views.ProductsPage, "Add it"
	p.Crumbs = []ui.Link{{Text: "Reviews", Href: views.ReviewsPage}, {Text: "Products", Href: views.ProductsPage}, {Text: p.Heading}}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: p.Heading, Section: views.ReviewsPage, NoIndex: true})
	return p
}

// newProduct is the form in which staff add a product.
func (h *handlers) newProduct(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	return show(r, http.StatusOK, views.ProductForm(h.newProductProps(r, v, reviews.ProductInput{})))
}

func (h *handlers) addProduct(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	in := readProduct(values)
	p, err := h.Reviews.CreateProduct(r.Context(), v, in)
	if err != nil {
		props := h.newProductProps(r, v, in)
		return h.refuse(r, err, productLabels, func(refusal views.Refusal) templ.Component {
			props.Refusal = refusal
			return views.ProductForm(props)
		})
	}
	return then(r, productPath(p.Slug), "Added. Thank you.")
}

func (h *handlers) editProductProps(r *http.Request, v core.Viewer, p reviews.Product, in reviews.ProductInput) views.ProductFormProps {
	props := productForm(in)
	path := productPath(p.Slug)
	props.Heading, props.Action, props.Cancel, props.Button = "Change "+p.Name, views.ProductsPage+"/"+p.Slug+"/edit", path, "Save it"
	props.Crumbs = []ui.Link{{Text: "Reviews", Href: views.ReviewsPage}, {Text: "Products", Href: views.ProductsPage}, {Text: p.Name, Href: path}, {Text: "Change it"}}
	props.Frame = h.frame(r, v, layout.FrameProps{Title: props.Heading, Section: views.ReviewsPage, NoIndex: true})
	return props
}

// editProduct is the form in which staff change a product.
func (h *handlers) editProduct(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p, err := h.Reviews.Product(r.Context(), v, chi.URLParam(r, "product"))
	if err != nil {
		return nil, err
	}
	return show(r, http.StatusOK, views.ProductForm(h.editProductProps(r, v, p, reviews.InputOf(p))))
}

func (h *handlers) changeProduct(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	values, err := form(r)
	if err != nil {
		return nil, err
	}
	before, err := h.Reviews.Product(r.Context(), v, chi.URLParam(r, "product"))
	if err != nil {
		return nil, err
	}
	in := readProduct(values)
	p, err := h.Reviews.UpdateProduct(r.Context(), v, before.Slug, in)
	if err != nil {
		props := h.editProductProps(r, v, before, in)
		return h.refuse(r, err, productLabels, func(refusal views.Refusal) templ.Component {
			props.Refusal = refusal
			return views.ProductForm(props)
		})
	}
	return then(r, productPath(p.Slug), "Saved.")
}

func (h *handlers) hideProduct(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "product")
	if err := h.Reviews.HideProduct(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, productPath(slug), "Hidden. Only moderators see it now.")
}

func (h *handlers) unhideProduct(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "product")
	if err := h.Reviews.ShowProduct(r.Context(), v, slug); err != nil {
		return nil, err
	}
	return then(r, productPath(slug), "It is no longer hidden.")
}
