package provider_test

import (
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/provider"
	"homeplace/core/provider/providertest"
)

const back = "https://homeplace.test/sign-in/provider/callback"

func signIn(t *testing.T, outside *providertest.Provider, c *clock) *provider.SignIn {
	t.Helper()
	s, err := provider.NewSignIn(provider.SignInOptions{Issuer: outside.URL, ClientID: providertest.ClientID, ClientSecret: providertest.ClientSecret,
		RedirectURL: back, Now: c.now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var ada = providertest.Claims{"sub": "ada", "email": "ada@example.org", "email_verified": true, "name": "Ada L.", "preferred_username": "ada"}

// visit goes through the flow up to the way back.
func visit(t *testing.T, s *provider.SignIn, outside *providertest.Provider) (provider.Flow, url.Values) {
	t.Helper()
	address, flow, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(address, flow.Verifier) {
		t.Error("the verifier stands in the address")
	}
	to := outside.Browse(t, address)
	if !strings.HasPrefix(to.String(), back+"?") {
		t.Fatalf("sent back to %s", to)
	}
	return flow, to.Query()
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	outside := providertest.New(t)
	s := signIn(t, outside, &clock{})
	want := provider.Subject{Issuer: outside.URL, Subject: "ada", Email: "ada@example.org", EmailVerified: true, Name: "Ada L.", Username: "ada"}
	for name, change := range map[string]func(p *providertest.Provider){
		"ES256":         func(p *providertest.Provider) { p.Person = ada },
		"from userinfo": func(p *providertest.Provider) { p.Thin = true },
	} {
		outside.Change(change)
		outside.Change(func(p *providertest.Provider) { p.Person = ada })
		flow, query := visit(t, s, outside)
		got, err := s.Finish(t.Context(), flow, query)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		_, err = s.Finish(t.Context(), flow, query)
		wantError(t, "the same code again", err, provider.ErrStale)
	}
	outside.Rotate(providertest.RS256(t, "next"))
	flow, query := visit(t, s, outside)
	if got, err := s.Finish(t.Context(), flow, query); err != nil || got != want {
		t.Errorf("with another key: %+v, %v", got, err)
	}
	if n := outside.Fetches(providertest.DiscoveryPath); n != 1 {
		t.Errorf("%d discoveries, want 1", n)
	}
	if s.Name() != "127.0.0.1" {
		t.Errorf("it is called %q", s.Name())
	}
}

func TestSignIn_refusals(t *testing.T) {
	t.Parallel()
	outside := providertest.New(t)
	s := signIn(t, outside, &clock{})
	for _, tt := range []struct {
		name   string
		change func(flow *provider.Flow, query url.Values)
		want   error
	}{
		{"another state", func(_ *provider.Flow, q url.Values) { q.Set("state", "x") }, provider.ErrStale},
		{"no state", func(_ *provider.Flow, q url.Values) { q.Del("state") }, provider.ErrStale},
		{"no flow", func(f *provider.Flow, q url.Values) { *f = provider.Flow{}; q.Del("state") }, provider.ErrStale},
		{"no code", func(_ *provider.Flow, q url.Values) { q.Del("code") }, provider.ErrStale},
		{"another code", func(_ *provider.Flow, q url.Values) { q.Set("code", "x") }, provider.ErrStale},
		{"another verifier", func(f *provider.Flow, _ url.Values) { f.Verifier = strings.Repeat("x", 43) }, provider.ErrStale},
		{"another nonce", func(f *provider.Flow, _ url.Values) { f.Nonce = "x" }, provider.ErrRefused},
		{"another issuer", func(_ *provider.Flow, q url.Values) { q.Set("iss", "https://evil.example") }, provider.ErrRefused},
		{"cancelled", func(_ *provider.Flow, q url.Values) { q.Set("error", "access_denied") }, provider.ErrCancelled},
		{"another error", func(_ *provider.Flow, q url.Values) { q.Set("error", "server_error") }, provider.ErrRefused},
	} {
		outside.Change(func(p *providertest.Provider) { p.Person = ada })
		flow, query := visit(t, s, outside)
		tt.change(&flow, query)
		_, err := s.Finish(t.Context(), flow, query)
		wantError(t, tt.name, err, tt.want)
	}
	for name, distort := range map[string]func(c providertest.Claims){
		"an ID token of another issuer": func(c providertest.Claims) { c["iss"] = "https://evil.example" },
		"for another client":            func(c providertest.Claims) { c["aud"] = "other" },
		"that has expired":              func(c providertest.Claims) { c["exp"] = time.Now().Add(-time.Hour).Unix() },
		"without a nonce":               func(c providertest.Claims) { delete(c, "nonce") },
		"without a subject":             func(c providertest.Claims) { c["sub"] = "" },
		"with another at_hash":          func(c providertest.Claims) { c["at_hash"] = "x" },
	} {
		outside.Change(func(p *providertest.Provider) { p.Distorted = distort })
		flow, query := visit(t, s, outside)
		_, err := s.Finish(t.Context(), flow, query)
		wantError(t, name, err, provider.ErrRefused)
	}
	outside.Change(func(p *providertest.Provider) { p.Person, p.Distorted = nil, nil })
	flow, query := visit(t, s, outside)
	_, err := s.Finish(t.Context(), flow, query)
	wantError(t, "pressing cancel", err, provider.ErrCancelled)
}

func TestSignIn_providerDown(t *testing.T) {
	t.Parallel()
	outside, c := providertest.New(t), &clock{}
	outside.Change(func(p *providertest.Provider) { p.Down, p.Person = true, ada })
	s := signIn(t, outside, c)
	for range 3 {
		if _, _, err := s.Begin(t.Context()); core.KindOf(err) != core.Unavailable {
			t.Errorf("without a provider: %v", err)
		}
	}
	if n := outside.Fetches(providertest.DiscoveryPath); n != 1 || s.Check(t.Context()) == nil {
		t.Errorf("%d discoveries, want 1", n)
	}
	c.forward(6 * time.Second)
	outside.Change(func(p *providertest.Provider) { p.Down = false })
	flow, query := visit(t, s, outside)
	outside.Change(func(p *providertest.Provider) { p.Down = true })
	if _, err := s.Finish(t.Context(), flow, query); core.KindOf(err) != core.Unavailable {
		t.Errorf("when it goes away half way: %v", err)
	}
	if _, err := provider.NewSignIn(provider.SignInOptions{Issuer: outside.URL, ClientID: "x"}); err == nil {
		t.Error("a client without a secret is taken")
	}
	unknown, err := provider.NewSignIn(provider.SignInOptions{Issuer: outside.URL, ClientID: providertest.ClientID, ClientSecret: "wrong",
		RedirectURL: back, Now: c.now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	outside.Change(func(p *providertest.Provider) { p.Down = false })
	flow, query = visit(t, unknown, outside)
	_, err = unknown.Finish(t.Context(), flow, query)
	if core.KindOf(err) != core.Unavailable || strings.Contains(err.Error(), "wrong") || !strings.Contains(err.Error(), "invalid_client") {
		t.Errorf("with a wrong secret: %v", err)
	}
}
