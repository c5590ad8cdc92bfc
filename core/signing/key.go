package signing

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
)

// Key is what may be told of a signing key.
type Key struct {
	ID         string // kid: the key's thumbprint (RFC 7638)
	CreatedAt  time.Time
	ActiveFrom time.Time  // from then on it signs
	RetiredAt  *time.Time // from then on its successor signs; nil = there is none
	ExpiresAt  *time.Time // from then on it verifies nothing
	Readable   bool       // with this installation's secret
}

// Expired tells whether the key verifies nothing any more.
func (k Key) Expired(now time.Time) bool { return k.ExpiresAt != nil && !k.ExpiresAt.After(now) }

// generate makes a key that signs from activeFrom on.
func (s *Service) generate(activeFrom time.Time) (row, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return row{}, fmt.Errorf("generate: %w", err)
	}
	jwk, err := publicJWK(&private.PublicKey)
	if err != nil {
		return row{}, err
	}
	public, err := json.Marshal(jwk)
	if err != nil {
		return row{}, fmt.Errorf("encode public key: %w", err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return row{}, fmt.Errorf("encode private key: %w", err)
	}
	return row{Kid: jwk.KID, Algorithm: jwt.SigningMethodES256.Alg(), PublicJWK: public,
		PrivateSealed: s.secret.Seal(sealPurpose(jwk.KID), plain), CreatedAt: s.now(), ActiveFrom: activeFrom}, nil
}

// sealPurpose binds a sealed key to its row.
func sealPurpose(kid string) string { return "signing key " + kid }

func publicJWK(key *ecdsa.PublicKey) (jwkset.JWKMarshal, error) {
	metadata := jwkset.JWKMetadataOptions{ALG: jwkset.AlgES256, USE: jwkset.UseSig}
	jwk, err := jwkset.NewJWKFromKey(key, jwkset.JWKOptions{Metadata: metadata})
	if err != nil {
		return jwkset.JWKMarshal{}, fmt.Errorf("describe public key: %w", err)
	}
	m := jwk.Marshal()
	m.KID = thumbprint(m)
	return m, nil
}

// thumbprint hashes the required members in the order of their names
// (RFC 7638 §3.2).
func thumbprint(m jwkset.JWKMarshal) string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":%q,"kty":%q,"x":%q,"y":%q}`, m.CRV, m.KTY, m.X, m.Y))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// open makes a stored key ready for use.
func (s *Service) open(r row) (*ringKey, error) {
	jwk, err := jwkset.NewJWKFromRawJSON(r.PublicJWK, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return nil, err
	}
	public, ok := jwk.Key().(*ecdsa.PublicKey)
	if !ok || public.Curve != elliptic.P256() || thumbprint(jwk.Marshal()) != r.Kid {
		return nil, errors.New("the public key is not the one that its name tells")
	}
	key := &ringKey{public: public, jwk: jwk.Marshal(),
		Key: Key{ID: r.Kid, CreatedAt: r.CreatedAt, ActiveFrom: r.ActiveFrom, RetiredAt: r.RetiredAt, ExpiresAt: r.ExpiresAt}}
	plain, err := s.secret.Unseal(sealPurpose(r.Kid), r.PrivateSealed)
	if err != nil {
		return key, nil // sealed with another secret: it verifies, but cannot sign
	}
	parsed, err := x509.ParsePKCS8PrivateKey(plain)
	if err != nil {
		return nil, fmt.Errorf("decode private key: %w", err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || !private.PublicKey.Equal(public) {
		return nil, errors.New("the private key is of another public one")
	}
	key.private, key.Readable = private, true
	return key, nil
}
