package sessions

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// What an access token says to GoTrue's own clients beside what CONTRACT.md
// §2 asks for: one audience, one database role, and a single factor.
const (
	audience      = "authenticated"
	claimedRole   = "authenticated"
	assuranceOnce = "aal1"
)

// claims are those of an access token.
type claims struct {
	Issuer    string           `json:"iss"`
	Subject   string           `json:"sub"` // account id
	Audience  string           `json:"aud"`
	Role      string           `json:"role"`
	Email     string           `json:"email"`
	SessionID string           `json:"session_id"`
	Assurance string           `json:"aal"`
	IssuedAt  *jwt.NumericDate `json:"iat"`
	ExpiresAt *jwt.NumericDate `json:"exp"`
	NotBefore *jwt.NumericDate `json:"nbf,omitempty"`
}

func newClaims(issuer string, s program, now, expires time.Time) *claims {
	return &claims{Issuer: issuer, Subject: s.AccountID, Audience: audience, Role: claimedRole, Email: s.Email, SessionID: s.ID,
		Assurance: assuranceOnce, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires)}
}

// The methods of jwt.Claims.

func (c *claims) GetIssuer() (string, error)                   { return c.Issuer, nil }
func (c *claims) GetSubject() (string, error)                  { return c.Subject, nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)       { return jwt.ClaimStrings{c.Audience}, nil }
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error)       { return c.IssuedAt, nil }
func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.ExpiresAt, nil }
func (c *claims) GetNotBefore() (*jwt.NumericDate, error)      { return c.NotBefore, nil }
