package httpx

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

func get(t *testing.T, a *Answer, headers ...string) *http.Response {
	t.Helper()
	return send(t, a, "GET", headers...)
}

func send(t *testing.T, a *Answer, method string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "/api/things", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Send(w, r, a)
	return w.Result()
}

func text(t *testing.T, body io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func publicJSON(body string) *Answer {
	return &Answer{Status: 200, ContentType: "application/json", Body: []byte(body), Cache: Public(time.Minute)}
}

func TestJSONEncodesWithoutSurprises(t *testing.T) {
	t.Parallel()
	a, err := JSON(201, map[string]string{"a": "<b> & ü"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(a.Body), `{"a":"<b> & ü"}`; got != want || a.Status != 201 {
		t.Errorf("got %d %s, want 201 %s", a.Status, got, want)
	}
	if _, err := JSON(200, func() {}); err == nil {
		t.Error("a function was encoded")
	}
}

func TestSendSetsCachingHeaders(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cache         Policy
		control, vary string
		tagged        bool
	}{
		"public":  {Public(90 * time.Second), "public, max-age=90", "Accept-Encoding", true},
		"private": {Private(), "private, no-store", "Authorization, Cookie, Accept-Encoding", false},
		"none":    {Policy{}, "no-store", "Accept-Encoding", false},
		"elapsed": {Public(-time.Second), "public, max-age=0", "Accept-Encoding", true},
	} {
		a := publicJSON("{}")
		a.Cache = tc.cache
		res := get(t, a)
		if got := res.Header.Get("Cache-Control"); got != tc.control {
			t.Errorf("%s: Cache-Control %q, want %q", name, got, tc.control)
		}
		if got := strings.Join(res.Header["Vary"], ", "); got != tc.vary {
			t.Errorf("%s: Vary %q, want %q", name, got, tc.vary)
		}
		if got := res.Header.Get("ETag") != ""; got != tc.tagged {
			t.Errorf("%s: has ETag %v, want %v", name, got, tc.tagged)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	a := publicJSON("{}")
	// The first 16 bytes of SHA-256("{}") = 44136fa355b3678a1146ad16f7e8649e in base64url.
	const tag = "RBNvo1WzZ4oRRq0W9-hkng"
	if got := get(t, a).Header.Get("ETag"); got != `"`+tag+`"` {
		t.Fatalf("ETag %s, want %q", got, tag)
	}
	for header, want := range map[string]int{
		`"` + tag + `"`:                       304,
		`W/"` + tag + `"`:                     304,
		`"` + tag + `-gzip"`:                  304,
		`"other", W/"x,y" ,"` + tag + `"`:     304,
		` * `:                                 304,
		`"` + tag + `-br"`:                    200,
		`"other"`:                             200,
		tag:                                   200,
		`"` + tag:                             200,
		"":                                    200,
		`"prefix` + tag + `"`:                 200,
		`"` + strings.ToLower(tag) + `-gzip"`: 200,
	} {
		res := get(t, a, "If-None-Match", header)
		if res.StatusCode != want {
			t.Errorf("If-None-Match %s: %d, want %d", header, res.StatusCode, want)
			continue
		}
		if want == 304 {
			for _, name := range []string{"Cache-Control", "ETag", "Vary"} {
				if res.Header.Get(name) == "" {
					t.Errorf("If-None-Match %s: 304 without %s", header, name)
				}
			}
			if res.Header.Get("Content-Length") != "" || text(t, res.Body) != "" {
				t.Errorf("If-None-Match %s: 304 with a body", header)
			}
		}
	}
	if res := send(t, a, "POST", "If-None-Match", "*"); res.StatusCode != 200 {
		t.Errorf("POST with If-None-Match: %d, want 200", res.StatusCode)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all the same ", 200)
	for name, tc := range map[string]struct {
		contentType, body, accept string
		plain, want               bool
	}{
		"long text":              {"text/html; charset=utf-8", long, "gzip", false, true},
		"browser":                {"application/json", long, "gzip, deflate, br, zstd", false, true},
		"upper case":             {"application/json", long, "GZIP;Q=0.5", false, true},
		"star":                   {"application/json", long, "*", false, true},
		"no header":              {"application/json", long, "", false, false},
		"refused":                {"application/json", long, "gzip;q=0", false, false},
		"refused in full":        {"application/json", long, "gzip;q=0.000, *", false, false},
		"plain preferred":        {"application/json", long, "gzip;q=0.5, identity", false, false},
		"short":                  {"application/json", "{}", "gzip", false, false},
		"1024 bytes":             {"application/json", strings.Repeat("a", 1024), "gzip", false, false},
		"1025 bytes":             {"application/json", strings.Repeat("a", 1025), "gzip", false, true},
		"short, plain refused":   {"application/json", "{}", "gzip, identity;q=0", false, true},
		"plain refused by star":  {"application/json", "{}", "gzip, *;q=0", false, true},
		"everything refused":     {"application/json", long, "identity;q=0, gzip;q=0", false, false},
		"compressed type":        {"image/png", long, "gzip, identity;q=0", false, false},
		"secret":                 {"application/json", long, "gzip", true, false},
		"svg":                    {"image/svg+xml", long, "gzip", false, true},
		"other coding":           {"application/json", long, "br", false, false},
		"malformed weight":       {"application/json", long, "gzip;q=high", false, false},
		"weight over one":        {"application/json", long, "gzip;q=1.5", false, false},
		"other parameter before": {"application/json", long, "gzip;a=b;q=0", false, false},
	} {
		a := &Answer{Status: 200, ContentType: tc.contentType, Body: []byte(tc.body), Plain: tc.plain, Cache: Public(time.Minute)}
		shared := *a
		shared.ready = newRendition(a)
		for kind, answer := range map[string]*Answer{"fresh": a, "shared": &shared} {
			res := get(t, answer, "Accept-Encoding", tc.accept)
			gzipped := res.Header.Get("Content-Encoding") == "gzip"
			if gzipped != tc.want {
				t.Errorf("%s, %s: gzip %v, want %v", name, kind, gzipped, tc.want)
			}
			if strings.HasSuffix(res.Header.Get("ETag"), `-gzip"`) != gzipped {
				t.Errorf("%s, %s: ETag %s with gzip %v", name, kind, res.Header.Get("ETag"), gzipped)
			}
			body := text(t, res.Body)
			if got := res.Header.Get("Content-Length"); got != itoa(len(body)) {
				t.Errorf("%s, %s: Content-Length %s, sent %d", name, kind, got, len(body))
			}
			if gzipped {
				z, err := gzip.NewReader(strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				body = text(t, z)
			}
			if body != tc.body {
				t.Errorf("%s, %s: the body changed", name, kind)
			}
		}
	}
}

func TestIncompressibleBodyStaysPlain(t *testing.T) {
	t.Parallel()
	var noise bytes.Buffer
	for i := uint32(1); noise.Len() < 4096; i = i*1664525 + 1013904223 {
		noise.WriteByte(byte(i >> 24))
	}
	a := publicJSON(noise.String())
	if res := get(t, a, "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" {
		t.Error("a body that gzip makes longer was compressed")
	}
}

func TestHeadHasTheHeadersOfGet(t *testing.T) {
	t.Parallel()
	a := publicJSON(strings.Repeat("x", 5000))
	for _, accept := range []string{"", "gzip"} {
		g, h := get(t, a, "Accept-Encoding", accept), send(t, a, "HEAD", "Accept-Encoding", accept)
		if text(t, h.Body) != "" {
			t.Error("HEAD sent a body")
		}
		for name := range g.Header {
			if g.Header.Get(name) != h.Header.Get(name) {
				t.Errorf("%s: GET %q, HEAD %q", name, g.Header.Get(name), h.Header.Get(name))
			}
		}
	}
}

func TestSendKeepsWhatMiddlewareSet(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Cookie")
	w.Header().Set("Set-Cookie", "a=1")
	a := publicJSON("{}")
	a.Header = http.Header{"Set-Cookie": {"b=2"}, "Vary": {"Origin"}, "Location": {"/x"}}
	for range 2 {
		Send(w, httptest.NewRequest("GET", "/", nil), a)
	}
	if got := strings.Join(w.Header()["Vary"][:3], ", "); got != "Cookie, Origin, Accept-Encoding" {
		t.Errorf("Vary %q", got)
	}
	if got := w.Header()["Set-Cookie"][:2]; got[0] != "a=1" || got[1] != "b=2" {
		t.Errorf("Set-Cookie %q", got)
	}
	if len(a.Header["Vary"]) != 1 || len(a.Header["Set-Cookie"]) != 1 {
		t.Errorf("sending changed the answer: %v", a.Header)
	}
}

func TestRedirectAndNoContent(t *testing.T) {
	t.Parallel()
	moved, other := get(t, Redirect(301, "/api/x")), get(t, Redirect(303, "/done"))
	if moved.Header.Get("Location") != "/api/x" || moved.Header.Get("Cache-Control") != "public, max-age=60" {
		t.Errorf("301: %v", moved.Header)
	}
	if other.Header.Get("Cache-Control") != "no-store" || other.Header.Get("ETag") != "" {
		t.Errorf("303: %v", other.Header)
	}
	none := get(t, NoContent())
	if none.StatusCode != 204 || none.Header.Get("Content-Length") != "" || none.Header.Get("Content-Type") != "" {
		t.Errorf("204: %d %v", none.StatusCode, none.Header)
	}
}

func TestStreamSendsLines(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(API(func(*http.Request) (*Answer, error) {
		return NDJSON(func(_ context.Context, s *Stream) error {
			for n := range 3 {
				if err := s.Line(map[string]int{"n": n}); err != nil {
					return err
				}
			}
			return nil
		}), nil
	}))
	defer server.Close()
	res, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, want := text(t, res.Body), "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if res.Header.Get("Content-Type") != "application/x-ndjson" || res.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("headers %v", res.Header)
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip", "gzip;q=0", "*;q=0.1, identity;q=0", ";;q=,,", "gzip;q=1.0001", "x-gzip ; Q=0.25"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		zipped, plain := qualities([]string{header})
		if zipped < 0 || zipped > 1000 || plain < 0 || plain > 1000 {
			t.Errorf("%q: weights %d and %d", header, zipped, plain)
		}
		again, _ := qualities([]string{header, ""})
		if again != zipped {
			t.Errorf("%q: an empty line changed the weight from %d to %d", header, zipped, again)
		}
		if !strings.Contains(strings.ToLower(header), "gzip") && !strings.Contains(header, "*") && zipped != 0 {
			t.Errorf("%q: gzip was never named, weight %d", header, zipped)
		}
	})
}
