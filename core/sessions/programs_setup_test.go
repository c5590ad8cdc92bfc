package sessions

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/secret"
	"homeplace/core/settings"
	"homeplace/core/signing"
)

const issuer = "https://homeplace.test/auth/v1"

// programWorld is a world where programs sign in too.
type programWorld struct {
	world
	*Programs
	ada, eve core.Viewer
}

func setupPrograms(t *testing.T) programWorld {
	t.Helper()
	w := programWorld{world: setup(t)}
	w.Programs = w.instance(t, w.world.db.DB)
	w.ada, w.eve = w.member(t, "ada"), w.member(t, "eve")
	return w
}

func (w programWorld) instance(t *testing.T, db *pg.DB) *Programs {
	t.Helper()
	s, err := secret.Parse(strings.Repeat("a", secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	keys := signing.New(db, s, w.Service.now)
	if err := keys.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return NewPrograms(db, w.Service.now, ProgramNeeds{Keys: keys, Secret: s, Settings: settings.New(db), Issuer: issuer})
}

func (w programWorld) begin(t *testing.T, v core.Viewer) Pair {
	t.Helper()
	p, err := w.Begin(t.Context(), Start{AccountID: v.ID, Origin: OriginPassword, UserAgent: "Porch/1.0", AddressKey: "192.0.2.7"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (w programWorld) refreshed(t *testing.T, token string) Pair {
	t.Helper()
	p, err := w.Refresh(t.Context(), token, "")
	if err != nil {
		t.Fatalf("Refresh: %v", err)
	}
	return p
}

// refuses fails the test unless a refresh token is refused with the code.
func (w programWorld) refuses(t *testing.T, token, code string) {
	t.Helper()
	_, err := w.Refresh(t.Context(), token, "")
	if known := core.AsError(err); err == nil || known.Kind != core.Invalid || known.Code != code {
		t.Errorf("Refresh gives %v, want %s", err, code)
	}
}

// proves tells whether an instance takes an access token, and fails the test
// where it refuses it with another code.
func proves(t *testing.T, p *Programs, pair Pair, code string) bool {
	t.Helper()
	proof, err := p.Authenticate(context.WithoutCancel(t.Context()), pair.AccessToken)
	if err == nil {
		if proof.AccountID != pair.AccountID || proof.SessionID != pair.SessionID {
			t.Errorf("the token of %+v proves %+v", pair, proof)
		}
		return true
	}
	if known := core.AsError(err); known.Kind != core.Unauthenticated || known.Code != code {
		t.Errorf("Authenticate gives %v, want %s", err, code)
	}
	return false
}

func (w programWorld) programs(t *testing.T) int {
	t.Helper()
	return pgtest.Value[int](t, w.world.db, core.TheSystem(), `select count(*) from program_sessions`)
}

// saying reads the claims of an access token without a check.
func saying(t *testing.T, token string) (c map[string]any) {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const day = 24 * time.Hour
