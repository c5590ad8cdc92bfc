package session_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pgtest"
)

const (
	secureBase = "https://homeplace.test"
	plainBase  = "http://localhost:8080"
)

func TestCookie(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]http.Cookie{
		secureBase: {Name: "__Host-session", Secure: true},
		plainBase:  {Name: "session", Secure: false},
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			w := setup(t, base)
			w.account(t, "ada")
			b := w.browser(t)
			answer := b.post(w.site, "/sign-in/ada")
			cookies := answer.Result().Cookies()
			if len(cookies) != 1 {
				t.Fatalf("cookies %v, want one", cookies)
			}
			c := cookies[0]
			if c.Name != want.Name || c.Secure != want.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
				len(c.Value) != 43 || c.MaxAge < 30*24*3600-5 || c.MaxAge > 30*24*3600+5 {
				t.Errorf("the cookie is %s", answer.Header().Get("Set-Cookie"))
			}
			if cc := answer.Header()["Cache-Control"]; len(cc) != 1 || !strings.Contains(cc[0], "no-store") {
				t.Errorf("Cache-Control %v", cc)
			}
			if b.whoami(w.site) != "ada" {
				t.Error("the browser is not signed in")
			}
			gone := b.post(w.site, "/sign-out").Result().Cookies()
			if len(gone) != 1 || gone[0].Name != want.Name || gone[0].MaxAge >= 0 || gone[0].Value != "" || gone[0].Secure != want.Secure || gone[0].Path != "/" {
				t.Errorf("signing out sets %v", gone)
			}
		})
	}
}

// Requests without the cookie are answered as if there were no sessions.
func TestAnonymousAnswersStayAsTheyAre(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	b := w.browser(t)
	for _, path := range []string{"/whoami", "/cached"} {
		answer := b.send(w.site, http.MethodGet, path)
		if h := answer.Header(); h["Set-Cookie"] != nil || strings.Contains(h.Get("Vary"), "Cookie") {
			t.Errorf("%s is answered with %v", path, h)
		}
		if got := answer.Body.String(); got != `{"username":"","admin":false,"session_id":"","present":false}` {
			t.Errorf("%s says %s", path, got)
		}
	}
	b.post(w.site, "/sign-out")
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from web_sessions`); n != 0 {
		t.Errorf("%d sessions are stored, want none", n)
	}
}

// Whoever fills the cache is not shown to the others.
func TestCacheNeverLearnsWhoAsks(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	w.account(t, "ada")
	b := w.browser(t)
	b.post(w.site, "/sign-in/ada")
	for range 2 {
		if got := b.send(w.site, http.MethodGet, "/cached").Body.String(); strings.Contains(got, "ada") || strings.Contains(got, "true") {
			t.Errorf("the cached page says %s", got)
		}
	}
}

func TestOnlyTheHashIsStored(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	ada := w.account(t, "ada")
	b := w.browser(t)
	b.post(w.site, "/sign-in/ada")
	row := pgtest.Value[string](t, w.db, core.TheSystem(), `select token_hash || encode(data, 'escape') || account_id from web_sessions`)
	if strings.Contains(row, b.token()) || !strings.HasSuffix(row, ada.ID) {
		t.Errorf("stored is %s", row)
	}
	list, err := w.sessions.List(t.Context(), ada.Viewer())
	if err != nil || len(list) != 1 || list[0].UserAgent != "Test Browser" || list[0].AddressKey != "192.0.2.1" {
		t.Errorf("List = %+v, %v", list, err)
	}
	if left := time.Until(list[0].ExpiresAt); left < 719*time.Hour || left > 721*time.Hour {
		t.Errorf("the session lasts %v, want 30 days", left)
	}
}

// A token that somebody planted before the sign-in is worth nothing after it.
func TestFixation(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	w.account(t, "ada")
	w.account(t, "bea")
	b := w.browser(t)
	planted := strings.Repeat("A", 43)
	b.jar.SetCookies(b.base, []*http.Cookie{{Name: "__Host-session", Value: planted, Secure: true, Path: "/"}})
	if b.whoami(w.site) != "" {
		t.Fatal("a token that nobody gave out is signed in")
	}
	b.post(w.site, "/notice/hello") // a session that is stored, of the attacker's token or not
	before := b.token()
	if before == planted || before == "" {
		t.Fatalf("the session has the token %q", before)
	}
	b.post(w.site, "/sign-in/ada")
	first := b.token()
	if first == before || first == planted {
		t.Error("the token stays the same at sign-in")
	}
	b.post(w.site, "/sign-in/bea")
	if b.token() == first || b.whoami(w.site) != "bea" {
		t.Error("the token stays the same when another account signs in")
	}
	for name, token := range map[string]string{"planted": planted, "visitor's": before, "first account's": first} {
		old := w.browser(t)
		old.jar.SetCookies(old.base, []*http.Cookie{{Name: "__Host-session", Value: token, Secure: true, Path: "/"}})
		if who := old.whoami(w.site); who != "" {
			t.Errorf("the %s token is signed in as %s", name, who)
		}
	}
	if n := pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from web_sessions`); n != 1 {
		t.Errorf("%d sessions are stored, want 1", n)
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	ada := w.account(t, "ada")
	b, copied := w.browser(t), w.browser(t)
	b.post(w.site, "/sign-in/ada")
	copied.jar.SetCookies(copied.base, []*http.Cookie{{Name: "__Host-session", Value: b.token(), Secure: true, Path: "/"}})
	before, _ := w.sessions.List(t.Context(), ada.Viewer())
	b.post(w.site, "/renew")
	if b.token() == copied.token() || b.whoami(w.site) != "ada" || copied.whoami(w.site) != "" {
		t.Error("the old token still works, or the new one does not")
	}
	after, err := w.sessions.List(t.Context(), ada.Viewer())
	if err != nil || len(after) != 1 || after[0].ID != before[0].ID {
		t.Errorf("after the renewal %+v, %v, want the same session", after, err)
	}
	if answer := w.browser(t).send(w.site, http.MethodPost, "/renew"); answer.Code != http.StatusUnauthorized {
		t.Errorf("renewing without a session gives %d", answer.Code)
	}
}

