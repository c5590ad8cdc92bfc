package sessions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/google/uuid"

	"homeplace/core/secret"
)

// refreshTokens makes and reads refresh tokens: in unpadded base64url a
// session's id, its generation, and a seal over both that only the
// installation's secret makes. So the same token can be worked out again for
// who lost the answer, and nothing of it need be kept.
type refreshTokens struct{ key []byte }

const (
	generationAt  = 16 // bytes of a UUID
	sealAt        = generationAt + 4
	refreshLength = sealAt + sha256.Size
)

// refreshEncoding takes no second way of writing a token.
var refreshEncoding = base64.RawURLEncoding.Strict()

func newRefreshTokens(s secret.Secret) refreshTokens {
	return refreshTokens{key: s.Derive("refresh tokens")}
}

func (r refreshTokens) make(sessionID string, generation int32) string {
	id := uuid.MustParse(sessionID)
	body := binary.BigEndian.AppendUint32(id[:], uint32(generation))
	return refreshEncoding.EncodeToString(append(body, r.seal(body)...))
}

// parse is false for whatever was not made with this secret.
func (r refreshTokens) parse(token string) (sessionID string, generation int32, ok bool) {
	if len(token) != refreshEncoding.EncodedLen(refreshLength) {
		return "", 0, false
	}
	raw, err := refreshEncoding.DecodeString(token)
	if err != nil || !hmac.Equal(raw[sealAt:], r.seal(raw[:sealAt])) {
		return "", 0, false
	}
	return uuid.UUID(raw[:generationAt]).String(), int32(binary.BigEndian.Uint32(raw[generationAt:sealAt])), true
}

func (r refreshTokens) seal(body []byte) []byte {
	mac := hmac.New(sha256.New, r.key)
	mac.Write(body)
	return mac.Sum(nil)
}
