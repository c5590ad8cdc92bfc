package signing

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token := w.sign(t, w.Service)
	var c jwt.RegisteredClaims
	if err := w.Verify(t.Context(), token, &c, issuer, audience); err != nil || c.Subject != "ada" {
		t.Fatalf("Verify = %+v, %v", c, err)
	}
	if h := header(t, token); h["alg"] != "ES256" || h["kid"] != published(t, w.Service)[0] {
		t.Errorf("the header is %v", h)
	}
	// Anybody with the published set alone comes to the same result.
	keySet, err := w.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jwt.Parse(token, keysOf(t, keySet), jwt.WithTimeFunc(w.clock)); err != nil {
		t.Errorf("with the published keys: %v", err)
	}
}

// keysOf reads a key set without the package under test.
func keysOf(t *testing.T, set []byte) jwt.Keyfunc {
	t.Helper()
	var read struct {
		Keys []struct{ Kid, X, Y string }
	}
	if err := json.Unmarshal(set, &read); err != nil {
		t.Fatal(err)
	}
	return func(token *jwt.Token) (any, error) {
		for _, key := range read.Keys {
			if key.Kid == token.Header["kid"] {
				x, _ := base64.RawURLEncoding.DecodeString(key.X)
				y, _ := base64.RawURLEncoding.DecodeString(key.Y)
				return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
			}
		}
		return nil, jwt.ErrTokenUnverifiable
	}
}

func TestVerifyChecksTimes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	at := func(d time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(start.Add(d)) }
	for name, c := range map[string]struct {
		change func(*jwt.RegisteredClaims)
		good   bool
	}{
		"as it should be":                  {func(*jwt.RegisteredClaims) {}, true},
		"expired within the leeway":        {func(c *jwt.RegisteredClaims) { c.ExpiresAt = at(-29 * time.Second) }, true},
		"expired":                          {func(c *jwt.RegisteredClaims) { c.ExpiresAt = at(-31 * time.Second) }, false},
		"begins within the leeway":         {func(c *jwt.RegisteredClaims) { c.NotBefore = at(29 * time.Second) }, true},
		"not yet valid":                    {func(c *jwt.RegisteredClaims) { c.NotBefore = at(31 * time.Second) }, false},
		"made within the leeway":           {func(c *jwt.RegisteredClaims) { c.IssuedAt = at(29 * time.Second) }, true},
		"made in the future":               {func(c *jwt.RegisteredClaims) { c.IssuedAt = at(31 * time.Second) }, false},
		"another issuer":                   {func(c *jwt.RegisteredClaims) { c.Issuer = "https://homeplace.test/auth/v2" }, false},
		"the issuer with a slash":          {func(c *jwt.RegisteredClaims) { c.Issuer = issuer + "/" }, false},
		"no issuer":                        {func(c *jwt.RegisteredClaims) { c.Issuer = "" }, false},
		"another audience":                 {func(c *jwt.RegisteredClaims) { c.Audience = jwt.ClaimStrings{"anon"} }, false},
		"no audience":                      {func(c *jwt.RegisteredClaims) { c.Audience = nil }, false},
		"an audience that begins the same": {func(c *jwt.RegisteredClaims) { c.Audience = jwt.ClaimStrings{audience + "d"} }, false},
	} {
		claims := w.claims()
		c.change(&claims)
		token, err := w.Sign(t.Context(), claims)
		if err != nil {
			t.Fatal(err)
		}
		if got := accepts(t, w.Service, token); got != c.good {
			t.Errorf("%s: accepted %t, want %t", name, got, c.good)
		}
	}
	for name, expires := range map[string]*jwt.NumericDate{"no end": nil, "a late end": at(MaxLifetime + time.Second)} {
		claims := w.claims()
		claims.ExpiresAt = expires
		if _, err := w.Sign(t.Context(), claims); err == nil {
			t.Errorf("a token with %s is signed", name)
		}
	}
}

