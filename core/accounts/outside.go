package accounts

import (
	"context"
	"fmt"
	"strings"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/provider"
)

// Failures of people who come from an outside provider.
var (
	ErrNoEmail = &core.Error{Kind: core.Forbidden, Code: "no_email",
		Msg: "The sign-in service did not tell us your e-mail address, and an account needs one. Allow it there, or sign up here with a password."}
	ErrLinkFirst = &core.Error{Kind: core.Conflict, Code: "link_first",
		Msg: "There is already an account with this e-mail address. Sign in with its password first, or ask for a new one, then link the other sign-in on your account page."}
)

// newcomer is somebody from outside on the way in.
type newcomer struct {
	provider.Subject
	// pending says that their address is to be verified by mail first.
	pending bool
}

// Admit tells whose account somebody has who signed in at an outside provider,
// and makes one at first use. An account that has the same e-mail address
// already is linked only where the provider and we have both verified that
// address. Where the provider has not and a mail server is configured, the
// answer is ErrUnverified and a mail, whether the address has an account or
// not. Errors: ErrNoEmail; ErrLinkFirst; ErrUnverified; RateLimited.
func (a *Access) Admit(ctx context.Context, s provider.Subject, addressKey string) (Account, error) {
	known, found, err := a.known(ctx, s)
	if err != nil || found && !known.Pending {
		return known.Account, err
	}
	var p core.Problems
	if checkEmail(&p, &s.Email); p.Err() != nil {
		return Account{}, ErrNoEmail
	}
	n := newcomer{Subject: s, pending: a.Mail.Configured() && !s.EmailVerified}
	if n.pending {
		if err := a.allow(ctx, a.mailTries("sign-up", addressKey, s.Email)...); err != nil {
			return Account{}, err
		}
	}
	return a.enter(ctx, n)
}

// Outside admits programs that bring a session JWT of an outside provider.
type Outside struct {
	access   *Access
	verifier verifier
}

type verifier interface {
	Verify(ctx context.Context, token string) (provider.Subject, error)
}

// Outside joins the accounts to the provider whose JWTs the verifier checks.
func (a *Access) Outside(v verifier) *Outside { return &Outside{a, v} }

// Authenticate tells whose account a session JWT stands for, and makes one at
// first use. Nobody can be asked anything here, so an e-mail address counts
// only where the provider has verified it; else the account gets one that
// takes no mail. Nothing is remembered from one call to the next, so that an
// account that ends, ends at once. Errors: Unauthenticated for a token that is
// not valid; ErrLinkFirst; ErrUnverified; Unavailable.
func (o *Outside) Authenticate(ctx context.Context, jwt string) (accountID string, err error) {
	s, err := o.verifier.Verify(ctx, jwt)
	if err != nil {
		return "", err
	}
	known, found, err := o.access.known(ctx, s)
	if err != nil || found && !known.Pending {
		return known.ID, err
	}
	var p core.Problems
	if checkEmail(&p, &s.Email); !s.EmailVerified || p.Err() != nil {
		s.Email, s.EmailVerified = "", false
	}
	account, err := o.access.enter(ctx, newcomer{Subject: s})
	return account.ID, err
}

func (a *Access) known(ctx context.Context, s provider.Subject) (k knownAccount, found bool, err error) {
	err = a.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		k, err = accountByIdentity(ctx, tx, s)
		return err
	})
	if pg.NoRows(err) {
		return knownAccount{}, false, nil
	}
	if err != nil {
		return knownAccount{}, false, fmt.Errorf("look up identity: %w", err)
	}
	return k, true, nil
}

// entrance is how somebody came in, and what their mail is to say of it.
type entrance struct {
	Account
	letter func(context.Context, Account) error // nil = none
	refuse error
}

// enterTries bounds how often a race for a username or an e-mail address is
// run again.
const enterTries = 5

// enter finds or makes the account in one step: of many at once, one makes it.
func (a *Access) enter(ctx context.Context, n newcomer) (Account, error) {
	var e entrance
	var err error
	// Nobody can be told what is wrong with the name: they write another one here.
	if n.Name != "" && judged(ctx, a.Moderator, core.Nobody(), profileText("", n.Name, "", core.Origin{Shared: true})) != core.DecisionApprove {
		n.Name = ""
	}
	for range enterTries {
		err = a.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) (err error) {
			if err = lockIdentity(ctx, tx, n.Subject); err == nil {
				e, err = a.enterTx(ctx, tx, n)
			}
			return err
		})
		if !pg.Violates(err, "accounts_email_key") && !pg.Violates(err, "profiles_username_key") {
			break
		}
	}
	if err != nil {
		return Account{}, fmt.Errorf("admit from outside: %w", err)
	}
	if e.letter != nil {
		a.afterwards(ctx, "a sign-in from outside", func(ctx context.Context) error { return e.letter(ctx, e.Account) })
	}
	if e.refuse != nil {
		return Account{}, e.refuse
	}
	return e.Account, nil
}

