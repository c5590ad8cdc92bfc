package directory

import (
	"context"
	"errors"
	"fmt"
	"io"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
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
	im := &importer{service: s, viewer: v, options: o, curated: curated.clone(), made: map[string]int{}, taken: map[string]bool{},
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
	made    map[string]int  // slug made from a name → how often so far
	taken   map[string]bool // slugs in the current batch
	batch   batch
	summary ImportSummary
}

// batch is what one statement stores.
type batch struct {
	records []record
	added   []Category // to join the curated list with them
}

// runStrict reads the whole file before it stores any of it: one bad line
// refuses everything, and the transaction, which a deadlock makes run again,
// does not depend on what was read.
func (im *importer) runStrict(ctx context.Context, r *rowfile.Reader) error {
	var batches []batch
	err := im.run(ctx, r, func(_ context.Context, b batch) error {
		batches = append(batches, b)
		return nil
	})
	if err != nil {
		return err
	}
	if lines := im.summary.Refused + im.summary.Mended; lines > 0 {
		return &core.Error{Kind: core.Invalid, Code: "validation_failed",
			Msg: fmt.Sprintf("Nothing was imported, because %d lines are wrong. Mend them, or import without --strict.", lines)}
	}
	return im.commit(ctx, batches...)
}

func (im *importer) run(ctx context.Context, r *rowfile.Reader, store func(context.Context, batch) error) error {
	flush := func() error {
		b := im.batch
		im.batch = batch{}
		clear(im.taken)
		if len(b.records) == 0 {
			return nil
		}
		return store(ctx, b)
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
		if im.taken[rec.Slug] || len(im.batch.records) == importBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		im.taken[rec.Slug] = true
		im.batch.records = append(im.batch.records, rec)
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

// store writes a batch in a transaction of its own. Should the database refuse
// it, the rows go in one by one, so that only the bad ones stay out.
func (im *importer) store(ctx context.Context, b batch) error {
	err := im.commit(ctx, b)
	if err == nil || ctx.Err() != nil || core.KindOf(err) == core.Unavailable {
		return err
	}
	if len(b.records) == 1 {
		im.refuse(b.records[0].line, fmt.Errorf("the database refused it: %w", err))
		return nil
	}
	for i := range b.records {
		if err := im.store(ctx, batch{records: b.records[i : i+1], added: b.added}); err != nil {
			return err
		}
	}
	return nil
}

// commit writes batches in one transaction and then counts them.
func (im *importer) commit(ctx context.Context, batches ...batch) error {
	var created, updated int
	err := im.service.db.Write(ctx, im.viewer, func(tx *pg.Tx) error {
		created, updated = 0, 0
		for _, b := range batches {
			stored, fresh, err := im.service.storeBatch(ctx, tx, b)
			if err != nil {
				return err
			}
			created, updated = created+fresh, updated+stored-fresh
		}
		return nil
	})
	if err != nil {
		return err
	}
	im.summary.Created += created
	im.summary.Updated += updated
	if im.options.Progress != nil {
		im.options.Progress(im.summary.Created + im.summary.Updated)
	}
	return nil
}

func (s *Service) storeBatch(ctx context.Context, tx *pg.Tx, b batch) (stored, created int, err error) {
	for _, c := range b.added {
		if err := addCategory(ctx, tx, c); err != nil {
			return 0, 0, fmt.Errorf("add category %s: %w", c.Slug, err)
		}
	}
	rows, created, err := s.upsert(ctx, tx, b.records)
	if err != nil {
		return 0, 0, fmt.Errorf("store %d entries: %w", len(b.records), err)
	}
	return len(rows), created, nil
}
