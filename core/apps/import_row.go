package apps

import (
	"context"
	"encoding/json"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
	"homeplace/core/slugs"
)

var (
	appColumns          = []string{"slug", "name", "summary", "description", "homepage_url", "repo_url", "owner", "status", "api_enabled", "hidden", "reason"}
	fileColumnsOfImport = []string{"app", "filename", "content", "schema"}
)

// appRow is a row of an import of apps.
type appRow struct {
	Input
	owner, status, reason string
	enabled, hidden       rowfile.Flag
}

func readApp(row rowfile.Row) (appRow, error) {
	var r appRow
	var p core.Problems
	for name, to := range map[string]*string{
		"slug": &r.Slug, "name": &r.Name, "summary": &r.Summary, "description": &r.Description, "homepage_url": &r.HomepageURL,
		"repo_url": &r.RepoURL, "owner": &r.owner, "status": &r.status, "reason": &r.reason,
	} {
		field(row, &p, name, to)
	}
	field(row, &p, "api_enabled", &r.enabled)
	field(row, &p, "hidden", &r.hidden)
	r.Input.check(&p)
	p.Text("reason", &r.reason, 0, MaxReason)
	switch Status(r.status) {
	case "", Pending, Published:
		r.reason = ""
	case Refused:
		if r.reason == "" {
			r.reason = "Refused before it was brought here."
		}
	default:
		p.Add("status", "must be pending, published or refused, not %q", r.status)
	}
	if r.Slug == "" {
		r.Slug = slugs.Make("", r.Name)
	}
	if err := p.Err(); err != nil {
		return r, err
	}
	if r.Slug == "" {
		return r, core.InvalidField("slug", "is required where the name has no letter or digit to make one from")
	}
	return r, nil
}

func (s *Service) importApp(ctx context.Context, tx *pg.Tx, row rowfile.Row, o ImportOptions) (result, error) {
	r, err := readApp(row)
	if err != nil {
		return 0, err
	}
	ownerID := ""
	if r.owner != "" {
		if o.OwnerID == nil {
			return 0, core.InvalidField("owner", "cannot be looked up here")
		}
		if ownerID, err = o.OwnerID(ctx, r.owner); err != nil {
			return 0, err
		}
	}
	isNew, err := upsertApp(ctx, tx, r, ownerID, s.now())
	if err != nil {
		return 0, fmt.Errorf("store app %s: %w", r.Slug, err)
	}
	if isNew {
		return created, nil
	}
	return updated, nil
}

func (s *Service) importFile(ctx context.Context, tx *pg.Tx, row rowfile.Row) (result, error) {
	var slug, filename string
	var p core.Problems
	field(row, &p, "app", &slug)
	field(row, &p, "filename", &filename)
	checkFilename(&p, &filename)
	content, err := contentOf(row.Fields["content"])
	if err := joined(&p, err); err != nil {
		return 0, err
	}
	a, err := seen(ctx, tx, slug)
	if err != nil {
		return 0, err
	}
	if err := lockApp(ctx, tx, a.ID); err != nil {
		return 0, err
	}
	if err := s.importSchema(ctx, tx, a.ID, filename, row.Fields["schema"]); err != nil {
		return 0, err
	}
	if err := s.fits(ctx, tx, slug, filename, content); err != nil {
		return 0, err
	}
	stored, err := s.put(ctx, tx, a.ID, filename, newVersion{content: content, source: FromUpload, message: "Imported"})
	switch {
	case err != nil:
		return 0, err
	case stored.Unchanged:
		return unchanged, nil
	case stored.File.Version == 1:
		return created, nil
	}
	return updated, nil
}

func (s *Service) importSchema(ctx context.Context, tx *pg.Tx, appID, filename string, raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	content, err := contentOf(raw)
	if err != nil {
		return core.InvalidField("schema", "%s", core.AsError(err).Fields["content"])
	}
	if msg := schemaProblem(content); msg != "" {
		return core.InvalidField("schema", "%s", msg)
	}
	return upsertSchema(ctx, tx, appID, "", Schema{Filename: filename, Content: content, UpdatedAt: s.now()})
}
