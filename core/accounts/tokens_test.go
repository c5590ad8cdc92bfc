package accounts

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestTokenLife(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", RoleMember)
	created := w.clock.read()
	expires := created.Add(time.Hour)
	token, stored := w.token(t, ada, TokenInput{Label: "  laptop ", ExpiresAt: &expires})
	if stored.Label != "laptop" || stored.LastFour != token[len(token)-4:] || !stored.CreatedAt.Equal(created) || !stored.ExpiresAt.Equal(expires) {
		t.Errorf("CreateToken = %+v", stored)
	}
	w.clock.forward(time.Minute)
	if v, err := w.Authenticate(t.Context(), token); err != nil || v != ada {
		t.Errorf("Authenticate = %+v, %v, want %+v", v, err, ada)
	}
	used := w.clock.read()
	w.clock.forward(30 * time.Second) // within the minute a use is not noted again
	if _, err := w.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	list, err := w.ListTokens(t.Context(), ada)
	if err != nil || len(list) != 1 {
		t.Fatalf("ListTokens = %+v, %v", list, err)
	}
	if got := list[0]; got.ID != stored.ID || got.LastUsedAt == nil || !got.LastUsedAt.Equal(used) || got.RevokedAt != nil || !got.ExpiresAt.Equal(expires) {
		t.Errorf("the listed token is %+v, want last used at %v", got, used)
	}
	w.clock.forward(31 * time.Second)
	if _, err := w.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if list, _ := w.ListTokens(t.Context(), ada); !list[0].LastUsedAt.Equal(w.clock.read()) {
		t.Errorf("after a minute the last use is still %v", list[0].LastUsedAt)
	}
}

func TestOnlyAHashIsStored(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.account(t, "ada", RoleMember), TokenInput{})
	row := pgtest.Value[string](t, w.db, core.TheSystem(), `select (p.*)::text || encode(p.hash, 'escape') from personal_tokens p`)
	for i := 0; i+5 <= len(token); i++ {
		if i >= 4 && strings.Contains(row, token[i:i+5]) {
			t.Fatalf("five characters of the token, %s, stand in its row: %s", token[i:i+5], row)
		}
	}
}

func TestTokenInput(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before, after := now.Add(-time.Second), now.Add(time.Second)
	for _, c := range []struct {
		name  string
		in    TokenInput
		wrong []string
	}{
		{"one character", TokenInput{Label: "x"}, nil},
		{"60 characters", TokenInput{Label: strings.Repeat("é", 60)}, nil},
		{"in the future", TokenInput{Label: "x", ExpiresAt: &after}, nil},
		{"no label", TokenInput{}, []string{"label"}},
		{"blanks", TokenInput{Label: " \t "}, []string{"label"}},
		{"61 characters", TokenInput{Label: strings.Repeat("é", 61)}, []string{"label"}},
		{"a line break", TokenInput{Label: "a\nb"}, []string{"label"}},
		{"NUL", TokenInput{Label: "a\x00b"}, []string{"label"}},
		{"in the past", TokenInput{Label: "x", ExpiresAt: &before}, []string{"expires_at"}},
		{"now", TokenInput{Label: "x", ExpiresAt: &now}, []string{"expires_at"}},
		{"both", TokenInput{ExpiresAt: &now}, []string{"expires_at", "label"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var wrong []string
			if err := c.in.validate(now); err != nil {
				for field := range core.AsError(err).Fields {
					wrong = append(wrong, field)
				}
			}
			slices.Sort(wrong)
			if !slices.Equal(wrong, c.wrong) {
				t.Errorf("wrong fields: %v, want %v", wrong, c.wrong)
			}
		})
	}
}

