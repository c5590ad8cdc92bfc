package accounts

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

// A personal token is "tok_", 37 random base62 characters (220 bits) and six
// that are a checksum over what stands before, so that a slip is refused
// without a look-up (CONTRACT.md §2).
const (
	tokenPrefix   = "tok_"
	tokenRandom   = 37
	tokenChecksum = 6
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newToken makes a token from the system's random source.
func newToken() string {
	body := make([]byte, tokenRandom)
	for i := range body {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			panic(err) // crypto/rand does not fail on the systems that Go supports
		}
		body[i] = base62[n.Int64()]
	}
	return tokenPrefix + string(body) + checksum(string(body))
}

// checksum is the CRC-32 of the random part, in base62.
func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	digits := make([]byte, tokenChecksum)
	for i := tokenChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits)
}

// wellFormedToken tells whether s could be a token at all.
func wellFormedToken(s string) bool {
	body, found := strings.CutPrefix(s, tokenPrefix)
	if !found || len(body) != tokenRandom+tokenChecksum {
		return false
	}
	for i := range len(body) {
		if strings.IndexByte(base62, body[i]) < 0 {
			return false
		}
	}
	return checksum(body[:tokenRandom]) == body[tokenRandom:]
}

// LooksLikeToken tells a personal token from a session JWT by its prefix.
func LooksLikeToken(bearer string) bool { return strings.HasPrefix(bearer, tokenPrefix) }

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
