package accounts

import (
	"context"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

const (
	// leftNameAge is how long a username stays taken once its account is gone,
	// so that nobody passes for who just left.
	leftNameAge = 30 * 24 * time.Hour
	// freshSignIn is how long ago somebody without a password may have signed
	// in to leave.
	freshSignIn = 10 * time.Minute
)

// Keeping is what becomes of what a member contributed.
type Keeping string

// The choices; there is no default.
const (
	KeepContributions   Keeping = "keep" // without the name
	RemoveContributions Keeping = "remove"
)

// LeaveInput is what a member fills in to leave for good.
type LeaveInput struct {
	Contributions Keeping
	Password      string

	// Of an account without a password instead: its username, typed anew, and
	// the session that asks, which must have begun within ten minutes.
	Username  string
	SessionID string
}

// Errors of Leave that are about the account and not about the input.
var (
	errLastAdmin = core.Conflictf("last_admin",
		"You are the only administrator here. Appoint another one first, then come back.")
	errSignInAgain = core.Conflictf("sign_in_again",
		"Please sign out and in again, then come back within ten minutes, so that we can be sure it is you.")
)

// Leave deletes the viewer's account: profile, sessions, tokens and links end
// with it at once on every instance, and every area of Needs.Leavers does its
// part in the same transaction. The username stays taken for 30 days. A last
// mail says that it is done. Errors: Unauthenticated; Invalid at contributions,
// password or username; Conflict with last_admin, sign_in_again or
// password_changed; RateLimited.
func (a *Access) Leave(ctx context.Context, v core.Viewer, in LeaveInput) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to delete your account.")
	}
	c, err := a.credentialOf(ctx, v)
	if err != nil {
		return err
	}
	if err := in.validate(c); err != nil {
		return err
	}
	if c.Hash != "" {
		if err := a.prove(ctx, c, in.Password); err != nil {
			return err
		}
	}
	err = a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		remove := in.Contributions == RemoveContributions
		if err := a.settle(ctx, tx, c.ID, remove); err != nil {
			return err
		}
		if err := a.mayLeave(ctx, tx, c, in); err != nil {
			return err
		}
		if err := a.settle(ctx, tx, c.ID, remove); err != nil {
			return err
		}
		return a.end(ctx, tx, c.Account)
	})
	if pg.NoRows(err) {
		return errGone
	}
	if err != nil {
		return fmt.Errorf("delete account: %w", err)
	}
	a.afterwards(ctx, "a deleted account", func(ctx context.Context) error {
		return a.mail(ctx, c.Account, goodbyeLetter(a.letter(c.Account, a.Page())))
	})
	return nil
}

func (in *LeaveInput) validate(c credential) error {
	var p core.Problems
	switch in.Contributions {
	case KeepContributions, RemoveContributions:
	default:
		p.Add("contributions", "is for you to choose: keep them or remove them")
	}
	switch {
	case c.Hash != "" && in.Password == "":
		p.Add("password", "is required")
	case c.Hash == "" && foldName(in.Username) != c.Username:
		p.Add("username", "must be your username, %s", c.Username)
	}
	return p.Err()
}

// mayLeave locks the account: whoever writes in its name at this moment
// finishes first or comes too late. What was proved before must still be so.
func (a *Access) mayLeave(ctx context.Context, tx *pg.Tx, c credential, in LeaveInput) error {
	account, err := lockAccount(ctx, tx, c.ID)
	if err != nil {
		return err
	}
	held, err := holdPassword(ctx, tx, c.ID, c.Hash)
	if err != nil {
		return err
	}
	if !held {
		return errPasswordChanged
	}
	if c.Hash == "" {
		at, found, err := a.Sessions.StartedTx(ctx, tx, c.ID, in.SessionID)
		if err != nil {
			return err
		}
		if !found || a.now().Sub(at) > freshSignIn {
			return errSignInAgain
		}
	}
	if account.Role != RoleAdmin {
		return nil
	}
	others, err := otherAdmins(ctx, tx, c.ID)
	if err == nil && others == 0 {
		return errLastAdmin
	}
	return err
}

// settle lets every area do its part.
func (a *Access) settle(ctx context.Context, tx *pg.Tx, accountID string, remove bool) error {
	for _, area := range a.Leavers {
		if err := area.LeaveTx(ctx, tx, accountID, remove); err != nil {
			return err
		}
	}
	return nil
}

func (a *Access) end(ctx context.Context, tx *pg.Tx, account Account) error {
	if err := holdUsername(ctx, tx, account.Username, a.now().Add(leftNameAge)); err != nil {
		return err
	}
	tx.Touch(Area)
	return deleteAccount(ctx, tx, account.ID)
}
