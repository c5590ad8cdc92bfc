package directory

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
)

// storedEntry is what a search document is made from.
type storedEntry struct {
	Summary
	Tags     []string
	Status   Status
	Hidden   bool
	Detailed bool // has a description
}

const storedColumns = summaryColumns + `,
	e.tags, e.status, e.hidden_at is not null as hidden, e.description <> '' as detailed`

func (e storedEntry) public() bool { return e.Status == Published && !e.Hidden }

// document is a row of search_documents; the JSON names are its columns.
type document struct {
	EntryID    string     `json:"entry_id"`
	Kind       Kind       `json:"kind"`
	Category   string     `json:"category"`
	Initial    string     `json:"initial"`
	SortName   string     `json:"sort_name"`
	NameKey    string     `json:"name_key"`
	CityKey    string     `json:"city_key"`
	Region     string     `json:"region"`
	Zip        string     `json:"zip"`
	Lat        *float64   `json:"lat"`
	Lng        *float64   `json:"lng"`
	Prominence float32    `json:"prominence"`
	StartsAt   *time.Time `json:"starts_at"`
	OverAt     *time.Time `json:"over_at"`
	Haystack   string     `json:"haystack"`
	Words      string     `json:"words"`
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func newDocument(e storedEntry) document {
	d := document{
		EntryID: e.ID, Kind: e.Kind, Category: text(e.Category),
		SortName: searchtext.SortName(e.Name), NameKey: searchtext.NameKey(e.Name),
		CityKey: searchtext.SortName(text(e.City)), Region: text(e.Region), Zip: text(e.Zip),
		Lat: e.Lat, Lng: e.Lng, Prominence: prominence(e),
		StartsAt: cmp.Or(e.StartsAt, e.EndsAt), OverAt: cmp.Or(e.EndsAt, e.StartsAt),
	}
	d.Initial = searchtext.Initial(d.SortName)
	d.Haystack = haystack(e)
	d.Words = words(e)
	return d
}

// haystack joins what each token of a list query may occur in (SERVICE.md §4
// Directory): name, summary, category, city, region. One a line, so that no
// token matches across two of them.
func haystack(e storedEntry) string {
	fields := []string{e.Name, e.Summary.Summary, text(e.Category), text(e.CategoryLabel), text(e.City), text(e.Region)}
	for i, f := range fields {
		fields[i] = searchtext.SortName(f)
	}
	return strings.Join(fields, "\n")
}

func words(e storedEntry) string {
	var v searchtext.Vector
	v.Add(e.Name, searchtext.InName)
	v.Add(text(e.Category), searchtext.InCategory)
	v.Add(text(e.CategoryLabel), searchtext.InCategory)
	v.Add(string(e.Kind), searchtext.InCategory)
	for _, tag := range e.Tags {
		v.Add(tag, searchtext.InCategory)
	}
	v.Add(text(e.City), searchtext.InPlace)
	v.Add(text(e.Region), searchtext.InPlace)
	if text(e.Country) == "US" {
		v.Add(geo.RegionName(text(e.Region)), searchtext.InPlace)
	}
	v.Add(text(e.Zip), searchtext.InPlace)
	v.Add(e.Summary.Summary, searchtext.InText)
	v.Add(text(e.Address), searchtext.InText)
	return v.String()
}

// prominence breaks ties between entries that match alike: those that someone
// checked, described and pictured first. It stays below 1.
func prominence(e storedEntry) float32 {
	var p float32
	for _, has := range []bool{e.Verified, e.Detailed, e.ImageURL != nil, e.Website != nil, e.Lat != nil} {
		if has {
			p += 0.15
		}
	}
	return p
}

// wordRow is a row of search_words.
type wordRow struct {
	Word    string   `json:"word"`
	Deletes []string `json:"deletes"`
}

// Lengths of words in which a slip is looked for.
const (
	minSlipWord = 3
	maxSlipWord = 24
)

// vocabulary gathers the words of names, cities and categories.
func vocabulary(entries []storedEntry) []wordRow {
	seen := map[string]bool{}
	rows := []wordRow{}
	for _, e := range entries {
		for _, field := range []string{e.Name, text(e.City), text(e.CategoryLabel)} {
			for _, w := range searchtext.Words(field) {
				if len(w) < minSlipWord || len(w) > maxSlipWord || seen[w] || strings.ContainsAny(w, "0123456789") {
					continue
				}
				seen[w] = true
				rows = append(rows, wordRow{Word: w, Deletes: searchtext.Deletes(w)})
			}
		}
	}
	return rows
}

// writerLock is the advisory lock of whoever changes public entries.
const writerLock = 0x646972656374 // "direct"

// lockWriters lets one transaction at a time change public entries. They all
// count in the same few rows: each would wait there for the other's commit
// anyway, only in ever different orders, which is a deadlock.
func lockWriters(ctx context.Context, tx *pg.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, writerLock)
	return err
}

// index writes the documents of the public ones among the entries and removes
// those of the others, in the transaction of the change.
func (s *Service) index(ctx context.Context, tx *pg.Tx, entries []storedEntry) error {
	public := make([]storedEntry, 0, len(entries))
	documents := make([]document, 0, len(entries))
	withdrawn := []string{}
	for _, e := range entries {
		if e.public() {
			public = append(public, e)
			documents = append(documents, newDocument(e))
		} else {
			withdrawn = append(withdrawn, e.ID)
		}
	}
	if len(withdrawn) > 0 {
		if _, err := tx.Exec(ctx, `delete from search_documents where entry_id = any($1)`, withdrawn); err != nil {
			return err
		}
	}
	if len(documents) == 0 {
		return nil
	}
	if err := insertRecords(ctx, tx, upsertDocuments, documents); err != nil {
		return err
	}
	return insertRecords(ctx, tx, `
		insert into search_words (word, deletes)
		select word, deletes
		from jsonb_to_recordset($1) as r(word text, deletes text[])
		order by word
		on conflict (word) do nothing`, vocabulary(public))
}

const upsertDocuments = `
	insert into search_documents (entry_id, kind, category, initial, sort_name, name_key, city_key, region, zip,
		lat, lng, prominence, starts_at, over_at, haystack, words)
	select entry_id, kind, category, initial, sort_name, name_key, city_key, region, zip,
		lat, lng, prominence, starts_at, over_at, haystack, words::tsvector
	from jsonb_to_recordset($1) as r(entry_id uuid, kind text, category text, initial text, sort_name text,
		name_key text, city_key text, region text, zip text, lat float8, lng float8, prominence float4,
		starts_at timestamptz, over_at timestamptz, haystack text, words text)
	order by entry_id
	on conflict (entry_id) do update set
		kind = excluded.kind, category = excluded.category, initial = excluded.initial,
		sort_name = excluded.sort_name, name_key = excluded.name_key, city_key = excluded.city_key,
		region = excluded.region, zip = excluded.zip, lat = excluded.lat, lng = excluded.lng,
		prominence = excluded.prominence, starts_at = excluded.starts_at, over_at = excluded.over_at,
		haystack = excluded.haystack, words = excluded.words`

// insertRecords runs a statement over rows that travel as one JSON array: one
// round trip however many there are.
func insertRecords[T any](ctx context.Context, tx *pg.Tx, sql string, rows []T) error {
	data, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sql, string(data))
	return err
}
