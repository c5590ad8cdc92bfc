package directory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"homeplace/core"
	"homeplace/core/markdown"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
	"homeplace/core/slugs"
)

// importBatch is how many rows one transaction stores: what a crash in the
// middle can lose is never more than this, and nothing that was reported.
const importBatch = 500

// ImportOptions says how to import.
type ImportOptions struct {
	Strict        bool                                                       // all rows or none
	AddCategories bool                                                       // unknown categories join the curated list
	Map           map[string]string                                          // column → field, before the header is understood
	OwnerID       func(ctx context.Context, username string) (string, error) // nil: owners are not known
	Problem       func(line int, err error)                                  // told of each refused line and each field left out; nil = not
	Progress      func(stored int)                                           // told after each batch; nil = not
}

// ImportSummary counts what an import did.
type ImportSummary struct {
	Created, Updated, Refused int
	Mended                    int            // rows stored without a field that was wrong
	Uncurated                 map[string]int // category that became a tag → rows
	Ignored                   []string       // columns that no field has
}

// Import stores rows, upserted by slug; a missing slug is made from name and
// city, and numbered where the same import used it before. An empty or missing
// field leaves the stored value. For staff and the system.
//
// Each batch is one transaction (with Strict: everything is one), so whatever
// Progress reported is stored for good.
func (s *Service) Import(ctx context.Context, v core.Viewer, r *rowfile.Reader, o ImportOptions) (ImportSummary, error) {
	if err := requireStaff(v); err != nil {
		return ImportSummary{}, err
	}
	curated, err := s.curated(ctx)
	if err != nil {
		return ImportSummary{}, err
	}
	im := &importer{service: s, viewer: v, options: o, curated: curated.clone(), used: map[string]int{}, taken: map[string]bool{},
		summary: ImportSummary{Uncurated: map[string]int{}}}
	for _, name := range r.Header {
		if to, ok := o.Map[name]; ok {
			name = to
		}
		im.summary.Ignored = append(im.summary.Ignored, knownColumns([]string{name})...)
	}
	if o.Strict {
		err = im.runStrict(ctx, r)
	} else {
		err = im.run(ctx, r, im.store)
	}
	if err == nil && im.summary.Created > importBatch {
		err = s.refreshStatistics(ctx)
	}
	return im.summary, err
}

// refreshStatistics tells the planner of rows that came in bulk.
func (s *Service) refreshStatistics(ctx context.Context) error {
	return s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `select directory_refresh_statistics()`)
		return err
	})
}

type importer struct {
	service *Service
	viewer  core.Viewer
	options ImportOptions
	curated *curation
	used    map[string]int  // slug made from a name → how often so far
	taken   map[string]bool // slugs in the current batch
	batch   []record
	added   []Category // to join the curated list with the current batch
	summary ImportSummary
}

// runStrict refuses the whole file for one bad line.
func (im *importer) runStrict(ctx context.Context, r *rowfile.Reader) error {
	return im.service.db.Write(ctx, im.viewer, func(tx *pg.Tx) error {
		err := im.run(ctx, r, func(ctx context.Context, batch []record) error { return im.storeTx(ctx, tx, batch) })
		if lines := im.summary.Refused + im.summary.Mended; err == nil && lines > 0 {
			im.summary.Created, im.summary.Updated = 0, 0
			err = &core.Error{Kind: core.Invalid, Code: "validation_failed",
				Msg: fmt.Sprintf("Nothing was imported, because %d lines are wrong. Mend them, or import without --strict.", lines)}
		}
		return err
	})
}

func (im *importer) run(ctx context.Context, r *rowfile.Reader, store func(context.Context, []record) error) error {
	flush := func() error {
		if len(im.batch) == 0 {
			return nil
		}
		err := store(ctx, im.batch)
		im.batch, im.added = im.batch[:0], im.added[:0]
		clear(im.taken)
		if err == nil && im.options.Progress != nil {
			im.options.Progress(im.summary.Created + im.summary.Updated)
		}
		return err
	}
	for {
		row, err := r.Next()
		if err == io.EOF {
			return flush()
		}
		var lineError *rowfile.LineError
		if errors.As(err, &lineError) {
			im.refuse(lineError.Line, lineError.Err)
			continue
		}
		if err != nil {
			return errors.Join(flush(), err)
		}
		rec, err := im.read(ctx, row)
		if err != nil {
			im.refuse(row.Line, err)
			continue
		}
		// One statement cannot change a row twice: the same slug again waits
		// for the next batch.
		if im.taken[rec.Slug] || len(im.batch) == importBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		im.taken[rec.Slug] = true
		im.batch = append(im.batch, rec)
	}
}

