package signing

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/secret"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	issuer   = "https://homeplace.test/auth/v1"
	audience = "authenticated"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a database with one instance over it, and a clock.
type world struct {
	*Service
	database *pgtest.Database
	moment   *atomic.Pointer[time.Time]
}

// empty is an installation without a key.
func empty(t testing.TB) world {
	t.Helper()
	w := world{database: pgtest.New(t), moment: new(atomic.Pointer[time.Time])}
	w.at(0)
	w.Service = w.instance(t, w.database.DB, "a")
	return w
}

// setup makes an installation with its first key.
func setup(t testing.TB) world {
	t.Helper()
	w := empty(t)
	if err := w.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// at moves the clock to d after the start.
func (w world) at(d time.Duration) {
	now := start.Add(d)
	w.moment.Store(&now)
}

func (w world) clock() time.Time { return *w.moment.Load() }

// instance opens the keys with the secret that a letter stands for.
func (w world) instance(t testing.TB, db *pg.DB, letter string) *Service {
	t.Helper()
	s, err := secret.Parse(strings.Repeat(letter, secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	return New(db, s, w.clock)
}

func (w world) claims() jwt.RegisteredClaims {
	now := w.clock()
	return jwt.RegisteredClaims{Issuer: issuer, Subject: "ada", Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour))}
}

func (w world) sign(t testing.TB, by *Service) string {
	t.Helper()
	token, err := by.Sign(t.Context(), w.claims())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// accepts tells whether an instance takes a token, and fails the test where it
// is refused for another reason than being bad.
func accepts(t testing.TB, by *Service, token string) bool {
	t.Helper()
	var c jwt.RegisteredClaims
	err := by.Verify(context.WithoutCancel(t.Context()), token, &c, issuer, audience)
	if known := core.AsError(err); err != nil && (known.Kind != core.Unauthenticated || known.Code != "bad_jwt") {
		t.Fatalf("Verify: %v", err)
	}
	return err == nil
}

// header reads the first part of a token.
func header(t testing.TB, token string) (h map[string]any) {
	t.Helper()
	first, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(first)
	if err == nil {
		err = json.Unmarshal(raw, &h)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// published are the names of the keys in the set.
func published(t testing.TB, by *Service) (names []string) {
	t.Helper()
	text, err := by.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	for _, key := range set.Keys {
		if key["kty"] != "EC" || key["crv"] != "P-256" || key["alg"] != "ES256" || key["use"] != "sig" || key["x"] == "" || key["y"] == "" || len(key) != 7 {
			t.Errorf("a published key is %v", key)
		}
		names = append(names, key["kid"])
	}
	return names
}
