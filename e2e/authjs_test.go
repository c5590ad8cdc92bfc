package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeplace/e2e/browser"
)

// node runs a script with the packages of this repository and returns what it
// printed; ok tells whether it succeeded.
func node(t *testing.T, script string, args ...string) (out string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node.js is not installed")
	}
	if _, err := os.Stat("../node_modules/@supabase/auth-js"); err != nil {
		t.Skip("@supabase/auth-js is not installed: run npm ci")
	}
	printed, err := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...).CombinedOutput()
	return string(printed), err == nil
}

// conformance finds the conformance check of the identity interface, which is
// kept beside the checkout and not in it, and copies it to where it finds its
// package.
func conformance(t *testing.T) (script string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(filepath.Dir(dir), "node_modules")
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "shared", "tools", "authjs", "conformance.mjs"))
		if err != nil {
			continue
		}
		home := t.TempDir()
		if err := os.Symlink(modules, filepath.Join(home, "node_modules")); err != nil {
			t.Fatal(err)
		}
		script = filepath.Join(home, "conformance.mjs")
		if err := os.WriteFile(script, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return script
	}
	t.Skip("the conformance check is absent: no shared/tools/authjs above the working directory")
	return ""
}

var passed = regexp.MustCompile(`(?m)^(\d+) passed, 0 failed$`)

func conforms(t *testing.T, args ...string) {
	t.Helper()
	out, ok := node(t, conformance(t), args...)
	if !ok || !passed.MatchString(out) {
		t.Errorf("the check failed:\n%s", out)
	}
}

func TestTheUnchangedClientConforms(t *testing.T) {
	t.Parallel()
	s := openWith(t)
	s.run("settings", "set", "refresh_reuse_window", "5s")
	conforms(t, "--auth", s.url+"/auth/v1", "--api", s.url, "--signup", "--reuse-window-ms", "5000",
		"--email", "program@homeplace.test", "--password", password)
}

// handOver takes a pair of tokens out of a signed-in browser.
func handOver(t *testing.T, p *browser.Page) (access, refresh string) {
	t.Helper()
	answer := browser.Evaluate[string](p, `(() => {
		const request = new XMLHttpRequest()
		request.open('GET', '/api/me/token', false)
		request.send()
		return request.responseText
	})()`)
	var pair struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal([]byte(answer), &pair); err != nil || strings.Count(pair.Access, ".") != 2 || pair.Refresh == "" {
		t.Fatalf("/api/me/token gave %.200s (%v)", answer, err)
	}
	return pair.Access, pair.Refresh
}

func TestABrowserHandsItsSessionToAProgram(t *testing.T) {
	t.Parallel()
	s := openWith(t)
	s.run("user", "create", "--email", "ada@homeplace.test", "--username", "ada", "--password", password)
	p := browser.Open(t, browser.Device{})
	signIn(s, p, "ada")

	access, refresh := handOver(t, p)
	if out, ok := node(t, "authjs/handover.mjs", s.url+"/auth/v1", access, refresh); !ok || !strings.Contains(out, "handed over") {
		t.Fatalf("the program could not take the session over:\n%s", out)
	}
	p.Visit(s.url + "/account")
	if got := p.URL(); got != s.url+"/account" {
		t.Errorf("when the program signed out the browser was signed out too: it is at %s", got)
	}

	access, refresh = handOver(t, p)
	conforms(t, "--auth", s.url+"/auth/v1", "--access", access, "--refresh", refresh)
	p.Visit(s.url + "/account/sessions")
	if got := p.Text("main"); !strings.Contains(got, "Handed over by Chrome") {
		t.Errorf("the list of sessions does not name the program:\n%s", got)
	}
}
