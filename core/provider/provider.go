// Package provider speaks with an outside identity provider: Verifier checks
// the session JWTs that programs bring from it, and SignIn leads a browser
// through OpenID Connect. What the provider is asked for, how often and how
// much of its answers is read has limits, and neither needs it to be there
// when the program starts.
package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"homeplace/core"
)

// Subject is a person as the provider vouches for them. Issuer and Subject
// together name them for good; everything else may change or be empty.
type Subject struct {
	Issuer        string
	Subject       string
	Email         string
	EmailVerified bool
	Name          string // as people call them
	Username      string // as they like to be called by programs
}

// person is what the claims of OpenID Connect Core §5.1 say of somebody.
// Others are not believed: what stands in "user_metadata", for one, people
// write themselves.
type person struct {
	Email    string `json:"email"`
	Verified truth  `json:"email_verified"`
	Name     string `json:"name"`
	Username string `json:"preferred_username"`
	Nickname string `json:"nickname"`
}

// truth is a boolean that some providers write as a text.
type truth bool

// UnmarshalJSON takes true and "true"; anything else is false.
func (t *truth) UnmarshalJSON(data []byte) error {
	*t = truth(strings.EqualFold(strings.Trim(string(data), `"`), "true"))
	return nil
}

func (p person) subject(issuer, subject string) Subject {
	username := p.Username
	if username == "" {
		username = p.Nickname
	}
	return Subject{Issuer: issuer, Subject: subject, Email: strings.TrimSpace(p.Email), EmailVerified: bool(p.Verified) && p.Email != "",
		Name: p.Name, Username: username}
}

// maxSubject is the longest identifier of a person (OpenID Connect Core §2).
const maxSubject = 255

func checkSubject(s string) error {
	odd := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	if s == "" || len(s) > maxSubject || strings.ContainsFunc(s, odd) {
		return fmt.Errorf("the subject %.40q is empty, too long or malformed", s)
	}
	return nil
}

// Limits on what the provider may answer.
const (
	answerTime = 5 * time.Second // for a whole answer
	answerSize = 1 << 20         // bytes
	redirects  = 3
)

// newClient keeps the limits above, whoever uses it.
func newClient() *http.Client {
	return &http.Client{
		Timeout:   answerTime,
		Transport: limited{http.DefaultTransport},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case len(via) > redirects:
				return fmt.Errorf("more than %d redirects", redirects)
			case via[0].URL.Scheme == "https" && r.URL.Scheme != "https":
				return errors.New("a redirect from https to http")
			}
			return nil
		},
	}
}

// limited makes reading fail beyond answerSize.
type limited struct{ http.RoundTripper }

// RoundTrip sends a request.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, answerSize)
	}
	return answer, err
}

// fetchJSON reads a document of the provider.
func fetchJSON(ctx context.Context, client *http.Client, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, answer.Status)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	return nil
}

// checkAddress refuses what no document can be fetched from.
func checkAddress(what, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%s must be an address such as https://id.example.org, not %q", what, address)
	}
	return nil
}

// away says that the provider cannot be asked, and when to try again.
func away(err error, after time.Duration) error {
	return (&core.Error{Kind: core.Unavailable, Code: "unavailable", RetryAfter: after,
		Msg: "The sign-in service cannot be reached right now. Please try again in a moment."}).Wrap(err)
}
