// Package signing makes and checks the tokens that programs carry: JSON Web
// Tokens signed with ES256 (RFC 7519, RFC 7518 §3.4). The keys live in the
// database, their private halves sealed with the installation's secret, so
// that every instance signs with the same one.
package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/secret"
)

// Area is the name under which changes of the keys are announced; see
// pg.Tx.Touch.
const Area = "signing_keys"

const (
	// MaxLifetime is how long a token may live at most: for so long a key is
	// kept after it has signed its last.
	MaxLifetime = 24 * time.Hour
	// Leeway is how far the clocks of two instances may be apart.
	Leeway = 30 * time.Second

	// announceAhead is how long a key is published before it signs: clients keep
	// the set for ten minutes.
	announceAhead = 15 * time.Minute
	// rotateEvery is the age at which Sweep puts another key in a key's place.
	rotateEvery = 90 * 24 * time.Hour
	// ringAge is how long the keys are kept in memory where no change is heard.
	ringAge = 5 * time.Minute
	// strangerPause lies between two readings that tokens of unknown keys cause.
	strangerPause = 5 * time.Second
	// maxToken in bytes; ours have a tenth.
	maxToken = 8 << 10
)

// ErrBadToken is the same for every reason that a token is not accepted.
var ErrBadToken = &core.Error{Kind: core.Unauthenticated, Code: "bad_jwt",
	Msg: "This session token is not valid: it may be expired, changed or from elsewhere. Please sign in again."}

// ErrOtherSecret says that this installation cannot use the key that should
// sign.
var ErrOtherSecret = errors.New(`the signing keys in the database were sealed with another secret. ` +
	`All instances on one database need the same: start this one with --secret (HOMEPLACE_SECRET) set to the text of the file "secret" ` +
	`in the data directory of the instance that made the keys. If that secret is lost, "homeplace keys reset" makes new keys, ` +
	`and signed-in programs have to sign in again`)

// Service signs and verifies. Its methods are safe for concurrent use.
type Service struct {
	db     *pg.DB
	secret secret.Secret
	now    core.Clock

	loading  sync.Mutex
	current  atomic.Pointer[ring]
	changes  atomic.Int64 // how many were heard of
	stranger atomic.Int64 // when a token of an unknown key last caused a reading
}

// New makes the service. The keys follow what db.OnChange tells.
func New(db *pg.DB, s secret.Secret, now core.Clock) *Service {
	service := &Service{db: db, secret: s, now: now}
	db.OnChange(func(changed string) {
		if changed == Area || changed == pg.Everything {
			service.forget()
		}
	})
	return service
}

// Sign returns the token of the claims. They must expire within MaxLifetime.
func (s *Service) Sign(ctx context.Context, claims jwt.Claims) (string, error) {
	now := s.now()
	expires, err := claims.GetExpirationTime()
	if err != nil || expires == nil || expires.After(now.Add(MaxLifetime)) {
		return "", fmt.Errorf("sign: the token must expire within %s", MaxLifetime)
	}
	r, err := s.keys(ctx)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	key := r.signer(now)
	if key == nil {
		return "", errors.New("sign: there is no key yet")
	}
	if key.private == nil {
		return "", fmt.Errorf("sign: %w", ErrOtherSecret)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = key.ID
	signed, err := token.SignedString(key.private)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return signed, nil
}

// Verify reads a token into claims. It must be signed by a key of ours that it
// names, with ES256, for this issuer and audience, and be valid now. What else
// its header says counts for nothing. Errors: ErrBadToken; Unavailable.
func (s *Service) Verify(ctx context.Context, token string, claims jwt.Claims, issuer, audience string) error {
	if len(token) > maxToken {
		return ErrBadToken
	}
	var trouble error
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}), jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(Leeway), jwt.WithStrictDecoding(), jwt.WithTimeFunc(s.now))
	_, err := parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		if kid == "" {
			return nil, errors.New("the token names no key")
		}
		var key *ringKey
		if key, trouble = s.lookUp(ctx, kid); key == nil {
			return nil, errors.New("the token names a key that is not ours")
		}
		return key.public, nil
	})
	if trouble != nil {
		return fmt.Errorf("verify token: %w", trouble)
	}
	if err != nil {
		return ErrBadToken.Wrap(err)
	}
	return nil
}

// KeySet returns the public keys that verify our tokens, as a JSON Web Key Set
// (RFC 7517 §5), the newest first.
func (s *Service) KeySet(ctx context.Context) ([]byte, error) {
	r, err := s.keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("list public keys: %w", err)
	}
	set := jwkset.JWKSMarshal{Keys: []jwkset.JWKMarshal{}}
	for _, key := range r.live(s.now()) {
		set.Keys = append(set.Keys, key.jwk)
	}
	return json.Marshal(set)
}
