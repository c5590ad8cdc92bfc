package moderation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/moderation/words"
	"homeplace/core/pg"
)

// storedRule is a row: an added rule, or a built-in one that is switched off.
type storedRule struct {
	ID        string
	Term      string
	Action    words.Action
	Severity  int
	Category  string
	Scope     string
	Note      string
	State     State
	Origin    Origin
	CreatedBy string
	CreatedAt time.Time
	UpdatedAt time.Time
	Tried     bool
}

func (r storedRule) rule() words.Rule { return WordRule(r).rule() }

func (r WordRule) rule() words.Rule {
	in := r.Input()
	return in.rule()
}

const selectRules = `
	select r.id, r.term, r.action, r.severity, r.category, r.scope, r.note, r.state, r.origin,
		coalesce(p.username::text, '') as created_by, r.created_at, r.updated_at,
		exists (select from word_trials t where t.rule_hash = r.rule_hash and t.created_at >= r.updated_at) as tried
	from word_rules r
	left join profiles p on p.account_id = r.created_by`

func storedRules(ctx context.Context, q pg.Querier) ([]storedRule, error) {
	return pg.All[storedRule](ctx, q, selectRules+`
		order by r.created_at desc, r.id`)
}

// rulesInForce are the rows that make the rules in force differ from the built-in
// ones.
func rulesInForce(ctx context.Context, q pg.Querier) ([]storedRule, error) {
	return pg.All[storedRule](ctx, q, selectRules+`
		where r.origin = 'ours' or r.state = 'on'
		order by r.created_at, r.id`)
}

func storedRuleByID(ctx context.Context, q pg.Querier, id string) (storedRule, error) {
	return pg.One[storedRule](ctx, q, selectRules+`
		where r.id = $1`, id)
}

// lockRule waits for whoever changes the rule at this moment.
func lockRule(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `select from word_rules where id = $1 for update`, id)
	return err
}

func countAdded(ctx context.Context, tx *pg.Tx) (n int, err error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('word_rules', 0))`); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `select count(*) from word_rules where origin = 'added'`).Scan(&n)
	return n, err
}

func insertRule(ctx context.Context, tx *pg.Tx, r WordRule, by string) error {
	_, err := tx.Exec(ctx, `
		insert into word_rules (id, term, action, severity, category, scope, note, state, origin, rule_hash, created_by, created_at, updated_at)
		values (@id, @term, @action, @severity, @category, @scope, @note, @state, @origin, @hash, nullif(@by, '')::uuid, @created, @updated)
		on conflict (id) do nothing`,
		pgx.StrictNamedArgs{"id": r.ID, "term": r.Term, "action": r.Action, "severity": r.Severity, "category": r.Category, "scope": r.Scope,
			"note": r.Note, "state": r.State, "origin": r.Origin, "hash": trialHash(r.rule()), "by": by, "created": r.CreatedAt, "updated": r.UpdatedAt})
	return err
}

func updateRule(ctx context.Context, tx *pg.Tx, r WordRule) error {
	_, err := tx.Exec(ctx, `
		update word_rules
		set term = @term, action = @action, severity = @severity, category = @category, scope = @scope, note = @note, state = @state,
			rule_hash = @hash, updated_at = @updated
		where id = @id`,
		pgx.StrictNamedArgs{"id": r.ID, "term": r.Term, "action": r.Action, "severity": r.Severity, "category": r.Category, "scope": r.Scope,
			"note": r.Note, "state": r.State, "hash": trialHash(r.rule()), "updated": r.UpdatedAt})
	return err
}

func deleteRule(ctx context.Context, tx *pg.Tx, id string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `delete from word_rules where id = $1`, id)
	return tag.RowsAffected() == 1, err
}

func insertTrial(ctx context.Context, tx *pg.Tx, r words.Rule, texts int, by string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into word_trials (id, rule_hash, texts, tried_by, created_at)
		values (@id, @hash, @texts, nullif(@by, '')::uuid, @now)`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "hash": trialHash(r), "texts": texts, "by": by, "now": now})
	return err
}

// pastText is a text that was judged.
type pastText struct {
	ID        string
	Scope     string
	Body      string
	CreatedAt time.Time
}

// pastTexts are the next ones after the one given, the latest first.
func pastTexts(ctx context.Context, q pg.Querier, since time.Time, after pastText, most int) ([]pastText, error) {
	return pg.All[pastText](ctx, q, `
		select id, scope, body, created_at
		from judgements
		where created_at > @since and (created_at, id) < (@before, @id::uuid) and body <> ''
		order by created_at desc, id desc
		limit @most`,
		pgx.StrictNamedArgs{"since": since, "before": after.CreatedAt, "id": after.ID, "most": most})
}
