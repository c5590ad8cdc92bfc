package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/pgtest"
)

func TestUserAndToken(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := "--database-url=" + d.URL
	create := func(input string, args ...string) outcome {
		t.Helper()
		return homeplaceWith(t, input, append([]string{"user", "create", db}, args...)...)
	}
	ada := create("correct horse\n", "--email", "Ada@example.org", "--username", "ada", "--password", "-")
	if ada.want(t, 0); !core.ValidID(strings.TrimSpace(ada.out)) {
		t.Errorf("it prints %q, want the id alone", ada.out)
	}
	create("", "--email", "bo@example.org", "--username", "bo", "--password", "battery staple", "--role", "admin").want(t, 0)
	create("no line break", "--email", "cy@example.org", "--username", "cy", "--password", "-").want(t, 0)

	create("", "--email", "x@example.org", "--username", "x-1", "--password", "-").want(t, 1, "password")
	create("", "--email", "x@example.org", "--username", "x-1", "--password", "short").want(t, 1, "password", "10 characters")
	create("", "--email", "x@example.org", "--username", "x-1", "--password", "correct horse", "--role", "king").want(t, 2, "king", "moderator")
	create("", "--email", "x@example.org", "--username", "ADA", "--password", "correct horse").want(t, 1, "username")
	create("", "--email", "ada@EXAMPLE.org", "--username", "x-1", "--password", "correct horse").want(t, 1, "e-mail address ada@EXAMPLE.org")
	create("", "--email", "nowhere", "--username", "!", "--password", "correct horse").want(t, 1, "email", "username")

	homeplace(t, "user", "role", "ada", "moderator", db).want(t, 0, "ada is now moderator")
	homeplace(t, "user", "role", "ada", "king", db).want(t, 1, "king")
	homeplace(t, "user", "role", "nobody", "admin", db).want(t, 1, "nobody")

	token := homeplace(t, "token", "create", "--username", "ada", "--label", "laptop", db)
	if token.want(t, 0); !regexp.MustCompile(`^tok_[0-9A-Za-z]{43,}\n$`).MatchString(token.out) {
		t.Errorf("it prints %q, want the token alone", token.out)
	}
	homeplace(t, "token", "create", "--username", "nobody", "--label", "laptop", db).want(t, 1, "nobody")
	homeplace(t, "token", "create", "--username", "ada", "--label", strings.Repeat("x", 61), db).want(t, 1, "label")
	homeplace(t, "token", "create", "--username", "ada", "--label", "x", "--expires=-1h", db).want(t, 1, "expires")

	p := serve(t, db)
	status, me := p.me(t, strings.TrimSpace(token.out))
	if status != http.StatusOK || me.Profile.Username != "ada" || me.Profile.Email != "Ada@example.org" || !me.Roles.Moderator || me.Roles.Admin {
		t.Errorf("/api/me answers %d %+v", status, me)
	}
	if status, _ := p.me(t, "tok_wrong"); status != http.StatusUnauthorized {
		t.Errorf("/api/me with a wrong token answers %d", status)
	}
	homeplace(t, "user", "role", "ada", "admin", db).want(t, 0)
	eventually(t, "the new role", func() bool { _, me := p.me(t, strings.TrimSpace(token.out)); return me.Roles.Admin })
}

type me struct {
	Profile struct{ ID, Username, Email string }
	Roles   struct{ Admin, Moderator bool }
}

func (p *process) me(t *testing.T, token string) (status int, who me) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, p.url+"/api/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode == http.StatusOK {
		if err := json.Unmarshal(body, &who); err != nil {
			t.Fatal(err)
		}
	}
	return answer.StatusCode, who
}
