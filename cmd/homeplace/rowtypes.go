package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/polls"
	"homeplace/core/rowfile"
	"homeplace/core/shoutouts"
)

// importOptions are what every type takes; AddCategories has a meaning for the
// directory alone.
type importOptions struct {
	rowfile.Options
	AddCategories bool
}

// rowType is something whose rows come in and go out. An import returns its
// summary with an error, too.
type rowType struct {
	imports func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error)
	exports func(ctx context.Context, s *services, w io.Writer, format rowfile.Format) (int, error)
}

// rowTypes are named in the enums of importCommand and exportCommand.
var rowTypes = map[string]rowType{
	"directory": {imports: importDirectory, exports: func(ctx context.Context, s *services, w io.Writer, format rowfile.Format) (int, error) {
		return s.directory.Export(ctx, core.TheSystem(), w, format)
	}},
	"app": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			summary, err := s.apps.Import(ctx, core.TheSystem(), rows, appOptions(o))
			return appSummary(summary), err
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.apps.ExportApps(ctx, core.TheSystem(), w)
		})},
	"app-file": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			summary, err := s.apps.ImportFiles(ctx, core.TheSystem(), rows, appOptions(o))
			return appSummary(summary), err
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.apps.ExportFiles(ctx, core.TheSystem(), w)
		})},
	"saying": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			return s.sayings.Import(ctx, core.TheSystem(), rows, o.Options)
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.sayings.Export(ctx, core.TheSystem(), w)
		})},
	"poll": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			return s.pollRows().Import(ctx, core.TheSystem(), rows, o.Options)
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.pollRows().Export(ctx, core.TheSystem(), w)
		})},
	"product": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			return s.reviews.ImportProducts(ctx, core.TheSystem(), rows, o.Options)
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.reviews.ExportProducts(ctx, core.TheSystem(), w)
		})},
	"review": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			return s.reviews.ImportReviews(ctx, core.TheSystem(), rows, o.Options)
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.reviews.ExportReviews(ctx, core.TheSystem(), w)
		})},
	"shoutout": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			return s.shoutOutRows().Import(ctx, core.TheSystem(), rows, o.Options)
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.shoutOutRows().Export(ctx, core.TheSystem(), w)
		})},
	"fake-report": {
		imports: func(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
			return s.fakeReports.Import(ctx, core.TheSystem(), rows, o.Options)
		},
		exports: linesOnly(func(ctx context.Context, s *services, w io.Writer) (int, error) {
			return s.fakeReports.Export(ctx, core.TheSystem(), w)
		})},
}

// pollRows serves rows alone: commands have no secret to tell voters apart by.
func (s *services) pollRows() *polls.Service {
	return polls.New(s.db, core.Now, polls.Needs{Settings: s.settings})
}

// shoutOutRows serves rows alone: commands have no secret to tell browsers apart
// by.
func (s *services) shoutOutRows() *shoutouts.Service {
	return shoutouts.New(s.db, core.Now, shoutouts.Needs{Settings: s.settings})
}

func importDirectory(ctx context.Context, s *services, rows *rowfile.Reader, o importOptions) (fmt.Stringer, error) {
	summary, err := s.directory.Import(ctx, core.TheSystem(), rows, directory.ImportOptions{
		Strict: o.Strict, AddCategories: o.AddCategories, Map: o.Map, OwnerID: o.OwnerID, Problem: o.Problem})
	return directorySummary(summary), err
}

func appOptions(o importOptions) apps.ImportOptions {
	return apps.ImportOptions{Strict: o.Strict, Map: o.Map, OwnerID: o.OwnerID, Problem: o.Problem}
}

// linesOnly refuses any format but JSON Lines.
func linesOnly(export func(ctx context.Context, s *services, w io.Writer) (int, error)) func(context.Context, *services, io.Writer, rowfile.Format) (int, error) {
	return func(ctx context.Context, s *services, w io.Writer, format rowfile.Format) (int, error) {
		if format != rowfile.JSONLines {
			return 0, core.InvalidField("format", "must be jsonl: only the directory can be exported as %s", format)
		}
		return export(ctx, s, w)
	}
}

type directorySummary directory.ImportSummary

// String says it for the operator.
func (s directorySummary) String() string {
	var b strings.Builder
	writeIgnored(&b, s.Ignored)
	if len(s.Uncurated) > 0 {
		b.WriteString("categories outside the curated list, kept as tags (--add-categories adds them):\n")
		for _, category := range slices.Sorted(maps.Keys(s.Uncurated)) {
			fmt.Fprintf(&b, "  %s: %d\n", category, s.Uncurated[category])
		}
	}
	fmt.Fprintf(&b, "%d rows: %d new, %d updated, %d refused", s.Created+s.Updated+s.Refused, s.Created, s.Updated, s.Refused)
	if s.Mended > 0 {
		fmt.Fprintf(&b, "; %d of them without a field that was wrong", s.Mended)
	}
	return b.String()
}

type appSummary apps.ImportSummary

// String says it for the operator.
func (s appSummary) String() string {
	var b strings.Builder
	writeIgnored(&b, s.Ignored)
	fmt.Fprintf(&b, "%d rows: %d new, %d updated, %d refused", s.Created+s.Updated+s.Unchanged+s.Refused, s.Created, s.Updated, s.Refused)
	if s.Unchanged > 0 {
		fmt.Fprintf(&b, "; %d had the same bytes already", s.Unchanged)
	}
	return b.String()
}

func writeIgnored(b *strings.Builder, columns []string) {
	if len(columns) > 0 {
		fmt.Fprintf(b, "columns that no field has, ignored: %s\n", strings.Join(columns, ", "))
	}
}
