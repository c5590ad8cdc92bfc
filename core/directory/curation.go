package directory

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"homeplace/core"
	"homeplace/core/pg"
)

// The list that a new database starts with; administrators edit the table.
var (
	//go:embed categories.csv
	startCategories []byte
	//go:embed synonyms.csv
	startSynonyms []byte
)

// curation is the table of categories as memory: a few hundred rows that
// every list needs.
type curation struct {
	byKind map[Kind][]Category
	slugs  map[Kind]map[string]string // slug or alias → curated slug
}

// curationCache keeps the curation until it changes. What was read before a
// change and arrives after it is not kept.
type curationCache struct {
	mu         sync.Mutex
	current    *curation
	generation int
}

func (c *curationCache) get() (*curation, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current, c.generation
}

func (c *curationCache) put(current *curation, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == generation {
		c.current = current
	}
}

func (c *curationCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = nil
	c.generation++
}

// curated reads the categories, from memory where nothing changed.
func (s *Service) curated(ctx context.Context) (*curation, error) {
	current, generation := s.curation.get()
	if current != nil {
		return current, nil
	}
	rows, err := allCategories(ctx, s.db.Public())
	if err != nil {
		return nil, fmt.Errorf("read categories: %w", pg.Err(err))
	}
	c := &curation{byKind: map[Kind][]Category{}, slugs: map[Kind]map[string]string{}}
	for _, kind := range Kinds {
		c.byKind[kind], c.slugs[kind] = []Category{}, map[string]string{}
	}
	for _, r := range rows {
		c.byKind[r.Kind] = append(c.byKind[r.Kind], r.Category)
		for _, alias := range r.Aliases {
			c.slugs[r.Kind][alias] = r.Slug
		}
	}
	for _, r := range rows { // a slug wins over another's alias
		c.slugs[r.Kind][r.Slug] = r.Slug
	}
	s.curation.put(c, generation)
	return c, nil
}

// clone is a copy whose slugs may be added to.
func (c *curation) clone() *curation {
	copied := &curation{byKind: c.byKind, slugs: map[Kind]map[string]string{}}
	for kind, slugs := range c.slugs {
		copied.slugs[kind] = maps.Clone(slugs)
	}
	return copied
}

// known keeps the curated slugs among the given ones.
func (c *curation) known(kind Kind, slugs []string) []string {
	var kept []string
	for _, slug := range slugs {
		curated, ok := c.slugs[kind][strings.ToLower(slug)]
		if ok && !slices.Contains(kept, curated) {
			kept = append(kept, curated)
		}
	}
	return kept
}

// Seed fills the tables of categories and synonyms where they are empty.
// Several instances may do so at once.
func (s *Service) Seed(ctx context.Context) error {
	categories, err := parseCategories(startCategories)
	if err != nil {
		return fmt.Errorf("built-in categories: %w", err)
	}
	synonyms, err := parseSynonyms(startSynonyms)
	if err != nil {
		return fmt.Errorf("built-in synonyms: %w", err)
	}
	return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		added, err := seedTables(ctx, tx, categories, synonyms)
		if err != nil {
			return fmt.Errorf("seed categories and synonyms: %w", err)
		}
		if added {
			tx.Touch(Area)
		}
		return nil
	})
}

func parseCategories(data []byte) ([]categoryRow, error) {
	var rows []categoryRow
	err := eachRecord(data, []string{"kind", "slug", "label", "aliases"}, func(f []string) {
		row := categoryRow{Category: Category{Kind: Kind(f[0]), Slug: f[1], Label: f[2]}, Aliases: []string{}}
		if f[3] != "" {
			row.Aliases = strings.Split(f[3], ";")
		}
		rows = append(rows, row)
	})
	return rows, err
}

func parseSynonyms(data []byte) ([]synonymRow, error) {
	var rows []synonymRow
	err := eachRecord(data, []string{"term", "expansion"}, func(f []string) {
		for _, expansion := range strings.Split(f[1], "|") {
			rows = append(rows, synonymRow{Term: f[0], Expansion: expansion})
		}
	})
	return rows, err
}

func eachRecord(data []byte, header []string, row func(fields []string)) error {
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return err
	}
	if !slices.Equal(records[0], header) {
		return fmt.Errorf("header is %v, want %v", records[0], header)
	}
	for _, r := range records[1:] {
		row(r)
	}
	return nil
}
