package provider

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
)

const (
	// keysLast is how long a key that the provider withdrew may still count.
	keysLast = 10 * time.Minute
	// keyPause is the least time from one fetch of the keys to the next, so
	// that tokens with made-up key ids cannot make us a burden to the provider.
	keyPause = 30 * time.Second
)

// errNoKeys keeps a key set from being replaced by an answer that holds none,
// such as a page of apology.
var errNoKeys = errors.New("it holds no key that signs with ES256 or RS256")

// fetchKeys reads a JWK Set. jwkset's own HTTP storage is not used: it reads
// bodies of any size, loses the whole set by one key it cannot read, counts an
// empty answer as a revocation of all, and lets callers wait in line.
func fetchKeys(ctx context.Context, client *http.Client, address string) (keyfunc.Keyfunc, error) {
	var document jwkset.JWKSMarshal
	if err := fetchJSON(ctx, client, address, &document); err != nil {
		return nil, err
	}
	set, found := jwkset.NewMemoryStorage(), false
	for _, described := range document.Keys {
		key, err := jwkset.NewJWKFromMarshal(described, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
		if err != nil || !signs(key) {
			continue // of a kind that is not used here
		}
		if err := set.KeyWrite(ctx, key); err != nil {
			return nil, err
		}
		found = true
	}
	if !found {
		return nil, fmt.Errorf("read %s: %w", address, errNoKeys)
	}
	return keyfunc.New(keyfunc.Options{Storage: set})
}

// minRSA is the shortest RSA key in bits (RFC 7518 §3.3).
const minRSA = 2048

// signs lets public keys for signatures through and nothing else: a shared
// secret in a public document is none.
func signs(key jwkset.JWK) bool {
	if use := key.Marshal().USE; use != "" && use != jwkset.UseSig {
		return false
	}
	switch k := key.Key().(type) {
	case *ecdsa.PublicKey:
		return k.Curve == elliptic.P256()
	case *rsa.PublicKey:
		return k.N.BitLen() >= minRSA
	}
	return false
}
