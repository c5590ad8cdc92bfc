package accounts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core/pg"
)

// selectUsers takes from the log since when somebody has their role: an account
// keeps the role alone.
const selectUsers = `
	select a.id, a.email, p.username, p.display_name, p.bio, p.avatar_url, p.leaderboard_opt_out, a.role, a.created_at,
		p.pending, a.email_verified_at as verified_at,
		(select max(l.created_at) from audit_log l
		 where l.about_type = 'account' and l.about_id = a.id::text and l.kind = 'role_changed') as role_since
	from accounts a
	join profiles p on p.account_id = a.id `

// usersLike compares without case. A sign in the query stands for itself.
func usersLike(ctx context.Context, q pg.Querier, f UserFilter) (list []User, total int, err error) {
	const condition = `
	where (@query = '' or position(lower(@query) in p.username::text) > 0 or position(lower(@query) in lower(a.email::text)) > 0
			or position(lower(@query) in lower(coalesce(p.display_name, ''))) > 0)
		and (cardinality(@roles::text[]) = 0 or a.role = any (@roles::text[]))`
	roles := make([]string, len(f.Roles))
	for i, role := range f.Roles {
		roles[i] = string(role)
	}
	args := pgx.StrictNamedArgs{"query": f.Query, "roles": roles}
	err = q.QueryRow(ctx, `select count(*) from accounts a join profiles p on p.account_id = a.id `+condition, args).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Page.Limit, f.Page.Offset
	list, err = pg.All[User](ctx, q, selectUsers+condition+`
	order by p.username, a.id
	limit @limit offset @offset`, args)
	return list, total, err
}

func userNamed(ctx context.Context, q pg.Querier, username string) (User, error) {
	return pg.One[User](ctx, q, selectUsers+`where p.username = $1`, username)
}

func census(ctx context.Context, q pg.Querier) (Census, error) {
	return pg.One[Census](ctx, q, `
		select count(*) filter (where a.role = 'member') as members, count(*) filter (where a.role = 'moderator') as moderators,
			count(*) filter (where a.role = 'admin') as admins, count(*) filter (where p.pending) as pending
		from accounts a
		join profiles p on p.account_id = a.id`)
}

// lockAccountNamed makes those wait who would change the account.
func lockAccountNamed(ctx context.Context, tx *pg.Tx, username string) (Account, error) {
	return pg.One[Account](ctx, tx, selectAccount+`where p.username = $1 for update of a`, username)
}

func updateRole(ctx context.Context, tx *pg.Tx, id string, role Role, now time.Time) error {
	_, err := tx.Exec(ctx, `update accounts set role = $2, updated_at = $3 where id = $1`, id, role, now)
	return err
}
