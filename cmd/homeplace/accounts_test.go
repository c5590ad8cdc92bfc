package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
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
	logged(t, d, "role_changed", "member → moderator", "moderator → admin")
}

// logged checks the reasons of the program's own decisions of a kind, in their
// order.
func logged(t *testing.T, d *pgtest.Database, kind string, want ...string) {
	t.Helper()
	got := pgtest.Value[[]string](t, d, core.TheSystem(),
		`select array_agg(reason order by created_at, id) from audit_log where account_id is null and kind = '`+kind+`'`)
	if !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
}

func TestUserPoints(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := "--database-url=" + d.URL
	homeplace(t, "user", "create", db, "--email", "ada@example.org", "--username", "ada", "--password", "correct horse").want(t, 0)
	homeplace(t, "user", "points", "ada", "12", "--reason", "Painted the fence", db).want(t, 0, "ada now has 12 points to spend, and has earned 12 points in all")
	homeplace(t, "user", "points", "ada", "-11", "--reason", "Another painted it", db).want(t, 0, "ada now has 1 point to spend, and has earned 1 point in all")
	homeplace(t, "user", "points", db, "--reason=by hand", "--", "ada", "-1").want(t, 0, "ada now has 0 points to spend")
	homeplace(t, "user", "points", "ada", "-1", "--reason", "x", db).want(t, 1, "must not take more than there is to spend, which is 0 points")
	homeplace(t, "user", "points", "ada", "0", "--reason", "x", db).want(t, 1, "delta", "not 0")
	homeplace(t, "user", "points", "ada", "5", "--reason", " ", db).want(t, 1, "reason", "required")
	homeplace(t, "user", "points", "ada", "5", db).want(t, 2, "--reason")
	homeplace(t, "user", "points", "ada", "many", "--reason", "x", db).want(t, 2, "many")
	homeplace(t, "user", "points", "nobody", "5", "--reason", "x", db).want(t, 1, "nobody")
	logged(t, d, "points_corrected", "+12: Painted the fence", "-11: Another painted it", "-1: by hand")
}

func TestNegativesLast(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"user points ada -5 --reason x":   "user points ada --reason x -- -5",
		"user points ada 5 --reason x":    "user points ada 5 --reason x",
		"--a=b -5 x":                      "--a=b x -- -5",
		"--reason -5 x":                   "--reason -5 x",
		"-- ada -5":                       "-- ada -5",
		"user create --password - -x -5y": "user create --password - -x -5y",
	} {
		if got := strings.Join(negativesLast(strings.Fields(line)), " "); got != want {
			t.Errorf("%s becomes %s, want %s", line, got, want)
		}
	}
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
