package provider

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"

	"homeplace/core"
)

const (
	// leeway is how far the provider's clock may be off.
	leeway = 30 * time.Second
	// maxToken in bytes: browsers and proxies take no longer header either.
	maxToken = 16 << 10
	// minSecret in bytes, as long as the hash (RFC 7518 §3.2).
	minSecret = 32
)

// VerifierOptions says whose session JWTs are taken. JWKSURL and HS256Secret
// exclude each other.
type VerifierOptions struct {
	Issuer      string // exactly as in "iss"
	Audience    string // must be in "aud"
	JWKSURL     string // where the public keys are
	HS256Secret string // instead of public keys
	Now         core.Clock
	Log         *slog.Logger
}

func (o VerifierOptions) validate() error {
	switch {
	case o.Issuer == "":
		return errors.New("the issuer is missing")
	case o.Audience == "":
		return errors.New("the audience is missing")
	case o.JWKSURL == "" && o.HS256Secret == "":
		return errors.New("the address of the key set, or a shared secret, is missing")
	case o.JWKSURL != "" && o.HS256Secret != "":
		return errors.New("give the address of the key set or a shared secret, not both")
	case o.HS256Secret != "" && len(o.HS256Secret) < minSecret:
		return errors.New("the shared secret has less than 32 bytes")
	case o.HS256Secret != "":
		return nil
	}
	return checkAddress("the address of the key set", o.JWKSURL)
}

// Verifier checks session JWTs of the provider. It is safe for concurrent use.
type Verifier struct {
	issuer string
	parser *jwt.Parser
	secret []byte                 // nil where keys are used
	keys   *held[keyfunc.Keyfunc] // nil where the secret is used
}

// NewVerifier asks the provider for nothing yet. The error says what the
// options lack.
func NewVerifier(o VerifierOptions) (*Verifier, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	v := &Verifier{issuer: o.Issuer}
	methods := []string{jwt.SigningMethodES256.Alg(), jwt.SigningMethodRS256.Alg()}
	if o.HS256Secret != "" {
		methods = []string{jwt.SigningMethodHS256.Alg()}
		v.secret = []byte(o.HS256Secret)
	} else {
		client := newClient()
		v.keys = &held[keyfunc.Keyfunc]{what: "keys", lasts: keysLast, pause: keyPause, now: o.Now, log: o.Log,
			fetch: func(ctx context.Context) (keyfunc.Keyfunc, error) { return fetchKeys(ctx, client, o.JWKSURL) }}
	}
	v.parser = jwt.NewParser(jwt.WithValidMethods(methods), jwt.WithIssuer(o.Issuer), jwt.WithAudience(o.Audience),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(o.Now), jwt.WithStrictDecoding())
	return v, nil
}

// errBadJWT is the same for every reason; the cause is for the log.
var errBadJWT = core.Unauthenticatedf("This session token is not valid: it may have expired, or be meant for another site. Please sign in again.")

type claims struct {
	jwt.RegisteredClaims
	person
}

// Verify tells whose session a JWT is. Errors: Unauthenticated, the same for
// every reason; Unavailable while the keys cannot be fetched for the first time.
func (v *Verifier) Verify(ctx context.Context, token string) (Subject, error) {
	if len(token) > maxToken {
		return Subject{}, errBadJWT
	}
	var c claims
	_, err := v.parser.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) { return v.key(ctx, t) })
	if err == nil {
		err = checkSubject(c.Subject)
	}
	switch {
	case err == nil:
		return c.subject(v.issuer, c.Subject), nil
	case ctx.Err() != nil:
		return Subject{}, ctx.Err()
	case core.KindOf(err) == core.Unavailable:
		return Subject{}, core.AsError(err)
	}
	return Subject{}, errBadJWT.Wrap(err)
}

var errCritical = errors.New("the header asks for an extension that is not known here")

// key finds the key that a token claims to be signed with. An unknown one may
// be new.
func (v *Verifier) key(ctx context.Context, t *jwt.Token) (any, error) {
	if _, present := t.Header["crit"]; present { // RFC 7515 §4.1.11
		return nil, errCritical
	}
	if v.secret != nil {
		return v.secret, nil
	}
	keys, err := v.keys.get(ctx)
	if err != nil {
		return nil, err
	}
	key, err := keys.Keyfunc(t)
	if !errors.Is(err, jwkset.ErrKeyNotFound) {
		return key, err
	}
	if keys, err = v.keys.renew(ctx); err != nil {
		return nil, err
	}
	return keys.Keyfunc(t)
}

// Check fetches the keys and says what is wrong: for an operator.
func (v *Verifier) Check(ctx context.Context) error {
	if v.keys == nil {
		return nil
	}
	return v.keys.check(ctx)
}
