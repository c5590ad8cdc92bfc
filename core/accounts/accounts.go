// Package accounts holds who people are: accounts, public profiles, passwords
// and personal tokens. Service turns a bearer credential into a core.Viewer and
// keeps what belongs to an account; Access is how people get in: sign-up,
// sign-in, and the way back for who forgot a password.
package accounts

import (
	"crypto/rand"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"homeplace/core"
)

// Role is what an account was appointed to.
type Role string

// The roles of CONTRACT.md §2. Community moderators keep the role Member; a
// running term is what lets them moderate.
const (
	RoleMember    Role = "member"
	RoleModerator Role = "moderator"
	RoleAdmin     Role = "admin"
)

// ParseRole checks the word.
func ParseRole(s string) (Role, error) {
	switch r := Role(s); r {
	case RoleMember, RoleModerator, RoleAdmin:
		return r, nil
	}
	return "", core.InvalidField("role", "must be member, moderator or admin, not %q", s)
}

// Account is a person's account with its public profile.
type Account struct {
	ID                string
	Email             string
	Username          string
	DisplayName       *string
	Bio               string
	AvatarURL         *string
	LeaderboardOptOut bool
	Role              Role
	CreatedAt         time.Time

	// Review is what became of the texts of the profile at the moderators' desk;
	// nil where they did not have to look. Only Me and UpdateProfile fill it in.
	Review *Review `db:"-"`
}

// Viewer is the account as the one on whose behalf a request runs.
func (a Account) Viewer() core.Viewer {
	v := core.Viewer{ID: a.ID, Username: a.Username, Role: core.Member,
		Moderator: a.Role == RoleModerator || a.Role == RoleAdmin, Admin: a.Role == RoleAdmin}
	if v.Moderator {
		v.Role = core.Staff
	}
	return v
}

// Input makes an account.
type Input struct {
	Email    string
	Username string
	Password string
	Role     Role // empty = RoleMember
}

// usernameForm: letters, digits, hyphen and underscore, 2 to 30 characters,
// so that a name fits an address (/u/{username}) as it is.
var usernameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{1,29}$`)

// NewUsername makes up a name for who did not choose one.
func NewUsername() string { return "neighbour-" + strings.ToLower(rand.Text()[:8]) }

// reservedUsernames would read as the site's own voice.
var reservedUsernames = map[string]bool{"admin": true, "administrator": true, "anonymous": true, "homeplace": true,
	"moderator": true, "root": true, "staff": true, "support": true, "system": true}

// Normalize trims and folds what is compared without case.
func (in *Input) Normalize() {
	in.Email = strings.TrimSpace(in.Email)
	in.Username = strings.ToLower(strings.TrimSpace(in.Username))
	if in.Role == "" {
		in.Role = RoleMember
	}
}

// Validate reports every field that is wrong.
func (in *Input) Validate() error {
	var p core.Problems
	checkEmail(&p, &in.Email)
	checkUsername(&p, in.Username, in.Role)
	checkPassword(&p, "password", in.Password)
	if _, err := ParseRole(string(in.Role)); err != nil {
		p.Add("role", "%s", core.AsError(err).Fields["role"])
	}
	return p.Err()
}

func checkEmail(p *core.Problems, email *string) {
	p.Line("email", email, 3, 254)
	name, domain, found := strings.Cut(*email, "@")
	if !found || name == "" || domain == "" || strings.ContainsAny(*email, " \t<>,;") || strings.Contains(domain, "@") {
		p.Add("email", "must be an address such as name@example.org")
		return
	}
	if strings.EqualFold(domain, noMailDomain) {
		p.Add("email", "must be an address that can take mail")
	}
	// What no mail could be addressed to.
	if parsed, err := mail.ParseAddress(*email); err != nil || parsed.Address != *email {
		p.Add("email", "must be an address such as name@example.org")
	}
}

func checkUsername(p *core.Problems, username string, role Role) {
	switch {
	case !usernameForm.MatchString(username):
		p.Add("username", "must be 2 to 30 of a-z, 0-9, hyphen and underscore, and start with a letter or digit")
	case reservedUsernames[username] && role == RoleMember:
		p.Add("username", "is reserved; choose another")
	}
}

func checkPassword(p *core.Problems, field, password string) {
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		p.Add(field, "must have at least %d characters", minPassword)
	case n > maxPassword:
		p.Add(field, "must have at most %d characters", maxPassword)
	}
}

// Token is a personal token as its owner sees it later: never the token.
type Token struct {
	ID         string
	Label      string
	LastFour   string
	CreatedAt  time.Time
	LastUsedAt *time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
}

// MaxTokens is how many live tokens an account may have (CONTRACT.md §2).
const MaxTokens = 25

// TokenInput makes a personal token.
type TokenInput struct {
	Label     string
	ExpiresAt *time.Time // nil = never
}

func (in *TokenInput) validate(now time.Time) error {
	var p core.Problems
	p.Line("label", &in.Label, 1, 60)
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		p.Add("expires_at", "must lie in the future")
	}
	return p.Err()
}
