package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Bulk prepares entries for COPY, many times as fast as Import: for filling an
// empty directory with hundreds of thousands. It checks each entry like an
// import, but not against what is stored: slugs must be new, categories those
// of the curated list.
type Bulk struct {
	labels map[Category]string // without its label → label
	words  map[string]bool     // those that went out already
	now    time.Time
	rows   BulkRows
}

// BulkRows are the rows of three tables in PostgreSQL's text format.
type BulkRows struct{ entries, documents, words copyRows }

// NewBulk takes the curated categories, as Categories lists them, and the time
// at which the entries were made.
func NewBulk(categories map[Kind][]Category, now time.Time) *Bulk {
	b := &Bulk{labels: map[Category]string{}, words: map[string]bool{}, now: now}
	for _, list := range categories {
		for _, c := range list {
			b.labels[Category{Kind: c.Kind, Slug: c.Slug}] = c.Label
		}
	}
	return b
}

// Add prepares one entry with its search document. Errors: Invalid.
func (b *Bulk) Add(in Input) error {
	in.Normalize()
	if err := in.Validate(); err != nil {
		return err
	}
	if in.Status == "" {
		in.Status = Published
	}
	r := newRecord(in, 0)
	if err := b.rows.entries.addRecord(r, b.now); err != nil {
		return fmt.Errorf("entry %s: %w", in.Slug, err)
	}
	e := b.stored(r)
	if !e.public() {
		return nil
	}
	d := newDocument(e)
	b.rows.documents.add(d.EntryID, string(d.Kind), d.Category, d.Initial, d.SortName, d.NameKey, d.CityKey, d.Region, d.Zip,
		d.Lat, d.Lng, d.Prominence, d.StartsAt, d.OverAt, d.Haystack, d.Words)
	for _, w := range vocabulary([]storedEntry{e}) {
		if !b.words[w.Word] {
			b.words[w.Word] = true
			b.rows.words.add(w.Word, w.Deletes)
		}
	}
	return nil
}

// stored is the record as it will be read back.
func (b *Bulk) stored(r record) storedEntry {
	e := storedEntry{
		Summary: Summary{ID: r.ID, Slug: r.Slug, Kind: r.Kind, Name: r.Name, Summary: text(r.Summary), Category: r.Category,
			Address: r.Address, City: r.City, Region: r.Region, Country: r.Country, Zip: r.Zip, Lat: r.Lat, Lng: r.Lng,
			Website: r.Website, Phone: r.Phone, ImageURL: r.ImageURL, Verified: r.Verified != nil && *r.Verified,
			StartsAt: r.StartsAt, EndsAt: r.EndsAt},
		Tags: r.Tags, Status: Status(text(r.Status)), Detailed: r.Description != nil,
	}
	if label, ok := b.labels[Category{Kind: r.Kind, Slug: text(r.Category)}]; ok {
		e.CategoryLabel = &label
	}
	return e
}

// Take hands over the rows gathered so far and starts anew.
func (b *Bulk) Take() BulkRows {
	rows := b.rows
	b.rows = BulkRows{}
	return rows
}

// Copy writes the rows over a connection whose role row-level security does
// not bind, such as the private server's owner: PostgreSQL refuses COPY to any
// other. It announces nothing to running instances.
func (r BulkRows) Copy(ctx context.Context, conn *pgx.Conn) error {
	for _, table := range []struct {
		sql  string
		rows copyRows
	}{{copyEntries, r.entries}, {copyDocuments, r.documents}, {copyWords, r.words}} {
		if _, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(table.rows), table.sql); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(table.sql), err)
		}
	}
	return nil
}

const (
	copyEntries = `copy directory_entries (id, slug, kind, name, category, summary, description, description_html, address, city, region,
		country, zip, lat, lng, phone, email, website, image_url, links, tags, hours, verified, starts_at, ends_at, year_start, year_end,
		status, owner_id, created_at, updated_at) from stdin`
	copyDocuments = `copy search_documents (entry_id, kind, category, initial, sort_name, name_key, city_key, region, zip, lat, lng,
		prominence, starts_at, over_at, haystack, words) from stdin`
	copyWords = `copy search_words (word, deletes) from stdin`
)

// copyRows is text in the format of COPY: columns set apart by tabs, \N for null.
type copyRows []byte

func (rows *copyRows) addRecord(r record, now time.Time) error {
	links, hours := "[]", (*string)(nil)
	if len(r.Links) > 0 {
		data, err := json.Marshal(r.Links)
		if err != nil {
			return err
		}
		links = string(data)
	}
	if r.Hours != nil {
		data, err := json.Marshal(r.Hours)
		if err != nil {
			return err
		}
		hours = set(string(data))
	}
	rows.add(r.ID, r.Slug, string(r.Kind), r.Name, r.Category, text(r.Summary), text(r.Description), text(r.DescriptionHTML),
		r.Address, r.City, r.Region, r.Country, r.Zip, r.Lat, r.Lng, r.Phone, r.Email, r.Website, r.ImageURL, links, r.Tags, hours,
		r.Verified != nil && *r.Verified, r.StartsAt, r.EndsAt, r.YearStart, r.YearEnd, text(r.Status), r.OwnerID, now, now)
	return nil
}

func (rows *copyRows) add(values ...any) {
	b := *rows
	for i, v := range values {
		if i > 0 {
			b = append(b, '\t')
		}
		b = appendCopied(b, v)
	}
	*rows = append(b, '\n')
}

// copyEscapes are the characters that COPY would take for its own.
var copyEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func appendCopied(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(b, copyEscapes.Replace(v)...)
	case bool:
		return strconv.AppendBool(b, v)
	case float32:
		return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	case time.Time:
		return v.UTC().AppendFormat(b, time.RFC3339Nano)
	case []string:
		return append(b, copyEscapes.Replace(arrayLiteral(v))...)
	case *string:
		return appendOptional(b, v, func(s string) []byte { return append(b, copyEscapes.Replace(s)...) })
	case *float64:
		return appendOptional(b, v, func(f float64) []byte { return strconv.AppendFloat(b, f, 'g', -1, 64) })
	case *int:
		return appendOptional(b, v, func(n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	case *time.Time:
		return appendOptional(b, v, func(t time.Time) []byte { return t.UTC().AppendFormat(b, time.RFC3339Nano) })
	}
	panic(fmt.Sprintf("copy: no column is made from a %T", value))
}

func appendOptional[T any](b []byte, v *T, written func(T) []byte) []byte {
	if v == nil {
		return append(b, `\N`...)
	}
	return written(*v)
}

var arrayEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func arrayLiteral(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = `"` + arrayEscapes.Replace(v) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}
