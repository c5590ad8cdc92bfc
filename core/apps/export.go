package apps

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// ExportApps writes every app as JSON Lines that Import reads back. For the system.
func (s *Service) ExportApps(ctx context.Context, v core.Viewer, w io.Writer) (int, error) {
	return exportRows[exportedApp](ctx, s, v, exportApps, w)
}

// ExportFiles writes the current bytes of every file, with its schema, as JSON
// Lines that ImportFiles reads back. For the system.
func (s *Service) ExportFiles(ctx context.Context, v core.Viewer, w io.Writer) (int, error) {
	return exportRows[exportedFile](ctx, s, v, exportFiles, w)
}

// exportedApp is a row of an export: the fields that Import reads, under the
// same names.
type exportedApp struct {
	ID          string  `json:"id"`
	Slug        string  `json:"slug"`
	Name        string  `json:"name"`
	Summary     string  `json:"summary"`
	Description string  `json:"description"`
	HomepageURL *string `json:"homepage_url"`
	RepoURL     *string `json:"repo_url"`
	Owner       *string `json:"owner"`
	Status      Status  `json:"status"`
	Reason      string  `json:"reason"`
	APIEnabled  bool    `json:"api_enabled"`
	Hidden      bool    `json:"hidden"`
}

// exportedFile is a row of an export of files. Content and schema are texts, so
// that their bytes stay what they are.
type exportedFile struct {
	App      string  `json:"app"`
	Filename string  `json:"filename"`
	Content  string  `json:"content"`
	Schema   *string `json:"schema"`
}

const exportApps = `
	select a.id, a.slug, a.name, a.summary, a.description, a.homepage_url, a.repo_url, p.username::text as owner, a.status, a.reason,
		a.api_enabled, a.hidden_at is not null as hidden
	from apps a
	left join profiles p on p.account_id = a.owner_id
	order by a.slug`

const exportFiles = `
	select a.slug as app, f.filename, convert_from(v.content, 'UTF8') as content, convert_from(s.content, 'UTF8') as schema
	from app_files f
	join apps a on a.id = f.app_id
	join app_file_versions v on v.file_id = f.id and v.number = f.version
	left join app_schemas s on s.app_id = f.app_id and s.filename = f.filename
	order by a.slug, f.filename`

// exportRows writes the rows of one state of the database, one by one.
func exportRows[T any](ctx context.Context, s *Service, v core.Viewer, sql string, w io.Writer) (count int, err error) {
	if err := requireSystem(v); err != nil {
		return 0, err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	err = s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) error {
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			row, err := pgx.RowToStructByName[T](rows)
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			if err := encoder.Encode(row); err != nil {
				return err
			}
			count++
		}
		return rows.Err()
	})
	return count, err
}
