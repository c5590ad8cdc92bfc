package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/provider"
	"homeplace/core/slugs"
)

// noMailDomain is where the addresses of accounts lie that have none: nobody
// can ever own it (RFC 6761 §6.4).
const noMailDomain = "no-mail.invalid"

// TakesMail is false for an account that came from outside without an e-mail
// address. Its Email only fills the place.
func (a Account) TakesMail() bool { return !strings.HasSuffix(a.Email, "@"+noMailDomain) }

var errNoUsername = errors.New("no free username was found")

// freeUsername chooses a username for who was not asked for one.
func freeUsername(ctx context.Context, tx *pg.Tx, s provider.Subject, now time.Time) (string, error) {
	for _, name := range usernames(s) {
		inUse, err := usernameInUse(ctx, tx, name, now)
		if err != nil {
			return "", err
		}
		if !inUse {
			return name, nil
		}
	}
	return "", errNoUsername
}

// usernames proposes names, the best first: as they are called at the
// provider, by their e-mail address, by their name, and by chance.
func usernames(s provider.Subject) (names []string) {
	email, _, _ := strings.Cut(s.Email, "@")
	email, _, _ = strings.Cut(email, "+")
	username, _, _ := strings.Cut(s.Username, "@")
	for _, from := range []string{username, email, s.Name} {
		if name := usernameFrom(from); name != "" {
			names = append(names, name, name+"-"+digits(4), name+"-"+digits(6))
			break
		}
	}
	return append(names, NewUsername(), NewUsername())
}

// usernameFrom writes a name as a username that has room for "-" and six
// digits after it; empty where that cannot be done.
func usernameFrom(s string) string {
	const room = 30 - 7
	name := slugs.Make("", s)
	if len(name) > room {
		name = strings.TrimRight(name[:room], "-")
	}
	var p core.Problems
	if checkUsername(&p, name, RoleMember); p.Err() != nil {
		return ""
	}
	return name
}

// digits is a random number of n digits.
func digits(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails, see crypto/rand
	for i := range b {
		b[i] = '0' + b[i]%10
	}
	return string(b)
}

// displayName makes one line of what a provider calls somebody; nil for
// nothing.
func displayName(s string) *string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > maxDisplayName {
		s = strings.TrimSpace(string([]rune(s)[:maxDisplayName]))
	}
	if s == "" {
		return nil
	}
	return &s
}

// storedEmail is what is kept of an address that the provider gave, which may
// be anything.
func storedEmail(s string) string {
	var p core.Problems
	if checkEmail(&p, &s); p.Err() != nil {
		return ""
	}
	return s
}
