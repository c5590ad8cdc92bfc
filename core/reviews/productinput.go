package reviews

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// ProductInput is a product on its way in.
type ProductInput struct {
	Name, Maker, Summary, Category string
	ImageURL, Website              string
	Business                       string // slug of a business of the directory; "" for none
	Status                         ProductStatus
}

// InputOf is what a form of the product starts with.
func InputOf(p Product) ProductInput {
	return ProductInput{Name: p.Name, Maker: p.Maker, Summary: p.Summary, Category: p.Category, ImageURL: p.ImageURL, Website: p.Website,
		Business: p.Business, Status: p.Status}
}

// check cleans the input in place, but for the business.
func (in *ProductInput) check(p *core.Problems) {
	p.Line("name", &in.Name, 1, MaxProductName)
	p.Line("maker", &in.Maker, 0, MaxMaker)
	p.Text("summary", &in.Summary, 0, MaxSummary)
	p.Line("category", &in.Category, 0, MaxCategory)
	p.Line("business", &in.Business, 0, core.MaxSlug)
	checkAddress(p, "image_url", &in.ImageURL)
	checkAddress(p, "website", &in.Website)
	switch in.Status {
	case "":
		in.Status = Published
	case Published, Draft:
	default:
		p.Add("status", "must be published or draft, not %q", in.Status)
	}
}

func checkAddress(p *core.Problems, field string, address *string) {
	p.Line(field, address, 0, MaxAddress)
	if u, err := url.Parse(*address); *address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "") {
		p.Add(field, "must be an address that starts with http:// or https://")
	}
}

func checkBusiness(ctx context.Context, q pg.Querier, slug string) error {
	if slug == "" {
		return nil
	}
	found, err := businessExists(ctx, q, slug)
	if err == nil && !found {
		err = core.InvalidField("business", "must be the last part of a business’s address in the directory; there is none called %q", slug)
	}
	return err
}

// reservedSlugs are the words below /reviews that lead elsewhere.
var reservedSlugs = []string{"new", "products"}

// freeSlug is the first of its name that nobody has. Others who look for one of
// the same name wait until this transaction ends.
func freeSlug(ctx context.Context, tx *pg.Tx, wanted string) (string, error) {
	if err := lockSlug(ctx, tx, wanted); err != nil {
		return "", err
	}
	first := 1
	if slices.Contains(reservedSlugs, wanted) {
		first = 2
	}
	for n := first; ; n++ {
		slug := slugs.Numbered(wanted, n)
		if taken, err := slugTaken(ctx, tx, slug); err != nil || !taken {
			return slug, err
		}
	}
}

// searchedText is what a product is found by.
func (in ProductInput) searchedText() string {
	return strings.Join([]string{in.Name, in.Maker, in.Category, in.Summary}, " ")
}