// forged makes a token with any header, method and key.
func (w world) forged(t *testing.T, method jwt.SigningMethod, key any, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, w.claims())
	for name, value := range header {
		token.Header[name] = value
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVerifyRefusesForgeries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	good := w.sign(t, w.Service)
	kid := published(t, w.Service)[0]
	named := map[string]any{"kid": kid}
	strange, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	strangeJWK, err := publicJWK(&strange.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	keySet, err := w.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(r.keys[0].public)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	jwk, err := json.Marshal(r.keys[0].jwk)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	payload := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	private := r.keys[0].private

	for name, token := range map[string]string{
		"no algorithm":                       w.forged(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, named),
		"no algorithm, in capitals":          payload(`{"alg":"NONE","kid":"`+kid+`"}`) + "." + parts[1] + ".",
		"no algorithm, the old signature":    payload(`{"alg":"none","kid":"`+kid+`"}`) + "." + parts[1] + "." + parts[2],
		"HS256 with the public key in PEM":   w.forged(t, jwt.SigningMethodHS256, public, named),
		"HS256 with the public key in DER":   w.forged(t, jwt.SigningMethodHS256, der, named),
		"HS256 with the public key as JWK":   w.forged(t, jwt.SigningMethodHS256, jwk, named),
		"HS256 with the published set":       w.forged(t, jwt.SigningMethodHS256, keySet, named),
		"HS256 with an empty key":            w.forged(t, jwt.SigningMethodHS256, []byte{}, named),
		"ES384":                              w.forged(t, jwt.SigningMethodES384, wide, named),
		"another key under our name":         w.forged(t, jwt.SigningMethodES256, strange, named),
		"another key under its own name":     w.forged(t, jwt.SigningMethodES256, strange, map[string]any{"kid": strangeJWK.KID}),
		"another key, brought along":         w.forged(t, jwt.SigningMethodES256, strange, map[string]any{"kid": kid, "jwk": strangeJWK}),
		"another key, to be fetched":         w.forged(t, jwt.SigningMethodES256, strange, map[string]any{"kid": kid, "jku": "https://evil.test/jwks.json", "x5u": "https://evil.test/cert"}),
		"another key, brought, under none":   w.forged(t, jwt.SigningMethodES256, strange, map[string]any{"jwk": strangeJWK, "jku": "https://evil.test/jwks.json"}),
		"our key under no name":              w.forged(t, jwt.SigningMethodES256, private, nil),
		"our key under an empty name":        w.forged(t, jwt.SigningMethodES256, private, map[string]any{"kid": ""}),
		"our key under a number":             w.forged(t, jwt.SigningMethodES256, private, map[string]any{"kid": 1}),
		"our key under a list":               w.forged(t, jwt.SigningMethodES256, private, map[string]any{"kid": []string{kid}}),
		"our key under another name":         w.forged(t, jwt.SigningMethodES256, private, map[string]any{"kid": "../../etc/passwd"}),
		"our key under a name that is SQL":   w.forged(t, jwt.SigningMethodES256, private, map[string]any{"kid": "x' or '1'='1"}),
		"the name swapped afterwards":        payload(`{"alg":"ES256","kid":"`+strangeJWK.KID+`","typ":"JWT"}`) + "." + parts[1] + "." + parts[2],
		"the payload changed":                parts[0] + "." + payload(`{"iss":"`+issuer+`","sub":"eve","aud":"authenticated","exp":4102444800}`) + "." + parts[2],
		"no signature":                       parts[0] + "." + parts[1] + ".",
		"a signature of zeros":               parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)),
		"a signature in DER":                 parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(append([]byte{0x30, 0x44}, make([]byte, 68)...)),
		"padding":                            good + "=",
		"two parts":                          parts[0] + "." + parts[1],
		"four parts":                         good + "." + parts[2],
		"nothing":                            "",
		"dots":                               "..",
		"a very long text":                   good + strings.Repeat("A", 1<<20),
		"a header that is no JSON":           payload(`{`) + "." + parts[1] + "." + parts[2],
		"a payload that is a list":           parts[0] + "." + payload(`[]`) + "." + parts[2],
		"a zero byte":                        good[:10] + "\x00" + good[11:],
		"the header's JSON written in blank": payload(`{"alg":"ES256", "kid":"`+kid+`","typ":"JWT"}`) + "." + parts[1] + "." + parts[2],
	} {
		if accepts(t, w.Service, token) {
			t.Errorf("%s is accepted", name)
		}
	}
	if !accepts(t, w.Service, good) {
		t.Error("afterwards the good token is refused")
	}
}

// Whatever single character of a token is changed, it is refused.
func TestVerifyRefusesEverySlip(t *testing.T) {
	t.Parallel()
	w := setup(t)
	good := w.sign(t, w.Service)
	for i := range good {
		for _, c := range "Aa0_." {
			if slip := good[:i] + string(c) + good[i+1:]; slip != good && accepts(t, w.Service, slip) {
				t.Errorf("accepted with %q at %d", c, i)
			}
		}
	}
}

// Tokens of unknown keys must not be a way to keep the database busy.
func TestStrangersCauseFewReadings(t *testing.T) {
	t.Parallel()
	w := setup(t)
	strange, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	token := w.forged(t, jwt.SigningMethodES256, strange, map[string]any{"kid": "strange"})
	reads := 0
	before := w.current.Load()
	for second := range 11 {
		w.at(time.Minute + time.Duration(second)*time.Second)
		for range 20 {
			accepts(t, w.Service, token)
		}
		if now := w.current.Load(); now != before {
			reads, before = reads+1, now
		}
	}
	if reads != 3 { // at the seconds 0, 5 and 10
		t.Errorf("in eleven seconds the keys were read %d times, want 3", reads)
	}
}
