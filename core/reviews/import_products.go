package reviews

import (
	"context"
	"fmt"
	"slices"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
	"homeplace/core/slugs"
)

var productColumns = []string{"id", "slug", "name", "maker", "summary", "category", "image_url", "website", "business", "status", "hidden"}

// ImportProducts stores products, upserted by slug; a missing slug is made from
// the name. A missing field leaves the stored value. A new one is published
// where the row gives no status. For the system.
func (s *Service) ImportProducts(ctx context.Context, v core.Viewer, r *rowfile.Reader, o rowfile.Options) (rowfile.Summary, error) {
	return s.importRows(ctx, v, r, productColumns, o, s.importProduct)
}

func (s *Service) importProduct(ctx context.Context, tx *pg.Tx, raw rowfile.Row, _ rowfile.Options) (isNew bool, err error) {
	var p core.Problems
	var slug, name string
	raw.Fill(&p, map[string]any{"slug": &slug, "name": &name})
	if slug == "" {
		slug = slugs.Make("product", name)
	}
	switch {
	case !core.ValidSlug(slug):
		p.Add("slug", "must be 2 to 80 lowercase letters, digits and single hyphens")
	case slices.Contains(reservedSlugs, slug):
		p.Add("slug", "must not be %q, which is another address", slug)
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	if err := lockSlug(ctx, tx, slug); err != nil {
		return false, err
	}
	before, err := productBySlug(ctx, tx, slug)
	isNew = pg.NoRows(err)
	if err != nil && !isNew {
		return false, fmt.Errorf("read product: %w", err)
	}
	return isNew, s.importInto(ctx, tx, raw, slug, before, isNew)
}

func (s *Service) importInto(ctx context.Context, tx *pg.Tx, raw rowfile.Row, slug string, before Product, isNew bool) error {
	var p core.Problems
	var hidden rowfile.Flag
	in := InputOf(before)
	raw.Fill(&p, map[string]any{"name": &in.Name, "maker": &in.Maker, "summary": &in.Summary, "category": &in.Category, "image_url": &in.ImageURL,
		"website": &in.Website, "business": &in.Business, "status": &in.Status, "hidden": &hidden})
	in.check(&p)
	if err := p.Err(); err != nil {
		return err
	}
	if err := checkBusiness(ctx, tx, in.Business); err != nil {
		return err
	}
	now := s.now()
	var err error
	if isNew {
		err = insertProduct(ctx, tx, slug, in, now)
	} else if in != InputOf(before) {
		_, err = updateProduct(ctx, tx, slug, in, now)
	}
	if err != nil || hidden.Value == nil {
		return err
	}
	if !*hidden.Value {
		_, err = setProductHidden(ctx, tx, slug, nil)
		return err
	}
	_, err = setProductHidden(ctx, tx, slug, &now)
	return err
}
