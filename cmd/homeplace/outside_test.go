package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core/pgtest"
	"homeplace/core/provider/providertest"
)

func TestOutside_halfAConfiguration(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)
	for _, tt := range []struct {
		flags []string
		want  []string
	}{
		{[]string{"--idp-issuer=https://id.example"}, []string{"--idp-issuer needs", "--idp-audience and --idp-jwks-url or --idp-hs256-secret"}},
		{[]string{"--idp-hs256-secret=" + secret}, []string{"--idp-issuer and --idp-audience"}},
		{[]string{"--idp-issuer=i", "--idp-audience=a", "--idp-hs256-secret=short"}, []string{"--idp-", "less than 32 bytes"}},
		{[]string{"--idp-issuer=i", "--idp-audience=a", "--idp-hs256-secret=" + secret, "--idp-jwks-url=https://id.example/keys"}, []string{"not both"}},
		{[]string{"--idp-issuer=i", "--idp-audience=a", "--idp-jwks-url=keys"}, []string{"must be an address"}},
		{[]string{"--oidc-issuer=https://id.example", "--oidc-client-id=x"}, []string{"--oidc-issuer needs --oidc-client-secret"}},
		{[]string{"--oidc-name=Example"}, []string{"--oidc-name needs --oidc-issuer and --oidc-client-id and --oidc-client-secret"}},
		{[]string{"--oidc-issuer=id.example", "--oidc-client-id=x", "--oidc-client-secret=y"}, []string{"--oidc-", "must be an address"}},
	} {
		o := homeplace(t, append([]string{"serve", "--addr=127.0.0.1:0", "--data-dir=" + dataDir(t)}, tt.flags...)...)
		o.want(t, 1, tt.want...)
	}
	homeplace(t, "serve", "--help").want(t, 0, "HOMEPLACE_IDP_HS256_SECRET", "HOMEPLACE_OIDC_CLIENT_SECRET", "HOMEPLACE_IDP_JWKS_URL")
}

func flagsFor(p *providertest.Provider) []string {
	return []string{"--idp-issuer=" + p.URL, "--idp-audience=homeplace", "--idp-jwks-url=" + p.KeysURL(),
		"--oidc-issuer=" + p.URL, "--oidc-client-id=" + providertest.ClientID, "--oidc-client-secret=" + providertest.ClientSecret, "--oidc-name=Example"}
}

func TestDoctor_outside(t *testing.T) {
	t.Parallel()
	d, outside := pgtest.New(t), providertest.New(t)
	args := append([]string{"doctor", "--database-url=" + d.URL, "--data-dir=" + dataDir(t)}, flagsFor(outside)...)
	homeplace(t, args...).want(t, 0, "the key set for session JWTs from outside can be had", "OpenID Connect provider can be had")
	outside.Change(func(p *providertest.Provider) { p.Down = true })
	homeplace(t, args...).want(t, 1, "the key set for session JWTs from outside cannot be had", "--idp-jwks-url", "OpenID Connect provider cannot be had", "--oidc-issuer")
	homeplace(t, "doctor", "--database-url="+d.URL, "--data-dir="+dataDir(t), "--oidc-name=x").want(t, 1, "signing in elsewhere is not set up right")
}

// The service starts while the provider is away, and takes its people in once
// it is there.
func TestServe_outside(t *testing.T) {
	t.Parallel()
	d, outside := pgtest.New(t), providertest.New(t)
	outside.Change(func(p *providertest.Provider) { p.Down = true })
	site := serve(t, append([]string{"--database-url=" + d.URL, "--data-dir=" + dataDir(t)}, flagsFor(outside)...)...)
	outside.Change(func(p *providertest.Provider) { p.Down = false })
	var mu sync.Mutex
	seen := map[string]int{}
	token := outside.Session(t, "homeplace", "ada", providertest.Claims{"email": "ada@example.org", "email_verified": true, "preferred_username": "ada"})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			status, who := site.me(t, token)
			if status != http.StatusOK || who.Profile.Username != "ada" || who.Profile.Email != "ada@example.org" {
				t.Errorf("/api/me gives %d %+v", status, who)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[who.Profile.ID]++
		})
	}
	wg.Wait()
	if len(seen) != 1 {
		t.Errorf("16 first uses make the accounts %v", seen)
	}
	for name, bad := range map[string]string{
		"another audience": outside.Session(t, "other", "ada", nil),
		"tampered with":    token[:len(token)-6] + "AAAAAA",
	} {
		if status, who := site.me(t, bad); status != http.StatusUnauthorized {
			t.Errorf("%s gives %d %+v", name, status, who)
		}
	}
	outside.Change(func(p *providertest.Provider) {
		p.Person = providertest.Claims{"sub": "ada", "email": "ada@example.org", "email_verified": true}
	})
	if page := site.browse(t, "/sign-in"); !strings.Contains(page, "Continue with Example") {
		t.Error("the page to sign in has no button")
	}
	if page := site.browse(t, "/sign-in/provider?next=/account"); !strings.Contains(page, "Signed in as ada") || !strings.Contains(page, "Linked sign-in") {
		t.Errorf("signing in leads to %s", page)
	}
}

// browse follows every redirect, as a browser with cookies does.
func (p *process) browse(t *testing.T, path string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Jar: jar, Timeout: 10 * time.Second}
	answer, err := client.Get(strings.Replace(p.url, "127.0.0.1", "localhost", 1) + path) // cookies are the base address's
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
