// Package secret keeps the one secret of an installation and derives from it
// the keys that its parts seal and sign with.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MinLength is how many characters a given secret has at least.
const MinLength = 32

// keySize in bytes: of a derived key, and of AES-256.
const keySize = 32

// ErrUnseal says that something was not sealed with this secret for this
// purpose, or was changed afterwards.
var ErrUnseal = errors.New("it was sealed with another secret, or changed since")

// Secret is what only the instances of one installation know. The zero value
// is none: it unseals nothing, and its other methods panic.
type Secret struct{ text string }

// Parse takes a secret that an operator gives. Errors: too short.
func Parse(given string) (Secret, error) {
	if n := utf8.RuneCountInString(given); n < MinLength {
		return Secret{}, fmt.Errorf("the secret has %d characters and needs at least %d; \"openssl rand -hex 32\" makes a good one", n, MinLength)
	}
	return Secret{text: given}, nil
}

// Derive returns a key of 32 bytes, another one for each purpose.
func (s Secret) Derive(purpose string) []byte {
	if s == (Secret{}) {
		panic("secret: no secret was opened")
	}
	key, err := hkdf.Key(sha256.New, []byte(s.text), nil, "homeplace "+purpose, keySize)
	if err != nil {
		panic(err) // only for lengths that HKDF cannot give
	}
	return key
}

// Seal encrypts plain so that only Unseal with the same secret and purpose
// reads it, and notices any change.
func (s Secret) Seal(purpose string, plain []byte) []byte {
	sealer := s.sealer(purpose)
	nonce := make([]byte, sealer.NonceSize(), sealer.NonceSize()+len(plain)+sealer.Overhead())
	rand.Read(nonce) // never fails, see crypto/rand
	return sealer.Seal(nonce, nonce, plain, nil)
}

// Unseal reads what Seal made. Errors: ErrUnseal.
func (s Secret) Unseal(purpose string, sealed []byte) ([]byte, error) {
	if s == (Secret{}) {
		return nil, ErrUnseal
	}
	sealer := s.sealer(purpose)
	if len(sealed) < sealer.NonceSize() {
		return nil, ErrUnseal
	}
	plain, err := sealer.Open(nil, sealed[:sealer.NonceSize()], sealed[sealer.NonceSize():], nil)
	if err != nil {
		return nil, ErrUnseal
	}
	return plain, nil
}

// sealer is AES-256 in Galois/counter mode.
func (s Secret) sealer(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(s.Derive("seal " + purpose))
	if err != nil {
		panic(err) // only for keys of another size
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for blocks of another size
	}
	return gcm
}
