package desk

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
)

// forViewer is the condition of what the viewer ($1) may decide.
const forViewer = `(q.sender_id is distinct from nullif($1, '')::uuid and q.not_for is distinct from nullif($1, '')::uuid)`

func counts(ctx context.Context, q pg.Querier, viewer string) (byType map[string]int, others int, err error) {
	type row struct {
		TargetType   string
		Mine, Others int
	}
	rows, err := pg.All[row](ctx, q, `
		select q.target_type, count(*) filter (where `+forViewer+`) as mine, count(*) filter (where not `+forViewer+`) as others
		from desk_queue q
		group by q.target_type`, viewer)
	byType = make(map[string]int, len(rows))
	for _, r := range rows {
		byType[r.TargetType] = r.Mine
		others += r.Others
	}
	return byType, others, err
}

func waiting(ctx context.Context, q pg.Querier, v core.Viewer, f Filter) (list []Item, total int, err error) {
	const condition = `
		from desk_queue q
		where ` + forViewer + ` and $2 in ('', q.target_type)
			and (not $3 or q.claimed_by = nullif($1, '')::uuid and q.claimed_until > now())`
	if err := q.QueryRow(ctx, `select count(*)`+condition, v.ID, f.Type, f.Mine).Scan(&total); err != nil {
		return nil, 0, err
	}
	type row struct {
		TargetType, TargetID, Title string
		Sender, ClaimedBy           *string
		Since                       time.Time
	}
	rows, err := pg.All[row](ctx, q, `
		select page.target_type, page.target_id, page.title, s.username::text as sender, page.since,
			case when page.claimed_until > now() then c.username::text end as claimed_by
		from (select q.*`+condition+`
			order by q.since, q.target_type, q.target_id
			limit $4 offset $5) page
		left join profiles s on s.account_id = page.sender_id
		left join profiles c on c.account_id = page.claimed_by
		order by page.since, page.target_type, page.target_id`, v.ID, f.Type, f.Mine, f.Page.Limit, f.Page.Offset)
	for _, r := range rows {
		list = append(list, Item{Target: core.Target{Type: r.TargetType, ID: r.TargetID}, Title: r.Title, Sender: r.Sender, Since: r.Since,
			ClaimedBy: r.ClaimedBy, Claimed: r.ClaimedBy != nil && *r.ClaimedBy == v.Username})
	}
	return list, total, err
}

// holder is who has claimed a case; empty where nobody has.
type holder struct {
	AccountID *string
	Username  *string
}

// Claims end by the clock of the database, as its policy sees it.
func claimOf(ctx context.Context, q pg.Querier, t core.Target) (holder, error) {
	h, err := pg.One[holder](ctx, q, `
		select q.claimed_by::text as account_id, coalesce(p.username::text, 'Somebody') as username
		from desk_queue q
		left join profiles p on p.account_id = q.claimed_by
		where q.target_type = $1 and q.target_id = $2 and q.claimed_by is not null and q.claimed_until > now()`, t.Type, t.ID)
	if pg.NoRows(err) {
		return holder{}, nil
	}
	return h, err
}

// claim does nothing where somebody else has it; the policy would not let it.
func claim(ctx context.Context, tx *pg.Tx, t core.Target, by string) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update desk_queue
		set claimed_by = $3, claimed_until = now() + make_interval(secs => $4)
		where target_type = $1 and target_id = $2 and (claimed_by is null or claimed_by = $3 or claimed_until <= now())`, t.Type, t.ID, by, ClaimFor.Seconds())
	return tag.RowsAffected() == 1, err
}

func release(ctx context.Context, tx *pg.Tx, t core.Target, by string) error {
	_, err := tx.Exec(ctx, `
		update desk_queue
		set claimed_by = null, claimed_until = null
		where target_type = $1 and target_id = $2 and claimed_by = $3`, t.Type, t.ID, by)
	return err
}

func notesOf(ctx context.Context, q pg.Querier, t core.Target) ([]Note, error) {
	return pg.All[Note](ctx, q, `
		select p.username::text as author, n.body, n.created_at
		from desk_notes n
		left join profiles p on p.account_id = n.author_id
		where n.target_type = $1 and n.target_id = $2
		order by n.created_at, n.id
		limit 200`, t.Type, t.ID)
}

func insertNote(ctx context.Context, tx *pg.Tx, t core.Target, author, body string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into desk_notes (id, target_type, target_id, author_id, body, created_at)
		values ($1, $2, $3, $4, $5, $6)`, pg.NewID(), t.Type, t.ID, author, body, now)
	return err
}

const selectPast = `
	select d.id, d.batch_id, d.target_type, d.target_id, d.title, d.action, d.reason, p.username::text as by, d.decided_by::text as decided_by,
		d.decided_at, d.undone_at
	from desk_decisions d
	left join profiles p on p.account_id = d.decided_by`

