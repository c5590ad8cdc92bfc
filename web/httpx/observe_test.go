package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"
)

func surface(t *testing.T, log *bytes.Buffer, record func(Access)) http.Handler {
	t.Helper()
	a, err := NewAddresses("https://example.org")
	if err != nil {
		t.Fatal(err)
	}
	ok := API(func(*http.Request) (*Answer, error) { return publicJSON("{}"), nil })
	m := chi.NewRouter()
	m.Use(Observe(Observation{Log: slog.New(slog.NewJSONHandler(log, nil)), Proxies: proxies(t, "10.0.0.0/8"), Record: record}),
		Recover(ErrorAnswer), APIHeaders(a), CORS, Timeout(time.Minute, nil), HeadAsGet)
	m.NotFound(NotFound(ErrorAnswer))
	m.MethodNotAllowed(MethodNotAllowed(ErrorAnswer))
	m.Method("GET", "/api/apps/{slug}", ok)
	m.Method("POST", "/api/apps/{slug}", ok)
	m.Method("POST", "/api/votes", ok)
	m.Route("/api/me", func(m chi.Router) { m.Method("GET", "/tokens", ok) })
	return m
}

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = "10.0.0.1:99"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var seen Access
	h := surface(t, &log, func(a Access) { seen = a })
	ask(h, "GET", "/api/apps/some-app?token=hidden", "X-Forwarded-For", "2001:db8::1", "X-Request-Id", "abc-1", "Authorization", "Bearer hidden")
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	for name, want := range map[string]any{"method": "GET", "route": "/api/apps/{slug}", "path": "/api/apps/some-app", "status": 200.0,
		"bytes": 2.0, "request_id": "abc-1", "client": "2001:db8::/64", "msg": "request"} {
		if line[name] != want {
			t.Errorf("%s: %v, want %v", name, line[name], want)
		}
	}
	if strings.Contains(log.String(), "hidden") {
		t.Errorf("a secret stands in the log: %s", log.String())
	}
	if seen.Route != "/api/apps/{slug}" || seen.Status != 200 {
		t.Errorf("recorded %+v", seen)
	}
	if ask(h, "GET", "/api/me/tokens"); seen.Route != "/api/me/tokens" {
		t.Errorf("mounted route recorded as %q", seen.Route)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	h := surface(t, new(bytes.Buffer), nil)
	for given, taken := range map[string]bool{"abc_D-9": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
		"": false, "a b": false, "a\"b": false} {
		if got := ask(h, "GET", "/api/apps/x", "X-Request-Id", given).Header().Get("X-Request-Id"); (got == given) != taken || got == "" {
			t.Errorf("%q became %q", given, got)
		}
	}
	w, _ := observed(API(failing(errors.New("x"))), from("203.0.113.5:1", "X-Request-Id", "spoofed"))
	if id := w.Header().Get("X-Request-Id"); id == "spoofed" || len(id) != 20 {
		t.Errorf("an untrusted peer chose the id %q", id)
	}
}

