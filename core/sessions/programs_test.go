package sessions

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestBegin(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	p := w.begin(t, w.ada)
	want := map[string]any{"iss": issuer, "sub": w.ada.ID, "aud": "authenticated", "role": "authenticated", "email": "ada@example.org",
		"session_id": p.SessionID, "aal": "aal1", "iat": float64(start.Unix()), "exp": float64(start.Add(time.Hour).Unix())}
	if diff := cmp.Diff(want, saying(t, p.AccessToken)); diff != "" {
		t.Errorf("the claims (-want +got):\n%s", diff)
	}
	if !p.ExpiresAt.Equal(start.Add(time.Hour)) || p.AccountID != w.ada.ID {
		t.Errorf("Begin = %+v", p)
	}
	proof, err := w.Authenticate(t.Context(), p.AccessToken)
	if err != nil || proof != (Proof{AccountID: w.ada.ID, SessionID: p.SessionID, Origin: OriginPassword, SignedInAt: start}) {
		t.Errorf("Authenticate = %+v, %v", proof, err)
	}
	if stored := pgtest.Value[string](t, w.world.db, core.TheSystem(), `select to_jsonb(s)::text from program_sessions s`); strings.Contains(stored, p.RefreshToken) || strings.Contains(stored, p.AccessToken) {
		t.Errorf("a token is stored: %s", stored)
	}
	for name, in := range map[string]Start{
		"an account that is not there":   {AccountID: pg.NewID(), Origin: OriginPassword},
		"a browser that is not there":    {AccountID: w.ada.ID, Origin: OriginBrowser, Browser: pg.NewID()},
		"the browser of somebody else":   {AccountID: w.ada.ID, Origin: OriginBrowser, Browser: w.open(t, w.eve, "eve")},
		"a visitor's browser":            {AccountID: w.ada.ID, Origin: OriginBrowser, Browser: w.open(t, core.Nobody(), "visitor")},
		"a program instead of a browser": {AccountID: w.ada.ID, Origin: OriginBrowser, Browser: p.SessionID},
	} {
		if _, err := w.Begin(t.Context(), in); core.KindOf(err) != core.Unauthenticated {
			t.Errorf("%s: Begin gives %v", name, err)
		}
	}
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	p := w.begin(t, w.ada)
	w.at(time.Hour + 29*time.Second)
	if !proves(t, w.Programs, p, "") {
		t.Error("the token ends before its time")
	}
	w.at(time.Hour + 31*time.Second)
	if proves(t, w.Programs, p, "bad_jwt") {
		t.Error("the token lives after its time")
	}
	if err := w.Settings.Set(t.Context(), core.TheSystem(), "access_token_lifetime", "5m"); err != nil {
		t.Fatal(err)
	}
	if p = w.refreshed(t, p.RefreshToken); !p.ExpiresAt.Equal(start.Add(time.Hour + 31*time.Second + 5*time.Minute)) {
		t.Errorf("with the setting it ends at %v", p.ExpiresAt)
	}
}

