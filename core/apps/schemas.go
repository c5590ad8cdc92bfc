package apps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/apps/schema"
	"homeplace/core/pg"
)

// MaxSchema is the longest JSON Schema, in bytes. The database holds it.
const MaxSchema = 64 << 10

// Schema is the JSON Schema (2020-12) that an app's files of one name must fit.
// As the standard has it, the keyword format is a remark and is not checked.
type Schema struct {
	Filename  string
	Content   []byte // byte for byte as the owner gave it
	UpdatedAt time.Time
}

// SetSchema makes files of the name fit a JSON Schema from now on; the file that
// is there stays. For who keeps the app. Errors: Unauthenticated, NotFound,
// Forbidden, Invalid with where the schema is bad.
func (s *Service) SetSchema(ctx context.Context, v core.Viewer, slug, filename string, content []byte) error {
	if err := requireMember(v); err != nil {
		return err
	}
	var p core.Problems
	checkFilename(&p, &filename)
	if msg := schemaProblem(content); msg != "" {
		p.Add("schema", "%s", msg)
	}
	if err := p.Err(); err != nil {
		return err
	}
	_, err := s.change(ctx, v, slug, func(tx *pg.Tx, a App) (bool, error) {
		if err := lockApp(ctx, tx, a.ID); err != nil {
			return false, err
		}
		return true, upsertSchema(ctx, tx, a.ID, v.ID, Schema{Filename: filename, Content: content, UpdatedAt: s.now()})
	})
	return err
}

func schemaProblem(content []byte) string {
	if len(content) > MaxSchema {
		return fmt.Sprintf("has %d bytes; at most %d (64 KiB) are taken", len(content), MaxSchema)
	}
	if msg := contentProblem(content); msg != "" {
		return msg
	}
	if _, err := schema.Parse(content); err != nil {
		return err.Error()
	}
	return ""
}

// RemoveSchema lets files of the name be anything again. For who keeps the app.
// Errors: Unauthenticated, NotFound, Forbidden.
func (s *Service) RemoveSchema(ctx context.Context, v core.Viewer, slug, filename string) error {
	_, err := s.change(ctx, v, slug, func(tx *pg.Tx, a App) (bool, error) {
		done, err := deleteSchema(ctx, tx, a.ID, filename)
		if err == nil && !done {
			err = errNoSchema(filename)
		}
		return true, err
	})
	return err
}

// Schema reads the schema of a file name, for whoever sees the app. Errors:
// NotFound.
func (s *Service) Schema(ctx context.Context, v core.Viewer, slug, filename string) (Schema, error) {
	var found Schema
	err := s.read(ctx, v, func(q pg.Querier) (err error) {
		found, err = schemaFor(ctx, q, slug, filename)
		return err
	})
	return found, explained("read schema", err, errNoSchema(filename))
}

// Schemas lists an app's schemas by file name, for whoever sees the app. Errors:
// NotFound.
func (s *Service) Schemas(ctx context.Context, v core.Viewer, slug string) ([]Schema, error) {
	var list []Schema
	err := s.read(ctx, v, func(q pg.Querier) error {
		_, err := seen(ctx, q, slug)
		if err == nil {
			list, err = schemasOf(ctx, q, slug)
		}
		return err
	})
	return list, explained("list schemas", err, errNoApp(slug))
}

func errNoSchema(filename string) *core.Error {
	return core.NotFoundf("There is no schema for %q here.", filename)
}

// fits tells whether the content fits the schema of the file's name, if there is
// one. Errors: Invalid, with the paths that do not fit as fields below content.
func (s *Service) fits(ctx context.Context, q pg.Querier, slug, filename string, content []byte) error {
	stored, err := schemaFor(ctx, q, slug, filename)
	if pg.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	parsed, err := schema.Stored(stored.Content)
	if err != nil {
		return fmt.Errorf("read stored schema: %w", err)
	}
	var misfit *schema.Misfit
	switch err := parsed.Check(content); {
	case errors.As(err, &misfit):
		return misfitError(filename, misfit)
	case errors.Is(err, schema.ErrBusy):
		return core.InvalidField("content", "%v; make the file smaller, or ask the owner for a simpler schema", err)
	default:
		return err
	}
}

func misfitError(filename string, m *schema.Misfit) error {
	places := fmt.Sprintf("%d places", m.Total)
	if m.Total == 1 {
		places = "1 place"
	}
	e := &core.Error{Kind: core.Invalid, Code: "validation_failed",
		Msg:    fmt.Sprintf("%s does not fit its schema in %s: %v.", filename, places, m),
		Fields: map[string]string{"content": fmt.Sprintf("does not fit the schema in %s", places)}}
	for _, f := range m.Failures {
		switch {
		case f.Path == "":
			e.Fields["content"] = f.Reason
		case f.Path[0] == '[':
			e.Fields["content"+f.Path] = f.Reason
		default:
			e.Fields["content."+f.Path] = f.Reason
		}
	}
	return e
}
