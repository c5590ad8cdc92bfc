package provider_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"homeplace/core"
	"homeplace/core/provider"
	"homeplace/core/provider/providertest"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rs := providertest.RS256(t, "second")
	es := providertest.ES256(t, "first")
	w.outside.Rotate(es, rs)
	for name, key := range map[string]providertest.Key{"ES256": es, "RS256": rs, "ES256 without a kid": {Signer: es.Signer, Method: es.Method}} {
		token := providertest.Sign(t, key, providertest.Claims{"iss": w.outside.URL, "aud": []string{"other", audience}, "sub": "auth|7",
			"exp": time.Now().Add(time.Hour).Unix(), "email": " ada@example.org ", "email_verified": "true", "name": "Ada", "preferred_username": "ada"})
		got, err := w.Verify(t.Context(), token)
		want := provider.Subject{Issuer: w.outside.URL, Subject: "auth|7", Email: "ada@example.org", EmailVerified: true, Name: "Ada", Username: "ada"}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if n := w.outside.Fetches(providertest.KeysPath); n != 1 {
		t.Errorf("the keys were fetched %d times, want once", n)
	}
}

func TestVerify_claims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for _, tt := range []struct {
		name string
		more providertest.Claims
		good bool
	}{
		{"nothing more", nil, true},
		{"another issuer", providertest.Claims{"iss": "https://evil.example"}, false},
		{"an issuer with a slash more", providertest.Claims{"iss": w.outside.URL + "/"}, false},
		{"no issuer", providertest.Claims{"iss": nil}, false},
		{"another audience", providertest.Claims{"aud": "https://other.example"}, false},
		{"no audience", providertest.Claims{"aud": nil}, false},
		{"expired a minute ago", providertest.Claims{"exp": at(-time.Minute)}, false},
		{"expired within the leeway", providertest.Claims{"exp": at(-20 * time.Second)}, true},
		{"no expiry", providertest.Claims{"exp": nil}, false},
		{"an expiry that is no number", providertest.Claims{"exp": "tomorrow"}, false},
		{"not valid for a minute yet", providertest.Claims{"nbf": at(time.Minute)}, false},
		{"not valid yet within the leeway", providertest.Claims{"nbf": at(20 * time.Second)}, true},
		{"issued in a minute", providertest.Claims{"iat": at(time.Minute)}, false},
		{"no subject", providertest.Claims{"sub": nil}, false},
		{"an empty subject", providertest.Claims{"sub": ""}, false},
		{"a zero byte in the subject", providertest.Claims{"sub": "a\x00b"}, false},
		{"a long subject", providertest.Claims{"sub": strings.Repeat("a", 256)}, false},
		{"an e-mail address that is none", providertest.Claims{"email": 5}, false},
	} {
		w.want(t, tt.name, w.outside.Session(t, audience, "ada", tt.more), tt.good)
	}
}