func (a *Access) enterTx(ctx context.Context, tx *pg.Tx, n newcomer) (entrance, error) {
	known, err := accountByIdentity(ctx, tx, n.Subject)
	switch {
	case err == nil:
		return a.enterAgain(ctx, tx, n, known)
	case !pg.NoRows(err):
		return entrance{}, err
	}
	holder, err := holderOfEmail(ctx, tx, n.Email)
	switch {
	case err == nil:
		return a.enterKnown(ctx, tx, n, holder)
	case !pg.NoRows(err):
		return entrance{}, err
	}
	fresh, err := a.newcomerAccount(ctx, tx, n)
	if err != nil {
		return entrance{}, err
	}
	tx.Touch(Area)
	if err := insertAccount(ctx, tx, fresh); err != nil {
		return entrance{}, err
	}
	e := entrance{Account: fresh.Account}
	if fresh.pending {
		e.letter, e.refuse = a.sendVerification, ErrUnverified
	}
	return e, insertIdentity(ctx, tx, fresh.ID, n.Subject, a.now())
}

// enterAgain is for who has an account of their own. It stays pending until
// its address is verified, here or by the provider.
func (a *Access) enterAgain(ctx context.Context, tx *pg.Tx, n newcomer, k knownAccount) (entrance, error) {
	switch {
	case !k.Pending:
		return entrance{Account: k.Account}, nil
	case n.EmailVerified && strings.EqualFold(n.Email, k.Email):
		tx.Touch(Area)
		_, err := verifyEmail(ctx, tx, link{AccountID: k.ID, Email: k.Email}, a.now())
		return entrance{Account: k.Account}, err
	case n.pending:
		return entrance{Account: k.Account, letter: a.sendVerification, refuse: ErrUnverified}, nil
	}
	return entrance{refuse: ErrUnverified}, nil
}

// enterKnown is for whose e-mail address has an account. A username is held
// for the reason that remind gives.
func (a *Access) enterKnown(ctx context.Context, tx *pg.Tx, n newcomer, h holder) (entrance, error) {
	switch {
	case n.pending:
		name, err := freeUsername(ctx, tx, n.Subject, a.now())
		if err != nil {
			return entrance{}, err
		}
		remind := func(ctx context.Context, account Account) error {
			return a.mailLink(ctx, account, toRecover, knownLetter)
		}
		return entrance{Account: h.Account, letter: remind, refuse: ErrUnverified}, holdUsername(ctx, tx, name, a.now().Add(pendingAge))
	case !n.EmailVerified || !h.Verified:
		return entrance{refuse: ErrLinkFirst}, nil
	}
	return entrance{Account: h.Account, letter: a.tellOfLink(n.Issuer)}, insertIdentity(ctx, tx, h.ID, n.Subject, a.now())
}

func (a *Access) newcomerAccount(ctx context.Context, tx *pg.Tx, n newcomer) (fresh newAccount, err error) {
	fresh = newAccount{pending: n.pending, Account: Account{ID: pg.NewID(), Email: n.Email, Role: RoleMember, CreatedAt: a.now(),
		DisplayName: displayName(n.Name)}}
	if n.EmailVerified {
		fresh.verifiedAt = &fresh.CreatedAt
	}
	if n.Email == "" {
		fresh.Email = fresh.ID + "@" + noMailDomain
	}
	fresh.Username, err = freeUsername(ctx, tx, n.Subject, a.now())
	return fresh, err
}

func (a *Access) sendVerification(ctx context.Context, account Account) error {
	return a.mailLink(ctx, account, toVerify, verifyLetter)
}

func (a *Access) tellOfLink(issuer string) func(context.Context, Account) error {
	return func(ctx context.Context, account Account) error {
		return a.mail(ctx, account, linkedLetter(a.letter(account, a.Page(AccountPage)), provider.Host(issuer)))
	}
}
