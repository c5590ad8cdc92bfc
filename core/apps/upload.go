package apps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// Upload stores bytes as the current version of a file, new or not. For who
// keeps the app. Errors: Unauthenticated, NotFound, Forbidden; Invalid with what
// is wrong, at most 20 failing paths where the file does not fit its schema;
// TooLarge; Conflict with too_many_files.
func (s *Service) Upload(ctx context.Context, v core.Viewer, slug string, in UploadInput) (Stored, error) {
	if err := requireMember(v); err != nil {
		return Stored{}, err
	}
	if err := in.check(); err != nil {
		return Stored{}, err
	}
	return s.store(ctx, v, slug, func(tx *pg.Tx, a App) (string, newVersion, error) {
		err := s.fits(ctx, tx, a.Slug, in.Filename, in.Content)
		return in.Filename, newVersion{content: in.Content, source: FromUpload, message: in.Message}, err
	})
}

func (in *UploadInput) check() error {
	var p core.Problems
	checkFilename(&p, &in.Filename)
	p.Text("message", &in.Message, 0, MaxMessage)
	return joined(&p, checkContent(in.Content))
}

// joined reports what is wrong with the content together with the rest.
func joined(p *core.Problems, content error) error {
	if core.KindOf(content) == core.TooLarge {
		return content
	}
	if content != nil {
		for field, msg := range core.AsError(content).Fields {
			p.Add(field, "%s", msg)
		}
	}
	return p.Err()
}

// store makes a version for one who keeps the app, in a transaction of its own.
// what names the file and the bytes, once nobody else changes the app's files.
func (s *Service) store(ctx context.Context, v core.Viewer, slug string, what func(*pg.Tx, App) (string, newVersion, error)) (Stored, error) {
	var stored Stored
	err := s.db.Write(ctx, v, func(tx *pg.Tx) error {
		a, err := kept(ctx, tx, v, slug)
		if err != nil {
			return err
		}
		if err := lockApp(ctx, tx, a.ID); err != nil {
			return err
		}
		filename, version, err := what(tx, a)
		if err != nil {
			return err
		}
		if v.SignedIn() {
			version.authorID = &v.ID
		}
		stored, err = s.put(ctx, tx, a.ID, filename, version)
		return err
	})
	return stored, explained("store file", err, errNoApp(slug))
}

// put makes the bytes the current version of the file, unless they are that
// already. The app is locked.
func (s *Service) put(ctx context.Context, tx *pg.Tx, appID, filename string, v newVersion) (Stored, error) {
	sum := sha256.Sum256(v.content)
	v.id, v.number, v.sha256, v.now = pg.NewID(), 1, sum[:], s.now()
	file, err := fileByName(ctx, tx, appID, filename)
	switch {
	case err == nil && file.SHA256 == hex.EncodeToString(sum[:]):
		return Stored{File: file, Unchanged: true}, nil
	case err == nil:
		v.fileID, v.number = file.ID, file.Version+1
		err = updateFile(ctx, tx, v)
	case pg.NoRows(err):
		v.fileID = pg.NewID()
		err = s.addFile(ctx, tx, appID, filename, v)
	}
	if err != nil {
		return Stored{}, err
	}
	if err := insertVersion(ctx, tx, v); err != nil {
		return Stored{}, err
	}
	if err := pruneVersions(ctx, tx, v); err != nil {
		return Stored{}, err
	}
	if err := touchApp(ctx, tx, appID, v.now); err != nil {
		return Stored{}, err
	}
	tx.Touch(Area)
	file, err = fileByName(ctx, tx, appID, filename)
	return Stored{File: file}, err
}

// addFile counts under the app's lock.
func (s *Service) addFile(ctx context.Context, tx *pg.Tx, appID, filename string, v newVersion) error {
	count, err := countFiles(ctx, tx, appID)
	if err != nil {
		return err
	}
	if most := s.needs.Settings.Number(settings.AppFilesMax); count >= most {
		return core.Conflictf("too_many_files", "This app has %d files, and that is as many as there can be. Remove one first, or replace one.", count)
	}
	return insertFile(ctx, tx, appID, filename, v)
}

// RemoveFile removes a file with its history. Errors: Unauthenticated, NotFound,
// Forbidden.
func (s *Service) RemoveFile(ctx context.Context, v core.Viewer, slug, filename string) error {
	_, err := s.change(ctx, v, slug, func(tx *pg.Tx, a App) (bool, error) {
		if err := lockApp(ctx, tx, a.ID); err != nil {
			return false, err
		}
		done, err := deleteFile(ctx, tx, a.ID, filename)
		if err == nil && !done {
			err = errNoFile(filename)
		}
		if err != nil {
			return false, err
		}
		return true, touchApp(ctx, tx, a.ID, s.now())
	})
	return err
}

// Restore makes a new version with the bytes of an earlier one. Errors: as of
// Upload.
func (s *Service) Restore(ctx context.Context, v core.Viewer, slug, filename string, version int) (Stored, error) {
	if err := requireMember(v); err != nil {
		return Stored{}, err
	}
	if version < 1 || version > maxVersionNumber {
		return Stored{}, core.InvalidField("version", "must be the number of an earlier version")
	}
	return s.store(ctx, v, slug, func(tx *pg.Tx, a App) (string, newVersion, error) {
		old, err := dataOf(ctx, tx, slug, filename, version)
		if pg.NoRows(err) {
			err = core.NotFoundf("There is no version %d of a file %q here. The latest %d are kept.", version, filename, MaxVersions)
		}
		if err == nil {
			err = s.fits(ctx, tx, a.Slug, filename, old.Content)
		}
		return filename, newVersion{content: old.Content, source: FromRestore, message: fmt.Sprintf("Restored from version %d", version)}, err
	})
}
