package accounts

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// RequestRecovery mails a link to choose a new password. The answer is the
// same whether the address has an account or not. Errors: Invalid; RateLimited.
func (a *Access) RequestRecovery(ctx context.Context, email, addressKey string) error {
	return a.requestLink(ctx, "recovery", email, addressKey, func(ctx context.Context, c credential) error {
		return a.mailLink(ctx, c.Account, toRecover, recoverLetter)
	})
}

// CheckRecovery tells whose password a mailed link lets choose, without using
// it up. Errors: NotFound for a link that is not good any more.
func (a *Access) CheckRecovery(ctx context.Context, token string) (Account, error) {
	var account Account
	err := a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) error {
		l, err := liveLink(ctx, tx, toRecover, hashToken(token), a.now())
		if err != nil {
			return err
		}
		account, err = accountByID(ctx, tx, l.AccountID)
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

// Recover uses a mailed link: the account has the new password, is signed out
// everywhere, and its e-mail address counts as verified. It may be the first
// password that the account has. Errors: Invalid at
// password, which leaves the link good; NotFound for a link that is not.
func (a *Access) Recover(ctx context.Context, token, newPassword string) (Account, error) {
	account, err := a.CheckRecovery(ctx, token)
	if err != nil {
		return Account{}, err
	}
	if err := EnsureStrong(newPassword, account.Username, account.Email); err != nil {
		return Account{}, err
	}
	hash, err := hashPassword(ctx, newPassword)
	if err != nil {
		return Account{}, err
	}
	account, err = a.use(ctx, toRecover, token, func(tx *pg.Tx, l link) error {
		if _, err := updatePassword(ctx, tx, l.AccountID, passwordChange{to: hash}, a.now()); err != nil {
			return err
		}
		if l.Unverified {
			// Whoever linked a sign-in need not be who reads these mails.
			if err := deleteIdentities(ctx, tx, l.AccountID); err != nil {
				return err
			}
		}
		if _, err := a.Sessions.EndAllTx(ctx, tx, l.AccountID, ""); err != nil {
			return err
		}
		return deleteLinks(ctx, tx, l.AccountID, toChangeEmail)
	})
	if err != nil {
		return Account{}, err
	}
	a.tellOfChange(ctx, account)
	return account, nil
}

// use spends a one-time link together with its effect. Whoever could open it
// reads the mails of that address, so the address is verified.
func (a *Access) use(ctx context.Context, p purpose, token string, effect func(tx *pg.Tx, l link) error) (account Account, err error) {
	err = a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		l, err := spendLink(ctx, tx, p, hashToken(token), a.now())
		if err != nil {
			return err
		}
		tx.Touch(Area)
		verified, err := verifyEmail(ctx, tx, l, a.now())
		if err != nil {
			return err
		}
		if !verified {
			return errBadLink
		}
		if err := effect(tx, l); err != nil {
			return err
		}
		account, err = accountByID(ctx, tx, l.AccountID)
		return err
	})
	if pg.NoRows(err) {
		return Account{}, errBadLink
	}
	if err != nil {
		return Account{}, fmt.Errorf("use link to %s: %w", p.name, err)
	}
	return account, nil
}
