package reviews

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/slugs"
)

// ProductStatus tells whether a product is ready to be seen.
type ProductStatus string

// The states of a product.
const (
	Published ProductStatus = "published"
	Draft     ProductStatus = "draft"
)

// Longest texts of a product, in Unicode characters.
const (
	MaxProductName = 160
	MaxMaker       = 160
	MaxSummary     = 600
	MaxCategory    = 60
	MaxAddress     = 500
)

// Product is something that a maker sells. What is not known is empty.
type Product struct {
	ID           string
	Slug         string
	Name         string
	Maker        string
	Summary      string
	Category     string // in free words, such as "Hot sauce"
	ImageURL     string
	Website      string
	Business     string // slug of the directory's business that sells it
	BusinessName string // "" where that business is not public
	Status       ProductStatus
	HiddenAt     *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Ratings
}

// Public tells whether everybody sees the product.
func (p Product) Public() bool { return p.Status == Published && p.HiddenAt == nil }

// Ratings sum up the public reviews of a product.
type Ratings struct {
	Reviews int
	Average float64 // to two decimals; 0 without reviews
	Stars   []int   // how many gave 1, 2, … MaxRating
}

// ProductFilter narrows Products.
type ProductFilter struct {
	Query string // each of its words must stand in name, maker, category or summary; accents and case do not matter
	Page  core.Page
}

// CanKeep tells whether the viewer may add and change products.
func CanKeep(v core.Viewer) bool { return v.IsStaff() }

// Products lists the public products by name. Errors: Invalid.
func (s *Service) Products(ctx context.Context, f ProductFilter) (core.List[Product], error) {
	list := core.List[Product]{Page: ProductRule.Clamp(f.Page)}
	f.Page = list.Page
	var p core.Problems
	p.Query("q", &f.Query)
	err := p.Err()
	if err != nil {
		return list, err
	}
	if list.Items, list.Total, err = publicProducts(ctx, s.db.Public(), f); err != nil {
		return list, fmt.Errorf("list products: %w", pg.Err(err))
	}
	return list, nil
}

// Drafts lists the products that the public does not see, latest first. For
// staff.
func (s *Service) Drafts(ctx context.Context, v core.Viewer, page core.Page) (core.List[Product], error) {
	list := core.List[Product]{Page: ProductRule.Clamp(page)}
	if err := requireStaff(v); err != nil {
		return list, err
	}
	err := s.db.Read(ctx, v, func(q pg.Querier) (err error) {
		list.Items, list.Total, err = unseenProducts(ctx, q, list.Page)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list drafts of products: %w", err)
	}
	return list, nil
}

// Product reads one with how it was rated: everybody while it is public, else
// staff. Errors: NotFound.
func (s *Service) Product(ctx context.Context, v core.Viewer, slug string) (p Product, err error) {
	if !core.ValidSlug(slug) {
		return p, errNoProduct()
	}
	err = s.read(ctx, v, func(q pg.Querier) error {
		p, err = productBySlug(ctx, q, slug)
		return err
	})
	if pg.NoRows(err) {
		return p, errNoProduct()
	}
	return p, explained("get product", err)
}

// CreateProduct adds a product under a slug made of its name. For staff. Errors:
// Unauthenticated, Forbidden, Invalid.
func (s *Service) CreateProduct(ctx context.Context, v core.Viewer, in ProductInput) (Product, error) {
	return s.storeProduct(ctx, v, in, func(tx *pg.Tx, in ProductInput) (string, error) {
		slug, err := freeSlug(ctx, tx, slugs.Make("product", in.Name))
		if err != nil {
			return "", err
		}
		return slug, insertProduct(ctx, tx, slug, in, s.now())
	})
}

// UpdateProduct replaces everything but the slug. For staff. Errors: as of
// CreateProduct, NotFound.
func (s *Service) UpdateProduct(ctx context.Context, v core.Viewer, slug string, in ProductInput) (Product, error) {
	return s.storeProduct(ctx, v, in, func(tx *pg.Tx, in ProductInput) (string, error) {
		found, err := updateProduct(ctx, tx, slug, in, s.now())
		if err == nil && !found {
			err = errNoProduct()
		}
		return slug, err
	})
}

// storeProduct hands store the input once it is checked and cleaned.
func (s *Service) storeProduct(ctx context.Context, v core.Viewer, in ProductInput, store func(*pg.Tx, ProductInput) (string, error)) (p Product, err error) {
	if err := requireStaff(v); err != nil {
		return p, err
	}
	var problems core.Problems
	in.check(&problems)
	if err := problems.Err(); err != nil {
		return p, err
	}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Area)
		if err := checkBusiness(ctx, tx, in.Business); err != nil {
			return err
		}
		slug, err := store(tx, in)
		if err != nil {
			return err
		}
		p, err = productBySlug(ctx, tx, slug)
		return err
	})
	return p, explained("store product", err)
}

// HideProduct takes a product and its reviews out of every public read; hidden
// already, nothing happens. For staff. Errors: Unauthenticated, Forbidden,
// NotFound.
func (s *Service) HideProduct(ctx context.Context, v core.Viewer, slug string) error {
	now := s.now()
	return s.setProductHidden(ctx, v, slug, &now)
}

// ShowProduct puts it back. Errors: as of HideProduct.
func (s *Service) ShowProduct(ctx context.Context, v core.Viewer, slug string) error {
	return s.setProductHidden(ctx, v, slug, nil)
}

func (s *Service) setProductHidden(ctx context.Context, v core.Viewer, slug string, at *time.Time) error {
	if err := requireStaff(v); err != nil {
		return err
	}
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		tx.Touch(Area)
		found, err := setProductHidden(ctx, tx, slug, at)
		if err == nil && !found {
			return errNoProduct()
		}
		return err
	})
	return explained("hide product", err)
}
