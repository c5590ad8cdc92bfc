package apps

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/markdown"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
)

const summaryColumns = `
	a.id, a.slug, a.name, a.summary, a.homepage_url, a.repo_url, a.created_at, a.updated_at,
	(select count(*) from app_files f where f.app_id = a.id) as files,
	a.status, a.api_enabled, a.hidden_at, a.owner_id, p.username::text as owner_name, p.display_name as owner_title`

const fromApps = `
	from apps a
	left join profiles p on p.account_id = a.owner_id`

const selectSummaries = `select` + summaryColumns + fromApps

const selectApps = `select` + summaryColumns + `, a.description, a.description_html, a.reason` + fromApps

// isPublic is the condition of the index apps_public.
const isPublic = `a.status = 'published' and a.api_enabled and a.hidden_at is null`

func publicApps(ctx context.Context, q pg.Querier, query string, page core.Page) (list []Summary, total int, err error) {
	args := pgx.StrictNamedArgs{"query": searchtext.Fold(query)}
	if err := q.QueryRow(ctx, `
		select count(*) from apps a
		where `+isPublic+` and strpos(a.name_key, @query) > 0`, args).Scan(&total); err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = page.Limit, page.Offset
	list, err = pg.All[Summary](ctx, q, selectSummaries+`
		where `+isPublic+` and strpos(a.name_key, @query) > 0
		order by a.name_key, a.id
		limit @limit offset @offset`, args)
	return list, total, err
}

func appBySlug(ctx context.Context, q pg.Querier, slug string) (App, error) {
	return pg.One[App](ctx, q, selectApps+`
		where a.slug = $1`, slug)
}

func appByID(ctx context.Context, q pg.Querier, id string) (Summary, error) {
	return pg.One[Summary](ctx, q, selectSummaries+`
		where a.id = $1`, id)
}

func appsOf(ctx context.Context, q pg.Querier, accountID string, publicOnly bool) ([]Summary, error) {
	return pg.All[Summary](ctx, q, selectSummaries+`
		where a.owner_id = $1 and (not $2 or `+isPublic+`)
		order by a.name_key, a.id`, accountID, publicOnly)
}

func ownsAny(ctx context.Context, q pg.Querier, accountID string) (owns bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from apps where owner_id = $1)`, accountID).Scan(&owns)
	return owns, err
}

// insertApp stores nothing where the slug is taken. What is not among the
// columns a viewer may not say about an app of their own.
func insertApp(ctx context.Context, tx *pg.Tx, ownerID string, in Input, id string, now time.Time) (stored bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into apps (id, slug, name, name_key, summary, description, description_html, homepage_url, repo_url, owner_id, created_at, updated_at)
		values (@id, @slug, @name, @key, @summary, @description, @html, nullif(@homepage, ''), nullif(@repo, ''), @owner, @now, @now)
		on conflict (slug) do nothing`,
		pgx.StrictNamedArgs{"id": id, "slug": in.Slug, "name": in.Name, "key": searchtext.Fold(in.Name), "summary": in.Summary,
			"description": in.Description, "html": string(markdown.Render(in.Description)), "homepage": in.HomepageURL, "repo": in.RepoURL,
			"owner": ownerID, "now": now})
	return tag.RowsAffected() == 1, err
}

func updateApp(ctx context.Context, tx *pg.Tx, id string, in Input, now time.Time) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update apps
		set name = @name, name_key = @key, summary = @summary, description = @description, description_html = @html,
			homepage_url = nullif(@homepage, ''), repo_url = nullif(@repo, ''), updated_at = @now
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "name": in.Name, "key": searchtext.Fold(in.Name), "summary": in.Summary,
			"description": in.Description, "html": string(markdown.Render(in.Description)), "homepage": in.HomepageURL, "repo": in.RepoURL, "now": now})
	return tag.RowsAffected() == 1, err
}

func setAPI(ctx context.Context, tx *pg.Tx, id string, on bool, now time.Time) (done bool, err error) {
	tag, err := tx.Exec(ctx, `update apps set api_enabled = $2, updated_at = $3 where id = $1`, id, on, now)
	return tag.RowsAffected() == 1, err
}

func deleteApp(ctx context.Context, tx *pg.Tx, id string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `delete from apps where id = $1`, id)
	return tag.RowsAffected() == 1, err
}

