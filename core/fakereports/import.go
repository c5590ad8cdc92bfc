package fakereports

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

var importColumns = []string{"id", "category", "description", "platform", "content_url", "handle", "status", "reason", "created_at", "confirmed_at",
	"owner"}

// row is a row of an import.
type row struct {
	Input
	id, status, reason, owner string
	ownerID                   string
	createdAt, confirmedAt    rowfile.Moment
}

// Import stores reports, upserted by id; a row without one is new. A row brings
// what is reported whole; a missing field else leaves the stored value, and so
// does an import the name and the address that a sender gave. Owner is the
// username of who sent it. A new one is confirmed, and so public, where the row
// gives no status; published means confirmed. Nobody is paid. For the system.
func (s *Service) Import(ctx context.Context, v core.Viewer, r *rowfile.Reader, o rowfile.Options) (rowfile.Summary, error) {
	if err := requireSystem(v); err != nil {
		return rowfile.Summary{}, err
	}
	return rowfile.Import(ctx, r, importColumns, o, func(b *rowfile.Batch) error {
		return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
			tx.Touch(Area)
			return explained("store report of fake content", b.Each(func(raw rowfile.Row) (bool, error) { return s.importRow(ctx, tx, raw, o) }))
		})
	})
}

func (s *Service) importRow(ctx context.Context, tx *pg.Tx, raw rowfile.Row, o rowfile.Options) (isNew bool, err error) {
	var p core.Problems
	r := readRow(raw, &p)
	if err := r.Check(); err != nil {
		for field, problem := range core.AsError(err).Fields {
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
	raw.Fill(p, map[string]any{"id": &r.id, "category": &r.Category, "description": &r.Description, "platform": &r.Platform,
		"content_url": &r.ContentURL, "handle": &r.Handle, "status": &r.status, "reason": &r.reason, "created_at": &r.createdAt,
		"confirmed_at": &r.confirmedAt, "owner": &r.owner})
	p.Text("reason", &r.reason, 0, maxReason)
	if r.id != "" && !core.ValidID(r.id) {
		p.Add("id", "must be a UUID")
	}
	if r.status == "published" { // the word of every other import
		r.status = string(Confirmed)
	}
	switch Status(r.status) {
	case "", Pending, Confirmed, Refused, Spam:
	default:
		p.Add("status", "must be pending, confirmed, refused or spam, not %q", r.status)
	}
	sent, confirmed := r.createdAt.Value, r.confirmedAt.Value
	switch {
	case confirmed == nil:
	case r.status != "" && Status(r.status) != Confirmed:
		p.Add("confirmed_at", "must be empty for what is not confirmed")
	case sent != nil && confirmed.Before(*sent):
		p.Add("confirmed_at", "must not be before created_at")
	}
	return r
}

// upsert forgets who decided where the row decides otherwise, so that nobody
// takes that decision back any more.
func upsert(ctx context.Context, tx *pg.Tx, r row, now time.Time) (isNew bool, err error) {
	args := pgx.StrictNamedArgs{"id": r.id, "category": string(r.Category), "description": r.Description, "platform": r.Platform,
		"handle": r.Handle, "url": r.ContentURL, "status": r.status, "reason": r.reason, "created": r.createdAt.Value,
		"confirmed": r.confirmedAt.Value, "owner": r.ownerID, "now": now}
	if r.id == "" {
		args["id"] = pg.NewID()
	}
	err = tx.QueryRow(ctx, `
		insert into fake_reports as r (id, category, description, platform, handle, content_url, status, reason, created_at, confirmed_at, submitted_by)
		select @id::uuid, @category, @description, @platform, @handle, @url, n.status, @reason, n.created_at,
			case when n.status = 'confirmed' then coalesce(@confirmed::timestamptz, greatest(n.created_at, @now)) end, nullif(@owner, '')::uuid
		from (select coalesce(nullif(@status, ''), 'confirmed') as status, coalesce(@created::timestamptz, @now::timestamptz) as created_at) n
		on conflict (id) do update
		set category = @category, description = @description, platform = @platform, handle = @handle, content_url = @url,
			status = coalesce(nullif(@status, ''), r.status),
			confirmed_at = case when coalesce(nullif(@status, ''), r.status) = 'confirmed' then coalesce(@confirmed, r.confirmed_at, @now) end,
			reason = coalesce(nullif(@reason, ''), case when @status in ('', r.status) then r.reason else '' end),
			decided_by = case when @status in ('', r.status) then r.decided_by end,
			decided_at = case when @status in ('', r.status) then r.decided_at end,
			created_at = coalesce(@created, r.created_at), submitted_by = coalesce(nullif(@owner, '')::uuid, r.submitted_by)
		returning r.xmax = 0`, args).Scan(&isNew)
	return isNew, err
}