func TestEverythingCountsAtOnceOnEveryInstance(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	other := w.second(t)
	ada := w.account(t, "ada")
	b, elsewhere := w.browser(t), w.browser(t)
	b.post(w.site, "/sign-in/ada")
	elsewhere.post(other, "/sign-in/ada")
	if b.whoami(other) != "ada" {
		t.Error("another instance does not know the session")
	}
	if err := w.accounts.SetRole(t.Context(), core.TheSystem(), "ada", accounts.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	if got := b.send(other, http.MethodGet, "/whoami").Body.String(); !strings.Contains(got, `"admin":true`) {
		t.Errorf("after the appointment: %s", got)
	}
	list, err := w.sessions.List(t.Context(), ada.Viewer())
	if err != nil || len(list) != 2 {
		t.Fatalf("List = %+v, %v", list, err)
	}
	keep := list[0].ID
	if strings.Contains(b.send(w.site, http.MethodGet, "/whoami").Body.String(), list[1].ID) {
		keep = list[1].ID
	}
	if _, err := w.sessions.EndOthers(t.Context(), ada.Viewer(), keep); err != nil {
		t.Fatal(err)
	}
	if b.whoami(other) != "ada" || elsewhere.whoami(other) != "" {
		t.Error("the others are not ended, or this one is")
	}
	copied := w.browser(t)
	copied.jar.SetCookies(copied.base, []*http.Cookie{{Name: "__Host-session", Value: b.token(), Secure: true, Path: "/"}})
	b.post(w.site, "/sign-out")
	if copied.whoami(other) != "" || b.whoami(w.site) != "" {
		t.Error("the session outlives the sign-out")
	}
	b.post(w.site, "/sign-in/ada")
	if _, err := w.db.Exec(t, core.TheSystem(), `delete from accounts`); err != nil {
		t.Fatal(err)
	}
	if b.whoami(other) != "" {
		t.Error("the session outlives the account")
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	w.account(t, "ada")
	for _, signedIn := range []bool{false, true} {
		b := w.browser(t)
		if signedIn {
			b.post(w.site, "/sign-in/ada")
		}
		b.post(w.site, "/notice/hello")
		for _, want := range []string{`"hello"`, `""`} {
			if got := b.post(w.site, "/take").Body.String(); got != want {
				t.Errorf("signed in %t: the notice is %s, want %s", signedIn, got, want)
			}
		}
		if (b.token() != "") != signedIn || (b.whoami(w.site) == "ada") != signedIn {
			t.Errorf("signed in %t: afterwards the browser has the token %q", signedIn, b.token())
		}
	}
}

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	w.account(t, "ada")
	b := w.browser(t)
	b.post(w.site, "/sign-in/ada")
	w.db.Close()
	if answer := b.send(w.site, http.MethodGet, "/whoami"); answer.Code < 500 {
		t.Errorf("with a cookie: %d %s", answer.Code, answer.Body)
	}
	if answer := w.browser(t).send(w.site, http.MethodGet, "/whoami"); answer.Code != http.StatusOK {
		t.Errorf("without one: %d %s", answer.Code, answer.Body)
	}
}

func TestBrokenCookies(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	for _, value := range []string{"x", strings.Repeat("x", 4000), "'; drop table web_sessions", "%00"} {
		r := httptest.NewRequest(http.MethodGet, secureBase+"/whoami", nil)
		r.Header.Set("Cookie", "__Host-session="+value)
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), `"session_id":"0`) {
			t.Errorf("%.20q: %d %s", value, answer.Code, answer.Body)
		}
	}
}
