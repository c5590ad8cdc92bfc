package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/provider"
)

var (
	errNoSuchIdentity  = core.NotFoundf("You have no such linked sign-in; it may be unlinked already.")
	errLinkedElsewhere = core.Conflictf("linked_elsewhere", "This sign-in belongs to another account here. Sign in with it and unlink it there first.")
	errOnlyWayIn       = core.Conflictf("only_way_in", "This is the only way into your account. Choose a password first, with a link that we mail you.")
)

// Identity is an outside sign-in that leads into an account.
type Identity struct {
	ID        string
	Issuer    string
	Email     *string // as the provider gave it when the link was made
	CreatedAt time.Time
}

// WaysIn are what somebody can sign in with.
type WaysIn struct {
	Password   bool
	Identities []Identity // oldest first
}

// WaysIn tells what the viewer can sign in with.
func (a *Access) WaysIn(ctx context.Context, v core.Viewer) (w WaysIn, err error) {
	if !v.SignedIn() {
		return WaysIn{}, core.Unauthenticatedf("Sign in to see your account.")
	}
	err = a.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		w.Identities, err = identitiesOf(ctx, tx, v.ID)
		return err
	})
	if err == nil {
		err = a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
			w.Password, err = hasPassword(ctx, tx, v.ID)
			return err
		})
	}
	if err != nil {
		return WaysIn{}, fmt.Errorf("list ways in: %w", err)
	}
	return w, nil
}

// Link lets an outside sign-in lead into the viewer's account. Linking twice
// is no error. Errors: Conflict where it leads into another one.
func (a *Access) Link(ctx context.Context, v core.Viewer, s provider.Subject) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to link another sign-in.")
	}
	var e entrance
	err := a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		if err := lockIdentity(ctx, tx, s); err != nil {
			return err
		}
		known, err := accountByIdentity(ctx, tx, s)
		switch {
		case err == nil && known.ID != v.ID:
			return errLinkedElsewhere
		case err == nil || !pg.NoRows(err):
			return err
		}
		if e.Account, err = accountByID(ctx, tx, v.ID); err != nil {
			return err
		}
		e.letter = a.tellOfLink(s.Issuer)
		return insertIdentity(ctx, tx, v.ID, s, a.now())
	})
	if pg.NoRows(err) {
		return core.Unauthenticatedf("This account no longer exists.")
	}
	if err != nil {
		return fmt.Errorf("link identity: %w", err)
	}
	if e.letter != nil {
		a.afterwards(ctx, "a linked sign-in", func(ctx context.Context) error { return e.letter(ctx, e.Account) })
	}
	return nil
}

// Unlink ends an outside sign-in of the viewer's own. Errors: NotFound;
// Conflict where nothing else leads into the account.
func (a *Access) Unlink(ctx context.Context, v core.Viewer, id string) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to unlink a sign-in.")
	}
	if !core.ValidID(id) {
		return errNoSuchIdentity
	}
	err := a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		if _, err := lockAccount(ctx, tx, v.ID); err != nil { // of two at once, the second sees what is left
			return err
		}
		found, err := deleteIdentity(ctx, tx, v.ID, id)
		if err != nil {
			return err
		}
		if !found {
			return errNoSuchIdentity
		}
		left, err := identitiesOf(ctx, tx, v.ID)
		if err != nil || len(left) > 0 {
			return err
		}
		safe, err := hasPassword(ctx, tx, v.ID)
		if err == nil && !safe {
			err = errOnlyWayIn
		}
		return err
	})
	if err != nil && !errors.Is(err, errNoSuchIdentity) {
		return fmt.Errorf("unlink identity: %w", err)
	}
	return err
}