// Tokens of the right key that claim what Programs never does.
func TestAuthenticateRefusesOddClaims(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	p := w.begin(t, w.ada)
	good := func() jwt.MapClaims { return saying(t, p.AccessToken) }
	for name, c := range map[string]struct {
		claim, code string
		value       any
	}{
		"no session":                  {"session_id", "bad_jwt", nil},
		"a session that is no id":     {"session_id", "bad_jwt", "x'; drop table accounts"},
		"a session that is a number":  {"session_id", "bad_jwt", 7},
		"another session":             {"session_id", "session_not_found", pg.NewID()},
		"no account":                  {"sub", "bad_jwt", nil},
		"an account that is no id":    {"sub", "bad_jwt", "ada"},
		"somebody else's account":     {"sub", "session_not_found", w.eve.ID},
		"another audience":            {"aud", "bad_jwt", "anon"},
		"several audiences":           {"aud", "bad_jwt", []string{"authenticated", "anon"}},
		"another issuer":              {"iss", "bad_jwt", "https://elsewhere.test/auth/v1"},
		"a time that is a word":       {"iat", "bad_jwt", "now"},
		"a beginning in the future":   {"nbf", "bad_jwt", start.Add(time.Hour).Unix()},
		"a making in the future":      {"iat", "bad_jwt", start.Add(time.Hour).Unix()},
		"a role of ours is no matter": {"role", "", "staff"},
	} {
		claims := good()
		claims[c.claim] = c.value
		token, err := w.Keys.Sign(t.Context(), claims)
		if err != nil {
			t.Fatal(err)
		}
		odd := p
		odd.AccessToken = token
		if proves(t, w.Programs, odd, c.code) != (c.code == "") {
			t.Errorf("%s: taken or refused against what it should be", name)
		}
	}
	strange, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodES256, good()).SignedString(strange)
	if err != nil {
		t.Fatal(err)
	}
	if proves(t, w.Programs, Pair{AccessToken: token}, "bad_jwt") {
		t.Error("a token of another key proves something")
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	first := w.begin(t, w.ada)
	w.at(10 * time.Minute)
	second := w.refreshed(t, first.RefreshToken)
	if second.RefreshToken == first.RefreshToken || second.AccessToken == first.AccessToken || second.SessionID != first.SessionID {
		t.Fatalf("Refresh gives %+v after %+v", second, first)
	}
	w.at(10*time.Minute + 30*time.Second)
	again := w.refreshed(t, first.RefreshToken)
	if again.RefreshToken != second.RefreshToken || !proves(t, w.Programs, again, "") {
		t.Error("used again within the window it does not give the current token")
	}
	third := w.refreshed(t, second.RefreshToken)
	w.refuses(t, first.RefreshToken, "refresh_token_already_used") // two generations old
	for name, p := range map[string]Pair{"first": first, "second": second, "third": third} {
		w.refuses(t, p.RefreshToken, "session_not_found")
		if proves(t, w.Programs, p, "session_not_found") {
			t.Errorf("the access token of the %s pair works after its family has ended", name)
		}
	}
}

func TestReuseAfterTheWindowEndsTheSession(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	bystander := w.begin(t, w.ada)
	first := w.begin(t, w.ada)
	second := w.refreshed(t, first.RefreshToken)
	w.at(30*time.Second + time.Microsecond)
	w.refuses(t, first.RefreshToken, "refresh_token_already_used")
	w.refuses(t, second.RefreshToken, "session_not_found")
	if !proves(t, w.Programs, bystander, "") {
		t.Error("another session of the account ended too")
	}
	if err := w.Settings.Set(t.Context(), core.TheSystem(), "refresh_reuse_window", "2s"); err != nil {
		t.Fatal(err)
	}
	later := 30*time.Second + time.Microsecond
	w.refreshed(t, bystander.RefreshToken)
	w.at(later + 2*time.Second)
	w.refreshed(t, bystander.RefreshToken)
	w.at(later + 2*time.Second + time.Microsecond)
	w.refuses(t, bystander.RefreshToken, "refresh_token_already_used")
}

func TestSessionsLast90DaysFromTheLastRefresh(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	p := w.begin(t, w.ada)
	w.at(90*day - time.Second)
	p = w.refreshed(t, p.RefreshToken)
	w.at(180*day - 2*time.Second)
	p = w.refreshed(t, p.RefreshToken)
	w.at(270*day - 2*time.Second)
	w.refuses(t, p.RefreshToken, "session_not_found")
	if n, err := w.Sweep(t.Context()); n != 1 || err != nil || w.programs(t) != 0 {
		t.Errorf("Sweep = %d, %v", n, err)
	}
}

// Whatever somebody makes up or changes, it is refused, and the session that
// it names goes on.
func TestForgedRefreshTokens(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	p := w.begin(t, w.ada)
	raw, err := refreshEncoding.DecodeString(p.RefreshToken)
	if err != nil {
		t.Fatal(err)
	}
	forged := []string{"", "x", p.RefreshToken + "A", p.RefreshToken[1:], p.RefreshToken + "=", p.AccessToken, p.SessionID, strings.Repeat("A", 70)}
	for i := range raw {
		changed := append([]byte(nil), raw...)
		changed[i] ^= 1
		forged = append(forged, refreshEncoding.EncodeToString(changed))
	}
	// The last character carries four bits; the other two must be zero.
	last := len(p.RefreshToken) - 1
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		if other := p.RefreshToken[:last] + string(c); other != p.RefreshToken {
			forged = append(forged, other)
		}
	}
	for _, token := range forged {
		w.refuses(t, token, "refresh_token_not_found")
	}
	w.refreshed(t, p.RefreshToken)
}

