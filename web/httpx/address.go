package httpx

import (
	"fmt"
	"net/url"
	"strings"
)

// Addresses builds absolute addresses from the configured base address, never
// from what a request claims.
type Addresses struct {
	base   string
	secure bool
}

// NewAddresses reads a base address such as https://example.org or
// https://example.org/community.
func NewAddresses(base string) (Addresses, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return Addresses{}, fmt.Errorf("base address: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return Addresses{}, fmt.Errorf("base address %q must begin with http:// or https:// and name a host", base)
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return Addresses{}, fmt.Errorf("base address %q must hold nothing but scheme, host and path", base)
	}
	return Addresses{
		base:   u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/"),
		secure: u.Scheme == "https",
	}, nil
}

// Base is the base address without a slash at its end.
func (a Addresses) Base() string { return a.base }

// Secure tells whether the site is reached over https.
func (a Addresses) Secure() bool { return a.secure }

// API is the address of a resource of the API: API("directory", "businesses",
// slug).
func (a Addresses) API(segments ...string) string { return a.join("/api", segments) }

// Page is the address of a web page; without segments, of the first one.
func (a Addresses) Page(segments ...string) string {
	if len(segments) == 0 {
		return a.base + "/"
	}
	return a.join("", segments)
}

func (a Addresses) join(prefix string, segments []string) string {
	var b strings.Builder
	b.WriteString(a.base)
	b.WriteString(prefix)
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}
