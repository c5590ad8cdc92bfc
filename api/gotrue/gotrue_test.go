package gotrue_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
)

func TestSignUpWithoutAMailServerSignsIn(t *testing.T) {
	t.Parallel()
	w := setup(t, false)
	a := w.ask("POST", "/signup", "", `{"email":"ada@homeplace.test","password":"`+password+`","data":{"display_name":"Ada","username":"ada"},"gotrue_meta_security":{}}`)
	if a.status != 200 || a.text("access_token") == "" || a.text("token_type") != "bearer" || a.header.Get("Cache-Control") != "private, no-store" {
		t.Fatalf("%d %v", a.status, a.body)
	}
	user := a.body["user"].(map[string]any)
	if metadata := user["user_metadata"].(map[string]any); metadata["display_name"] != "Ada" || metadata["username"] != "ada" {
		t.Errorf("the profile is %v", metadata)
	}
	again := w.ask("POST", "/signup", "", `{"email":"ada@homeplace.test","password":"`+password+`"}`)
	if again.status != 422 || again.code() != "user_already_exists" {
		t.Errorf("a second time: %d %v", again.status, again.body)
	}
	taken := w.ask("POST", "/signup", "", `{"email":"other@homeplace.test","password":"`+password+`","data":{"username":"ada"}}`)
	if taken.status != 422 || taken.code() != "validation_failed" || !strings.Contains(taken.text("message"), "username") {
		t.Errorf("a username that is taken: %d %v", taken.status, taken.body)
	}
}

func TestSignUpWithAMailServerTellsNobodyWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	w := setup(t, true)
	w.member("ada")
	fresh := w.ask("POST", "/signup", "", `{"email":"new@homeplace.test","password":"`+password+`"}`)
	known := w.ask("POST", "/signup", "", `{"email":"ada@homeplace.test","password":"`+password+`"}`)
	for _, a := range []answer{fresh, known} {
		if a.status != 200 || a.body["access_token"] != nil || !core.ValidID(a.text("id")) || a.body["email_confirmed_at"] != nil {
			t.Errorf("%d %v, want a user that waits for its mail", a.status, a.body)
		}
	}
	if len(fresh.body) != len(known.body) {
		t.Errorf("the answers differ: %v and %v", fresh.body, known.body)
	}
	if a := w.ask("POST", "/token?grant_type=password", "", `{"email":"new@homeplace.test","password":"`+password+`"}`); a.status != 400 || a.code() != "email_not_confirmed" {
		t.Errorf("before the mail was read: %d %v", a.status, a.body)
	}
}

// Each row is a mistake of the caller, and what the client is told.
func TestMistakes(t *testing.T) {
	t.Parallel()
	w := setup(t, false)
	w.member("ada")
	access, _ := w.signIn("ada")
	personal, _, err := w.accounts.CreateToken(t.Context(), w.viewer("ada"), accounts.TokenInput{Label: "radio"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method, path, token, body string
		status                    int
		code                      string
	}{
		"wrong password":          {"POST", "/token?grant_type=password", "", `{"email":"ada@homeplace.test","password":"nothing like it"}`, 400, "invalid_credentials"},
		"nobody's address":        {"POST", "/token?grant_type=password", "", `{"email":"bea@homeplace.test","password":"nothing like it"}`, 400, "invalid_credentials"},
		"no password":             {"POST", "/token?grant_type=password", "", `{"email":"ada@homeplace.test"}`, 400, "validation_failed"},
		"another grant":           {"POST", "/token?grant_type=id_token", "", `{}`, 400, "validation_failed"},
		"no grant":                {"POST", "/token", "", `{}`, 400, "validation_failed"},
		"broken JSON":             {"POST", "/token?grant_type=password", "", `{"email":`, 400, "bad_json"},
		"a list":                  {"POST", "/signup", "", `[]`, 400, "bad_json"},
		"too much":                {"POST", "/signup", "", `{"email":"` + strings.Repeat("a", 70_000) + `"}`, 413, "too_large"},
		"a weak password":         {"POST", "/signup", "", `{"email":"bea@homeplace.test","password":"1"}`, 422, "weak_password"},
		"no address":              {"POST", "/signup", "", `{"email":"bea","password":"` + password + `"}`, 400, "validation_failed"},
		"unknown refresh token":   {"POST", "/token?grant_type=refresh_token", "", `{"refresh_token":"no-such-token"}`, 400, "refresh_token_not_found"},
		"refresh by access token": {"POST", "/token?grant_type=refresh_token", "", `{"refresh_token":"` + access + `"}`, 400, "refresh_token_not_found"},
		"no token":                {"GET", "/user", "", "", 401, "no_authorization"},
		"a broken token":          {"GET", "/user", "a.b.c", "", 403, "bad_jwt"},
		"a personal token":        {"GET", "/user", personal, "", 403, "bad_jwt"},
		"no token to sign out":    {"POST", "/logout", "", "", 401, "no_authorization"},
		"an unknown scope":        {"POST", "/logout?scope=everything", access, "", 400, "validation_failed"},
		"password without proof":  {"PUT", "/user", access, `{"password":"another lamp entirely"}`, 400, "reauthentication_needed"},
		"address without proof":   {"PUT", "/user", access, `{"email":"mine@homeplace.test"}`, 400, "reauthentication_needed"},
		"address, wrong proof":    {"PUT", "/user", access, `{"email":"mine@homeplace.test","current_password":"wrong"}`, 400, "validation_failed"},
		"the wrong proof":         {"PUT", "/user", access, `{"password":"another lamp entirely","current_password":"wrong"}`, 400, "validation_failed"},
		"a name too long":         {"PUT", "/user", access, `{"data":{"display_name":"` + strings.Repeat("a", 61) + `"}}`, 400, "validation_failed"},
		"an unknown address":      {"GET", "/settings", "", "", 404, "not_found"},
		"an unknown method":       {"DELETE", "/user", access, "", 405, "method_not_allowed"},
		"recovery for nonsense":   {"POST", "/recover", "", `{"email":"nonsense"}`, 400, "validation_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.ask(c.method, c.path, c.token, c.body)
			if a.status != c.status || a.code() != c.code || a.text("message") == "" {
				t.Errorf("got %d %v, want %d %s", a.status, a.body, c.status, c.code)
			}
		})
	}
}

