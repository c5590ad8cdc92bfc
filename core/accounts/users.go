package accounts

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// UserRule is the paging of Users.
var UserRule = core.PageRule{Default: 50, Max: 100}

// User is an account as administrators see it.
type User struct {
	Account
	Pending    bool       // its e-mail address was never verified
	VerifiedAt *time.Time // when it was
	RoleSince  *time.Time // when the role was last changed; nil where that is not known
}

// UserFilter narrows Users.
type UserFilter struct {
	Query string // part of a username, e-mail address or name
	Roles []Role // none = all
	Page  core.Page
}

// Users lists accounts by username. For administrators. Like the methods below
// it runs as the system: row-level security shows staff neither who is pending
// nor the tokens of others. Errors: Unauthenticated, Forbidden, Invalid.
func (s *Service) Users(ctx context.Context, v core.Viewer, f UserFilter) (core.List[User], error) {
	list := core.List[User]{Page: UserRule.Clamp(f.Page)}
	if err := requireAdmin(v); err != nil {
		return list, err
	}
	var p core.Problems
	p.Query("q", &f.Query)
	for _, role := range f.Roles {
		if _, err := ParseRole(string(role)); err != nil {
			p.Add("role", "%s", core.AsError(err).Fields["role"])
		}
	}
	if err := p.Err(); err != nil {
		return list, err
	}
	f.Page = list.Page
	err := s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) (err error) {
		list.Items, list.Total, err = usersLike(ctx, q, f)
		return err
	})
	if err != nil {
		return list, fmt.Errorf("list users: %w", err)
	}
	return list, nil
}

// User finds an account by its username, and tells how many tokens of it work.
// For administrators. Errors: Unauthenticated, Forbidden, NotFound.
func (s *Service) User(ctx context.Context, v core.Viewer, username string) (u User, tokens int, err error) {
	if err := requireAdmin(v); err != nil {
		return User{}, 0, err
	}
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) (err error) {
		if u, err = userNamed(ctx, q, foldName(username)); err != nil {
			return err
		}
		tokens, err = countLiveTokens(ctx, q, u.ID, s.now())
		return err
	})
	if pg.NoRows(err) {
		return User{}, 0, errNoSuchUser(username)
	}
	if err != nil {
		return User{}, 0, fmt.Errorf("read user: %w", err)
	}
	return u, tokens, nil
}

// Census is how many accounts there are.
type Census struct {
	Members, Moderators, Admins int
	Pending                     int // of all of these; they have still to verify their e-mail address
}

// Census counts the accounts by role. For administrators. Errors:
// Unauthenticated, Forbidden.
func (s *Service) Census(ctx context.Context, v core.Viewer) (c Census, err error) {
	if err := requireAdmin(v); err != nil {
		return Census{}, err
	}
	err = s.db.Read(ctx, core.TheSystem(), func(q pg.Querier) (err error) {
		c, err = census(ctx, q)
		return err
	})
	if err != nil {
		return Census{}, fmt.Errorf("count accounts: %w", err)
	}
	return c, nil
}
