package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
)

func serve(t *testing.T, target, encoding string) (*httptest.ResponseRecorder, bool) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	return w, Serve(w, r)
}

func TestFilesAreNamedByTheirContents(t *testing.T) {
	t.Parallel()
	address := Path("app.css")
	if !regexp.MustCompile(`^/static/app\.[0-9a-f]{12}\.css$`).MatchString(address) {
		t.Errorf("address is %s", address)
	}
	for _, target := range []string{"/static/app.css", "/static/app.000000000000.css", "/static/", "/static/static.go"} {
		if w, found := serve(t, target, ""); found || w.Body.Len() > 0 {
			t.Errorf("%s is found", target)
		}
	}
}

func TestFilesAreKeptForGood(t *testing.T) {
	t.Parallel()
	for encoding, zipped := range map[string]bool{"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip;q=0.0": false, "br": false} {
		w, found := serve(t, Path("app.css"), encoding)
		h := w.Header()
		if !found || w.Code != http.StatusOK || h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("Content-Type") != "text/css; charset=utf-8" || h.Get("Vary") != "Accept-Encoding" || h.Get("ETag") == "" {
			t.Errorf("%q: %d, %v", encoding, w.Code, h)
		}
		if (h.Get("Content-Encoding") == "gzip") != zipped {
			t.Errorf("%q is answered with encoding %q", encoding, h.Get("Content-Encoding"))
		}
		body := w.Body.Bytes()
		if zipped {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(body, assets[Path("app.css")].plain) {
			t.Errorf("%q: the body is not the file", encoding)
		}
	}
}

func TestUnchangedFileCostsNoBody(t *testing.T) {
	t.Parallel()
	first, _ := serve(t, Path("app.css"), "gzip")
	r := httptest.NewRequest(http.MethodGet, Path("app.css"), nil)
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("If-None-Match", first.Header().Get("ETag"))
	w := httptest.NewRecorder()
	if Serve(w, r); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("gives %d with %d bytes", w.Code, w.Body.Len())
	}
}

func TestStyleStaysSmall(t *testing.T) {
	t.Parallel()
	if n := len(assets[Path("app.css")].plain); n > 8<<10 {
		t.Errorf("app.css has %d bytes; 8 KiB are enough for plain pages", n)
	}
}
