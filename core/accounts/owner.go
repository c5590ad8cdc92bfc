package accounts

import (
	"context"
	"fmt"

	"homeplace/core"
)

// errGone is heard by a session or token that outlived its account by a moment.
var errGone = core.Unauthenticatedf("This account no longer exists.")

// HasPassword tells whether the viewer's account has one: an account from an
// outside sign-in may have none. Errors: Unauthenticated.
func (a *Access) HasPassword(ctx context.Context, v core.Viewer) (bool, error) {
	if !v.SignedIn() {
		return false, core.Unauthenticatedf("Sign in first, then try again.")
	}
	c, err := a.credentialOf(ctx, v)
	return c.Hash != "", err
}

// prove makes sure that the one who asks knows the password. Tries are counted
// together with those of ChangePassword, so that an open browser gives a
// stranger one set of them.
func (a *Access) prove(ctx context.Context, c credential, password string) error {
	if err := a.allow(ctx, a.guess("password-change", c.ID)); err != nil {
		return err
	}
	matches, err := passwordMatches(ctx, c.Hash, password)
	if err != nil {
		return fmt.Errorf("check password: %w", err)
	}
	if !matches {
		return core.InvalidField("password", "is not your password")
	}
	return nil
}
