package provider

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"homeplace/core"
)

const (
	// endpointsLast is how long the provider's description of itself counts.
	endpointsLast = time.Hour
	// endpointsPause is how soon it is asked for again after a failure.
	endpointsPause = 5 * time.Second
)

// SignInOptions says where people sign in.
type SignInOptions struct {
	Issuer       string // below which .well-known/openid-configuration lies
	ClientID     string
	ClientSecret string
	Name         string // as people know the provider; empty = the issuer's host
	RedirectURL  string // absolute address that the provider sends people back to
	Now          core.Clock
	Log          *slog.Logger
}

func (o SignInOptions) validate() error {
	switch {
	case o.Issuer == "":
		return errors.New("the issuer is missing")
	case o.ClientID == "":
		return errors.New("the client id is missing")
	case o.ClientSecret == "":
		return errors.New("the client secret is missing")
	}
	return checkAddress("the issuer", o.Issuer)
}

// SignIn leads browsers through the authorization-code flow of OpenID Connect,
// with PKCE. It is safe for concurrent use.
type SignIn struct {
	options SignInOptions
	client  *http.Client
	site    *held[*site]
}

// NewSignIn asks the provider for nothing yet. The error says what the options
// lack.
func NewSignIn(o SignInOptions) (*SignIn, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &SignIn{options: o, client: newClient()}
	s.site = &held[*site]{what: "endpoints", fetch: s.discover, lasts: endpointsLast, pause: endpointsPause, now: o.Now, log: o.Log}
	return s, nil
}

// Name is what people call the provider.
func (s *SignIn) Name() string {
	if s.options.Name != "" {
		return s.options.Name
	}
	return Host(s.options.Issuer)
}

// Issuer is the provider's name for itself.
func (s *SignIn) Issuer() string { return s.options.Issuer }

// Host is the part of an issuer that people recognise.
func Host(issuer string) string {
	if u, err := url.Parse(issuer); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return issuer
}

// Check fetches the provider's description of itself and says what is wrong:
// for an operator.
func (s *SignIn) Check(ctx context.Context) error { return s.site.check(ctx) }

// site is the provider as it describes itself.
type site struct {
	oauth    oauth2.Config
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
}

func (s *SignIn) discover(ctx context.Context) (*site, error) {
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, s.client), s.options.Issuer)
	if err != nil {
		return nil, fmt.Errorf("read the description of %s: %w", s.options.Issuer, err)
	}
	var methods struct {
		Token []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := p.Claims(&methods); err != nil {
		return nil, fmt.Errorf("read the description of %s: %w", s.options.Issuer, err)
	}
	endpoint := p.Endpoint()
	if endpoint.AuthURL == "" || endpoint.TokenURL == "" {
		return nil, fmt.Errorf("the description of %s names no endpoints to sign in at", s.options.Issuer)
	}
	// Said outright, since trying both would spend the code twice.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if len(methods.Token) > 0 && !slices.Contains(methods.Token, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &site{
		oauth: oauth2.Config{ClientID: s.options.ClientID, ClientSecret: s.options.ClientSecret, Endpoint: endpoint,
			RedirectURL: s.options.RedirectURL, Scopes: []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}},
		provider: p,
		verifier: p.Verifier(&oidc.Config{ClientID: s.options.ClientID, Now: s.options.Now}),
	}, nil
}

// Flow is what must be remembered between leaving for the provider and coming
// back, by the same browser and unseen by it.
type Flow struct{ State, Nonce, Verifier string }

// Begin makes the address where a person signs in. Errors: Unavailable.
func (s *SignIn) Begin(ctx context.Context) (address string, flow Flow, err error) {
	site, err := s.site.get(ctx)
	if err != nil {
		return "", Flow{}, err
	}
	flow = Flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	return site.oauth.AuthCodeURL(flow.State, oidc.Nonce(flow.Nonce), oauth2.S256ChallengeOption(flow.Verifier)), flow, nil
}