func (w world) viewer(name string) core.Viewer {
	w.t.Helper()
	a, err := w.accounts.ByUsername(w.t.Context(), core.TheSystem(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Viewer()
}

func TestChangingThePasswordEndsEveryOtherSession(t *testing.T) {
	t.Parallel()
	w := setup(t, false)
	w.member("ada")
	mine, refresh := w.signIn("ada")
	other, otherRefresh := w.signIn("ada")
	const next = "two lamps in every window"
	if a := w.ask("PUT", "/user", mine, `{"password":"`+next+`","current_password":"`+password+`"}`); a.status != 200 {
		t.Fatalf("%d %v", a.status, a.body)
	}
	if a := w.ask("GET", "/user", mine, ""); a.status != 200 {
		t.Errorf("the session that changed it: %d %v", a.status, a.body)
	}
	if a := w.ask("POST", "/token?grant_type=refresh_token", "", `{"refresh_token":"`+refresh+`"}`); a.status != 200 {
		t.Errorf("its refresh token: %d %v", a.status, a.body)
	}
	if a := w.ask("GET", "/user", other, ""); a.status != 403 || a.code() != "session_not_found" {
		t.Errorf("the other session: %d %v", a.status, a.body)
	}
	if a := w.ask("POST", "/token?grant_type=refresh_token", "", `{"refresh_token":"`+otherRefresh+`"}`); a.status != 400 || a.code() != "session_not_found" {
		t.Errorf("its refresh token: %d %v", a.status, a.body)
	}
}

func TestAnAddressChangesOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	w := setup(t, true)
	w.member("ada")
	access, _ := w.signIn("ada")
	a := w.ask("PUT", "/user", access, `{"email":"new@homeplace.test","current_password":"`+password+`"}`)
	if a.status != 200 || a.text("email") != "ada@homeplace.test" {
		t.Errorf("%d %v, want the old address until the new one is confirmed", a.status, a.body)
	}
}

func TestSignOutReachesWhatItSays(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string][3]int{ // this session, another of the account, another account's
		"local":  {403, 200, 200},
		"others": {200, 403, 200},
		"global": {403, 403, 200},
	} {
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			w := setup(t, false)
			w.member("ada")
			w.member("bea")
			this, _ := w.signIn("ada")
			other, _ := w.signIn("ada")
			foreign, _ := w.signIn("bea")
			if a := w.ask("POST", "/logout?scope="+scope, this, ""); a.status != http.StatusNoContent {
				t.Fatalf("%d %v", a.status, a.body)
			}
			for i, token := range []string{this, other, foreign} {
				if a := w.ask("GET", "/user", token, ""); a.status != want[i] {
					t.Errorf("session %d: %d, want %d", i, a.status, want[i])
				}
			}
		})
	}
}

// A client takes any 4xx at a refresh for the end of its session.
func TestTooManyRefreshesAreAskedToWait(t *testing.T) {
	t.Parallel()
	w := setup(t, false)
	w.member("ada")
	_, refresh := w.signIn("ada")
	if err := w.settings.Set(t.Context(), core.TheSystem(), "refreshes_per_hour", "1"); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"refresh_token":%q}`, refresh)
	if a := w.ask("POST", "/token?grant_type=refresh_token", "", body); a.status != 200 {
		t.Fatalf("the first: %d %v", a.status, a.body)
	}
	a := w.ask("POST", "/token?grant_type=refresh_token", "", body)
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("the second: %d %v, Retry-After %q", a.status, a.body, a.header.Get("Retry-After"))
	}
}

func TestRecoveryAnswersTheSameForEverybody(t *testing.T) {
	t.Parallel()
	w := setup(t, true)
	w.member("ada")
	for _, email := range []string{"ada@homeplace.test", "nobody@homeplace.test"} {
		if a := w.ask("POST", "/recover", "", `{"email":"`+email+`"}`); a.status != 200 || len(a.body) != 0 {
			t.Errorf("%s: %d %v", email, a.status, a.body)
		}
	}
}

func TestPreflightAllowsTheClientsHeaders(t *testing.T) {
	t.Parallel()
	w := setup(t, false)
	r := httptest.NewRequest(http.MethodOptions, base+"/auth/v1/token?grant_type=password", nil)
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	allowed := strings.ToLower(recorder.Header().Get("Access-Control-Allow-Headers"))
	for _, name := range []string{"authorization", "content-type", "x-client-info", "x-supabase-api-version", "apikey"} {
		if recorder.Code != http.StatusNoContent || !strings.Contains(allowed, name) {
			t.Errorf("%d: %s is not allowed: %s", recorder.Code, name, allowed)
		}
	}
	if methods := recorder.Header().Get("Access-Control-Allow-Methods"); !strings.Contains(methods, "POST") {
		t.Errorf("methods are %s", methods)
	}
}
