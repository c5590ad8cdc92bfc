package polls

import (
	"context"
	"encoding/json"

	"homeplace/core/pg"
)

// kept says where the state of a thing stands: what decisions change of it.
type kept struct{ table, columns, state string }

var (
	pollState = kept{"polls", `status, opens_at, closes_at, reason, decided_by, decided_at, hidden_at`,
		`jsonb_build_object('status', x.status, 'opens_at', x.opens_at, 'closes_at', x.closes_at, 'reason', x.reason,
			'decided_by', x.decided_by, 'decided_at', x.decided_at, 'hidden_at', x.hidden_at)`}
	commentState = kept{"poll_comments", `status, reason, decided_by, decided_at`,
		`jsonb_build_object('status', x.status, 'reason', x.reason, 'decided_by', x.decided_by, 'decided_at', x.decided_at)`}
)

func stateOf(ctx context.Context, q pg.Querier, k kept, id string) (found json.RawMessage, err error) {
	err = q.QueryRow(ctx, `select `+k.state+` from `+k.table+` x where x.id = $1`, id).Scan(&found)
	return found, err
}

// putBack undoes a decision where nothing has changed since.
func putBack(ctx context.Context, tx *pg.Tx, k kept, id string, m memo) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update `+k.table+` x
		set (`+k.columns+`) = (select `+k.columns+` from jsonb_populate_record(null::`+k.table+`, $2))
		where x.id = $1 and `+k.state+` = $3`, id, string(m.Before), string(m.After))
	return tag.RowsAffected() == 1, err
}

// decidedPoll and decidedComment are rows that staff alone may read.
type decidedPoll struct {
	Poll
	DecidedBy *string
}

type decidedComment struct {
	Comment
	DecidedBy *string
}

func decidedPollByID(ctx context.Context, q pg.Querier, id string) (p decidedPoll, err error) {
	p, err = pg.One[decidedPoll](ctx, q, `select `+pollColumns+`, p.decided_by::text as decided_by`+fromPolls+` where p.id = $1`, id)
	if err == nil {
		p.Options, err = optionsOf(ctx, q, id)
	}
	return p, err
}

func decidedCommentByID(ctx context.Context, q pg.Querier, id string) (decidedComment, error) {
	return pg.One[decidedComment](ctx, q, `select `+commentColumns+`, c.decided_by::text as decided_by`+fromComments+` where c.id = $1`, id)
}
