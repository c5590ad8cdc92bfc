package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"

	"homeplace/core"
	"homeplace/core/provider"
)

// outsideFlags say which outside identity provider is trusted: with the
// session JWTs that programs bring, and with the people who sign in there.
type outsideFlags struct {
	IDPIssuer      string `name:"idp-issuer" help:"Issuer whose session JWTs are taken as bearer tokens, exactly as in their \"iss\"." placeholder:"URL"`
	IDPAudience    string `name:"idp-audience" help:"Audience that those JWTs must be for." placeholder:"TEXT"`
	IDPJWKSURL     string `name:"idp-jwks-url" help:"Address of the public keys that sign them with ES256 or RS256." placeholder:"URL"`
	IDPHS256Secret string `name:"idp-hs256-secret" help:"Shared secret that signs them with HS256, instead of public keys. Better given as HOMEPLACE_IDP_HS256_SECRET." placeholder:"TEXT"`

	OIDCIssuer       string `name:"oidc-issuer" help:"OpenID Connect provider where people may sign in instead." placeholder:"URL"`
	OIDCClientID     string `name:"oidc-client-id" help:"Client id of this site there." placeholder:"TEXT"`
	OIDCClientSecret string `name:"oidc-client-secret" help:"Client secret of this site there. Better given as HOMEPLACE_OIDC_CLIENT_SECRET." placeholder:"TEXT"`
	OIDCName         string `name:"oidc-name" help:"What people call that provider; its host when empty." placeholder:"TEXT"`
}

// flag is one that was given, or not.
type flag struct{ name, value string }

// missing tells whether any of some flags is given, and complains where not
// all that are needed are.
func missing(needed []flag, more ...flag) (given bool, err error) {
	isGiven := func(f flag) bool { return f.value != "" }
	var lacking []string
	for _, f := range needed {
		if !isGiven(f) {
			lacking = append(lacking, f.name)
		}
	}
	given = len(lacking) < len(needed) || slices.ContainsFunc(more, isGiven)
	if !given || len(lacking) == 0 {
		return given, nil
	}
	all := append(slices.Clone(needed), more...)
	first := all[slices.IndexFunc(all, isGiven)]
	return given, fmt.Errorf("%s needs %s beside it", first.name, strings.Join(lacking, " and "))
}

// verifier is nil where no provider's JWTs are taken.
func (f outsideFlags) verifier(log *slog.Logger) (*provider.Verifier, error) {
	keys := flag{"--idp-jwks-url or --idp-hs256-secret", f.IDPJWKSURL + f.IDPHS256Secret}
	given, err := missing([]flag{{"--idp-issuer", f.IDPIssuer}, {"--idp-audience", f.IDPAudience}, keys})
	if !given || err != nil {
		return nil, err
	}
	if f.IDPJWKSURL != "" && f.IDPHS256Secret != "" {
		return nil, fmt.Errorf("give --idp-jwks-url or --idp-hs256-secret, not both: a key is public or a shared secret")
	}
	v, err := provider.NewVerifier(provider.VerifierOptions{Issuer: f.IDPIssuer, Audience: f.IDPAudience, JWKSURL: f.IDPJWKSURL,
		HS256Secret: f.IDPHS256Secret, Now: core.Now, Log: log})
	if err != nil {
		return nil, fmt.Errorf("the flags --idp-…: %w", err)
	}
	return v, nil
}

// signIn is nil where people sign in here only. callback is the absolute
// address that they come back to.
func (f outsideFlags) signIn(callback string, log *slog.Logger) (*provider.SignIn, error) {
	given, err := missing([]flag{{"--oidc-issuer", f.OIDCIssuer}, {"--oidc-client-id", f.OIDCClientID}, {"--oidc-client-secret", f.OIDCClientSecret}},
		flag{"--oidc-name", f.OIDCName})
	if !given || err != nil {
		return nil, err
	}
	s, err := provider.NewSignIn(provider.SignInOptions{Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, ClientSecret: f.OIDCClientSecret,
		Name: f.OIDCName, RedirectURL: callback, Now: core.Now, Log: log})
	if err != nil {
		return nil, fmt.Errorf("the flags --oidc-…: %w", err)
	}
	return s, nil
}

// document is one that the provider must give.
type document interface {
	Check(ctx context.Context) error
}

// outside checks that the provider's documents can be had.
func (x *examination) outside(f outsideFlags) {
	quiet := slog.New(slog.DiscardHandler)
	jwts, err := f.verifier(quiet)
	if err != nil {
		x.bad("see the message", "session JWTs from outside are not set up right: %v", err)
	} else if jwts != nil {
		x.fetched(jwts, "the key set for session JWTs from outside", "--idp-jwks-url", f.IDPJWKSURL)
	}
	signIn, err := f.signIn("", quiet)
	if err != nil {
		x.bad("see the message", "signing in elsewhere is not set up right: %v", err)
	} else if signIn != nil {
		x.fetched(signIn, "the description of the OpenID Connect provider", "--oidc-issuer", f.OIDCIssuer)
	}
}

func (x *examination) fetched(d document, what, name, address string) {
	if err := d.Check(x.env); err != nil {
		x.bad("check "+name+" and the way to the provider", "%s cannot be had: %v", what, err)
		return
	}
	if readable(address) {
		x.bad("give "+name+" an address that begins with https://", "whoever is between here and %s can change what it says", address)
		return
	}
	x.good("%s can be had, or is not needed", what)
}

// readable tells whether an address leaves this machine without encryption.
func readable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && !(ip != nil && ip.IsLoopback())
}
