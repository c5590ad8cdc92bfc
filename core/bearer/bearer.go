// Package bearer tells on whose behalf a request with a bearer credential
// runs, whichever of the kinds of CONTRACT.md §2 it is: a personal token, the
// access token of a signed-in program, or a token of an outside identity
// provider.
package bearer

import (
	"context"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/sessions"
)

// errNotValid is the same for every kind and every reason, so that nobody
// learns which credentials once existed.
var errNotValid = core.Unauthenticatedf("This token is not valid: it may be mistyped, expired or revoked. Sign in again, or make a new one at /account/tokens.")

// Outside accepts tokens of an identity provider that is not ours. Errors:
// Unauthenticated.
type Outside interface {
	Authenticate(ctx context.Context, jwt string) (accountID string, err error)
}

// Service tells viewers by their credentials. Its methods are safe for
// concurrent use.
type Service struct {
	accounts *accounts.Service
	programs *sessions.Programs
	outside  Outside
}

// New makes the service. outside may be nil: then no other provider's tokens
// are accepted.
func New(accounts *accounts.Service, programs *sessions.Programs, outside Outside) *Service {
	return &Service{accounts: accounts, programs: programs, outside: outside}
}

// Authenticate turns a credential into its viewer. What the viewer may do is
// asked of the account each time and never believed of a token. Errors:
// Unauthenticated, the same for every reason; Unavailable.
func (s *Service) Authenticate(ctx context.Context, credential string) (core.Viewer, error) {
	v, err := s.viewer(ctx, credential)
	switch core.KindOf(err) {
	case core.Unauthenticated, core.NotFound:
		return core.Viewer{}, errNotValid.Wrap(err)
	}
	return v, err
}

func (s *Service) viewer(ctx context.Context, credential string) (core.Viewer, error) {
	if accounts.LooksLikeToken(credential) {
		return s.accounts.Authenticate(ctx, credential)
	}
	if strings.Count(credential, ".") != 2 {
		return core.Viewer{}, errNotValid
	}
	id, err := s.account(ctx, credential)
	if err != nil {
		return core.Viewer{}, err
	}
	v, err := s.accounts.ViewerByID(ctx, id)
	if err != nil {
		return core.Viewer{}, fmt.Errorf("find the viewer of a token: %w", err)
	}
	return v, nil
}

// account asks whoever the token names as its issuer; nothing else of it is
// believed before its signature is verified.
func (s *Service) account(ctx context.Context, token string) (id string, err error) {
	if s.outside != nil {
		var named jwt.RegisteredClaims
		if _, _, err := jwt.NewParser().ParseUnverified(token, &named); err != nil {
			return "", errNotValid.Wrap(err)
		}
		if named.Issuer != s.programs.Issuer {
			return s.outside.Authenticate(ctx, token)
		}
	}
	proof, err := s.programs.Authenticate(ctx, token)
	return proof.AccountID, err
}