func TestVerify_forgeries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	es, rs := providertest.ES256(t, "es"), providertest.RS256(t, "rs")
	w.outside.Rotate(es, rs)
	claims := providertest.Claims{"iss": w.outside.URL, "aud": audience, "sub": "ada", "exp": time.Now().Add(time.Hour).Unix()}
	good := providertest.Sign(t, es, claims)
	w.want(t, "the model", good, true)
	parts := strings.Split(good, ".")
	none := jwt.NewWithClaims(jwt.SigningMethodNone, claims)
	none.Header["kid"] = es.ID
	unsigned, err := none.SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	stranger := providertest.ES256(t, es.ID)
	forgeries := map[string]string{
		"none": unsigned, "a stranger's key": providertest.Sign(t, stranger, claims),
		"the kid of the other key":  providertest.Sign(t, providertest.Key{ID: rs.ID, Signer: es.Signer, Method: es.Method}, claims),
		"the other way around":      providertest.Sign(t, providertest.Key{ID: es.ID, Signer: rs.Signer, Method: rs.Method}, claims),
		"RS512":                     providertest.Sign(t, providertest.Key{ID: rs.ID, Signer: rs.Signer, Method: jwt.SigningMethodRS512}, claims),
		"PS256":                     providertest.Sign(t, providertest.Key{ID: rs.ID, Signer: rs.Signer, Method: jwt.SigningMethodPS256}, claims),
		"another payload":           parts[0] + "." + strings.Split(w.outside.Session(t, audience, "bea", nil), ".")[1] + "." + parts[2],
		"no signature":              parts[0] + "." + parts[1] + ".",
		"two parts":                 parts[0] + "." + parts[1],
		"nothing":                   "",
		"a personal token":          "tok_0000000000000000000000000000000000000000000",
		"more than a header may be": good + strings.Repeat("A", 20<<10),
		"an unknown extension":      withHeader(t, es, claims, "crit", []string{"exp"}),
		"a kid that is no text":     withHeader(t, es, claims, "kid", 7),
	}
	for name, public := range map[string]crypto.PublicKey{"EC": es.Signer.Public(), "RSA": rs.Signer.Public()} {
		for form, secret := range written(t, public) {
			for _, kid := range []string{"es", "rs", ""} {
				forged := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
				if kid != "" {
					forged.Header["kid"] = kid
				}
				if forgeries["HS256 with the "+name+" key in "+form+" as "+kid], err = forged.SignedString(secret); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, token := range forgeries {
		w.want(t, name, token, false)
	}
	for i := range parts[2] {
		changed := []byte(parts[2])
		changed[i] ^= 1
		w.want(t, fmt.Sprintf("the signature changed at %d", i), parts[0]+"."+parts[1]+"."+string(changed), false)
	}
}

func withHeader(t *testing.T, key providertest.Key, claims providertest.Claims, name string, value any) string {
	t.Helper()
	token := jwt.NewWithClaims(key.Method, claims)
	token.Header["kid"] = key.ID
	token.Header[name] = value
	signed, err := token.SignedString(key.Signer)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// written are the forms in which a public key could be taken for a secret.
func written(t *testing.T, public crypto.PublicKey) map[string][]byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"DER": der, "PEM": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}
}

func TestVerify_secret(t *testing.T) {
	t.Parallel()
	const secret = "a secret of at least 32 bytes, shared"
	outside := providertest.New(t)
	w := world{outside: outside, Verifier: verifier(t, provider.VerifierOptions{Issuer: outside.URL, Audience: audience, HS256Secret: secret, Now: time.Now})}
	claims := providertest.Claims{"iss": outside.URL, "aud": audience, "sub": "ada", "exp": time.Now().Add(time.Hour).Unix()}
	sign := func(method jwt.SigningMethod, secret string) string {
		token, err := jwt.NewWithClaims(method, claims).SignedString([]byte(secret))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	w.want(t, "HS256", sign(jwt.SigningMethodHS256, secret), true)
	w.want(t, "HS256 with another secret", sign(jwt.SigningMethodHS256, "another"), false)
	w.want(t, "HS512", sign(jwt.SigningMethodHS512, secret), false)
	w.want(t, "ES256 of the same issuer", outside.Session(t, audience, "ada", nil), false)
	if n := outside.Fetches(providertest.KeysPath); n != 0 {
		t.Errorf("the keys were fetched %d times, want never", n)
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// A thousand tokens with made-up key ids must not make a thousand fetches, and
// nobody with a good one may suffer.
func TestVerify_unknownKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	forger := providertest.ES256(t, "")
	claims := providertest.Claims{"iss": w.outside.URL, "aud": audience, "sub": "ada", "exp": time.Now().Add(time.Hour).Unix()}
	flood := func() {
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				for j := range 100 {
					kid := fmt.Sprintf("made up %d %d", i, j)
					if _, err := w.Verify(t.Context(), providertest.Sign(t, providertest.Key{ID: kid, Signer: forger.Signer, Method: forger.Method}, claims)); err == nil {
						t.Error("a forgery is taken")
					}
				}
			})
		}
		wg.Wait()
	}
	flood()
	if n := w.outside.Fetches(providertest.KeysPath); n > 2 {
		t.Errorf("1,000 unknown keys cause %d fetches, want at most 2", n)
	}
	before := w.outside.Fetches(providertest.KeysPath)
	w.clock.forward(31 * time.Second)
	flood()
	if n := w.outside.Fetches(providertest.KeysPath) - before; n != 1 {
		t.Errorf("half a minute later %d more fetches, want 1", n)
	}
	w.want(t, "a good token", w.outside.Session(t, audience, "ada", nil), true)
}

