package accounts

import (
	"context"
	"errors"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// SignUpInput is what a person fills in to get an account.
type SignUpInput struct {
	Email       string
	Username    string
	DisplayName string // may be empty
	Password    string
	AddressKey  string // who is counted; see httpx.AddrKey
	Shared      bool   // many people may stand behind the address
}

func (in *SignUpInput) normalize() {
	base := Input{Email: in.Email, Username: in.Username}
	base.Normalize()
	in.Email, in.Username = base.Email, base.Username
}

func (in *SignUpInput) validate() error {
	var p core.Problems
	checkEmail(&p, &in.Email)
	checkUsername(&p, in.Username, RoleMember)
	checkDisplayName(&p, &in.DisplayName)
	checkStrong(&p, "password", in.Password, in.Username, in.Email)
	return p.Err()
}

// Outcome is how a sign-up went.
type Outcome struct {
	// CheckMail says that a mail is on its way, whether the address had an
	// account before or not. Else Account works at once.
	CheckMail bool
	// Account is the new account. Where the address had one before it is made
	// up, so that nobody can tell the two apart.
	Account Account
}

// SignUp makes an account. Its display name goes through the moderation pipeline
// as that of UpdateProfile does. With a mail server it cannot be used until Verify,
// and an address that has an account already gets a mail that says so, beside
// the same answer. Without one the account works at once, and the only way to
// refuse a second account is to say that the address has one. Errors: Invalid,
// with the code spam for a name that was rejected; Conflict where the username, or so the address, is taken, with the field;
// RateLimited.
func (a *Access) SignUp(ctx context.Context, in SignUpInput) (Outcome, error) {
	in.normalize()
	if err := in.validate(); err != nil {
		return Outcome{}, err
	}
	if err := a.allow(ctx, a.mailTries("sign-up", in.AddressKey, in.Email)...); err != nil {
		return Outcome{}, err
	}
	hash, err := hashPassword(ctx, in.Password)
	if err != nil {
		return Outcome{}, err
	}
	fresh := newAccount{passwordHash: hash, pending: a.Mail.Configured(), Account: Account{
		ID: pg.NewID(), Email: in.Email, Username: in.Username, Role: RoleMember, CreatedAt: a.now()}}
	if err := a.name(ctx, &fresh, in); err != nil {
		return Outcome{}, err
	}
	err = a.store(ctx, fresh)
	switch {
	case errors.Is(err, errEmailTaken) && fresh.pending:
		return a.remind(ctx, fresh.Account)
	case err != nil:
		return Outcome{}, err
	case !fresh.pending:
		return Outcome{Account: fresh.Account}, nil
	}
	a.afterwards(ctx, "verify", func(ctx context.Context) error {
		return a.mailLink(ctx, fresh.Account, toVerify, verifyLetter)
	})
	return Outcome{CheckMail: true, Account: fresh.Account}, nil
}

// name gives the account its display name, or lets the name wait for a moderator.
func (a *Access) name(ctx context.Context, fresh *newAccount, in SignUpInput) error {
	if in.DisplayName == "" {
		return nil
	}
	decision := judged(ctx, a.Moderator, core.Nobody(), profileText(fresh.ID, in.DisplayName, "", core.Origin{AddressKey: in.AddressKey, Shared: in.Shared}))
	switch decision {
	case core.DecisionReject:
		return errSpam("display_name")
	case core.DecisionReview:
		fresh.held = &Review{AccountID: fresh.ID, DisplayName: &in.DisplayName, Status: ReviewWaiting, CreatedAt: a.now()}
	default:
		fresh.DisplayName = &in.DisplayName
	}
	return nil
}

var (
	errEmailTaken    = taken("email", "email_taken", "There is already an account with this e-mail address. Sign in, or ask for a new password.")
	errUsernameTaken = taken("username", "username_taken", "This username is taken. Choose another, or sign in if it is yours.")
)

func taken(field, code, msg string) *core.Error {
	return &core.Error{Kind: core.Conflict, Code: code, Msg: msg, Fields: map[string]string{field: msg}}
}

// store asks for the username first: whether that is taken is no secret, and
// must read the same for an address that has an account.
func (a *Access) store(ctx context.Context, fresh newAccount) error {
	err := a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		inUse, err := usernameInUse(ctx, tx, fresh.Username, fresh.CreatedAt)
		if err != nil {
			return err
		}
		if inUse {
			return errUsernameTaken
		}
		return insertAccount(ctx, tx, fresh)
	})
	switch {
	case pg.Violates(err, "accounts_email_key"):
		return errEmailTaken
	case pg.Violates(err, "profiles_username_key"):
		return errUsernameTaken
	case err != nil:
		return fmt.Errorf("sign up: %w", err)
	}
	return nil
}

// remind answers a sign-up with an address that has an account. The username
// that was asked for is held for as long as a real sign-up would hold it; else
// asking for it again would tell the two apart.
func (a *Access) remind(ctx context.Context, asked Account) (Outcome, error) {
	err := a.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		return holdUsername(ctx, tx, asked.Username, a.now().Add(pendingAge))
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("sign up: %w", err)
	}
	a.afterwards(ctx, "an account that is there already", func(ctx context.Context) error {
		known, found, err := a.find(ctx, asked.Email)
		if err != nil || !found {
			return err
		}
		return a.mailLink(ctx, known.Account, toRecover, knownLetter)
	})
	return Outcome{CheckMail: true, Account: asked}, nil
}

// Verify uses a mailed link: the account can sign in and its profile shows.
// Errors: NotFound for a link that is not good any more.
func (a *Access) Verify(ctx context.Context, token string) (Account, error) {
	return a.use(ctx, toVerify, token, func(tx *pg.Tx, l link) error { return nil })
}

// ResendVerification mails another link, and ends the one before. The answer
// is the same whether the address waits for one or not. Errors: Invalid;
// RateLimited.
func (a *Access) ResendVerification(ctx context.Context, email, addressKey string) error {
	return a.requestLink(ctx, "verification", email, addressKey, func(ctx context.Context, c credential) error {
		if !c.Pending {
			return nil
		}
		return a.mailLink(ctx, c.Account, toVerify, verifyLetter)
	})
}

// requestLink checks and counts a request for a mail, and sees to it after the
// answer where the address has an account.
func (a *Access) requestLink(ctx context.Context, what, email, addressKey string, send func(ctx context.Context, c credential) error) error {
	var p core.Problems
	checkEmail(&p, &email)
	if err := p.Err(); err != nil {
		return err
	}
	if err := a.allow(ctx, a.mailTries(what, addressKey, email)...); err != nil {
		return err
	}
	a.afterwards(ctx, what, func(ctx context.Context) error {
		c, found, err := a.find(ctx, email)
		if err != nil || !found {
			return err
		}
		return send(ctx, c)
	})
	return nil
}
