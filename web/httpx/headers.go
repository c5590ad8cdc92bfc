package httpx

import (
	"net/http"
	"strings"
)

// fixedHeaders is a set of headers that never changes, in the shape that a
// http.Header holds, so that setting one allocates nothing.
type fixedHeaders []struct {
	name  string
	value []string
}

func (f *fixedHeaders) add(name, value string) {
	*f = append(*f, struct {
		name  string
		value []string
	}{http.CanonicalHeaderKey(name), []string{value}})
}

func (f fixedHeaders) set(h http.Header) {
	for i := range f {
		h[f[i].name] = f[i].value
	}
}

func (f fixedHeaders) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.set(w.Header())
		next.ServeHTTP(w, r)
	})
}

// hsts is sent under https only: one year, this host.
const hsts = "max-age=31536000"

func commonHeaders(secure bool) fixedHeaders {
	var f fixedHeaders
	f.add("X-Content-Type-Options", "nosniff")
	f.add("Referrer-Policy", "strict-origin-when-cross-origin")
	if secure {
		f.add("Strict-Transport-Security", hsts)
	}
	return f
}

// APIHeaders sets the security headers of the API. An answer opened as a
// document may load and run nothing, and is framed by nobody: browsers too old
// for frame-ancestors gain nothing from framing JSON, and one header less keeps
// the map of a cached answer at the size that holds 14 without growing again.
func APIHeaders(a Addresses) func(http.Handler) http.Handler {
	f := commonHeaders(a.Secure())
	f.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	return f.middleware
}

// PageSources are the origins beyond the site's own that pages may use, such
// as https://id.example.org.
type PageSources struct {
	Forms  []string // where a form may end up, such as an identity provider
	Images []string // besides data: addresses and every https host
}

// PageHeaders sets the security headers of the pages: no code or style but
// from the site's own files, and nobody frames them.
func PageHeaders(a Addresses, s PageSources) func(http.Handler) http.Handler {
	policy := []string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"font-src 'self'",
		"connect-src 'self'",
		"manifest-src 'self'",
		"worker-src 'self'",
		strings.Join(append([]string{"img-src 'self' data: https:"}, s.Images...), " "),
		strings.Join(append([]string{"form-action 'self'"}, s.Forms...), " "),
		"base-uri 'none'",
		"frame-ancestors 'none'",
	}
	f := commonHeaders(a.Secure())
	f.add("Content-Security-Policy", strings.Join(policy, "; "))
	f.add("X-Frame-Options", "DENY")
	f.add("Cross-Origin-Opener-Policy", "same-origin")
	f.add("Permissions-Policy", "geolocation=(self), camera=(), microphone=(), payment=(), usb=()")
	return f.middleware
}