func TestVerify_rotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.outside.Session(t, audience, "ada", nil)
	w.want(t, "the first key", old, true)
	next := providertest.RS256(t, "next")
	w.outside.Rotate(next)
	fresh := w.outside.Session(t, audience, "ada", nil)
	w.want(t, "a new key right after a fetch", fresh, false)
	w.clock.forward(31 * time.Second)
	var wg sync.WaitGroup
	for range 8 { // all wait for the one fetch
		wg.Go(func() { w.want(t, "the new key", fresh, true) })
	}
	wg.Wait()
	w.want(t, "the key that was withdrawn", old, false)
	if n := w.outside.Fetches(providertest.KeysPath); n != 2 {
		t.Errorf("the keys were fetched %d times, want twice", n)
	}
	// A key that is withdrawn while nobody asks for another.
	w.outside.Rotate(providertest.ES256(t, "third"))
	w.clock.forward(11 * time.Minute)
	w.want(t, "an old set while a newer one is on its way", fresh, true)
	eventually(t, func() bool { return !w.accepts(t, "a withdrawn key", fresh) })
}

func eventually(t *testing.T, true func() bool) {
	t.Helper()
	for range 200 {
		if true() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not come true")
}

func TestVerify_providerDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside.Change(func(p *providertest.Provider) { p.Down = true })
	token := w.outside.Session(t, audience, "ada", providertest.Claims{"exp": time.Now().Add(24 * time.Hour).Unix()})
	for range 5 {
		_, err := w.Verify(t.Context(), token)
		if core.KindOf(err) != core.Unavailable || core.AsError(err).RetryAfter <= 0 {
			t.Errorf("without keys: %v", err)
		}
	}
	if n := w.outside.Fetches(providertest.KeysPath); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
	if w.Check(t.Context()) == nil {
		t.Error("Check sees nothing wrong")
	}
	w.outside.Change(func(p *providertest.Provider) { p.Down = false })
	w.clock.forward(31 * time.Second)
	w.want(t, "once it is back", token, true)
	for name, broken := range map[string]func(p *providertest.Provider){
		"down":     func(p *providertest.Provider) { p.Down = true },
		"no set":   func(p *providertest.Provider) { p.Down, p.KeySet = false, func() any { return "sorry" } },
		"no keys":  func(p *providertest.Provider) { p.KeySet = func() any { return map[string]any{"keys": []any{}} } },
		"odd keys": func(p *providertest.Provider) { p.KeySet = oddKeys },
		"endless": func(p *providertest.Provider) {
			p.Answer = func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, `{"keys":[`)
				for range 3 << 20 / 64 {
					io.WriteString(w, strings.Repeat(" ", 64))
				}
				io.WriteString(w, `]}`)
			}
		},
	} {
		w.outside.Change(broken)
		before := w.outside.Fetches(providertest.KeysPath)
		w.clock.forward(11 * time.Minute)
		eventually(t, func() bool { // once the fetch before is over
			w.want(t, name+": an old key", token, true)
			return w.outside.Fetches(providertest.KeysPath) > before
		})
		if w.Check(t.Context()) == nil {
			t.Errorf("%s: Check sees nothing wrong", name)
		}
		w.outside.Change(func(p *providertest.Provider) { p.Answer = nil })
	}
	w.want(t, "an old key in the end", token, true)
}

// oddKeys is a set that must not be taken: a secret, and a key for something
// else.
func oddKeys() any {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		panic(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	return map[string]any{"keys": []any{
		map[string]any{"kty": "oct", "kid": "first", "k": b64([]byte("a secret for everybody to read, in full")), "alg": "HS256"},
		map[string]any{"kty": "EC", "crv": "P-384", "kid": "first", "x": b64(key.X.Bytes()), "y": b64(key.Y.Bytes())},
		map[string]any{"kty": "none of these", "kid": "first"}, "not even an object"}}
}

func TestNewVerifier_options(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)
	for _, tt := range []struct {
		o    provider.VerifierOptions
		want string
	}{
		{provider.VerifierOptions{Audience: "a", HS256Secret: secret}, "issuer is missing"},
		{provider.VerifierOptions{Issuer: "i", HS256Secret: secret}, "audience is missing"},
		{provider.VerifierOptions{Issuer: "i", Audience: "a"}, "is missing"},
		{provider.VerifierOptions{Issuer: "i", Audience: "a", HS256Secret: secret, JWKSURL: "https://id.example/keys"}, "not both"},
		{provider.VerifierOptions{Issuer: "i", Audience: "a", HS256Secret: secret[1:]}, "less than 32"},
		{provider.VerifierOptions{Issuer: "i", Audience: "a", JWKSURL: "ftp://id.example/keys"}, "must be an address"},
		{provider.VerifierOptions{Issuer: "i", Audience: "a", JWKSURL: "https://id.example/keys"}, ""},
	} {
		_, err := provider.NewVerifier(tt.o)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}
