package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeplace/core/pgtest"
	"homeplace/core/secret"
)

const sitePassword = "a long enough secret"

// handOver signs in with a browser and takes the tokens of a program.
func (p *process) handOver(t *testing.T, name string) (access string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	signedIn, err := browser.PostForm(p.url+"/sign-in", url.Values{"name": {name}, "password": {sitePassword}})
	if err != nil {
		t.Fatal(err)
	}
	signedIn.Body.Close()
	answer, err := browser.Get(p.url + "/api/me/token")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var pair struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &pair); err != nil || pair.Access == "" {
		t.Fatalf("signing in gives %d, then /api/me/token %d %s", signedIn.StatusCode, answer.StatusCode, body)
	}
	return pair.Access
}

// serveAs starts one of several instances of the site that is called base. The
// empty secret is that of the data directory.
func serveAs(t *testing.T, base, given string, args ...string) *process {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	p := begin(t, program([]string{"HOMEPLACE_SECRET=" + given}, append([]string{"serve", "--addr", addr, "--base-url", base}, args...)...))
	p.awaitReady(t)
	p.url = "http://" + addr
	return p
}

func TestKeysOfTwoInstances(t *testing.T) {
	t.Parallel()
	db := "--database-url=" + pgtest.New(t).URL
	const site = "http://homeplace.test"
	dir := dataDir(t)
	first := serveAs(t, site, "", db, "--data-dir", dir)
	path := filepath.Join(dir, secret.FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret has the permissions %v, %v", info.Mode(), err)
	}
	second := serveAs(t, site, string(text), db, "--data-dir", dataDir(t))
	homeplaceWith(t, sitePassword+"\n", "user", "create", "--email", "ada@example.org", "--username", "ada", "--password", "-", db).want(t, 0)
	for _, p := range []*process{first, second} {
		access := p.handOver(t, "ada")
		for _, q := range []*process{first, second} {
			if status, who := q.me(t, access); status != http.StatusOK || who.Profile.Username != "ada" {
				t.Errorf("a token of %s shows %d, %+v at %s", p.url, status, who, q.url)
			}
		}
	}
	access := first.handOver(t, "ada")
	rotate := program([]string{"HOMEPLACE_SECRET=" + string(text)}, "keys", "rotate", db)
	if out, err := rotate.CombinedOutput(); err != nil {
		t.Fatalf("keys rotate: %v %s", err, out)
	}
	for _, p := range []*process{first, second} {
		if status, _ := p.me(t, access); status != http.StatusOK {
			t.Errorf("after a rotation a token of before gives %d at %s", status, p.url)
		}
	}
}

func TestKeysCommands(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := "--database-url=" + d.URL
	homeplace(t, "doctor", db, "--secret", "").want(t, 0, "there is no secret yet")
	homeplace(t, "keys", "list", db, "--secret", "too short").want(t, 1, "9 characters", "at least 32")
	ours, lost := "--secret="+strings.Repeat("a", 32), "--secret="+strings.Repeat("b", 32)
	homeplace(t, "keys", "rotate", db, lost).want(t, 0, "is published and signs from")
	homeplace(t, "keys", "rotate", db, lost).want(t, 1, "published already")
	homeplace(t, "keys", "list", db, lost).want(t, 0, "published, signs next", "signs")
	homeplace(t, "doctor", db, lost).want(t, 0, "signing keys can be read")
	homeplace(t, "keys", "reset", db, lost).want(t, 0, "nothing was dropped")

	homeplace(t, "doctor", db, ours).want(t, 1, "WRONG", "sealed with another secret", "--secret", "keys reset")
	homeplace(t, "serve", "--addr", "127.0.0.1:0", db, ours).want(t, 1, "sealed with another secret", "--secret", "HOMEPLACE_SECRET", "keys reset")
	homeplace(t, "keys", "rotate", db, ours).want(t, 1, "sealed with another secret")
	homeplace(t, "keys", "list", db, ours).want(t, 0, "sealed with another secret")
	homeplace(t, "keys", "reset", db, ours).want(t, 0, "2 keys were dropped", "0 signed-in programs")
	homeplace(t, "doctor", db, ours).want(t, 0, "everything is in order")
	serve(t, db, ours)
	homeplace(t, "serve", "--addr", "127.0.0.1:0", db, lost).want(t, 1, "sealed with another secret")
}

func TestServe_damagedSecret(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if err := os.WriteFile(filepath.Join(dir, secret.FileName), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"doctor"}} {
		homeplace(t, append(command, "--data-dir", dir, "--secret", "", "--database-url", pgtest.New(t).URL)...).
			want(t, 1, "has 5 bytes and should have 64")
	}
}