func TestCORSOnEveryAnswer(t *testing.T) {
	t.Parallel()
	h := surface(t, new(bytes.Buffer), nil)
	for _, path := range []string{"/api/apps/x", "/api/votes", "/nowhere"} {
		w := ask(h, "GET", path, "Origin", "https://elsewhere.example")
		if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "ETag") {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
	for path, methods := range map[string]string{
		"/api/apps/x":    "GET, HEAD, POST, OPTIONS",
		"/api/votes":     "POST, OPTIONS",
		"/api/me/tokens": "GET, HEAD, OPTIONS",
		"/nowhere":       "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
	} {
		w := ask(h, "OPTIONS", path)
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Methods") != methods || w.Header().Get("Access-Control-Max-Age") != "86400" ||
			w.Header().Get("Access-Control-Allow-Headers") != "Authorization, Content-Type, If-None-Match, Idempotency-Key" {
			t.Errorf("OPTIONS %s: %d %v", path, w.Code, w.Header())
		}
	}
}

func TestRoutesThatAreNotThere(t *testing.T) {
	t.Parallel()
	h := surface(t, new(bytes.Buffer), nil)
	for _, tc := range []struct {
		method, path string
		status       int
		code, allow  string
	}{
		{"GET", "/nowhere", 404, "not_found", ""},
		{"GET", "/api/me/nothing", 404, "not_found", ""},
		{"DELETE", "/api/apps/x", 405, "method_not_allowed", "GET, HEAD, POST, OPTIONS"},
		{"HEAD", "/api/votes", 405, "", "POST, OPTIONS"},
		{"POST", "/api/me/tokens", 405, "method_not_allowed", "GET, HEAD, OPTIONS"},
		{"BREW", "/nowhere", 404, "not_found", ""},
	} {
		w := ask(h, tc.method, tc.path)
		if w.Code != tc.status || w.Header().Get("Allow") != tc.allow {
			t.Errorf("%s %s: %d, Allow %q", tc.method, tc.path, w.Code, w.Header().Get("Allow"))
		}
		if tc.code != "" && decoded(t, w.Body.Bytes())["code"] != tc.code {
			t.Errorf("%s %s: %s", tc.method, tc.path, w.Body)
		}
	}
	if w := ask(h, "HEAD", "/api/apps/x"); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "2" {
		t.Errorf("HEAD of a GET route: %d %v", w.Code, w.Header())
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	for base, secure := range map[string]bool{"https://example.org": true, "http://localhost:8080": false} {
		a, err := NewAddresses(base)
		if err != nil {
			t.Fatal(err)
		}
		ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		api, page := httptest.NewRecorder(), httptest.NewRecorder()
		APIHeaders(a)(ok).ServeHTTP(api, from("1.1.1.1:1"))
		PageHeaders(a, PageSources{Forms: []string{"https://id.example.org"}})(ok).ServeHTTP(page, from("1.1.1.1:1"))
		for _, w := range []*httptest.ResponseRecorder{api, page} {
			h := w.Header()
			if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") == "" || (h.Get("Strict-Transport-Security") != "") != secure {
				t.Errorf("%s: %v", base, h)
			}
			if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") ||
				!strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("%s: %s", base, csp)
			}
		}
		policy := page.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "form-action 'self' https://id.example.org;") || !strings.Contains(policy, "; worker-src 'self';") ||
			page.Header().Get("X-Frame-Options") != "DENY" || page.Header().Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("page headers %v", page.Header())
		}
	}
}

func TestTimeoutLeavesStreamsAlone(t *testing.T) {
	t.Parallel()
	h := Timeout(time.Minute, func(r *http.Request) bool { return r.URL.Path == "/ask" })(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if _, limited := r.Context().Deadline(); limited == (r.URL.Path == "/ask") {
				t.Errorf("%s: limited %v", r.URL.Path, limited)
			}
		}))
	ask(h, "GET", "/ask")
	ask(h, "GET", "/apps")
}

// output is a log file that can fail.
type output struct {
	mu    sync.Mutex
	lines strings.Builder
	fail  bool
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail {
		return 0, errors.New("disk full")
	}
	return o.lines.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lines.String()
}

func (o *output) setFail(fail bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fail = fail
}

func TestLogWriterFlushes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out output
		w := NewLogWriter(&out)
		log := slog.New(w.Handler(slog.NewTextHandler(w, nil))).With("a", 1).WithGroup("g")
		log.Info("first")
		time.Sleep(logFlushEvery - time.Millisecond)
		if out.String() != "" {
			t.Error("written at once")
		}
		time.Sleep(2 * time.Millisecond)
		if !strings.Contains(out.String(), "first") {
			t.Error("not written after 200 ms")
		}
		log.Error("second")
		if !strings.Contains(out.String(), "second") {
			t.Error("an error waits")
		}
		out.setFail(true)
		log.Info("lost one")
		log.Error("lost two")
		out.setFail(false)
		log.Info("third")
		if err := w.Close(); err != nil && !strings.Contains(err.Error(), "disk full") {
			t.Error(err)
		}
		if s := out.String(); !strings.Contains(s, "third") || !strings.Contains(s, "2 log lines were lost: disk full") {
			t.Errorf("log %q", s)
		}
		log.Info("late")
		if !strings.Contains(out.String(), "late") || w.Close() != nil {
			t.Error("a line after Close is lost")
		}
	})
}

func TestLogWriterIsBoundedAndLosesNothing(t *testing.T) {
	t.Parallel()
	var out output
	w := NewLogWriter(&out)
	line := []byte(strings.Repeat("x", 1023) + "\n")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 1000 {
				if _, err := w.Write(line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	w.writing.Lock()
	w.mu.Lock()
	held := cap(w.pending) + cap(w.spare)
	w.mu.Unlock()
	w.writing.Unlock()
	if held > 4*logBuffer {
		t.Errorf("%d bytes are held", held)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(out.String()); n != 8*1000*1024 {
		t.Errorf("%d bytes were written of %d", n, 8*1000*1024)
	}
}
