package accounts

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/pg"
)

// Service answers for accounts, profiles and tokens.
type Service struct {
	db        *pg.DB
	now       core.Clock
	moderator moderator // nil takes profile texts as they are
	audit     auditor   // nil keeps nothing
}

// New makes the service.
func New(db *pg.DB, now core.Clock) *Service { return &Service{db: db, now: now} }

// WithModerator is the service with a moderator for profile texts.
func (s *Service) WithModerator(m moderator) *Service {
	judged := *s
	judged.moderator = m
	return &judged
}

// errBadToken is the same for every reason, so that nobody learns which
// tokens once existed.
var errBadToken = core.Unauthenticatedf("This token is not valid: it may be mistyped, expired or revoked. Make a new one at /account/tokens.")

// Create makes an account whose e-mail address counts as verified. For the
// command line, which runs as the system. Errors: Invalid; Conflict where e-mail or username is taken.
func (s *Service) Create(ctx context.Context, v core.Viewer, in Input) (Account, error) {
	if v.Role != core.System {
		return Account{}, core.Forbiddenf("Only the system makes accounts.")
	}
	in.Normalize()
	if err := in.Validate(); err != nil {
		return Account{}, err
	}
	hash, err := hashPassword(ctx, in.Password)
	if err != nil {
		return Account{}, err
	}
	a := Account{ID: pg.NewID(), Email: in.Email, Username: in.Username, Role: in.Role, CreatedAt: s.now()}
	fresh := newAccount{Account: a, passwordHash: hash, verifiedAt: &a.CreatedAt}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error { return insertAccount(ctx, tx, fresh) })
	switch {
	case pg.Violates(err, "accounts_email_key"):
		return Account{}, core.Conflictf("email_taken", "There is already an account with the e-mail address %s.", in.Email)
	case pg.Violates(err, "profiles_username_key"):
		return Account{}, core.Conflictf("username_taken", "The username %s is taken; choose another.", in.Username)
	case err != nil:
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	return a, nil
}

// Me reads the viewer's own account, with the texts of the profile as they wrote
// them also while these wait for a moderator. Errors: Unauthenticated for nobody.
func (s *Service) Me(ctx context.Context, v core.Viewer) (Account, error) {
	if !v.SignedIn() {
		return Account{}, core.Unauthenticatedf("Sign in, or send a bearer token, to see your account.")
	}
	var a Account
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		a, err = ownAccount(ctx, tx, v.ID)
		return err
	})
	if pg.NoRows(err) {
		return Account{}, core.Unauthenticatedf("This account no longer exists.")
	}
	return a, err
}

// ByUsername finds an account. For the command line, as the system.
func (s *Service) ByUsername(ctx context.Context, v core.Viewer, username string) (Account, error) {
	if v.Role != core.System {
		return Account{}, core.Forbiddenf("Only the system looks accounts up by name.")
	}
	var a Account
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		a, err = accountByUsername(ctx, tx, username)
		return err
	})
	if pg.NoRows(err) {
		return Account{}, errNoSuchUser(username)
	}
	return a, err
}

func errNoSuchUser(username string) *core.Error {
	return core.NotFoundf("There is no account with the username %q.", username)
}

// CreateToken makes a personal token of the viewer's own and returns it: it is
// shown this once and cannot be had again. Errors: Invalid; Conflict at
// MaxTokens live tokens.
func (s *Service) CreateToken(ctx context.Context, v core.Viewer, in TokenInput) (token string, t Token, err error) {
	if !v.SignedIn() {
		return "", Token{}, core.Unauthenticatedf("Sign in to make a token.")
	}
	if err := in.validate(s.now()); err != nil {
		return "", Token{}, err
	}
	token = newToken()
	t = Token{ID: pg.NewID(), Label: in.Label, LastFour: token[len(token)-4:], CreatedAt: s.now(), ExpiresAt: in.ExpiresAt}
	err = s.db.Write(ctx, v, func(tx *pg.Tx) error {
		if err := lockTokens(ctx, tx, v.ID); err != nil {
			return err
		}
		live, err := countLiveTokens(ctx, tx, v.ID, s.now())
		if err != nil {
			return err
		}
		if live >= MaxTokens {
			return core.Conflictf("too_many_tokens", "An account has at most %d live tokens. Revoke one that you no longer use.", MaxTokens)
		}
		return insertToken(ctx, tx, v.ID, t, hashToken(token))
	})
	if err != nil {
		return "", Token{}, fmt.Errorf("create token: %w", err)
	}
	return token, t, nil
}

// ListTokens returns the viewer's tokens, newest first, revoked ones too.
func (s *Service) ListTokens(ctx context.Context, v core.Viewer) ([]Token, error) {
	if !v.SignedIn() {
		return nil, core.Unauthenticatedf("Sign in to see your tokens.")
	}
	var tokens []Token
	err := s.db.Read(ctx, v, func(tx pg.Querier) (err error) {
		tokens, err = tokensOf(ctx, tx, v.ID)
		return err
	})
	return tokens, err
}

// RevokeToken ends a token of the viewer's own; it stops working at once on
// every instance. Revoking twice is no error.
func (s *Service) RevokeToken(ctx context.Context, v core.Viewer, id string) error {
	if !v.SignedIn() {
		return core.Unauthenticatedf("Sign in to revoke a token.")
	}
	if !core.ValidID(id) {
		return core.NotFoundf("You have no such token.")
	}
	return s.db.Write(ctx, v, func(tx *pg.Tx) error {
		found, err := revokeToken(ctx, tx, v.ID, id, s.now())
		if err != nil {
			return fmt.Errorf("revoke token: %w", err)
		}
		if !found {
			return core.NotFoundf("You have no such token.")
		}
		return nil
	})
}

// Authenticate turns a bearer credential into its viewer. Every instance asks
// the database each time, so that revoking works at once. Errors:
// Unauthenticated, the same for every reason.
func (s *Service) Authenticate(ctx context.Context, bearer string) (core.Viewer, error) {
	if !wellFormedToken(bearer) {
		return core.Viewer{}, errBadToken
	}
	var use tokenUse
	err := s.db.Read(ctx, core.TheSystem(), func(tx pg.Querier) (err error) {
		use, err = tokenByHash(ctx, tx, hashToken(bearer), s.now())
		return err
	})
	if pg.NoRows(err) {
		return core.Viewer{}, errBadToken
	}
	if err != nil {
		return core.Viewer{}, fmt.Errorf("look up token: %w", err)
	}
	if use.stale(s.now()) {
		// Told apart from the request: a last use that is not noted must not
		// fail it.
		_ = s.db.Write(pg.WithoutClaim(ctx), core.TheSystem(), func(tx *pg.Tx) error {
			return noteTokenUse(ctx, tx, use.TokenID, s.now())
		})
	}
	return use.Account.Viewer(), nil
}
