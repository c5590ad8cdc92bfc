package provider_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/provider"
	"homeplace/core/provider/providertest"
)

const audience = "https://homeplace.test"

// clock is the real time and what tests add to it.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

type world struct {
	*provider.Verifier
	outside *providertest.Provider
	clock   *clock
}

func newWorld(t testing.TB) world {
	t.Helper()
	w := world{outside: providertest.New(t), clock: &clock{}}
	w.Verifier = verifier(t, provider.VerifierOptions{Issuer: w.outside.URL, Audience: audience, JWKSURL: w.outside.KeysURL(), Now: w.clock.now})
	return w
}

func verifier(t testing.TB, o provider.VerifierOptions) *provider.Verifier {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	v, err := provider.NewVerifier(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// accepts tells whether a token is good; a refusal must be the one for all.
func (w world) accepts(t *testing.T, what, token string) bool {
	t.Helper()
	_, err := w.Verify(t.Context(), token)
	if err != nil && (core.KindOf(err) != core.Unauthenticated || !strings.HasPrefix(core.AsError(err).Msg, "This session token is not valid")) {
		t.Errorf("%s gives %v", what, err)
	}
	return err == nil
}

func (w world) want(t *testing.T, what, token string, good bool) {
	t.Helper()
	if w.accepts(t, what, token) != good {
		t.Errorf("%s: accepted %t, want %t", what, !good, good)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	var got, known *core.Error
	if !errors.As(err, &got) || !errors.As(want, &known) || got.Code != known.Code {
		t.Errorf("%s gives %v, want %v", what, err, want)
	}
}