func TestTokensAreTheirOwners(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, eve, mo := w.account(t, "ada", RoleMember), w.account(t, "eve", RoleMember), w.account(t, "mo", RoleModerator)
	token, stored := w.token(t, ada, TokenInput{})
	for name, v := range map[string]core.Viewer{"anonymous": core.Nobody(), "zero": {}, "system": core.TheSystem()} {
		_, _, err := w.CreateToken(t.Context(), v, TokenInput{Label: "x"})
		wantKind(t, name+": CreateToken", err, core.Unauthenticated)
		_, err = w.ListTokens(t.Context(), v)
		wantKind(t, name+": ListTokens", err, core.Unauthenticated)
		wantKind(t, name+": RevokeToken", w.RevokeToken(t.Context(), v, stored.ID), core.Unauthenticated)
	}
	for name, v := range map[string]core.Viewer{"another member": eve, "moderator": mo} {
		if list, err := w.ListTokens(t.Context(), v); err != nil || len(list) != 0 {
			t.Errorf("%s lists %+v, %v", name, list, err)
		}
		wantKind(t, name+": RevokeToken", w.RevokeToken(t.Context(), v, stored.ID), core.NotFound)
	}
	wantKind(t, "no id", w.RevokeToken(t.Context(), ada, "x' or true --"), core.NotFound)
	wantKind(t, "unknown id", w.RevokeToken(t.Context(), ada, pg.NewID()), core.NotFound)
	if _, err := w.Authenticate(t.Context(), token); err != nil {
		t.Errorf("after all that the token is gone: %v", err)
	}
}

// What stands between members when a query forgets its owner.
func TestOnlyPoliciesGuardTokens(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, eve, mo := w.account(t, "ada", RoleMember), w.account(t, "eve", RoleMember), w.account(t, "mo", RoleAdmin)
	_, of := w.token(t, ada, TokenInput{Label: "of ada"})
	w.token(t, eve, TokenInput{Label: "of eve"})
	const labels = `select coalesce(string_agg(label, ','), '') from personal_tokens`
	for want, v := range map[string]core.Viewer{"of ada": ada, "of eve": eve, "": mo} {
		if got := pgtest.Value[string](t, w.db, v, labels); got != want {
			t.Errorf("%s sees the tokens %q, want %q", v.Username, got, want)
		}
	}
	for v, want := range map[core.Viewer]int64{eve: 1, mo: 0} {
		for _, sql := range []string{`update personal_tokens set revoked_at = now()`, `update personal_tokens set label = 'mine'`} {
			if rows, err := w.db.Exec(t, v, sql); err != nil || rows != want {
				t.Errorf("%s: %s changes %d rows, %v, want %d", v.Username, sql, rows, err, want)
			}
		}
	}
	if list, err := w.ListTokens(t.Context(), ada); err != nil || len(list) != 1 || list[0].RevokedAt != nil || list[0].Label != "of ada" {
		t.Errorf("another's statement changed the token: %+v, %v", list, err)
	}
	insert := `insert into personal_tokens (id, account_id, label, hash, last_four)
		values (gen_random_uuid(), '` + ada.ID + `', 'planted', sha256('x'), 'xxxx')`
	for _, v := range []core.Viewer{core.Nobody(), eve, mo} {
		for _, sql := range []string{insert, `delete from personal_tokens`, `update personal_tokens set hash = sha256('x')`,
			`update personal_tokens set account_id = account_id where id = '` + of.ID + `'`} {
			if _, err := w.db.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%q: %s gives %v, want a refusal", v.Username, sql, err)
			}
		}
	}
	if _, err := w.db.Exec(t, core.Nobody(), labels); !pg.Denied(err) {
		t.Errorf("anonymous: %s gives %v, want a refusal", labels, err)
	}
	if _, err := w.db.Public().Exec(t.Context(), labels); !pg.Denied(err) {
		t.Errorf("the public pool: %s gives %v, want a refusal", labels, err)
	}
}

func TestTokenLimitHoldsOverInstances(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", RoleMember)
	services := []*Service{w.Service, New(w.db.Instance(t), w.clock.read)}
	var made, refused atomic.Int64
	var creations sync.WaitGroup
	for i := range 40 {
		creations.Go(func() {
			_, _, err := services[i%2].CreateToken(context.Background(), ada, TokenInput{Label: "laptop"})
			switch {
			case err == nil:
				made.Add(1)
			case core.AsError(err).Code == "too_many_tokens":
				refused.Add(1)
			default:
				t.Errorf("CreateToken: %v", err)
			}
		})
	}
	creations.Wait()
	if made.Load() != 25 || refused.Load() != 15 {
		t.Errorf("%d tokens were made and %d refused, want 25 and 15", made.Load(), refused.Load())
	}
}

