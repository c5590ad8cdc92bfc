package accounts

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"homeplace/core"
	"homeplace/core/pg"
)

// SignInInput is what a person fills in to get in.
type SignInInput struct {
	Name       string // e-mail address or username
	Password   string
	AddressKey string // who is counted; see httpx.AddrKey
}

// Failures of SignIn. The first is the same for every reason; the second only
// hears who knows the password, and calls for the offer to send the mail again.
var (
	ErrWrongCredentials = &core.Error{Kind: core.Unauthenticated, Code: "invalid_credentials",
		Msg: "The name and the password do not fit together. Check both, or ask for a new password."}
	ErrUnverified = &core.Error{Kind: core.Forbidden, Code: "email_unverified",
		Msg: "Please confirm your e-mail address first, with the link in the mail that we sent you. We can send it again."}
)

// decoy is what the password of somebody unknown is compared with: it costs
// as much as a real one and fits none.
var decoy = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
	base64.RawStdEncoding.EncodeToString(make([]byte, argonSalt)), base64.RawStdEncoding.EncodeToString(make([]byte, argonKey)))

// credential is an account with what signing in needs to know of it.
type credential struct {
	Account
	Hash    string // empty where the account has no password
	Pending bool
}

// SignIn tells whose name and password these are. Errors: Invalid for an empty
// field; ErrWrongCredentials; ErrUnverified; RateLimited.
func (a *Access) SignIn(ctx context.Context, in SignInInput) (Account, error) {
	name := foldName(in.Name)
	var p core.Problems
	if name == "" {
		p.Add("name", "is required")
	}
	if in.Password == "" {
		p.Add("password", "is required")
	}
	if err := p.Err(); err != nil {
		return Account{}, err
	}
	if err := a.allow(ctx, a.guess("sign-in-address", in.AddressKey), a.guess("sign-in-account", name)); err != nil {
		return Account{}, err
	}
	c, found, err := a.find(ctx, name)
	if err != nil {
		return Account{}, err
	}
	if found = found && c.Hash != ""; !found {
		c.Hash = decoy
	}
	matches, err := passwordMatches(ctx, c.Hash, in.Password)
	switch {
	case err != nil:
		return Account{}, fmt.Errorf("sign in: %w", err)
	case !matches || !found:
		return Account{}, ErrWrongCredentials
	case c.Pending:
		return Account{}, ErrUnverified
	}
	return c.Account, nil
}

// find looks an account up by e-mail address or username.
func (a *Access) find(ctx context.Context, name string) (c credential, found bool, err error) {
	if name = foldName(name); !usernameForm.MatchString(name) {
		var p core.Problems
		if checkEmail(&p, &name); p.Err() != nil {
			// The database need not see what cannot be there; some of it, such
			// as a zero byte, it would not even take.
			name = ""
		}
	}
	err = a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		if strings.Contains(name, "@") {
			c, err = credentialByEmail(ctx, tx, name)
		} else {
			c, err = credentialByUsername(ctx, tx, name)
		}
		return err
	})
	if pg.NoRows(err) {
		return credential{}, false, nil
	}
	if err != nil {
		return credential{}, false, fmt.Errorf("look up account: %w", err)
	}
	return c, true, nil
}

// ChangePassword gives the viewer's account another password, and signs it out
// everywhere but in the session with the id keepSession. That session should
// get a new token afterwards. Errors: Invalid at old_password or new_password;
// Conflict where the password was changed in the meantime, or there is none;
// RateLimited.
func (a *Access) ChangePassword(ctx context.Context, v core.Viewer, oldPassword, newPassword, keepSession string) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to change your password.")
	}
	if err := a.allow(ctx, a.guess("password-change", v.ID)); err != nil {
		return err
	}
	c, err := a.credentialOf(ctx, v)
	if err != nil {
		return err
	}
	hash, err := a.checkChange(ctx, c, oldPassword, newPassword)
	if err != nil {
		return err
	}
	err = a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		changed, err := updatePassword(ctx, tx, v.ID, passwordChange{from: c.Hash, to: hash}, a.now())
		if err != nil {
			return err
		}
		if !changed {
			return errPasswordChanged
		}
		return a.endAll(ctx, tx, v.ID, keepSession)
	})
	if err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	a.tellOfChange(ctx, c.Account)
	return nil
}

var errNoPassword = core.Conflictf("no_password",
	"Your account has no password yet. Ask for a link to choose one at /recover; we mail it to you.")

// credentialOf is the viewer's account. Its Hash is empty where it has no
// password.
func (a *Access) credentialOf(ctx context.Context, v core.Viewer) (c credential, err error) {
	err = a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		c, err = credentialByID(ctx, tx, v.ID)
		return err
	})
	if pg.NoRows(err) {
		return c, errGone
	}
	if err != nil {
		return c, fmt.Errorf("look up account: %w", err)
	}
	return c, nil
}

var errPasswordChanged = core.Conflictf("password_changed", "The password was changed in the meantime. Please sign in again.")

// checkChange returns the hash of a new password that may take the place of
// the old one.
func (a *Access) checkChange(ctx context.Context, c credential, oldPassword, newPassword string) (hash string, err error) {
	if c.Hash == "" {
		return "", errNoPassword
	}
	matches, err := passwordMatches(ctx, c.Hash, oldPassword)
	if err != nil {
		return "", fmt.Errorf("change password: %w", err)
	}
	var p core.Problems
	if !matches {
		p.Add("old_password", "is not your password now")
	}
	checkStrong(&p, "new_password", newPassword, c.Username, c.Email)
	if matches && newPassword == oldPassword {
		p.Add("new_password", "must differ from the old one")
	}
	if err := p.Err(); err != nil {
		return "", err
	}
	return hashPassword(ctx, newPassword)
}

// endAll ends what an older password has opened.
func (a *Access) endAll(ctx context.Context, tx *pg.Tx, accountID, keepSession string) error {
	if _, err := a.Sessions.EndAllTx(ctx, tx, accountID, keepSession); err != nil {
		return err
	}
	return deleteLinks(ctx, tx, accountID, toRecover, toChangeEmail)
}

func (a *Access) tellOfChange(ctx context.Context, account Account) {
	a.afterwards(ctx, "a changed password", func(ctx context.Context) error {
		return a.mail(ctx, account, changedLetter(a.letter(account, a.Page(RecoverPage))))
	})
}
