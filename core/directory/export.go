package directory

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

// ExportedEntry is a row of an export: the fields that Import reads, under the
// same names.
type ExportedEntry struct {
	ID          string     `json:"id"`
	Slug        string     `json:"slug"`
	Kind        Kind       `json:"kind"`
	Name        string     `json:"name"`
	Category    *string    `json:"category"`
	Summary     string     `json:"summary"`
	Description string     `json:"description"`
	Address     *string    `json:"address"`
	City        *string    `json:"city"`
	Region      *string    `json:"region"`
	Country     *string    `json:"country"`
	Zip         *string    `json:"zip"`
	Lat         *float64   `json:"lat"`
	Lng         *float64   `json:"lng"`
	Phone       *string    `json:"phone"`
	Email       *string    `json:"email"`
	Website     *string    `json:"website"`
	ImageURL    *string    `json:"image_url"`
	Links       []Link     `json:"links"`
	Tags        []string   `json:"tags"`
	Hours       *Hours     `json:"hours"`
	Verified    bool       `json:"verified"`
	StartsAt    *time.Time `json:"starts_at"`
	EndsAt      *time.Time `json:"ends_at"`
	YearStart   *int       `json:"year_start"`
	YearEnd     *int       `json:"year_end"`
	Status      Status     `json:"status"`
	Hidden      bool       `json:"hidden"`
	Owner       *string    `json:"owner"`
}

// exportHeader names the columns of a CSV, in the order of ExportedEntry.
var exportHeader = []string{"id", "slug", "kind", "name", "category", "summary", "description", "address", "city", "region",
	"country", "zip", "lat", "lng", "phone", "email", "website", "image_url", "links", "tags", "hours", "verified",
	"starts_at", "ends_at", "year_start", "year_end", "status", "hidden", "owner"}

// Export writes every entry, whatever its state, in the order of slugs, so that
// Import reads it back. It reads one state of the database, however long the
// writing takes. For staff and the system.
func (s *Service) Export(ctx context.Context, v core.Viewer, w io.Writer, format rowfile.Format) (count int, err error) {
	if err := requireStaff(v); err != nil {
		return 0, err
	}
	write, flush, err := exportWriter(w, format)
	if err != nil {
		return 0, err
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) error {
		rows, err := tx.Query(ctx, exportEntries+bySlug)
		if err != nil {
			return fmt.Errorf("export entries: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			e, err := pgx.RowToStructByName[ExportedEntry](rows)
			if err != nil {
				return fmt.Errorf("export entries: %w", err)
			}
			if err := write(e); err != nil {
				return err
			}
			count++
		}
		return rows.Err()
	})
	if err != nil {
		return count, err
	}
	return count, flush()
}

const exportEntries = `
	select e.id, e.slug, e.kind, e.name, e.category, e.summary, e.description, e.address, e.city, e.region, e.country, e.zip,
		e.lat, e.lng, e.phone, e.email, e.website, e.image_url, e.links, e.tags, e.hours, e.verified,
		e.starts_at, e.ends_at, e.year_start, e.year_end, e.status, e.hidden_at is not null as hidden, p.username::text as owner
	from directory_entries e
	left join profiles p on p.account_id = e.owner_id`

const bySlug = `
	order by e.slug`

// Own lists the viewer's own entries, whatever their state, in the order of
// slugs. Errors: Unauthenticated.
func (s *Service) Own(ctx context.Context, v core.Viewer) (list []ExportedEntry, err error) {
	if !v.SignedIn() {
		return nil, core.Unauthenticatedf("Sign in to see your entries.")
	}
	err = s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		list, err = pg.All[ExportedEntry](ctx, tx, exportEntries+`
	where e.owner_id = $1`+bySlug, v.ID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list own entries: %w", err)
	}
	return list, nil
}

func exportWriter(w io.Writer, format rowfile.Format) (write func(ExportedEntry) error, flush func() error, err error) {
	switch format {
	case rowfile.JSONLines:
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return func(e ExportedEntry) error { return encoder.Encode(e) }, func() error { return nil }, nil
	case rowfile.CSV:
		c := csv.NewWriter(w)
		if err := c.Write(exportHeader); err != nil {
			return nil, nil, err
		}
		return func(e ExportedEntry) error { return c.Write(e.record()) }, func() error { c.Flush(); return c.Error() }, nil
	}
	return nil, nil, core.InvalidField("format", "must be jsonl or csv, not %q", format)
}

// record is the entry as CSV fields, in the order of exportHeader.
func (e ExportedEntry) record() []string {
	return []string{e.ID, e.Slug, string(e.Kind), e.Name, text(e.Category), e.Summary, e.Description, text(e.Address), text(e.City),
		text(e.Region), text(e.Country), text(e.Zip), number(e.Lat), number(e.Lng), text(e.Phone), text(e.Email), text(e.Website),
		text(e.ImageURL), jsonText(e.Links, len(e.Links) == 0), strings.Join(e.Tags, ";"), jsonText(e.Hours, e.Hours == nil),
		strconv.FormatBool(e.Verified), moment(e.StartsAt), moment(e.EndsAt), whole(e.YearStart), whole(e.YearEnd),
		string(e.Status), strconv.FormatBool(e.Hidden), text(e.Owner)}
}

func number(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func whole(i *int) string {
	if i == nil {
		return ""
	}
	return strconv.Itoa(*i)
}

func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func jsonText(v any, empty bool) string {
	if empty {
		return ""
	}
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}