func pastOf(ctx context.Context, q pg.Querier, t core.Target) ([]Past, error) {
	return pasts(pg.All[Past](ctx, q, selectPast+`
		where d.target_type = $1 and d.target_id = $2
		order by d.decided_at desc, d.id desc
		limit 20`, t.Type, t.ID))
}

func pasts(list []Past, err error) ([]Past, error) {
	for i := range list {
		list[i].Target = core.Target{Type: list[i].TargetType, ID: list[i].TargetID}
	}
	return list, err
}

// historyOf is nil where the account has gone.
func historyOf(ctx context.Context, q pg.Querier, account string) (*History, error) {
	type row struct {
		Username                            string
		Joined                              time.Time
		Approved, Refused, Abusive, Waiting int
	}
	r, err := pg.One[row](ctx, q, `
		select p.username::text as username, p.created_at as joined,
			count(d.id) filter (where d.action in ('approve', 'keep', 'restore')) as approved,
			count(d.id) filter (where d.action in ('reject', 'hide')) as refused,
			count(d.id) filter (where d.action = 'abusive') as abusive,
			(select count(*) from desk_queue w where w.sender_id = p.account_id) as waiting
		from profiles p
		left join desk_decisions d on d.sender_id = p.account_id and d.undone_at is null
		where p.account_id = $1
		group by p.account_id`, account)
	if pg.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h := &History{Username: r.Username, Joined: r.Joined, Approved: r.Approved, Refused: r.Refused, Abusive: r.Abusive, Waiting: r.Waiting}
	h.Latest, err = pasts(pg.All[Past](ctx, q, selectPast+`
		where d.sender_id = $1 and d.undone_at is null
		order by d.decided_at desc, d.id desc
		limit 5`, account))
	return h, err
}

func insertDecision(ctx context.Context, tx *pg.Tx, v core.Viewer, batch string, c core.Case, d Decision, memo json.RawMessage, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into desk_decisions (id, batch_id, target_type, target_id, title, sender_id, action, reason, memo, decided_by, decided_at)
		values (@id, @batch, @type, @target, @title, (select id from accounts where id = nullif(@sender, '')::uuid), @action, @reason, @memo, @by, @now)`,
		pgx.StrictNamedArgs{"id": pg.NewID(), "batch": batch, "type": c.Type, "target": c.ID, "title": title(c.Title), "sender": c.SenderID,
			"action": d.Action, "reason": d.Reason, "memo": optional(memo), "by": v.ID, "now": now})
	return err
}

// undoable is a decision that its moderator may undo.
type undoable struct {
	ID         string
	TargetType string
	TargetID   string
	Title      string
	Action     core.Action
	Memo       json.RawMessage
}

func (u undoable) target() core.Target { return core.Target{Type: u.TargetType, ID: u.TargetID} }

func undoables(ctx context.Context, q pg.Querier, batch, by string, since time.Time) ([]undoable, error) {
	return pg.All[undoable](ctx, q, `
		select d.id, d.target_type, d.target_id, d.title, d.action, d.memo
		from desk_decisions d
		where d.batch_id = $1 and d.decided_by = $2 and d.undone_at is null and d.decided_at > $3
		order by d.id`, batch, by, since)
}

// markUndone takes the latest decision of its target alone.
func markUndone(ctx context.Context, tx *pg.Tx, u undoable, now time.Time) (done bool, err error) {
	tag, err := tx.Exec(ctx, `
		update desk_decisions d
		set undone_at = $2
		where d.id = $1 and d.undone_at is null and not exists (
			select from desk_decisions later
			where later.target_type = d.target_type and later.target_id = d.target_id and later.undone_at is null
				and (later.decided_at, later.id) > (d.decided_at, d.id))`, u.ID, now)
	return tag.RowsAffected() == 1, err
}

func replies(ctx context.Context, q pg.Querier, queue string) ([]Reply, error) {
	return pg.All[Reply](ctx, q, `
		select id, target_type, body
		from desk_replies
		where $1 = '' or target_type in ('', $1)
		order by target_type, created_at, id`, queue)
}

func countReplies(ctx context.Context, q pg.Querier) (n int, err error) {
	err = q.QueryRow(ctx, `select count(*) from desk_replies`).Scan(&n)
	return n, err
}

func insertReply(ctx context.Context, tx *pg.Tx, r Reply, now time.Time) error {
	_, err := tx.Exec(ctx, `
		insert into desk_replies (id, target_type, body, created_at)
		values ($1, $2, $3, $4)
		on conflict (target_type, body) do nothing`, pg.NewID(), r.TargetType, r.Body, now)
	return err
}

func deleteReply(ctx context.Context, tx *pg.Tx, id string) error {
	_, err := tx.Exec(ctx, `delete from desk_replies where id = $1`, id)
	return err
}

func forgetSender(ctx context.Context, tx *pg.Tx, account string) error {
	_, err := tx.Exec(ctx, `update desk_queue set sender_id = null where sender_id = $1`, account)
	return err
}

func optional(memo json.RawMessage) *string {
	if memo == nil {
		return nil
	}
	text := string(memo)
	return &text
}
