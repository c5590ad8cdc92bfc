package apps

import (
	"context"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
)

// check puts the defaults in and tells what cannot be asked for.
func (f *FileFilter) check() error {
	f.Page = FileRule.Clamp(f.Page)
	var p core.Problems
	p.Query("q", &f.Query)
	f.Query, f.Letter = strings.ToLower(f.Query), strings.ToLower(f.Letter)
	if f.Letter != "" && f.Letter != "#" && (len(f.Letter) != 1 || f.Letter[0] < 'a' || f.Letter[0] > 'z') {
		p.Add("letter", "must be a letter from a to z, or #")
	}
	if f.Sort == "" {
		f.Sort = SortName
	}
	if f.Dir == "" {
		f.Dir = Ascending
	}
	orders, ok := fileOrders[f.Sort]
	if !ok {
		p.Add("sort", "must be name, size or updated, not %q", f.Sort)
	} else if _, ok := orders[f.Dir]; !ok {
		p.Add("dir", "must be asc or desc, not %q", f.Dir)
	}
	return p.Err()
}

// Files lists an app's files. Errors: NotFound, Invalid.
func (s *Service) Files(ctx context.Context, v core.Viewer, slug string, f FileFilter) (FileList, error) {
	if err := f.check(); err != nil {
		return FileList{}, err
	}
	list := FileList{List: core.List[File]{Page: f.Page}}
	err := s.read(ctx, v, func(q pg.Querier) error {
		a, err := seen(ctx, q, slug)
		if err != nil {
			return err
		}
		list.App = a.Summary
		list.Items, list.Total, err = filesOf(ctx, q, a.ID, f)
		return err
	})
	return list, explained("list files", err, errNoApp(slug))
}

// File reads one file without its bytes. Errors: NotFound.
func (s *Service) File(ctx context.Context, v core.Viewer, slug, filename string) (File, error) {
	var f File
	err := s.read(ctx, v, func(q pg.Querier) error {
		a, err := seen(ctx, q, slug)
		if err == nil {
			f, err = fileByName(ctx, q, a.ID, filename)
		}
		return err
	})
	return f, explained("read file", err, errNoFile(filename))
}

// Data reads a public file's bytes; version 0 is the current one. Errors:
// NotFound.
func (s *Service) Data(ctx context.Context, slug, filename string, version int) (Data, error) {
	return s.VersionData(ctx, core.Nobody(), slug, filename, version)
}

// VersionData is Data for whoever sees the app: its owner and staff, too, while
// it is not public. Errors: NotFound.
func (s *Service) VersionData(ctx context.Context, v core.Viewer, slug, filename string, version int) (Data, error) {
	if !core.ValidSlug(slug) || !ValidFilename(filename) || version < 0 || version > maxVersionNumber {
		return Data{}, errNoFile(filename)
	}
	var d Data
	err := s.read(ctx, v, func(q pg.Querier) (err error) {
		d, err = dataOf(ctx, q, slug, filename, version)
		return err
	})
	if version > 0 {
		return d, explained("read version", err, core.NotFoundf("There is no version %d of a file %q here. The latest %d are kept.", version, filename, MaxVersions))
	}
	return d, explained("read data", err, errNoFile(filename))
}

// maxVersionNumber is what the database counts to.
const maxVersionNumber = 1<<31 - 1

// Versions lists a file's history, latest first, for whoever sees the app.
// Errors: NotFound.
func (s *Service) Versions(ctx context.Context, v core.Viewer, slug, filename string, page core.Page) (VersionList, error) {
	list := VersionList{List: core.List[Version]{Page: VersionRule.Clamp(page)}}
	err := s.read(ctx, v, func(q pg.Querier) error {
		a, err := seen(ctx, q, slug)
		if err != nil {
			return err
		}
		list.App = a.Summary
		if list.File, err = fileByName(ctx, q, a.ID, filename); err != nil {
			return err
		}
		list.Total = min(list.File.Version, MaxVersions)
		list.Items, err = versionsOf(ctx, q, list.File, list.Page.Limit, list.Page.Offset)
		return err
	})
	return list, explained("list versions", err, errNoFile(filename))
}
