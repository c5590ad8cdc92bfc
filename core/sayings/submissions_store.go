package sayings

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/searchtext"
)

// insertSent stores what the viewer sends, so that it waits.
func insertSent(ctx context.Context, tx *pg.Tx, v core.Viewer, s Saying) error {
	if _, err := tx.Exec(ctx, `insert into saying_submissions (saying_id, submitted_by) values ($1, $2)`, s.ID, v.ID); err != nil {
		return err
	}
	w := WordsOf(s)
	args := wordArgs(w)
	args["id"], args["now"] = s.ID, s.CreatedAt
	_, err := tx.Exec(ctx, `
		insert into sayings (id, text, text_key, words, meaning, attribution, region, region_key, category_slug, created_at)
		values (@id, @text, @key, @words, @meaning, @attribution, @region, @region_key, nullif(@category, ''), @now)`, args)
	return err
}

func wordArgs(w Words) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"text": w.Text, "key": key(w.Text), "words": searched(w), "meaning": w.Meaning, "attribution": w.Attribution,
		"region": w.Region, "region_key": searchtext.SortName(w.Region), "category": w.Category}
}

// settle runs as the system: nobody judges themselves, and the name given is for
// staff alone.
func settle(ctx context.Context, tx *pg.Tx, id string, status Status, in Input) error {
	if _, err := tx.Exec(ctx, `
		update saying_submissions
		set submitter_name = $2, submitter_email = $3
		where saying_id = $1`, id, in.SubmitterName, in.SubmitterEmail); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `update sayings set status = $2 where id = $1`, id, status)
	return err
}

const selectSent = `select` + columns + `, s.reason, s.decided_at` + fromSayings + `
	join saying_submissions s on s.saying_id = y.id`

func sentByAccount(ctx context.Context, q pg.Querier, account string, page core.Page) (list []Sent, total int, err error) {
	if err := q.QueryRow(ctx, `select count(*) from saying_submissions where submitted_by = $1`, account).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = pg.All[Sent](ctx, q, selectSent+`
		where s.submitted_by = $1
		order by y.created_at desc, y.id desc
		limit $2 offset $3`, account, page.Limit, page.Offset)
	return list, total, err
}

func sentByID(ctx context.Context, q pg.Querier, account, id string) (Sent, error) {
	return pg.One[Sent](ctx, q, selectSent+`
		where y.id = $1 and s.submitted_by = $2`, id, account)
}

func deletePending(ctx context.Context, tx *pg.Tx, account, id string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		delete from sayings y
		using saying_submissions s
		where y.id = $1 and s.saying_id = y.id and s.submitted_by = $2 and y.status = 'pending'`, id, account)
	return tag.RowsAffected() == 1, err
}

const selectCase = `select` + columns + `, s.reason, s.decided_at, s.submitted_by, p.username::text as username, s.submitter_name,
		s.submitter_email, s.decided_by` + fromSayings + `
	join saying_submissions s on s.saying_id = y.id
	left join profiles p on p.account_id = s.submitted_by`

func caseByID(ctx context.Context, q pg.Querier, id string) (Case, error) {
	return pg.One[Case](ctx, q, selectCase+`
		where y.id = $1`, id)
}

// state is what decisions change of a saying, with y and s.
const state = `jsonb_build_object('status', y.status, 'hidden_at', y.hidden_at, 'published_at', y.published_at,
	'reason', s.reason, 'decided_by', s.decided_by, 'decided_at', s.decided_at)`

func stateOf(ctx context.Context, q pg.Querier, id string) (found json.RawMessage, err error) {
	err = q.QueryRow(ctx, `
		select `+state+`
		from sayings y
		join saying_submissions s on s.saying_id = y.id
		where y.id = $1`, id).Scan(&found)
	return found, err
}

// putBack undoes a decision where nothing has changed since.
func putBack(ctx context.Context, tx *pg.Tx, id string, m memo) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		with same as (
			select y.id
			from sayings y
			join saying_submissions s on s.saying_id = y.id
			where y.id = $1 and `+state+` = $3
		), sent as (
			update saying_submissions s
			set reason = b.reason, decided_by = b.decided_by, decided_at = b.decided_at
			from same, jsonb_populate_record(null::saying_submissions, $2) b
			where s.saying_id = same.id
		)
		update sayings y
		set status = b.status, hidden_at = b.hidden_at, published_at = b.published_at
		from same, jsonb_populate_record(null::sayings, $2) b
		where y.id = same.id`, id, string(m.Before), string(m.After))
	return tag.RowsAffected() == 1, err
}

// lock waits for whoever decides at this moment. It locks nothing of the
// viewer's own.
func lock(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `select from sayings where id = $1 for update`, id)
	return err
}

func storeWords(ctx context.Context, tx *pg.Tx, id string, w Words) error {
	args := wordArgs(w)
	args["id"] = id
	tag, err := tx.Exec(ctx, `
		update sayings
		set text = @text, text_key = @key, words = @words, meaning = @meaning, attribution = @attribution, region = @region,
			region_key = @region_key, category_slug = nullif(@category, '')
		where id = @id`, args)
	return changed(tag.RowsAffected(), id, err)
}

func publish(ctx context.Context, tx *pg.Tx, id, slug string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update sayings
		set slug = $2, status = 'published', published_at = $3
		where id = $1`, id, slug, now)
	return changed(tag.RowsAffected(), id, err)
}

func setStatus(ctx context.Context, tx *pg.Tx, id string, status Status) error {
	tag, err := tx.Exec(ctx, `update sayings set status = $2 where id = $1`, id, status)
	return changed(tag.RowsAffected(), id, err)
}

func storeDecision(ctx context.Context, tx *pg.Tx, id, reason, by string, now time.Time) error {
	tag, err := tx.Exec(ctx, `
		update saying_submissions
		set reason = $2, decided_by = nullif($3, '')::uuid, decided_at = $4
		where saying_id = $1`, id, reason, by, now)
	return changed(tag.RowsAffected(), id, err)
}

func changed(rows int64, id string, err error) error {
	if err == nil && rows != 1 {
		return fmt.Errorf("no right to decide saying %s", id)
	}
	return err
}

// deleteUnpublished leaves what became public: that is the community's.
func deleteUnpublished(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `
		delete from sayings y
		using saying_submissions s
		where s.saying_id = y.id and s.submitted_by = $1 and y.status <> 'published'`, account)
	return err
}

func forgetSender(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `
		update saying_submissions
		set submitted_by = null, submitter_name = '', submitter_email = ''
		where submitted_by = $1`, account)
	return err
}
