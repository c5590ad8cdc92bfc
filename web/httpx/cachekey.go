package httpx

import (
	"encoding/binary"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// maxCacheKey is the longest key in bytes; what exceeds it is not cached.
const maxCacheKey = 2 << 10

// cacheKey names the answer to a request: its path, the parameters that the
// route knows, and the generation of everything that the answer shows. ok is
// false where a parameter is broken or too long, so that the handler itself
// has to say what is wrong.
func cacheKey(r *http.Request, known []string, generations []*atomic.Uint64) (key string, params []param, ok bool) {
	var room [256]byte
	b := append(room[:0], r.URL.Path...)
	if r.URL.RawQuery != "" && len(known) > 0 {
		params = parseParams(nil, r.URL.RawQuery, known)
		slices.SortStableFunc(params, func(a, b param) int { return strings.Compare(a.name, b.name) })
		for _, p := range params {
			if p.broken != "" {
				return "", nil, false
			}
			// Neither names nor values can hold a NUL.
			b = append(b, 0)
			b = append(b, p.name...)
			b = append(b, '=')
			b = append(b, p.value...)
		}
	}
	b = append(b, 0, 0)
	for _, g := range generations {
		b = binary.AppendUvarint(b, g.Load())
	}
	return string(b), params, len(b) <= maxCacheKey
}

// canonicalQuery writes the parameters as an address does.
func canonicalQuery(params []param) string {
	var b strings.Builder
	for i, p := range params {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(p.name))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(p.value))
	}
	return b.String()
}