// Failures of Finish that are not the provider's absence.
var (
	ErrStale = &core.Error{Kind: core.Invalid, Code: "sign_in_expired",
		Msg: "This sign-in took too long, was used already, or began in another window. Please try again."}
	ErrCancelled = &core.Error{Kind: core.Forbidden, Code: "sign_in_cancelled",
		Msg: "The sign-in was cancelled, so nothing has changed. You can try again, or sign in another way."}
	ErrRefused = &core.Error{Kind: core.Forbidden, Code: "sign_in_refused",
		Msg: "The sign-in could not be confirmed, so you are not signed in. Please try again; if it goes on, tell whoever runs this site."}
)

// Finish turns the parameters that the provider sent a browser back with into
// who has signed in. Errors: ErrStale, ErrCancelled and ErrRefused with their
// cause; Unavailable.
func (s *SignIn) Finish(ctx context.Context, flow Flow, query url.Values) (Subject, error) {
	if flow.State == "" || subtle.ConstantTimeCompare([]byte(flow.State), []byte(query.Get("state"))) != 1 {
		return Subject{}, ErrStale
	}
	if iss := query.Get("iss"); iss != "" && iss != s.options.Issuer { // RFC 9207
		return Subject{}, ErrRefused.Wrap(fmt.Errorf("the answer comes from %.100q", iss))
	}
	switch reason := query.Get("error"); {
	case reason == "access_denied":
		return Subject{}, ErrCancelled
	case reason != "":
		return Subject{}, ErrRefused.Wrap(fmt.Errorf("the provider says %.100q: %.200q", reason, query.Get("error_description")))
	case query.Get("code") == "":
		return Subject{}, ErrStale
	}
	site, err := s.site.get(ctx)
	if err != nil {
		return Subject{}, err
	}
	ctx = oidc.ClientContext(ctx, s.client)
	tokens, err := site.oauth.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(flow.Verifier))
	if err != nil {
		return Subject{}, exchangeFailure(err)
	}
	return s.read(ctx, site, flow, tokens)
}

// exchangeFailure tells a code that is not good any more from a provider that
// cannot be spoken with.
func exchangeFailure(err error) error {
	var refusal *oauth2.RetrieveError
	if !errors.As(err, &refusal) || refusal.Response.StatusCode >= http.StatusInternalServerError {
		return away(err, endpointsPause)
	}
	// The answer's body is left out of the log: it may hold more than a reason.
	cause := fmt.Errorf("the provider answers %d, %.100q", refusal.Response.StatusCode, refusal.ErrorCode)
	if refusal.ErrorCode == "invalid_grant" {
		return ErrStale.Wrap(cause)
	}
	return away(cause, endpointsPause) // such as a client secret that it does not know: ours to mend
}

// read checks the ID token and takes the person out of it.
func (s *SignIn) read(ctx context.Context, site *site, flow Flow, tokens *oauth2.Token) (Subject, error) {
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return Subject{}, ErrRefused.Wrap(errors.New("the provider sent no ID token"))
	}
	token, err := site.verifier.Verify(ctx, raw)
	if err != nil {
		return Subject{}, ErrRefused.Wrap(err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(flow.Nonce)) != 1 {
		return Subject{}, ErrRefused.Wrap(errors.New("the ID token answers another request"))
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(tokens.AccessToken); err != nil {
			return Subject{}, ErrRefused.Wrap(err)
		}
	}
	var p person
	if err := cmp.Or(checkSubject(token.Subject), token.Claims(&p)); err != nil {
		return Subject{}, ErrRefused.Wrap(err)
	}
	if p.Email == "" && site.provider.UserInfoEndpoint() != "" {
		p = more(ctx, site, tokens, token.Subject, p)
	}
	return p.subject(s.options.Issuer, token.Subject), nil
}

// more asks for what some providers leave out of the ID token. Whoever has
// signed in is known without it.
func more(ctx context.Context, site *site, tokens *oauth2.Token, subject string, known person) person {
	info, err := site.provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil || info.Subject != subject {
		return known
	}
	var p person
	if info.Claims(&p) != nil {
		return known
	}
	p.Name, p.Username = cmp.Or(known.Name, p.Name), cmp.Or(known.Username, p.Username)
	return p
}