func TestOnlyLiveTokensCount(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.account(t, "ada", RoleMember)
	expires := w.clock.read().Add(time.Hour)
	_, first := w.token(t, ada, TokenInput{})
	w.token(t, ada, TokenInput{ExpiresAt: &expires})
	for range MaxTokens - 2 {
		w.token(t, ada, TokenInput{})
	}
	full := func() {
		t.Helper()
		_, _, err := w.CreateToken(t.Context(), ada, TokenInput{Label: "one more"})
		wantKind(t, "one more token", err, core.Conflict)
	}
	full()
	if err := w.RevokeToken(t.Context(), ada, first.ID); err != nil {
		t.Fatal(err)
	}
	w.token(t, ada, TokenInput{})
	full()
	w.clock.forward(2 * time.Hour)
	_, last := w.token(t, ada, TokenInput{})
	full()
	list, err := w.ListTokens(t.Context(), ada)
	if err != nil || len(list) != MaxTokens+2 || list[0].ID != last.ID || list[len(list)-1].ID != first.ID {
		t.Errorf("ListTokens has %d tokens, %v, want %d, newest first", len(list), err, MaxTokens+2)
	}
}

func TestRevokedAndExpiredAtOnceOnAnotherInstance(t *testing.T) {
	t.Parallel()
	w := setup(t)
	there := New(w.db.Instance(t), w.clock.read)
	ada := w.account(t, "ada", RoleMember)
	expires := w.clock.read().Add(time.Hour)
	revoked, stored := w.token(t, ada, TokenInput{})
	expired, _ := w.token(t, ada, TokenInput{ExpiresAt: &expires})
	for _, token := range []string{revoked, expired} {
		if _, err := there.Authenticate(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.RevokeToken(t.Context(), ada, strings.ToUpper(stored.ID)); err != nil {
		t.Fatal(err)
	}
	_, gone := there.Authenticate(t.Context(), revoked)
	wantKind(t, "a revoked token", gone, core.Unauthenticated)
	w.clock.forward(time.Minute)
	if err := w.RevokeToken(t.Context(), ada, stored.ID); err != nil {
		t.Errorf("revoking twice: %v", err)
	}
	if list, _ := w.ListTokens(t.Context(), ada); !list[1].RevokedAt.Equal(expires.Add(-time.Hour)) {
		t.Errorf("revoking twice moves the time to %v", list[1].RevokedAt)
	}
	w.clock.forward(59*time.Minute - time.Microsecond)
	if _, err := there.Authenticate(t.Context(), expired); err != nil {
		t.Errorf("just before it expires: %v", err)
	}
	w.clock.forward(time.Microsecond)
	_, late := there.Authenticate(t.Context(), expired)
	wantKind(t, "an expired token", late, core.Unauthenticated)
	_, unknown := there.Authenticate(t.Context(), newToken())
	wantKind(t, "an unknown token", unknown, core.Unauthenticated)
	if gone.Error() != late.Error() || late.Error() != unknown.Error() {
		t.Errorf("the refusals tell the reasons apart: %v / %v / %v", gone, late, unknown)
	}
}

func TestRoleOfATokenIsTheAccountsOfNow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.account(t, "ada", RoleMember), TokenInput{})
	if err := w.SetRole(t.Context(), core.TheSystem(), "ada", RoleModerator); err != nil {
		t.Fatal(err)
	}
	if v, err := w.Authenticate(t.Context(), token); err != nil || v.Role != core.Staff || !v.Moderator || v.Admin {
		t.Errorf("Authenticate = %+v, %v, want a moderator", v, err)
	}
}

func TestUsingATokenIsNotTheEffectOfARequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.account(t, "ada", RoleMember), TokenInput{})
	ctx := pg.WithClaim(t.Context(), pg.Claim{Caller: "a", Key: "k", Hash: make([]byte, 32)})
	if _, err := w.Authenticate(ctx, token); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from idempotency_keys`); n != 0 {
		t.Error("noting the token's use stored the request's Idempotency-Key")
	}
}
