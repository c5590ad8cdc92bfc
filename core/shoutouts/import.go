package shoutouts

import (
	"context"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

var importColumns = []string{"id", "business_slug", "business_name", "rating", "city", "body", "display_name", "owner", "status", "hidden",
	"reason", "created_at"}

// row is a row of an import.
type row struct {
	Input
	id, slug, owner, status, reason string
	ownerID                         string
	name                            *string // that it shows; nil: the owner's own
	hidden                          rowfile.Flag
	createdAt                       rowfile.Moment
}

// standing is what moderators decide about a shout-out.
type standing struct {
	Status   Status
	HiddenAt *time.Time
	Reason   string
}

// Import stores shout-outs, upserted by id; a row without one is new. A row
// brings the business, the stars and the words whole; a missing field else
// leaves the stored value. Business_slug links a business of the directory,
// public or not, and gives its name where the row has none. What an owner (a
// username) sent shows the owner's name, or the display_name, which may be empty
// for nobody's. A new one is public where the row gives no status. Nobody is
// paid. For the system.
func (s *Service) Import(ctx context.Context, v core.Viewer, r *rowfile.Reader, o rowfile.Options) (rowfile.Summary, error) {
	if err := requireSystem(v); err != nil {
		return rowfile.Summary{}, err
	}
	return rowfile.Import(ctx, r, importColumns, o, func(b *rowfile.Batch) error {
		return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
			tx.Touch(Area)
			return explained("store shout-out", b.Each(func(raw rowfile.Row) (bool, error) { return s.importRow(ctx, tx, raw, o) }))
		})
	})
}

func (s *Service) importRow(ctx context.Context, tx *pg.Tx, raw rowfile.Row, o rowfile.Options) (isNew bool, err error) {
	var p core.Problems
	r := readRow(raw, &p)
	if err := r.link(ctx, tx, &p); err != nil {
		return false, err
	}
	if err := r.Check(); err != nil {
		for field, problem := range core.AsError(err).Fields {
			if field == "submitter_name" {
				field = "display_name"
			}
			p.Add(field, "%s", problem)
		}
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	if r.owner != "" {
		if r.ownerID, err = o.Owner(ctx, r.owner); err != nil {
			return false, err
		}
		if r.ownerID == "" {
			return false, core.InvalidField("owner", "must be the username of an account, which %q is not", r.owner)
		}
	}
	return upsert(ctx, tx, r, s.now())
}

func readRow(raw rowfile.Row, p *core.Problems) row {
	var r row
	var rating rowfile.Number
	raw.Fill(p, map[string]any{"id": &r.id, "business_slug": &r.slug, "business_name": &r.BusinessName, "rating": &rating, "city": &r.City,
		"body": &r.Body, "display_name": &r.name, "owner": &r.owner, "status": &r.status, "hidden": &r.hidden, "reason": &r.reason,
		"created_at": &r.createdAt})
	if rating.Value != nil {
		r.Rating = *rating.Value
	}
	if r.name != nil {
		r.SubmitterName = *r.name
	}
	p.Text("reason", &r.reason, 0, maxReason)
	if r.id != "" && !core.ValidID(r.id) {
		p.Add("id", "must be a UUID")
	}
	if r.slug != "" && !core.ValidSlug(r.slug) {
		p.Add("business_slug", "must be lowercase letters, digits and single hyphens")
		r.slug = ""
	}
	if r.status == "published" { // the word of every other import
		r.status = string(Approved)
	}
	switch Status(r.status) {
	case "", Pending, Approved, Refused, Spam:
	default:
		p.Add("status", "must be pending, approved, refused or spam, not %q", r.status)
	}
	if hidden := r.hidden.Value; hidden != nil && *hidden && r.status != "" && Status(r.status) != Approved {
		p.Add("hidden", "must be false for what is not approved")
	}
	return r
}

// link finds the business of the row.
func (r *row) link(ctx context.Context, q pg.Querier, p *core.Problems) error {
	if r.slug == "" {
		return nil
	}
	id, name, err := businessBySlug(ctx, q, r.slug)
	if pg.NoRows(err) {
		p.Add("business_slug", "must be that of a business here; there is none called %q", r.slug)
		return nil
	}
	if r.EntryID = id; r.BusinessName == "" {
		r.BusinessName = name
	}
	return err
}

// named tells whether the row says whose name the shout-out shows.
func (r row) named() bool { return r.name != nil || r.ownerID != "" }

// author is the account whose name it shows.
func (r row) author() string {
	if r.name != nil {
		return ""
	}
	return r.ownerID
}

// standing is where the row puts a shout-out that stood as was.
func (r row) standing(was standing, now time.Time) standing {
	to := was
	if r.status != "" {
		to.Status = Status(r.status)
	}
	hidden := was.HiddenAt != nil
	if r.hidden.Value != nil {
		hidden = *r.hidden.Value
	}
	switch {
	case to.Status != Approved || !hidden:
		to.HiddenAt = nil
	case was.HiddenAt == nil:
		to.HiddenAt = &now
	}
	if r.reason != "" || !to.like(was) {
		to.Reason = r.reason
	}
	return to
}

// like tells whether two stand alike, whatever the reason.
func (s standing) like(other standing) bool {
	return s.Status == other.Status && (s.HiddenAt == nil) == (other.HiddenAt == nil)
}

func upsert(ctx context.Context, tx *pg.Tx, r row, now time.Time) (isNew bool, err error) {
	was, err := standingOf(ctx, tx, r.id)
	switch {
	case pg.NoRows(err):
		isNew, was = true, standing{Status: Pending}
		if r.status == "" {
			r.status = string(Approved)
		}
		if r.id == "" {
			r.id = pg.NewID()
		}
		err = insertImported(ctx, tx, r, now)
	case err == nil:
		err = updateImported(ctx, tx, r)
	}
	to := r.standing(was, now)
	if err != nil || to.like(was) && to.Reason == was.Reason {
		return isNew, err
	}
	if to.like(was) {
		return isNew, storeReason(ctx, tx, r.id, to.Reason)
	}
	if err := setStatus(ctx, tx, r.id, to.Status, to.HiddenAt); err != nil {
		return isNew, err
	}
	return isNew, storeDecision(ctx, tx, r.id, to.Reason, nil, nil) // whoever decided before cannot take it back any more
}
