package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFilesAreKeptForAYear(t *testing.T) {
	t.Parallel()
	if name := URL("app.css"); !regexp.MustCompile(`^/static/app\.[0-9a-f]{16}\.css$`).MatchString(name) {
		t.Errorf("address %s", name)
	}
	for name, media := range map[string]string{
		"app.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8", "favicon.svg": "image/svg+xml",
		"fonts/atkinson.woff2": "font/woff2", "icons/apple-touch-icon.png": "image/png", "leaflet/leaflet.js": "text/javascript; charset=utf-8",
	} {
		r := get(t, URL(name))
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != media || r.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Header)
		}
	}
}

func TestOldAndUnknownAddressesAreNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/static/app.css", "/static/app.0000000000000000.css", "/static/../static.go", "/static/", "/static/src/app.css"} {
		if r := get(t, path); r.StatusCode != http.StatusNotFound || strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, r.StatusCode, r.Header)
		}
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	plain := get(t, URL("app.css"))
	packed := get(t, URL("app.css"), "Accept-Encoding", "br, gzip;q=0.8")
	if packed.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Content-Encoding") != "" {
		t.Fatalf("encodings %q and %q", packed.Header.Get("Content-Encoding"), plain.Header.Get("Content-Encoding"))
	}
	if packed.Header.Get("ETag") == plain.Header.Get("ETag") || packed.Header.Get("Vary") != "Accept-Encoding" {
		t.Error("two encodings look like one file")
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(z)
	if err != nil || !bytes.Equal(unpacked, body(t, plain)) {
		t.Errorf("the packed file differs (%v)", err)
	}
	for _, refused := range []string{"gzip;q=0", "gzip; q=0.0", "br", ""} {
		if r := get(t, URL("app.css"), "Accept-Encoding", refused); r.Header.Get("Content-Encoding") != "" {
			t.Errorf("%q got gzip", refused)
		}
	}
	if r := get(t, URL("fonts/fraunces.woff2"), "Accept-Encoding", "gzip"); r.Header.Get("Content-Encoding") != "" {
		t.Error("a font was packed twice")
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	tag := get(t, URL("app.js")).Header.Get("ETag")
	if r := get(t, URL("app.js"), "If-None-Match", `"x", `+tag); r.StatusCode != http.StatusNotModified || len(body(t, r)) > 0 {
		t.Errorf("%d", r.StatusCode)
	}
	if r := get(t, URL("app.js"), "If-None-Match", `"x"`); r.StatusCode != http.StatusOK {
		t.Errorf("%d", r.StatusCode)
	}
}

func TestStyleSheetsNameHashedFiles(t *testing.T) {
	t.Parallel()
	css, _ := Get("app.css")
	for _, font := range []string{"fonts/atkinson.woff2", "fonts/fraunces.woff2", "fonts/fraunces-italic.woff2"} {
		if !bytes.Contains(css.Body, []byte("url("+URL(font)+")")) {
			t.Errorf("app.css does not name %s", URL(font))
		}
	}
	_, err := build(fstest.MapFS{"a.css": {Data: []byte("a{background:url(gone.png)}")}})
	if err == nil || !strings.Contains(err.Error(), "gone.png") {
		t.Errorf("error %v", err)
	}
}

// TestBudget keeps what every page loads small. Bytes after gzip. The styles of
// all sections are one file; what is asked of it is 25 kB at most, and this
// leaves room for the sections to come.
func TestBudget(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"app.css": 16 << 10, "app.js": 6 << 10, "theme-dark.css": 1 << 10} {
		f, _ := Get(name)
		size := len(f.Body)
		if f.Gzip != nil {
			size = len(f.Gzip)
		}
		if size > limit {
			t.Errorf("%s is %d bytes, at most %d", name, size, limit)
		}
	}
	fonts := 0
	for _, name := range []string{"fonts/atkinson.woff2", "fonts/fraunces.woff2"} {
		f, _ := Get(name)
		fonts += len(f.Body)
	}
	if fonts > 56<<10 {
		t.Errorf("the fonts of every page are %d bytes", fonts)
	}
}

// TestScriptIsClean keeps out what the pages' policy forbids.
func TestScriptIsClean(t *testing.T) {
	t.Parallel()
	js, _ := Get("app.js")
	for _, bad := range []string{"eval(", "new Function", "innerHTML =", "document.write", ".style.", "insertAdjacentHTML"} {
		if bytes.Contains(js.Body, []byte(bad)) {
			t.Errorf("app.js holds %q", bad)
		}
	}
}
