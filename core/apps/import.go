package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

// ImportOptions says how to import.
type ImportOptions struct {
	Strict   bool                                                       // all rows or none
	Map      map[string]string                                          // column → field
	OwnerID  func(ctx context.Context, username string) (string, error) // nil: owners are not known
	Problem  func(line int, err error)                                  // told of each refused line; nil = not
	Progress func(stored int)                                           // told after each row; nil = not
}

// ImportSummary counts what an import did.
type ImportSummary struct {
	Created, Updated, Refused int
	Unchanged                 int      // files whose bytes were the same already
	Ignored                   []string // columns that no field has
}

// result is what became of one row.
type result int

const (
	created result = iota
	updated
	unchanged
)

// Import stores apps, upserted by slug; a missing slug is made from the name; an
// empty or missing field leaves the stored value. A new app is published where
// the row gives no status. For the system.
func (s *Service) Import(ctx context.Context, v core.Viewer, r *rowfile.Reader, o ImportOptions) (ImportSummary, error) {
	return s.runImport(ctx, v, r, o, appColumns, func(ctx context.Context, tx *pg.Tx, row rowfile.Row) (result, error) {
		return s.importApp(ctx, tx, row, o)
	})
}

// ImportFiles stores files as new versions, by the slug of their app and their
// name. A row with a schema sets that of its file name, too. For the system.
func (s *Service) ImportFiles(ctx context.Context, v core.Viewer, r *rowfile.Reader, o ImportOptions) (ImportSummary, error) {
	return s.runImport(ctx, v, r, o, fileColumnsOfImport, s.importFile)
}

// importRow stores one row; its errors are the row's, or the database's.
type importRow func(ctx context.Context, tx *pg.Tx, row rowfile.Row) (result, error)

type importer struct {
	service *Service
	options ImportOptions
	columns []string
	store   importRow
	summary ImportSummary
}

func (s *Service) runImport(ctx context.Context, v core.Viewer, r *rowfile.Reader, o ImportOptions, columns []string, store importRow) (ImportSummary, error) {
	if err := requireSystem(v); err != nil {
		return ImportSummary{}, err
	}
	im := &importer{service: s, options: o, columns: columns, store: store}
	if !o.Strict {
		err := im.run(r, func(row rowfile.Row) error { return im.one(ctx, row) })
		return im.summary, err
	}
	var rows []rowfile.Row
	err := im.run(r, func(row rowfile.Row) error {
		rows = append(rows, row)
		return nil
	})
	if err == nil {
		err = im.all(ctx, rows)
	}
	return im.summary, err
}

// run reads every row and tells of the lines that are none.
func (im *importer) run(r *rowfile.Reader, each func(rowfile.Row) error) error {
	for {
		row, err := r.Next()
		var lineError *rowfile.LineError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &lineError):
			im.refuse(lineError.Line, lineError.Err)
			continue
		case err != nil:
			return err
		}
		row.Rename(im.options.Map)
		im.ignore(row)
		if err := each(row); err != nil {
			return err
		}
	}
}

func (im *importer) ignore(row rowfile.Row) {
	for name := range row.Fields {
		if !slices.Contains(im.columns, name) && !slices.Contains(im.summary.Ignored, name) {
			im.summary.Ignored = append(im.summary.Ignored, name)
			slices.Sort(im.summary.Ignored)
		}
	}
}

func (im *importer) refuse(line int, err error) {
	im.summary.Refused++
	if im.options.Problem != nil {
		im.options.Problem(line, err)
	}
}

// one stores a row in a transaction of its own.
func (im *importer) one(ctx context.Context, row rowfile.Row) error {
	var did result
	err := im.service.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) (err error) {
		tx.Touch(Area)
		did, err = im.store(ctx, tx, row)
		return err
	})
	switch {
	case err == nil:
		im.count(did)
	case ctx.Err() != nil || core.KindOf(err) == core.Unavailable:
		return err
	default:
		im.refuse(row.Line, err)
	}
	return nil
}

// all stores every row in one transaction, or none.
func (im *importer) all(ctx context.Context, rows []rowfile.Row) error {
	var done []result
	var wrong *rowfile.LineError
	err := im.service.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		tx.Touch(Area)
		done, wrong = nil, nil
		for _, row := range rows {
			did, err := im.store(ctx, tx, row)
			if err != nil {
				wrong = &rowfile.LineError{Line: row.Line, Err: err}
				return err
			}
			done = append(done, did)
		}
		if im.summary.Refused > 0 {
			return errNothingImported
		}
		return nil
	})
	if wrong != nil && core.KindOf(err) != core.Unavailable {
		im.refuse(wrong.Line, wrong.Err)
		return errNothingImported
	}
	if err != nil {
		return err
	}
	for _, did := range done {
		im.count(did)
	}
	return nil
}

var errNothingImported = &core.Error{Kind: core.Invalid, Code: "validation_failed",
	Msg: "Nothing was imported, because lines are wrong. Mend them, or import without --strict."}

func (im *importer) count(did result) {
	switch did {
	case created:
		im.summary.Created++
	case updated:
		im.summary.Updated++
	case unchanged:
		im.summary.Unchanged++
	}
	if im.options.Progress != nil {
		im.options.Progress(im.summary.Created + im.summary.Updated + im.summary.Unchanged)
	}
}

// field reads one of a row; null and a missing one leave it as it is.
func field[T any](row rowfile.Row, p *core.Problems, name string, to *T) {
	if raw, ok := row.Fields[name]; ok {
		if err := json.Unmarshal(raw, to); err != nil {
			p.Add(name, "%s", fieldProblem(err))
		}
	}
}

func fieldProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("must be text, not %s", wrong.Value)
	}
	return err.Error()
}
