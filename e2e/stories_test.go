package e2e

import (
	"net/http"
	"strings"
	"testing"

	"homeplace/e2e/browser"
)

const password = "a lamp in every window"

// devices are those that each story is told on: a desktop with scripts, and a
// phone without.
var devices = map[string]browser.Device{
	"desktop":        {},
	"phone":          browser.Phone,
	"without script": {Width: 1024, Height: 900, NoScript: true},
}

func each(t *testing.T, story func(t *testing.T, s *site, d browser.Device)) {
	for name, device := range devices {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, open(t), device)
		})
	}
}

func TestAVisitorFindsABakery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site, d browser.Device) {
		p := browser.Open(t, d)
		p.Visit(s.url)
		p.Fill("main input[name=q]", "bakery")
		p.Fill("main input[name=where]", "Atlanta")
		p.Submit("main form button[type=submit]")
		if got := p.Text("article h3"); got != "Blue Heron Bakery" {
			t.Fatalf("the first result is %q, want Blue Heron Bakery", got)
		}
		p.Submit("article h3 a")
		if got := p.Text("h1"); got != "Blue Heron Bakery" {
			t.Errorf("the page is headed %q", got)
		}
		if got := p.Text(".facts"); !strings.Contains(got, "428 Auburn Ave NE") || !strings.Contains(got, "(404) 555-0154") {
			t.Errorf("the facts lack address or telephone:\n%s", got)
		}
	})
}

// join signs somebody up, confirms the address by the mailed link and signs in.
func join(t *testing.T, s *site, p *browser.Page, username string) {
	t.Helper()
	email := username + "@homeplace.test"
	p.Visit(s.url + "/sign-up")
	p.Fill("#email", email)
	p.Fill("#username", username)
	p.Fill("#password", password)
	p.Submit("main form button[type=submit]")
	p.Visit(s.mail.linkTo(t, email))
	p.Submit("main form button[type=submit]")
	signIn(s, p, username)
}

func signIn(s *site, p *browser.Page, username string) {
	p.Visit(s.url + "/sign-in")
	p.Fill("#name", username)
	p.Fill("#password", password)
	p.Submit("main form button[type=submit]")
}

func TestAMemberMakesAToken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site, d browser.Device) {
		p := browser.Open(t, d)
		join(t, s, p, "ada")
		if got := p.URL(); got != s.url+"/account" {
			t.Fatalf("signed in, and at %s", got)
		}
		p.Visit(s.url + "/account/tokens")
		p.Fill("#label", "Kitchen radio")
		p.Submit("main form button[type=submit]")
		token := p.Value("input[readonly]")
		if status := s.me(t, token); status != http.StatusOK {
			t.Fatalf("the new token gives %d, want 200", status)
		}
		p.Visit(s.url + "/account/tokens")
		if got := p.Text("main"); !strings.Contains(got, "Kitchen radio") || !strings.Contains(got, token[len(token)-4:]) || strings.Contains(got, token) {
			t.Errorf("the list should name the token by label and last four characters only:\n%s", got)
		}
		p.Submit(`a[aria-label="Revoke Kitchen radio"]`)
		p.Submit("main form button.btn-danger")
		if status := s.me(t, token); status != http.StatusUnauthorized {
			t.Errorf("the revoked token gives %d, want 401", status)
		}
	})
}

// me asks the API who a token belongs to.
func (s *site) me(t *testing.T, token string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.url+"/api/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestAMemberAddsAListingAndStaffPublishIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site, d browser.Device) {
		s.run("user", "create", "--email", "dee@homeplace.test", "--username", "dee", "--password", password, "--role", "moderator")
		s.run("user", "create", "--email", "ada@homeplace.test", "--username", "ada", "--password", password)

		member := browser.Open(t, d)
		signIn(s, member, "ada")
		member.Visit(s.url + "/directory/new?kind=business")
		member.Fill("#name", "Porch Swing Workshop")
		member.Fill("#summary", "We mend what you sit on, and talk while we do.")
		member.Fill("#city", "Atlanta")
		member.Select("#region", "GA")
		member.Submit("main form button.btn-solid")
		if got := member.Text("main"); !strings.Contains(got, "Porch Swing Workshop") {
			t.Fatalf("the member does not see what she sent:\n%s", got)
		}

		visitor := browser.Open(t, d)
		const page = "/directory/businesses/porch-swing-workshop-atlanta"
		if status := visitor.Visit(s.url + page); status != http.StatusNotFound {
			t.Errorf("before anybody decided, the page answers %d, want 404", status)
		}

		staff := browser.Open(t, d)
		signIn(s, staff, "dee")
		staff.Visit(s.url + "/moderation?queue=contribution")
		staff.Submit(`.queue li > a`)
		staff.Submit(`.verdict button[value="approve"]`)

		if status := visitor.Visit(s.url + page); status != http.StatusOK {
			t.Errorf("once it is approved, the page answers %d, want 200", status)
		}
		if got := visitor.Text("h1"); got != "Porch Swing Workshop" {
			t.Errorf("the page is headed %q", got)
		}
		member.Visit(s.url + "/account/submissions")
		if got := member.Text("main"); !strings.Contains(got, "Published") {
			t.Errorf("the member does not see the outcome:\n%s", got)
		}
	})
}
