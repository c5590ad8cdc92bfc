package sayings

import (
	"context"
	"net/url"
	"slices"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

var importColumns = []string{"id", "slug", "text", "meaning", "attribution", "region", "category", "image_url", "status", "hidden", "reason",
	"owner", "published_at"}

// row is a row of an import.
type row struct {
	Words
	slug, imageURL, status, reason, owner string
	hidden                                rowfile.Flag
	publishedAt                           rowfile.Moment
}

// Import stores sayings, upserted by slug; a missing slug is made from the
// text. A missing field leaves the stored value, but for the words, which a row
// always brings whole. A new one is published where the row gives no status. For
// the system.
func (s *Service) Import(ctx context.Context, v core.Viewer, r *rowfile.Reader, o rowfile.Options) (rowfile.Summary, error) {
	if err := requireSystem(v); err != nil {
		return rowfile.Summary{}, err
	}
	return rowfile.Import(ctx, r, importColumns, o, func(b *rowfile.Batch) error {
		return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
			tx.Touch(Area)
			return explained("store saying", b.Each(func(raw rowfile.Row) (bool, error) { return s.importRow(ctx, tx, raw, o) }))
		})
	})
}

func (s *Service) importRow(ctx context.Context, tx *pg.Tx, raw rowfile.Row, o rowfile.Options) (isNew bool, err error) {
	var p core.Problems
	r := readRow(raw, &p)
	if err := s.checkWords(ctx, &p, &r.Words); err != nil {
		return false, err
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	ownerID, err := o.Owner(ctx, r.owner)
	if err != nil {
		return false, err
	}
	return upsert(ctx, tx, r, ownerID, s.now())
}

func readRow(raw rowfile.Row, p *core.Problems) row {
	var r row
	raw.Fill(p, map[string]any{
		"slug": &r.slug, "text": &r.Text, "meaning": &r.Meaning, "attribution": &r.Attribution, "region": &r.Region, "category": &r.Category,
		"image_url": &r.imageURL, "status": &r.status, "reason": &r.reason, "owner": &r.owner, "hidden": &r.hidden, "published_at": &r.publishedAt,
	})
	p.Line("image_url", &r.imageURL, 0, maxAddress)
	if u, err := url.Parse(r.imageURL); r.imageURL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "") {
		p.Add("image_url", "must be an address that starts with http:// or https://")
	}
	p.Text("reason", &r.reason, 0, MaxReason)
	switch Status(r.status) {
	case "", Pending, Published, Refused, Spam, Draft:
	default:
		p.Add("status", "must be pending, published, refused, spam or draft, not %q", r.status)
	}
	if r.slug == "" {
		r.slug = slugFor(r.Text)
	}
	if slices.Contains(reserved, r.slug) {
		p.Add("slug", "must not be %q, which is another address", r.slug)
	}
	if !core.ValidSlug(r.slug) {
		p.Add("slug", "must be 2 to 80 lowercase letters, digits and single hyphens")
	}
	return r
}

// upsert writes the submission first, as every saying has one.
func upsert(ctx context.Context, tx *pg.Tx, r row, ownerID string, now time.Time) (isNew bool, err error) {
	args := wordArgs(r.Words)
	args["id"], args["slug"], args["image"], args["status"] = pg.NewID(), r.slug, r.imageURL, r.status
	args["hidden"], args["published"], args["now"] = r.hidden.Value, r.publishedAt.Value, now
	var id string
	err = tx.QueryRow(ctx, `
		insert into sayings as y (id, slug, text, text_key, words, meaning, attribution, region, region_key, category_slug, image_url, status,
			hidden_at, created_at, published_at)
		values (@id, @slug, @text, @key, @words, @meaning, @attribution, @region, @region_key, nullif(@category, ''), nullif(@image, ''),
			coalesce(nullif(@status, ''), 'published'), case when @hidden then @now::timestamptz end, @now,
			coalesce(@published::timestamptz, case when @status in ('', 'published') then @now::timestamptz end))
		on conflict (slug) do update
		set text = @text, text_key = @key, words = @words, meaning = @meaning, attribution = @attribution, region = @region,
			region_key = @region_key, category_slug = nullif(@category, ''), image_url = coalesce(nullif(@image, ''), y.image_url),
			status = coalesce(nullif(@status, ''), y.status),
			hidden_at = case @hidden when true then coalesce(y.hidden_at, @now) when false then null else y.hidden_at end,
			published_at = coalesce(@published, y.published_at, case when @status = 'published' then @now::timestamptz end)
		returning y.id, y.xmax = 0`, args).Scan(&id, &isNew)
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `
		insert into saying_submissions as s (saying_id, submitted_by, reason)
		values ($1, nullif($2, '')::uuid, $3)
		on conflict (saying_id) do update
		set submitted_by = coalesce(nullif($2, '')::uuid, s.submitted_by), reason = coalesce(nullif($3, ''), s.reason)`, id, ownerID, r.reason)
	return isNew, err
}
