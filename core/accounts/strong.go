package accounts

import (
	_ "embed"
	"strings"
	"sync"

	"homeplace/core"
)

// commonText holds one password a line, in lower case: keyboard rows, counting,
// and the words that lists of leaked passwords begin with.
//
//go:embed common.txt
var commonText string

var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonText) {
		set[strings.TrimSpace(line)] = true
	}
	return set
})

// shortestName is the length from which on a name makes a password easy to
// guess; shorter ones stand in too many words by chance.
const shortestName = 3

// EnsureStrong refuses a password that is too short or too long, among the
// most common ones, or made around the person's own names. The error is
// Invalid at the field "password".
func EnsureStrong(password, username, email string) error {
	var p core.Problems
	checkStrong(&p, "password", password, username, email)
	return p.Err()
}

func checkStrong(p *core.Problems, field, password, username, email string) {
	checkPassword(p, field, password)
	folded := strings.ToLower(password)
	if common()[folded] {
		p.Add(field, "is one of the passwords that are tried first; choose one that is your own")
	}
	local, _, _ := strings.Cut(email, "@")
	for _, name := range []string{username, local} {
		if len(name) >= shortestName && strings.Contains(folded, strings.ToLower(name)) {
			p.Add(field, "must not contain your username or e-mail address")
		}
	}
}
