package session_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// origins are where a request may claim to come from, and whether that counts
// as the site itself. Host is homeplace.test but where it says otherwise.
var origins = []struct {
	name, fetchSite, origin, host string
	own                           bool
}{
	{name: "same origin", fetchSite: "same-origin", origin: secureBase, own: true},
	{name: "typed by a person", fetchSite: "none", own: true},
	{name: "no browser", own: true},
	{name: "an old browser, own page", origin: secureBase, own: true},
	{name: "behind a proxy that changes the host", origin: secureBase, host: "10.0.0.7:8080", own: true},
	{name: "the same behind a newer browser", fetchSite: "same-origin", origin: secureBase, host: "10.0.0.7:8080", own: true},
	{name: "cross-site", fetchSite: "cross-site", origin: "https://evil.test"},
	{name: "cross-site without Origin", fetchSite: "cross-site"},
	{name: "same site, another host", fetchSite: "same-site", origin: "https://evil.homeplace.test"},
	{name: "Origin null", origin: "null"},
	{name: "Origin null from a newer browser", fetchSite: "cross-site", origin: "null"},
	{name: "an old browser, another site", origin: "https://evil.test"},
	{name: "another port", origin: secureBase + ":8443"},
	{name: "a name that only begins alike", origin: secureBase + ".evil.test"},
	{name: "an unknown word", fetchSite: "sideways", origin: "https://evil.test"},
}

func request(method, path, fetchSite, origin, host, token string) *http.Request {
	r := httptest.NewRequest(method, secureBase+path, nil)
	if fetchSite != "" {
		r.Header.Set("Sec-Fetch-Site", fetchSite)
	}
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	if host != "" {
		r.Host = host
	}
	if token != "" {
		r.Header.Set("Cookie", "__Host-session="+token)
	}
	return r
}

func TestProtect(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	for _, c := range origins {
		for method, path := range map[string]string{http.MethodPost: "/sign-out", http.MethodGet: "/whoami", http.MethodHead: "/whoami"} {
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, request(method, path, c.fetchSite, c.origin, c.host, ""))
			refused := answer.Code == http.StatusForbidden
			if want := !c.own && method == http.MethodPost; refused != want {
				t.Errorf("%s: %s gives %d, want it refused: %t", c.name, method, answer.Code, want)
			}
		}
	}
}

// To the API a cookie says nothing unless the site's own pages send it, not
// even in a request that only reads.
func TestFromCookie(t *testing.T) {
	t.Parallel()
	w := setup(t, secureBase)
	ada := w.account(t, "ada")
	b := w.browser(t)
	b.post(w.site, "/sign-in/ada")
	for _, c := range origins {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			r := request(method, "/api/me", c.fetchSite, c.origin, c.host, b.token())
			v, err := w.manager.FromCookie(r)
			if err != nil || v.SignedIn() != c.own || (c.own && v != ada.Viewer()) {
				t.Errorf("%s: %s is %+v, %v, want it to count: %t", c.name, method, v, err, c.own)
			}
			if r.Method != method {
				t.Errorf("the request was changed to %s", r.Method)
			}
		}
	}
	for name, token := range map[string]string{"no cookie": "", "a token that nobody has": "x"} {
		if v, err := w.manager.FromCookie(request(http.MethodGet, "/api/me", "same-origin", "", "", token)); err != nil || v.SignedIn() {
			t.Errorf("%s is %+v, %v", name, v, err)
		}
	}
}
