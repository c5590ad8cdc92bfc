package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"homeplace/core/accounts"
)

type me struct {
	Profile struct {
		ID, Email, Username, Bio string
		DisplayName              *string `json:"display_name"`
		AvatarURL                *string `json:"avatar_url"`
		ProfileURL               string  `json:"profile_url"`
		OptOut                   bool    `json:"leaderboard_opt_out"`
	}
	Roles struct {
		Admin, Moderator bool
		CommunityMod     bool `json:"community_mod"`
		AppOwner         bool `json:"app_owner"`
	}
	Points         int
	PointsLifetime int `json:"points_lifetime"`
}

func TestMeByRole(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for role, want := range map[accounts.Role][2]bool{
		accounts.RoleMember: {false, false}, accounts.RoleModerator: {false, true}, accounts.RoleAdmin: {true, true},
	} {
		name := "ada-" + string(role)
		v, token, _ := w.account(t, name, role, nil)
		a := w.get(t, "/api/me", bearer(token))
		got := read[me](t, a, http.StatusOK)
		if got.Profile.ID != v.ID || got.Profile.Username != name || got.Profile.Email != name+"@homeplace.test" || got.Profile.ProfileURL != base+"/u/"+name {
			t.Errorf("%s sees %+v", role, got.Profile)
		}
		if got.Roles.Admin != want[0] || got.Roles.Moderator != want[1] || got.Roles.CommunityMod || got.Roles.AppOwner {
			t.Errorf("%s has the roles %+v, want admin %v, moderator %v", role, got.Roles, want[0], want[1])
		}
		if cached := a.header.Get("Cache-Control"); cached != "private, no-store" || a.header.Get("ETag") != "" {
			t.Errorf("an account may be kept: %s", cached)
		}
		if vary := strings.Join(a.header.Values("Vary"), ", "); !strings.Contains(vary, "Authorization") {
			t.Errorf("Vary is %q, want Authorization in it", vary)
		}
	}
}

func TestMeRefusesEveryOtherCredential(t *testing.T) {
	t.Parallel()
	w := setup(t)
	v, revoked, id := w.account(t, "revoked", accounts.RoleMember, nil)
	if err := w.accounts.RevokeToken(t.Context(), v, id); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Hour)
	_, expired, expiredID := w.account(t, "expired", accounts.RoleMember, &soon)
	_, unknown, unknownID := w.account(t, "unknown", accounts.RoleMember, nil)
	owner := w.database.Owner(t)
	for sql, id := range map[string]string{
		`update personal_tokens set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour' where id = $1`: expiredID,
		`delete from personal_tokens where id = $1`: unknownID,
	} {
		if _, err := owner.Exec(t.Context(), sql, id); err != nil {
			t.Fatal(err)
		}
	}
	_, valid, _ := w.account(t, "valid", accounts.RoleAdmin, nil)
	for name, h := range map[string]http.Header{
		"no header":                 {},
		"an empty header":           {"Authorization": {""}},
		"the scheme alone":          {"Authorization": {"Bearer"}},
		"the scheme and a blank":    {"Authorization": {"Bearer "}},
		"the token alone":           {"Authorization": {valid}},
		"no blank":                  {"Authorization": {"Bearer" + valid}},
		"a colon":                   {"Authorization": {"Bearer: " + valid}},
		"another scheme":            {"Authorization": {"Basic " + valid}},
		"something after it":        {"Authorization": {"Bearer " + valid + " x"}},
		"two in one":                {"Authorization": {"Bearer " + valid + ", Bearer " + valid}},
		"two headers":               {"Authorization": {"Bearer " + valid, "Bearer " + valid}},
		"a quoted token":            {"Authorization": {`Bearer "` + valid + `"`}},
		"a token of another prefix": {"Authorization": {"Bearer pat_" + valid[4:]}},
		"a slip in the token":       {"Authorization": {"Bearer " + valid[:20] + swapped(valid[20]) + valid[21:]}},
		"half a token":              {"Authorization": {"Bearer " + valid[:20]}},
		"a JWT of nobody":           {"Authorization": {"Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."}},
		"a very long token":         {"Authorization": {"Bearer " + strings.Repeat("a", 100_000)}},
		"an unknown token":          bearer(unknown),
		"a revoked token":           bearer(revoked),
		"an expired token":          bearer(expired),
		"a cookie":                  {"Cookie": {"homeplace_session=" + valid + "; __Host-session=" + valid}},
		"another header":            {"X-Authorization": {"Bearer " + valid}, "Apikey": {valid}},
	} {
		a := w.get(t, "/api/me", h)
		refused(t, a, http.StatusUnauthorized, "unauthenticated", "")
		if challenge := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, "Bearer ") {
			t.Errorf("%s: the challenge is %q", name, challenge)
		}
		if cached := a.header.Get("Cache-Control"); !strings.Contains(cached, "no-store") {
			t.Errorf("%s: the refusal may be kept: %s", name, cached)
		}
	}
	refused(t, w.get(t, "/api/me?access_token="+valid), http.StatusUnauthorized, "unauthenticated", "")
	for _, header := range []string{"bearer " + valid, "BEARER  " + valid + " "} {
		if a := w.get(t, "/api/me", http.Header{"Authorization": {header}}); a.status != http.StatusOK {
			t.Errorf("%.8q gives %d; schemes have no case", header, a.status)
		}
	}
}

func swapped(c byte) string {
	if c == 'x' {
		return "y"
	}
	return "x"
}

// No two callers may learn from the answers which tokens once existed.
func TestRefusalsOfTokensReadAlike(t *testing.T) {
	t.Parallel()
	w := setup(t)
	v, revoked, id := w.account(t, "revoked", accounts.RoleMember, nil)
	if err := w.accounts.RevokeToken(t.Context(), v, id); err != nil {
		t.Fatal(err)
	}
	one := refused(t, w.get(t, "/api/me", bearer(revoked)), http.StatusUnauthorized, "unauthenticated", "")
	other := refused(t, w.get(t, "/api/me", bearer("tok_nonsense")), http.StatusUnauthorized, "unauthenticated", "")
	if one.Error != other.Error {
		t.Errorf("%q and %q differ", one.Error, other.Error)
	}
}

func TestBadBearerIsIgnoredOnPublicReads(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	plain := w.get(t, "/api/directory/businesses")
	for _, h := range []http.Header{bearer("tok_nonsense"), {"Authorization": {"rubbish"}}, {"Authorization": {"Bearer a", "Bearer b"}}, {"Cookie": {"a=b"}}} {
		a := w.get(t, "/api/directory/businesses", h)
		if a.status != http.StatusOK || a.header.Get("ETag") != plain.header.Get("ETag") || a.header.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("with %v: %d, %s", h, a.status, a.header.Get("Cache-Control"))
		}
	}
}

func TestRevokedTokenStopsOnEveryInstance(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := newInstance(t, w.database.Instance(t))
	v, token, id := w.account(t, "ada", accounts.RoleMember, nil)
	read[me](t, other.get(t, "/api/me", bearer(token)), http.StatusOK)
	if err := w.accounts.RevokeToken(t.Context(), v, id); err != nil {
		t.Fatal(err)
	}
	refused(t, other.get(t, "/api/me", bearer(token)), http.StatusUnauthorized, "unauthenticated", "")
}
