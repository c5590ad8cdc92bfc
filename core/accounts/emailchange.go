package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
)

// RequestEmailChange mails a link to the new address, and a notice to the old
// one. Nothing changes until ConfirmEmailChange. Whether the new address has an
// account makes no difference to the answer, nor to what WaitingEmail tells.
// An earlier link ends. Errors: Unauthenticated; Invalid at email or password;
// Conflict with no_password; RateLimited.
func (a *Access) RequestEmailChange(ctx context.Context, v core.Viewer, newEmail, password, addressKey string) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to change your e-mail address.")
	}
	c, err := a.credentialOf(ctx, v)
	if err != nil {
		return err
	}
	if c.Hash == "" {
		return errNoPassword
	}
	var p core.Problems
	checkEmail(&p, &newEmail)
	if strings.EqualFold(newEmail, c.Email) {
		p.Add("email", "is your address already")
	}
	if password == "" {
		p.Add("password", "is required")
	}
	if err := p.Err(); err != nil {
		return err
	}
	if err := a.prove(ctx, c, password); err != nil {
		return err
	}
	tries := append(a.mailTries("email-change", addressKey, newEmail), a.mailTries("email-change-of", c.ID, c.ID)...)
	if err := a.allow(ctx, tries...); err != nil {
		return err
	}
	asked := c.Account
	asked.Email = newEmail
	token := rand.Text()
	err = a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		held, err := holdPassword(ctx, tx, c.ID, c.Hash)
		if err != nil {
			return err
		}
		if !held {
			return errPasswordChanged
		}
		return upsertLink(ctx, tx, asked, toChangeEmail, hashToken(token), a.now())
	})
	if err != nil {
		return fmt.Errorf("ask for another address: %w", err)
	}
	a.afterwards(ctx, "another address", func(ctx context.Context) error {
		notice := a.mail(ctx, c.Account, emailAskedLetter(a.letter(c.Account, a.Page(RecoverPage))))
		return errors.Join(notice, a.mailEmailLink(ctx, asked, token))
	})
	return nil
}

// mailEmailLink tells an address that has an account so: its link is then
// known to nobody.
func (a *Access) mailEmailLink(ctx context.Context, asked Account, token string) error {
	var known Account
	err := a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		known, err = accountByEmail(ctx, tx, asked.Email)
		return err
	})
	switch {
	case err == nil:
		return a.mail(ctx, asked, emailKnownLetter(a.letter(known, a.Page("sign-in"))))
	case !pg.NoRows(err):
		return fmt.Errorf("look up account: %w", err)
	}
	return a.mail(ctx, asked, emailConfirmLetter(a.letter(asked, a.linkAddress(toChangeEmail, token))))
}

// WaitingEmail is an address that waits for its link to be used.
type WaitingEmail struct {
	Email     string
	ExpiresAt time.Time
}

// WaitingEmail tells which address the viewer's account will have once the
// link that was mailed there is used. Errors: Unauthenticated.
func (a *Access) WaitingEmail(ctx context.Context, v core.Viewer) (w WaitingEmail, waits bool, err error) {
	if !v.SignedIn() {
		return w, false, core.Unauthenticatedf("Sign in to see your e-mail address.")
	}
	err = a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		w, err = waitingEmail(ctx, tx, v.ID, a.now())
		return err
	})
	if pg.NoRows(err) {
		return WaitingEmail{}, false, nil
	}
	if err != nil {
		return WaitingEmail{}, false, fmt.Errorf("look up a waiting address: %w", err)
	}
	return w, true, nil
}

// CheckEmailChange tells what a mailed link would change, without using it up:
// the account, with the address that it would have. Errors: NotFound for a link
// that is not good any more.
func (a *Access) CheckEmailChange(ctx context.Context, token string) (account Account, err error) {
	err = a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) error {
		l, err := liveLink(ctx, tx, toChangeEmail, hashToken(token), a.now())
		if err != nil {
			return err
		}
		account, err = accountByID(ctx, tx, l.AccountID)
		account.Email = l.Email
		return err
	})
	if pg.NoRows(err) {
		return Account{}, errBadLink
	}
	if err != nil {
		return Account{}, fmt.Errorf("check link: %w", err)
	}
	return account, nil
}

// ConfirmEmailChange uses a mailed link: the account has the new address, and
// links that were mailed to the old one end. A sign-up with the new address that
// nobody confirmed gives way. The old address is told. Errors:
// NotFound for a link that is not good any more; Conflict with email_taken
// where another account was quicker.
func (a *Access) ConfirmEmailChange(ctx context.Context, token string) (Account, error) {
	var former, account Account
	err := a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		l, err := liveLink(ctx, tx, toChangeEmail, hashToken(token), a.now())
		if err != nil {
			return err
		}
		// The account before the link, as Leave locks them.
		if former, err = lockAccount(ctx, tx, l.AccountID); err != nil {
			return err
		}
		if l, err = spendLink(ctx, tx, toChangeEmail, hashToken(token), a.now()); err != nil {
			return err
		}
		if err := deleteUnconfirmed(ctx, tx, l.Email); err != nil {
			return err
		}
		if err := updateEmail(ctx, tx, l, a.now()); err != nil {
			return err
		}
		if err := deleteLinks(ctx, tx, l.AccountID, toRecover, toVerify); err != nil {
			return err
		}
		account, err = accountByID(ctx, tx, l.AccountID)
		return err
	})
	switch {
	case pg.NoRows(err):
		return Account{}, errBadLink
	case pg.Violates(err, "accounts_email_key"):
		return Account{}, core.Conflictf("email_taken", "Another account has this e-mail address by now, so yours keeps the one that it has.")
	case err != nil:
		return Account{}, fmt.Errorf("change the address: %w", err)
	}
	a.afterwards(ctx, "a changed address", func(ctx context.Context) error {
		return a.mail(ctx, former, emailChangedLetter(a.letter(former, a.contact())))
	})
	return account, nil
}
