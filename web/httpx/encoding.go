package httpx

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minGzip is the length in bytes above which a body is compressed.
const minGzip = 1 << 10

// gzipSuffix tells the ETag of a gzip body from that of the plain one: strong
// tags must differ when the bytes do.
const gzipSuffix = "-gzip"

var gzipEncoding = []string{"gzip"}

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// compress answers nil when writing fails, which a buffer never does.
func compress(body []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(body) / 3)
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	if _, err := w.Write(body); err != nil {
		return nil
	}
	if err := w.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

// gzipped makes the gzip body when the first client wants it, and once however
// many want it. Answers that no such client asks for are never compressed.
func (p *rendition) gzipped() variant {
	p.zipping.Do(func() {
		if body := compress(p.identity.body); body != nil {
			p.gzip = p.variant(body, gzipSuffix)
		}
	})
	return p.gzip
}

// choose picks the body for an Accept-Encoding header.
func (p *rendition) choose(accept []string) (v variant, gzipped bool) {
	if !p.compressible || len(accept) == 0 || len(p.identity.body) == 0 {
		return p.identity, false
	}
	zipped, plain := qualities(accept)
	forced := plain == 0
	if zipped == 0 || zipped < plain || (len(p.identity.body) <= minGzip && !forced) {
		return p.identity, false
	}
	v = p.gzipped()
	if v.body == nil || (len(v.body) >= len(p.identity.body) && !forced) {
		return p.identity, false
	}
	return v, true
}

// qualities reads how much a client wants gzip and the plain body, in
// thousandths; 0 is a refusal (RFC 9110 §12.5.3). A plain body that the header
// does not name is acceptable, and liked least.
func qualities(accept []string) (zipped, plain int) {
	const unnamed = -1
	zipped, plain, other := unnamed, unnamed, unnamed
	for _, line := range accept {
		for line != "" {
			var item string
			item, line, _ = strings.Cut(line, ",")
			coding, parameters, _ := strings.Cut(item, ";")
			q, ok := quality(parameters)
			if !ok {
				continue
			}
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				zipped = max(zipped, q)
			case strings.EqualFold(coding, "identity"):
				plain = max(plain, q)
			case coding == "*":
				other = max(other, q)
			}
		}
	}
	if zipped == unnamed {
		zipped = max(other, 0)
	}
	if plain == unnamed {
		if plain = other; other == unnamed {
			plain = 1
		}
	}
	return zipped, plain
}

// quality reads the weight among an item's parameters, in thousandths.
func quality(parameters string) (int, bool) {
	for parameters != "" {
		var p string
		p, parameters, _ = strings.Cut(parameters, ";")
		p = strings.TrimSpace(p)
		if len(p) >= 2 && (p[0] == 'q' || p[0] == 'Q') && p[1] == '=' {
			return thousandths(p[2:])
		}
	}
	return 1000, true
}

func thousandths(s string) (int, bool) {
	if s == "" || len(s) > 5 || (s[0] != '0' && s[0] != '1') || (len(s) > 1 && s[1] != '.') {
		return 0, false
	}
	q, unit := int(s[0]-'0')*1000, 100
	for i := 2; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		q += int(s[i]-'0') * unit
		unit /= 10
	}
	return q, q <= 1000
}

// compressible tells whether gzip pays for a content type. Pictures, archives
// and woff2 fonts are compressed already.
func compressible(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return true
	}
	switch media {
	case "application/json", "application/javascript", "application/xml", "application/x-ndjson",
		"application/yaml", "application/wasm", "font/ttf", "font/otf":
		return true
	}
	return false
}