func TestConcurrentRefresh(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	instances := []*Programs{w.Programs, w.instance(t, w.world.db.Instance(t))}
	for round := range 5 {
		p := w.begin(t, w.ada)
		var all sync.WaitGroup
		pairs := make([]Pair, 16)
		for i := range pairs {
			all.Go(func() {
				var err error
				if pairs[i], err = instances[i%2].Refresh(t.Context(), p.RefreshToken, ""); err != nil {
					t.Errorf("round %d, caller %d: %v", round, i, err)
				}
			})
		}
		all.Wait()
		for _, pair := range pairs {
			if pair.RefreshToken != pairs[0].RefreshToken || !proves(t, instances[round%2], pair, "") {
				t.Fatalf("round %d: a caller has a pair that does not work, or is alone with it", round)
			}
		}
		if n := pgtest.Value[int](t, w.world.db, core.TheSystem(), `select generation from program_sessions where id = $1`, p.SessionID); n != 2 {
			t.Errorf("round %d: the generation is %d, want 2", round, n)
		}
		w.refreshed(t, pairs[7].RefreshToken)
	}
}

// Whatever runs beside the end of a session, it stays ended.
func TestRefreshDoesNotBringBack(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	for round := range 10 {
		p := w.begin(t, w.ada)
		browser := w.open(t, w.ada, fmt.Sprint("round-", round))
		var all sync.WaitGroup
		all.Go(func() { w.Refresh(t.Context(), p.RefreshToken, "") }) //nolint:errcheck // either order is right
		all.Go(func() {
			w.Begin(t.Context(), Start{AccountID: w.ada.ID, Origin: OriginBrowser, Browser: browser}) //nolint:errcheck // either order is right
		})
		all.Go(func() {
			if _, err := w.EndOthers(t.Context(), w.ada, ""); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		if n := w.programs(t); n != 0 {
			t.Fatalf("round %d: %d sessions are left", round, n)
		}
	}
}

func TestUsesAreNotedOnceAnHour(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	if err := w.Settings.Set(t.Context(), core.TheSystem(), "access_token_lifetime", "24h"); err != nil {
		t.Fatal(err)
	}
	p := w.begin(t, w.ada)
	for _, c := range []struct{ at, want time.Duration }{
		{59 * time.Minute, 0}, {time.Hour, time.Hour}, {119 * time.Minute, time.Hour}, {5 * time.Hour, 5 * time.Hour},
	} {
		w.at(c.at)
		proves(t, w.Programs, p, "")
		if got := pgtest.Value[time.Time](t, w.world.db, core.TheSystem(), `select last_used_at from program_sessions`); !got.Equal(start.Add(c.want)) {
			t.Errorf("after a use at %v the last one is %v, want %v", c.at, got.Sub(start), c.want)
		}
	}
}

func TestTheLongestUnusedEnds(t *testing.T) {
	t.Parallel()
	w := setupPrograms(t)
	other := w.begin(t, w.eve)
	pairs := make([]Pair, maxPrograms)
	for i := range pairs {
		w.at(time.Duration(i) * time.Minute)
		pairs[i] = w.begin(t, w.ada)
	}
	w.at(time.Hour - time.Minute)
	pairs[0] = w.refreshed(t, pairs[0].RefreshToken)
	newest := w.begin(t, w.ada)
	for i, p := range append(pairs, newest, other) {
		if want := i != 1; proves(t, w.Programs, p, "session_not_found") != want {
			t.Errorf("session %d lives against %t", i, want)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { w.Begin(context.Background(), Start{AccountID: w.ada.ID, Origin: OriginProvider}) }) //nolint:errcheck // counted below
	}
	all.Wait()
	if n := w.programs(t); n != maxPrograms+1 {
		t.Errorf("there are %d sessions, want %d", n, maxPrograms+1)
	}
}
