// Package providertest is an identity provider for tests: a real one over
// HTTP, with discovery, an authorization page that asks nobody, tokens, keys
// that rotate, and failures on demand.
package providertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
)

// The one client that the provider knows.
const (
	ClientID     = "homeplace"
	ClientSecret = "the secret of the client"
)

// Paths that Fetches counts.
const (
	DiscoveryPath = "/.well-known/openid-configuration"
	KeysPath      = "/keys"
	TokenPath     = "/token"
	UserInfoPath  = "/userinfo"
	AuthorizePath = "/authorize"
)

// Claims are what the provider says of whoever signs in.
type Claims = jwt.MapClaims

// Key is a private key under its id.
type Key struct {
	ID     string
	Signer crypto.Signer
	Method jwt.SigningMethod
}

// grant is what a code is good for.
type grant struct {
	challenge, redirect string
	claims              Claims
}

// Provider is one that runs. Its fields are set before it is asked, or under
// Change.
type Provider struct {
	URL string

	mu      sync.Mutex
	keys    []Key
	grants  map[string]grant
	fetches map[string]int

	Person    Claims              // who sits at the authorization page; nil = they press cancel
	Thin      bool                // e-mail address and names come from the userinfo endpoint only
	Down      bool                // every answer is 503
	Distorted func(claims Claims) // changes what an ID token says
	KeySet    func() any          // instead of the key set
	Answer    http.HandlerFunc    // instead of every answer
}

// New starts a provider with one ES256 key; t stops it.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{grants: map[string]grant{}, fetches: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+DiscoveryPath, p.discovery)
	mux.HandleFunc("GET "+KeysPath, p.keySet)
	mux.HandleFunc("GET "+AuthorizePath, p.authorize)
	mux.HandleFunc("POST "+TokenPath, p.token)
	mux.HandleFunc("GET "+UserInfoPath, p.userInfo)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.fetches[r.URL.Path]++
		answer, down := p.Answer, p.Down
		p.mu.Unlock()
		switch {
		case down:
			w.WriteHeader(http.StatusServiceUnavailable)
		case answer != nil:
			answer(w, r)
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	p.Rotate(ES256(t, "first"))
	return p
}

// ES256 makes a key.
func ES256(t testing.TB, id string) Key {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return Key{id, key, jwt.SigningMethodES256}
}

// RS256 makes a key.
func RS256(t testing.TB, id string) Key {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return Key{id, key, jwt.SigningMethodRS256}
}

// Change changes the provider while it runs.
func (p *Provider) Change(change func(p *Provider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// Rotate makes these the keys; the first one signs.
func (p *Provider) Rotate(keys ...Key) { p.Change(func(p *Provider) { p.keys = keys }) }

// Fetches is how often a path was asked for.
func (p *Provider) Fetches(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetches[path]
}

// KeysURL is the address of the key set.
func (p *Provider) KeysURL() string { return p.URL + KeysPath }

// Session is a session JWT for the audience, with further or other claims.
func (p *Provider) Session(t testing.TB, audience, subject string, more Claims) string {
	t.Helper()
	claims := p.claims(audience, subject, more)
	p.mu.Lock()
	key := p.keys[0]
	p.mu.Unlock()
	return Sign(t, key, claims)
}

func (p *Provider) claims(audience, subject string, more Claims) Claims {
	now := time.Now()
	c := Claims{"iss": p.URL, "aud": audience, "sub": subject, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	maps.Copy(c, more)
	maps.DeleteFunc(c, func(_ string, value any) bool { return value == nil })
	return c
}

// Sign makes a JWT. A key without an id is not named in the header.
func Sign(t testing.TB, key Key, claims Claims) string {
	t.Helper()
	signed, err := sign(key, claims)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func sign(key Key, claims Claims) (string, error) {
	token := jwt.NewWithClaims(key.Method, claims)
	if key.ID != "" {
		token.Header["kid"] = key.ID
	}
	return token.SignedString(key.Signer)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // fails where the client has left
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + AuthorizePath, "token_endpoint": p.URL + TokenPath,
		"jwks_uri": p.KeysURL(), "userinfo_endpoint": p.URL + UserInfoPath,
		"id_token_signing_alg_values_supported": []string{"ES256", "RS256"},
	})
}

func (p *Provider) keySet(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	keys, other := p.keys, p.KeySet
	p.mu.Unlock()
	if other != nil {
		answer(w, http.StatusOK, other())
		return
	}
	set := jwkset.JWKSMarshal{}
	for _, k := range keys {
		described, err := Describe(k)
		if err != nil {
			answer(w, http.StatusInternalServerError, err.Error())
			return
		}
		set.Keys = append(set.Keys, described)
	}
	answer(w, http.StatusOK, set)
}

// Describe is the public key as a JWK.
func Describe(k Key) (jwkset.JWKMarshal, error) {
	key, err := jwkset.NewJWKFromKey(k.Signer.Public(), jwkset.JWKOptions{
		Metadata: jwkset.JWKMetadataOptions{KID: k.ID, ALG: jwkset.ALG(k.Method.Alg()), USE: jwkset.UseSig}})
	if err != nil {
		return jwkset.JWKMarshal{}, err
	}
	return key.Marshal(), nil
}

// authorize sends the browser back at once, as whoever Person is.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("code_challenge") == "" || q.Get("nonce") == "" || q.Get("state") == "" {
		http.Error(w, "malformed request "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	result := url.Values{"state": {q.Get("state")}, "iss": {p.URL}}
	if p.Person == nil {
		result.Set("error", "access_denied")
	} else {
		code := rand.Text()
		claims := maps.Clone(p.Person)
		claims["nonce"] = q.Get("nonce")
		p.grants[code] = grant{challenge: q.Get("code_challenge"), redirect: q.Get("redirect_uri"), claims: claims}
		result.Set("code", code)
	}
	back.RawQuery = result.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token takes a code once, from the client, with the verifier of its challenge.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if known, _ := url.QueryUnescape(secret); id != ClientID || known != ClientSecret {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	code := r.PostFormValue("code")
	g, found := p.grants[code]
	delete(p.grants, code)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !found || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge || r.PostFormValue("redirect_uri") != g.redirect {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := p.claims(ClientID, "", g.claims)
	if p.Thin {
		for _, name := range []string{"email", "email_verified", "name", "preferred_username"} {
			delete(claims, name)
		}
	}
	if p.Distorted != nil {
		p.Distorted(claims)
	}
	signed, err := sign(p.keys[0], claims)
	if err != nil {
		answer(w, http.StatusInternalServerError, err.Error())
		return
	}
	access := rand.Text()
	p.grants[access] = g
	answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 60, "id_token": signed})
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g, found := p.grants[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !found {
		answer(w, http.StatusUnauthorized, nil)
		return
	}
	answer(w, http.StatusOK, g.claims)
}

// Browse is what a browser does at the authorization page: it returns the
// address that it is sent back to.
func (p *Provider) Browse(t testing.TB, address string) *url.URL {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		t.Fatalf("the authorization page answers %s: %v", answer.Status, err)
	}
	return back
}
