package moderation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// queueHistory counts what a sender sent, and what of it was refused. by is the
// column that tells who it is.
func queueHistory(b *pgx.Batch, by, who string, now time.Time, about *Context) {
	b.Queue(`
		select count(*) filter (where created_at > $2), count(*) filter (where decision = 'reject')
		from judgements
		where `+by+` = $1 and created_at > $3 and (decision = 'reject' or created_at > $2)`,
		who, now.Add(-rateWindow), now.Add(-refusedWindow)).
		QueryRow(func(row pgx.Row) error { return row.Scan(&about.SentLastHour, &about.RefusedBefore) })
}

// ofOthers leaves out what was written of the same thing: editing one's own text
// makes no copy of it.
const ofOthers = ` and scope = @scope and created_at > @since and (@id = '' or target_type <> @type or target_id <> @id)`

const countCopies = `select count(*) from judgements where text_hash = @hash` + ofOthers

func (j *judgement) copiesArgs() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"hash": j.identity.hash, "scope": j.Scope, "since": j.at.Add(-copiesWindow), "type": j.About.Type, "id": j.About.ID}
}

func queueCopies(b *pgx.Batch, j *judgement, copies *int) {
	b.Queue(countCopies, j.copiesArgs()).QueryRow(func(row pgx.Row) error { return row.Scan(copies) })
}

// near holds for fingerprints that differ in so few bits that one of four bands
// must be equal, which the indexes find.
const near = `
	fingerprint <> 0 and created_at > @since and (
		(fingerprint & 65535) = @band0 or (fingerprint >> 16 & 65535) = @band1
		or (fingerprint >> 32 & 65535) = @band2 or (fingerprint >> 48 & 65535) = @band3)
	and bit_count((fingerprint # @fingerprint)::bit(64)) <= @bits`

func queueNear(b *pgx.Batch, j *judgement, copies *int) {
	if j.identity.fingerprint == 0 {
		return
	}
	args := j.copiesArgs()
	nearArgs(args, j.identity)
	b.Queue(`select count(*) from judgements where `+near+` and text_hash <> @hash`+ofOthers, args).
		QueryRow(func(row pgx.Row) error { return row.Scan(copies) })
}

// lockCopies makes those wait who store a text of the same words, and counts the
// ones that are there by now.
func lockCopies(ctx context.Context, tx *pg.Tx, j judgement) (copies int, err error) {
	if j.identity.hash == nil {
		return 0, nil
	}
	var b pgx.Batch
	b.Queue(`select pg_advisory_xact_lock(hashtextextended('judgements ' || encode($1, 'hex'), 0))`, j.identity.hash)
	queueCopies(&b, &j, &copies)
	return copies, tx.SendBatch(ctx, &b).Close()
}

func insertJudgement(ctx context.Context, tx *pg.Tx, j judgement, v core.Verdict) error {
	reasons, err := json.Marshal(v.Reasons)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		insert into judgements (id, scope, target_type, target_id, account_id, address_key, shared, body, text_hash, fingerprint,
			decision, score, reasons, asked_model, created_at)
		values (@id, @scope, @type, @target, nullif(@account, '')::uuid, @address, @shared, @body, @hash, @fingerprint,
			@decision, @score, @reasons, @asked, @now)`,
		pgx.StrictNamedArgs{"id": j.id, "scope": j.Scope, "type": j.About.Type, "target": j.About.ID, "account": j.accountID,
			"address": j.From.AddressKey, "shared": j.From.Shared, "body": j.Body, "hash": j.identity.hash,
			"fingerprint": int64(j.identity.fingerprint), "decision": v.Decision, "score": v.Score, "reasons": reasons,
			"asked": j.asked, "now": j.at})
	return err
}

// kept is the latest verdict on a target.
type kept struct {
	Decision   core.Decision
	Score      float64
	Reasons    []core.Reason
	AddressKey string
	Shared     bool
}

func latestOf(ctx context.Context, q pg.Querier, target core.Target) (kept, error) {
	return pg.One[kept](ctx, q, `
		select decision, score, reasons, address_key, shared
		from judgements
		where target_type = $1 and target_id = $2
		order by created_at desc, id desc
		limit 1`, target.Type, target.ID)
}

// emptied takes from a judgement what was written and where it came from; the
// reasons quote the text.
const emptied = `
	body = '', address_key = '',
	reasons = (select coalesce(jsonb_agg(jsonb_build_object('code', r -> 'code', 'detail', '') order by n), '[]')
		from jsonb_array_elements(reasons) with ordinality x (r, n))`

// forgetSender also finds what was written of the account itself.
func forgetSender(ctx context.Context, tx *pg.Tx, accountID string) error {
	_, err := tx.Exec(ctx, `
		update judgements
		set account_id = null,`+emptied+`
		where id in (
			select id from judgements where account_id = $1::text::uuid
			union all
			select id from judgements where target_type = 'profile' and target_id = $1::text)`, accountID)
	return err
}

// emptyBefore empties the oldest ones, so many at a time that nobody waits.
func emptyBefore(ctx context.Context, tx *pg.Tx, before time.Time, most int) (int64, error) {
	tag, err := tx.Exec(ctx, `
		update judgements
		set`+emptied+`
		where id in (
			select id from judgements
			where created_at < $1 and (body <> '' or address_key <> '')
			order by created_at
			limit $2
			for update skip locked)`, before, most)
	return tag.RowsAffected(), err
}