func (im *importer) refuse(line int, err error) {
	im.summary.Refused++
	im.report(line, err)
}

func (im *importer) report(line int, err error) {
	if im.options.Problem != nil {
		im.options.Problem(line, err)
	}
}

func (im *importer) read(ctx context.Context, row rowfile.Row) (record, error) {
	row.Rename(im.options.Map)
	in, owner, left, err := inputOf(row)
	if err != nil {
		return record{}, err
	}
	if owner != "" {
		if im.options.OwnerID == nil {
			return record{}, core.InvalidField("owner", "cannot be looked up here")
		}
		if in.OwnerID, err = im.options.OwnerID(ctx, owner); err != nil {
			return record{}, err
		}
	}
	if in.Slug == "" {
		made := slugs.Make(string(in.Kind)+"-"+strings.ToLower(pg.NewID()[24:]), in.Name, in.City)
		im.used[made]++
		in.Slug = slugs.Numbered(made, im.used[made])
	}
	im.curate(&in)
	if left != nil {
		im.summary.Mended++
		im.report(row.Line, left)
	}
	return newRecord(in, row.Line), nil
}

// curate maps the category to a curated one; what is not on the list becomes a
// tag, or joins the list.
func (im *importer) curate(in *Input) {
	if in.Category == "" {
		return
	}
	wanted := slugs.Make("", in.Category)
	if known := im.curated.known(in.Kind, []string{wanted}); len(known) == 1 {
		in.Category = known[0]
		return
	}
	if !im.options.AddCategories || wanted == "" {
		im.summary.Uncurated[in.Category]++
		in.Tags = normalizeTags(append(in.Tags, strings.ReplaceAll(in.Category, "-", " ")))
		in.Category = ""
		return
	}
	label := strings.ReplaceAll(in.Category, "-", " ")
	c := Category{Kind: in.Kind, Slug: wanted, Label: strings.ToUpper(label[:1]) + label[1:]}
	im.added = append(im.added, c)
	im.curated.slugs[in.Kind][wanted] = wanted
	in.Category = wanted
}

// store writes a batch in a transaction of its own. Should the database refuse
// it, the rows go in one by one, so that only the bad ones stay out.
func (im *importer) store(ctx context.Context, batch []record) error {
	before := im.summary
	err := im.service.db.Write(ctx, im.viewer, func(tx *pg.Tx) error {
		im.summary.Created, im.summary.Updated = before.Created, before.Updated
		return im.storeTx(ctx, tx, batch)
	})
	if err == nil || ctx.Err() != nil || core.KindOf(err) == core.Unavailable {
		return err
	}
	im.summary.Created, im.summary.Updated = before.Created, before.Updated
	if len(batch) == 1 {
		im.refuse(batch[0].line, fmt.Errorf("the database refused it: %w", err))
		return nil
	}
	for i := range batch {
		if err := im.store(ctx, batch[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) storeTx(ctx context.Context, tx *pg.Tx, batch []record) error {
	for _, c := range im.added {
		if err := addCategory(ctx, tx, c); err != nil {
			return fmt.Errorf("add category %s: %w", c.Slug, err)
		}
	}
	stored, created, err := im.service.upsert(ctx, tx, batch)
	if err != nil {
		return fmt.Errorf("store %d entries: %w", len(batch), err)
	}
	im.summary.Created += created
	im.summary.Updated += len(stored) - created
	return nil
}

// newRecord is the input as the row to store, its Markdown rendered.
func newRecord(in Input, line int) record {
	r := record{
		ID: in.ID, Slug: in.Slug, Kind: in.Kind, Name: in.Name, Category: set(in.Category), Summary: set(in.Summary),
		Address: set(in.Address), City: set(in.City), Region: set(in.Region), Country: set(in.Country), Zip: set(in.Zip),
		Lat: in.Lat, Lng: in.Lng, Phone: set(in.Phone), Email: set(in.Email), Website: set(in.Website), ImageURL: set(in.ImageURL),
		Links: in.Links, Tags: in.Tags, Hours: in.Hours, Verified: in.Verified, StartsAt: in.StartsAt, EndsAt: in.EndsAt,
		YearStart: in.YearStart, YearEnd: in.YearEnd, Status: set(string(in.Status)), OwnerID: set(in.OwnerID), line: line,
	}
	if r.ID == "" {
		r.ID = pg.NewID()
	}
	if in.Description != "" {
		html := string(markdown.Render(in.Description))
		r.Description, r.DescriptionHTML = &in.Description, &html
	}
	return r
}

func set(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
