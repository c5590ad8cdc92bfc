// Package ballot tells voters apart who need no account: a browser by a signed
// cookie, and a program without one by its address and what it calls itself.
package ballot

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"

	"homeplace/core/polls"
	"homeplace/core/secret"
	"homeplace/web/httpx"
)

// Names of the cookie; see web/session.
const (
	secureCookie = "__Host-voter"
	plainCookie  = "voter"
)

// LimitName is the class under which pages and API count votes together.
const LimitName = "vote"

const (
	markSize  = 16              // bytes
	freshBit  = 0x80            // of the first byte: set in marks that one browser alone has
	cookieAge = 365 * 24 * 3600 // seconds: the longest that a poll is open
)

// Box makes and reads the marks of voters. Its methods are safe for concurrent
// use.
type Box struct {
	key    []byte
	secure bool
	origin *http.CrossOriginProtection
}

// New makes the box; instances with one secret read each other's cookies.
func New(installation secret.Secret, a httpx.Addresses) *Box {
	b := &Box{key: installation.Derive("voter cookie"), secure: a.Secure(), origin: http.NewCrossOriginProtection()}
	u, err := url.Parse(a.Base())
	if err == nil {
		err = b.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	if err != nil {
		panic(err) // httpx.NewAddresses lets only addresses with scheme and host through
	}
	return b
}

// Voter is who sends a request. Where no cookie came, its mark is made from the
// address and the User-Agent, and the cookie carries that very mark, so that a
// vote before the cookie and one after it are of one voter. cookie is nil where
// a good one came, and for pages of other sites, which get none.
func (b *Box) Voter(r *http.Request) (voter polls.Voter, cookie *http.Cookie) {
	own := b.origin.Check(r) == nil
	voter.From = httpx.OriginOf(r)
	if own {
		if mark, ok := b.read(r); ok {
			voter.Mark = mark
			return voter, nil
		}
	}
	mark := b.sum("fallback %q %q", voter.From.AddressKey, r.UserAgent())[:markSize]
	mark[0] &^= freshBit
	voter.Mark = string(mark)
	if own {
		cookie = b.cookie(mark)
	}
	return voter, cookie
}

// Browser is the mark of the browser that sends a request, which no other browser
// has: "" where its cookie carries what others behind the address may carry too,
// and for pages of other sites. cookie is nil where a good one came.
func (b *Box) Browser(r *http.Request) (mark string, cookie *http.Cookie) {
	if b.origin.Check(r) != nil {
		return "", nil
	}
	mark, ok := b.read(r)
	switch {
	case !ok:
		fresh := freshMark()
		return string(fresh), b.cookie(fresh)
	case mark[0]&freshBit == 0:
		return "", nil
	}
	return mark, nil
}

// Carried tells whether a request brings a good cookie.
func (b *Box) Carried(r *http.Request) bool {
	_, ok := b.read(r)
	return ok
}

// Fresh is a cookie that no other browser has.
func (b *Box) Fresh() *http.Cookie { return b.cookie(freshMark()) }

func freshMark() []byte {
	mark := make([]byte, markSize)
	rand.Read(mark) // never fails, see crypto/rand
	mark[0] |= freshBit
	return mark
}

func (b *Box) name() string {
	if b.secure {
		return secureCookie
	}
	return plainCookie
}

func (b *Box) cookie(mark []byte) *http.Cookie {
	return &http.Cookie{Name: b.name(), Value: base64.RawURLEncoding.EncodeToString(append(mark[:markSize:markSize], b.sum("cookie %q", mark)...)),
		Path: "/", MaxAge: cookieAge, Secure: b.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

func (b *Box) read(r *http.Request) (mark string, ok bool) {
	c, err := r.Cookie(b.name())
	if err != nil {
		return "", false
	}
	value, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || len(value) != markSize+sha256.Size || !hmac.Equal(value[markSize:], b.sum("cookie %q", value[:markSize])) {
		return "", false
	}
	return string(value[:markSize]), true
}

func (b *Box) sum(format string, args ...any) []byte {
	sum := hmac.New(sha256.New, b.key)
	fmt.Fprintf(sum, format, args...)
	return sum.Sum(nil)
}
