package httpx

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// StatusClientGone marks, in logs only, a request whose client hung up before
// the answer was ready.
const StatusClientGone = 499

// Send writes the answer: conditional requests, HEAD, compression, caching
// headers. Headers that middleware has set on w stay.
func Send(w http.ResponseWriter, r *http.Request, a *Answer) {
	h := w.Header()
	for name, values := range a.Header {
		switch name {
		case "Vary":
			addVary(h, values)
		case "Set-Cookie", "Link":
			h[name] = append(h[name], values...)
		default:
			h[name] = values
		}
	}
	if a.Status == StatusClientGone {
		w.WriteHeader(a.Status)
		return
	}
	if a.Stream != nil {
		sendStream(w, r, a)
		return
	}
	p := a.ready
	if p == nil {
		p = newRendition(a)
	}
	p.send(w, r, a.Status)
}

// rendition is an answer with its headers worked out, so that sending it again
// costs next to nothing. Many requests may share it.
type rendition struct {
	contentType  []string
	cacheControl []string
	vary         []string
	tag          string // of the identity body, without quotes; empty = no ETag
	identity     variant
	compressible bool
	zipping      sync.Once
	gzip         variant   // made by gzipped
	parts        bool      // of the body can be asked for
	since        time.Time // when a Cache took it in; zero = fresh
}

// variant is a body in one content encoding.
type variant struct {
	body   []byte
	length []string
	etag   []string
}

func newRendition(a *Answer) *rendition {
	p := &rendition{
		cacheControl: []string{a.Cache.header()},
		compressible: !a.Plain && compressible(a.ContentType),
	}
	p.vary = a.Cache.vary(p.compressible)
	if a.ContentType != "" {
		p.contentType = []string{a.ContentType}
	}
	if a.Cache.public && a.Status == http.StatusOK {
		sum := sha256.Sum256(a.Body)
		p.tag = base64.RawURLEncoding.EncodeToString(sum[:16])
	}
	if a.File != nil {
		p.tag, p.parts = a.File.Tag, a.Status == http.StatusOK
	}
	p.identity = p.variant(a.Body, "")
	return p
}

func (p *rendition) variant(body []byte, suffix string) variant {
	v := variant{body: body, length: []string{strconv.Itoa(len(body))}}
	if p.tag != "" {
		v.etag = []string{`"` + p.tag + suffix + `"`}
	}
	return v
}

func (p *rendition) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h["Cache-Control"] = p.cacheControl
	addVary(h, p.vary)
	if !p.since.IsZero() {
		h["Age"] = ageHeader(time.Since(p.since))
	}
	if p.parts {
		h["Accept-Ranges"] = byteRanges
		if strings.HasPrefix(r.Header.Get("Range"), "bytes=") && safe(r.Method) {
			p.sendPart(w, r)
			return
		}
	}
	v, gzipped := p.choose(r.Header["Accept-Encoding"])
	if v.etag != nil {
		h["Etag"] = v.etag
		if safe(r.Method) && etagMatches(r.Header["If-None-Match"], p.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if p.contentType != nil {
		h["Content-Type"] = p.contentType
	}
	if gzipped {
		h["Content-Encoding"] = gzipEncoding
	}
	bodyless := status == http.StatusNoContent || status == http.StatusNotModified
	if !bodyless {
		h["Content-Length"] = v.length
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead && !bodyless {
		// The only failure is a connection that is gone; nobody is left to tell.
		_, _ = w.Write(v.body)
	}
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func (c Policy) header() string {
	switch {
	case c.public:
		return "public, max-age=" + strconv.FormatInt(int64(c.maxAge/time.Second), 10)
	case c.private:
		return "private, no-store"
	default:
		return "no-store"
	}
}

var (
	varyEncoding       = []string{"Accept-Encoding"}
	varyCaller         = []string{"Authorization, Cookie"}
	varyCallerEncoding = []string{"Authorization, Cookie, Accept-Encoding"}
)

func (c Policy) vary(compressible bool) []string {
	switch {
	case c.private && compressible:
		return varyCallerEncoding
	case c.private:
		return varyCaller
	case compressible:
		return varyEncoding
	default:
		return nil
	}
}

func addVary(h http.Header, values []string) {
	switch {
	case values == nil:
	case len(h["Vary"]) == 0:
		// Clipped, so that a later append cannot write into a shared slice.
		h["Vary"] = slices.Clip(values)
	default:
		h["Vary"] = append(h["Vary"], values...)
	}
}

// ages holds the Age headers of the first two minutes ready-made.
var ages = func() (t [121][]string) {
	for i := range t {
		t[i] = []string{strconv.Itoa(i)}
	}
	return t
}()

func ageHeader(age time.Duration) []string {
	seconds := int(max(age, 0) / time.Second)
	if seconds < len(ages) {
		return ages[seconds]
	}
	return []string{strconv.Itoa(seconds)}
}

// etagMatches tells whether an If-None-Match header names the tag in any
// encoding. Weak tags match too, as RFC 9110 §13.1.2 asks.
func etagMatches(header []string, tag string) bool {
	for _, line := range header {
		if strings.TrimSpace(line) == "*" {
			return true
		}
		for {
			start := strings.IndexByte(line, '"')
			if start < 0 {
				break
			}
			line = line[start+1:]
			end := strings.IndexByte(line, '"')
			if end < 0 {
				break
			}
			if rest, ok := strings.CutPrefix(line[:end], tag); ok && (rest == "" || rest == gzipSuffix) {
				return true
			}
			line = line[end+1:]
		}
	}
	return false
}
