package apps

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

const fileColumns = `
	f.id, f.filename, f.version, f.size_bytes, encode(f.sha256, 'hex') as sha256,
	exists (select from app_schemas s where s.app_id = f.app_id and s.filename = f.filename) as has_schema,
	f.created_at, f.updated_at`

// fileCondition is the same for counting and for the page.
const fileCondition = `
	f.app_id = @app and strpos(lower(f.filename), @query) > 0
	and case @letter::text when '' then true when '#' then lower(f.filename) !~ '^[a-z]' else lower(left(f.filename, 1)) = @letter end`

// fileOrders are the orders that can be asked for.
var fileOrders = map[FileSort]map[Direction]string{
	SortName:    {Ascending: `lower(f.filename), f.filename`, Descending: `lower(f.filename) desc, f.filename desc`},
	SortSize:    {Ascending: `f.size_bytes, lower(f.filename), f.filename`, Descending: `f.size_bytes desc, lower(f.filename), f.filename`},
	SortUpdated: {Ascending: `f.updated_at, lower(f.filename), f.filename`, Descending: `f.updated_at desc, lower(f.filename), f.filename`},
}

// filesOf takes a filter that was checked.
func filesOf(ctx context.Context, q pg.Querier, appID string, f FileFilter) (list []File, total int, err error) {
	args := pgx.StrictNamedArgs{"app": appID, "query": f.Query, "letter": f.Letter}
	if err := q.QueryRow(ctx, `select count(*) from app_files f where `+fileCondition, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[File](ctx, q, `
		select `+fileColumns+`
		from app_files f
		where `+fileCondition+`
		order by `+fileOrders[f.Sort][f.Dir]+`
		limit @limit offset @offset`, args)
	return list, total, err
}

func fileByName(ctx context.Context, q pg.Querier, appID, filename string) (File, error) {
	return pg.One[File](ctx, q, `
		select `+fileColumns+`
		from app_files f
		where f.app_id = $1 and f.filename = $2`, appID, filename)
}

// dataOf reads bytes by slug and name: the version, or the current one for 0.
// Policies say of which apps.
func dataOf(ctx context.Context, q pg.Querier, slug, filename string, version int) (Data, error) {
	return pg.One[Data](ctx, q, `
		select f.filename, v.content, encode(v.sha256, 'hex') as sha256, v.number as version, v.number = f.version as current,
			v.created_at as updated_at
		from apps a
		join app_files f on f.app_id = a.id
		join app_file_versions v on v.file_id = f.id and v.number = case when $3::int = 0 then f.version else $3 end
		where a.slug = $1 and f.filename = $2`, slug, filename, version)
}

// versionsOf needs no count of its own: numbers have no gaps, and only the
// oldest leave.
func versionsOf(ctx context.Context, q pg.Querier, f File, limit, offset int) ([]Version, error) {
	return pg.All[Version](ctx, q, `
		select v.id, v.number, v.size_bytes, encode(v.sha256, 'hex') as sha256, v.source, v.submission_id, v.author_id,
			p.username::text as author_name, v.message, v.created_at, v.number = f.version as current
		from app_file_versions v
		join app_files f on f.id = v.file_id
		left join profiles p on p.account_id = v.author_id
		where v.file_id = $1
		order by v.number desc
		limit $2 offset $3`, f.ID, limit, offset)
}

func currentVersionID(ctx context.Context, q pg.Querier, f File) (id *string, err error) {
	err = q.QueryRow(ctx, `select id from app_file_versions where file_id = $1 and number = $2`, f.ID, f.Version).Scan(&id)
	return id, err
}

func countFiles(ctx context.Context, q pg.Querier, appID string) (count int, err error) {
	err = q.QueryRow(ctx, `select count(*) from app_files where app_id = $1`, appID).Scan(&count)
	return count, err
}

// newVersion is bytes on their way to be a file's current version.
type newVersion struct {
	id, fileID   string
	number       int
	content      []byte
	sha256       []byte
	source       Source
	submissionID *string
	authorID     *string
	message      string
	now          time.Time
}

func insertFile(ctx context.Context, tx *pg.Tx, appID, filename string, v newVersion) error {
	_, err := tx.Exec(ctx, `
		insert into app_files (id, app_id, filename, version, size_bytes, sha256, created_at, updated_at)
		values (@id, @app, @filename, 1, @size, @sha256, @now, @now)`,
		pgx.StrictNamedArgs{"id": v.fileID, "app": appID, "filename": filename, "size": len(v.content), "sha256": v.sha256, "now": v.now})
	return err
}

func updateFile(ctx context.Context, tx *pg.Tx, v newVersion) error {
	_, err := tx.Exec(ctx, `
		update app_files
		set version = @number, size_bytes = @size, sha256 = @sha256, updated_at = @now
		where id = @id`,
		pgx.StrictNamedArgs{"id": v.fileID, "number": v.number, "size": len(v.content), "sha256": v.sha256, "now": v.now})
	return err
}

func insertVersion(ctx context.Context, tx *pg.Tx, v newVersion) error {
	_, err := tx.Exec(ctx, `
		insert into app_file_versions (id, file_id, number, content, size_bytes, sha256, source, submission_id, author_id, message, created_at)
		values (@id, @file, @number, @content, @size, @sha256, @source, @submission, @author, @message, @now)`,
		pgx.StrictNamedArgs{"id": v.id, "file": v.fileID, "number": v.number, "content": v.content, "size": len(v.content), "sha256": v.sha256,
			"source": v.source, "submission": v.submissionID, "author": v.authorID, "message": v.message, "now": v.now})
	return err
}

// pruneVersions forgets the versions before the latest MaxVersions.
func pruneVersions(ctx context.Context, tx *pg.Tx, v newVersion) error {
	_, err := tx.Exec(ctx, `delete from app_file_versions where file_id = $1 and number <= $2`, v.fileID, v.number-MaxVersions)
	return err
}

func deleteFile(ctx context.Context, tx *pg.Tx, appID, filename string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `delete from app_files where app_id = $1 and filename = $2`, appID, filename)
	return tag.RowsAffected() == 1, err
}

const selectSchemas = `
	select s.filename, s.content, s.updated_at
	from app_schemas s
	join apps a on a.id = s.app_id
	where a.slug = $1`

func schemasOf(ctx context.Context, q pg.Querier, slug string) ([]Schema, error) {
	return pg.All[Schema](ctx, q, selectSchemas+`
		order by s.filename`, slug)
}

func schemaFor(ctx context.Context, q pg.Querier, slug, filename string) (Schema, error) {
	return pg.One[Schema](ctx, q, selectSchemas+` and s.filename = $2`, slug, filename)
}

func upsertSchema(ctx context.Context, tx *pg.Tx, appID, by string, s Schema) error {
	_, err := tx.Exec(ctx, `
		insert into app_schemas (app_id, filename, content, updated_at, updated_by)
		values (@app, @filename, @content, @now, nullif(@by, '')::uuid)
		on conflict (app_id, filename) do update
		set content = excluded.content, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
		pgx.StrictNamedArgs{"app": appID, "filename": s.Filename, "content": s.Content, "now": s.UpdatedAt, "by": by})
	return err
}

func deleteSchema(ctx context.Context, tx *pg.Tx, appID, filename string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `delete from app_schemas where app_id = $1 and filename = $2`, appID, filename)
	return tag.RowsAffected() == 1, err
}
