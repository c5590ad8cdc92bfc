package ballot

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeplace/core/secret"
	"homeplace/web/httpx"
)

func box(t *testing.T, base, words string) *Box {
	t.Helper()
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	installation, err := secret.Parse(strings.Repeat(words, secret.MinLength))
	if err != nil {
		t.Fatal(err)
	}
	return New(installation, addresses)
}

func request(agent string, cookie *http.Cookie, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "https://homeplace.test/api/polls/tea/vote", nil)
	r.Header.Set("User-Agent", agent)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestVoter(t *testing.T) {
	t.Parallel()
	b := box(t, "https://homeplace.test", "a")
	first, cookie := b.Voter(request("curl", nil))
	if cookie == nil || cookie.Name != "__Host-voter" || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.SameSite != http.SameSiteLaxMode {
		t.Fatalf("the cookie is %+v", cookie)
	}
	if again, set := b.Voter(request("curl", cookie)); again != first || set != nil {
		t.Error("with its cookie it is somebody else")
	}
	if other, _ := b.Voter(request("another program", cookie)); other != first {
		t.Error("the cookie counts for less than the name of the program")
	}
	if again, _ := b.Voter(request("curl", nil)); again != first {
		t.Error("without the cookie it is somebody else")
	}
	if other, _ := b.Voter(request("another program", nil)); other == first {
		t.Error("two programs are one")
	}
	fresh, set := b.Voter(request("curl", b.Fresh()))
	if other, _ := b.Voter(request("curl", b.Fresh())); other == fresh || fresh == first || set != nil {
		t.Error("two browsers are one")
	}
	if there, _ := box(t, "https://homeplace.test", "a").Voter(request("curl", cookie)); there != first {
		t.Error("another instance does not know the cookie")
	}
}

func TestCookiesOfNoWorth(t *testing.T) {
	t.Parallel()
	b := box(t, "https://homeplace.test", "a")
	bare, _ := b.Voter(request("curl", nil))
	forged := *b.Fresh()
	forged.Value = "A" + forged.Value[1:]
	other := *b.Fresh()
	if forged.Value == other.Value {
		t.Fatal("two fresh cookies are one")
	}
	for what, c := range map[string]*http.Cookie{
		"of another secret": box(t, "https://homeplace.test", "b").Fresh(), "without https": box(t, "http://homeplace.test", "a").Fresh(),
		"empty": {Name: "__Host-voter"}, "short": {Name: "__Host-voter", Value: "AAAA"}, "no base64": {Name: "__Host-voter", Value: "!"},
		"cut": {Name: "__Host-voter", Value: other.Value[:len(other.Value)-2]},
	} {
		if v, set := b.Voter(request("curl", c)); v != bare || set == nil || b.Carried(request("curl", c)) {
			t.Errorf("a cookie %s counts", what)
		}
	}
}

func TestPagesOfOtherSites(t *testing.T) {
	t.Parallel()
	b := box(t, "https://homeplace.test", "a")
	bare, _ := b.Voter(request("curl", nil))
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://elsewhere.test"}} {
		if v, set := b.Voter(request("curl", b.Fresh(), headers...)); v != bare || set != nil {
			t.Errorf("%v: the cookie counts, or is set", headers)
		}
	}
	if v, _ := b.Voter(request("curl", b.Fresh(), "Sec-Fetch-Site", "same-origin", "Origin", "https://homeplace.test")); v == bare {
		t.Error("the site's own page has no cookie")
	}
}