// waitAgain puts a refused app back into the queue.
func waitAgain(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `
		update apps
		set status = 'pending', reason = '', decided_by = null, decided_at = null
		where id = $1 and status = 'refused'`, id)
	return err
}

// setHidden tells whether that changed anything.
func setHidden(ctx context.Context, tx *pg.Tx, id string, at *time.Time) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update apps
		set hidden_at = $2
		where id = $1 and (hidden_at is null) <> ($2::timestamptz is null)`, id, at)
	return tag.RowsAffected() == 1, err
}

// lockApp makes others wait who would change the app's files; submissions may
// still come in. No row where the viewer may not change the app.
func lockApp(ctx context.Context, tx *pg.Tx, id string) error {
	var locked bool
	return tx.QueryRow(ctx, `select true from apps where id = $1 for no key update`, id).Scan(&locked)
}

func touchApp(ctx context.Context, tx *pg.Tx, id string, now time.Time) error {
	_, err := tx.Exec(ctx, `update apps set updated_at = $2 where id = $1`, id, now)
	return err
}

// upsertApp stores a row of an import: what it leaves out stays.
func upsertApp(ctx context.Context, tx *pg.Tx, r appRow, ownerID string, now time.Time) (isNew bool, err error) {
	err = tx.QueryRow(ctx, `
		insert into apps as a (id, slug, name, name_key, summary, description, description_html, homepage_url, repo_url,
			owner_id, status, reason, api_enabled, hidden_at, created_at, updated_at)
		values (@id, @slug, @name, @key, @summary, @description, @html, nullif(@homepage, ''), nullif(@repo, ''),
			nullif(@owner, '')::uuid, coalesce(nullif(@status, ''), 'published'), @reason, coalesce(@enabled::boolean, true),
			case when @hidden::boolean then @now::timestamptz end, @now, @now)
		on conflict (slug) do update
		set name = excluded.name, name_key = excluded.name_key,
			summary = coalesce(nullif(excluded.summary, ''), a.summary),
			description = coalesce(nullif(excluded.description, ''), a.description),
			description_html = case excluded.description when '' then a.description_html else excluded.description_html end,
			homepage_url = coalesce(excluded.homepage_url, a.homepage_url), repo_url = coalesce(excluded.repo_url, a.repo_url),
			owner_id = coalesce(excluded.owner_id, a.owner_id),
			status = case @status when '' then a.status else @status end,
			reason = case @status when '' then a.reason else @reason end,
			api_enabled = coalesce(@enabled, a.api_enabled),
			hidden_at = case @hidden when true then coalesce(a.hidden_at, @now) when false then null else a.hidden_at end,
			updated_at = @now
		returning xmax = 0`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "slug": r.Slug, "name": r.Name, "key": searchtext.Fold(r.Name), "summary": r.Summary,
			"description": r.Description, "html": string(markdown.Render(r.Description)), "homepage": r.HomepageURL, "repo": r.RepoURL,
			"owner": ownerID, "status": r.status, "reason": r.reason, "enabled": r.enabled.Value, "hidden": r.hidden.Value, "now": now}).Scan(&isNew)
	return isNew, err
}

func noApps(ctx context.Context, q pg.Querier) (empty bool, err error) {
	err = q.QueryRow(ctx, `select not exists (select from apps)`).Scan(&empty)
	return empty, err
}

// removeAccount leaves what the account gave to the apps of others: versions
// that were approved, whose author the foreign key forgets.
func removeAccount(ctx context.Context, tx *pg.Tx, accountID string) error {
	if _, err := tx.Exec(ctx, `delete from apps where owner_id = $1`, accountID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `delete from app_submissions where account_id = $1`, accountID); err != nil {
		return err
	}
	return forgetAccount(ctx, tx, accountID)
}

func forgetAccount(ctx context.Context, tx *pg.Tx, accountID string) error {
	for _, sql := range []string{
		`update apps set owner_id = null where owner_id = $1`,
		`update app_submissions set account_id = null where account_id = $1`,
		`update app_file_versions set author_id = null where author_id = $1`,
	} {
		if _, err := tx.Exec(ctx, sql, accountID); err != nil {
			return err
		}
	}
	return nil
}
