package bearer

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/secret"
	"homeplace/core/sessions"
	"homeplace/core/settings"
	"homeplace/core/signing"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const issuer = "https://homeplace.test/auth/v1"

// elsewhere stands for an outside provider that vouches for one account.
type elsewhere struct {
	account string
	err     error
	asked   []string
}

func (e *elsewhere) Authenticate(_ context.Context, jwt string) (string, error) {
	e.asked = append(e.asked, jwt)
	return e.account, e.err
}

type world struct {
	db       *pgtest.Database
	accounts *accounts.Service
	programs *sessions.Programs
	ada      accounts.Account
}

func setup(t *testing.T) world {
	t.Helper()
	w := world{db: pgtest.New(t)}
	installation, err := secret.Parse(strings.Repeat("a", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	keys := signing.New(w.db.DB, installation, core.Now)
	if err := keys.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.accounts = accounts.New(w.db.DB, core.Now)
	w.programs = sessions.NewPrograms(w.db.DB, core.Now, sessions.ProgramNeeds{Keys: keys, Secret: installation,
		Settings: settings.New(w.db.DB), Issuer: issuer})
	w.ada, err = w.accounts.Create(t.Context(), core.TheSystem(),
		accounts.Input{Email: "ada@example.org", Username: "ada", Password: "a long enough secret"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w world) pair(t *testing.T) sessions.Pair {
	t.Helper()
	p, err := w.programs.Begin(t.Context(), sessions.Start{AccountID: w.ada.ID, Origin: sessions.OriginPassword})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unsigned is a token that names an issuer and nothing more.
func unsigned(issuer string) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"ES256","kid":"x"}`) + "." + part(`{"iss":"`+issuer+`"}`) + "." + part("signature")
}

func TestEveryKindOfCredential(t *testing.T) {
	t.Parallel()
	w := setup(t)
	personal, _, err := w.accounts.CreateToken(t.Context(), w.ada.Viewer(), accounts.TokenInput{Label: "test"})
	if err != nil {
		t.Fatal(err)
	}
	outside := &elsewhere{account: w.ada.ID}
	s := New(w.accounts, w.programs, outside)
	foreign := unsigned("https://id.example")
	for name, credential := range map[string]string{"personal token": personal, "access token": w.pair(t).AccessToken, "outside token": foreign} {
		if v, err := s.Authenticate(t.Context(), credential); err != nil || v != w.ada.Viewer() {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if len(outside.asked) != 1 || outside.asked[0] != foreign {
		t.Errorf("the provider was asked about %q", outside.asked)
	}
}

func TestEveryRefusalIsTheSame(t *testing.T) {
	t.Parallel()
	w := setup(t)
	revoked, token, err := w.accounts.CreateToken(t.Context(), w.ada.Viewer(), accounts.TokenInput{Label: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.accounts.RevokeToken(t.Context(), w.ada.Viewer(), token.ID); err != nil {
		t.Fatal(err)
	}
	ended := w.pair(t)
	if err := sessions.New(w.db.DB, core.Now).End(t.Context(), w.ada.Viewer(), ended.SessionID); err != nil {
		t.Fatal(err)
	}
	live := w.pair(t)
	closed := New(w.accounts, w.programs, nil)
	open := func(e elsewhere) *Service { return New(w.accounts, w.programs, &e) }
	for name, c := range map[string]struct {
		service    *Service
		credential string
	}{
		"nothing":                         {closed, ""},
		"a word":                          {closed, "word"},
		"dots":                            {closed, ".."},
		"dots, with a provider":           {open(elsewhere{account: w.ada.ID}), ".."},
		"no JSON, with a provider":        {open(elsewhere{account: w.ada.ID}), "a.b.c"},
		"a revoked personal token":        {closed, revoked},
		"a personal token with dots":      {closed, "tok_a.b.c"},
		"an ended session":                {closed, ended.AccessToken},
		"a refresh token":                 {closed, live.RefreshToken},
		"an unsigned token in our name":   {open(elsewhere{account: w.ada.ID}), unsigned(issuer)},
		"a foreign token, no provider":    {closed, unsigned("https://id.example")},
		"a foreign token that is refused": {open(elsewhere{err: core.Unauthenticatedf("expired there")}), unsigned("https://id.example")},
		"a foreign token of nobody":       {open(elsewhere{account: pg.NewID()}), unsigned("https://id.example")},
	} {
		v, err := c.service.Authenticate(t.Context(), c.credential)
		known := core.AsError(err)
		if err == nil || known.Kind != core.Unauthenticated || known.Code != "unauthenticated" || known.Msg != errNotValid.Msg || v != (core.Viewer{}) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestTroubleIsNoRefusal(t *testing.T) {
	t.Parallel()
	w := setup(t)
	s := New(w.accounts, w.programs, &elsewhere{err: errors.New("broken")})
	if _, err := s.Authenticate(t.Context(), unsigned("https://id.example")); core.KindOf(err) != core.Internal {
		t.Errorf("a provider that breaks gives %v", err)
	}
	p := w.pair(t)
	w.db.Close()
	if _, err := s.Authenticate(t.Context(), p.AccessToken); core.KindOf(err) != core.Unavailable {
		t.Errorf("without a database: %v", err)
	}
}

// What a viewer may do is never believed of a token.
func TestRolesAreReadFresh(t *testing.T) {
	t.Parallel()
	w := setup(t)
	s := New(w.accounts, w.programs, nil)
	p := w.pair(t)
	for _, role := range []accounts.Role{accounts.RoleAdmin, accounts.RoleMember} {
		if err := w.accounts.SetRole(t.Context(), core.TheSystem(), "ada", role); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Authenticate(t.Context(), p.AccessToken); err != nil || v.Admin != (role == accounts.RoleAdmin) {
			t.Errorf("as %s the token gives %+v, %v", role, v, err)
		}
	}
}
