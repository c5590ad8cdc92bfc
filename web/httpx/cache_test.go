package httpx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
)

func newCache(t *testing.T, maxBytes int64) *Cache {
	t.Helper()
	c, err := NewCache(maxBytes, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// counting answers with the number of its call and the query that it saw.
func counting(calls *atomic.Int64) Handler {
	return func(r *http.Request) (*Answer, error) {
		return publicJSON(fmt.Sprintf(`{"call":%d,"query":%q}`, calls.Add(1), r.URL.RawQuery)), nil
	}
}

func fetchBody(t *testing.T, h Handler, target string, headers ...string) string {
	t.Helper()
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	API(h).ServeHTTP(w, r)
	return w.Body.String()
}

func TestCacheKeyHoldsKnownParametersOnly(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	h := newCache(t, 1<<20).Handler([]string{"apps"}, []string{"q", "kinds"}, counting(&calls))
	first := fetchBody(t, h, "/api/apps?q=a+b&kinds=x&kinds=y")
	for _, same := range []string{
		"/api/apps?kinds=x&kinds=y&q=a%20b", "/api/apps?zz=1&q=a+b&kinds=x&kinds=y&q=", "/api/apps?q=+a+b+&kinds=x&zz=%zz&kinds=y"} {
		if got := fetchBody(t, h, same); got != first {
			t.Errorf("%s: %s, want %s", same, got, first)
		}
	}
	if want := `{"call":1,"query":"kinds=x&kinds=y&q=a+b"}`; first != want {
		t.Errorf("got %s, want %s", first, want)
	}
	for _, other := range []string{"/api/apps", "/api/apps?q=a+b&kinds=y&kinds=x", "/api/apps/x?q=a+b&kinds=x&kinds=y", "/api/apps?q=a%00b",
		"/api/apps?q=" + strings.Repeat("x", 3000)} {
		before := calls.Load()
		if fetchBody(t, h, other); calls.Load() != before+1 {
			t.Errorf("%s was answered from the cache", other)
		}
	}
	if got := newCache(t, 1<<20).Stats(); got != (CacheStats{}) {
		t.Errorf("fresh cache: %+v", got)
	}
}

func TestCacheIsBlindToTheCaller(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	h := newCache(t, 1<<20).Handler(nil, nil, func(r *http.Request) (*Answer, error) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || ClientAddr(r).IsValid() || r.Method != "GET" {
			t.Error("the handler of a shared answer sees the caller")
		}
		return counting(&calls)(r)
	})
	r := httptest.NewRequest("HEAD", "/x", nil)
	r.Header.Set("Authorization", "Bearer x")
	r.Header.Set("Cookie", "session=1")
	w, _ := observed(API(h), r)
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d %s", w.Code, w.Body)
	}
	fetchBody(t, h, "/x", "Authorization", "Bearer y", "Cache-Control", "no-cache")
	if calls.Load() != 1 {
		t.Errorf("%d calls, want 1", calls.Load())
	}
}

func TestCacheFillsOnce(t *testing.T) {
	t.Parallel()
	c := newCache(t, 1<<20)
	var calls atomic.Int64
	release := make(chan struct{})
	h := c.Handler([]string{"apps"}, nil, func(r *http.Request) (*Answer, error) {
		<-release
		return counting(&calls)(r)
	})
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			if got := fetchBody(t, h, "/x"); got != `{"call":1,"query":""}` {
				t.Errorf("got %s", got)
			}
		})
	}
	for c.misses.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	close(release)
	group.Wait()
	fetchBody(t, h, "/x")
	if s := c.Stats(); calls.Load() != 1 || s.Hits != 1 || s.Misses != 100 || s.Entries != 1 {
		t.Errorf("%d calls, %+v", calls.Load(), s)
	}
}

func TestCacheSurvivesItsFirstCaller(t *testing.T) {
	t.Parallel()
	c := newCache(t, 1<<20)
	started, release := make(chan struct{}), make(chan struct{})
	routes := chi.NewRouter()
	routes.Method("GET", "/x/{slug}", API(c.Handler(nil, nil, func(r *http.Request) (*Answer, error) {
		close(started)
		<-release
		if err := r.Context().Err(); err != nil {
			t.Errorf("the fill was cancelled: %v", err)
		}
		if _, limited := r.Context().Deadline(); !limited {
			t.Error("the fill has no time limit")
		}
		return publicJSON(`"` + chi.URLParam(r, "slug") + `"`), nil
	})))
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan int)
	go func() {
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, httptest.NewRequest("GET", "/x/one", nil).WithContext(ctx))
		first <- w.Code
	}()
	<-started
	cancel()
	if status := <-first; status != StatusClientGone {
		t.Errorf("first caller: %d, want %d", status, StatusClientGone)
	}
	// Other requests reuse chi's routing context meanwhile.
	for range 50 {
		routes.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/other/two", nil))
	}
	close(release)
	w := httptest.NewRecorder()
	routes.ServeHTTP(w, httptest.NewRequest("GET", "/x/one", nil))
	if w.Body.String() != `"one"` {
		t.Errorf("second caller: %s", w.Body)
	}
}

func TestCacheInvalidation(t *testing.T) {
	t.Parallel()
	c := newCache(t, 1<<20)
	var calls atomic.Int64
	h := c.Handler([]string{"apps", "news"}, nil, counting(&calls))
	for step, invalidate := range []func(){
		func() {}, func() { c.Invalidate("news") }, func() { c.Invalidate("apps") }, func() { c.InvalidateAll() },
	} {
		invalidate()
		want := fmt.Sprintf(`{"call":%d,"query":""}`, step+1)
		c.Invalidate("polls")
		for range 2 {
			if got := fetchBody(t, h, "/x"); got != want {
				t.Errorf("step %d: %s, want %s", step, got, want)
			}
		}
	}
}

func TestCacheNeverServesAFillFromBeforeAnInvalidation(t *testing.T) {
	t.Parallel()
	c := newCache(t, 1<<20)
	var version atomic.Int64
	started, release := make(chan struct{}), make(chan struct{})
	var fills atomic.Int64
	h := c.Handler([]string{"apps"}, nil, func(*http.Request) (*Answer, error) {
		seen := version.Load()
		if fills.Add(1) == 1 {
			close(started)
			<-release
		}
		return publicJSON(fmt.Sprint(seen)), nil
	})
	old := make(chan string)
	go func() { old <- fetchBody(t, h, "/x") }()
	<-started
	version.Store(1)
	c.Invalidate("apps")
	if got := fetchBody(t, h, "/x"); got != "1" {
		t.Errorf("during the old fill: %s, want 1", got)
	}
	close(release)
	if got := <-old; got != "0" {
		t.Errorf("the old fill: %s, want 0", got)
	}
	if got := fetchBody(t, h, "/x"); got != "1" {
		t.Errorf("after the old fill: %s, want 1", got)
	}
}

func TestCacheKeepsOnlyWhatMayBeKept(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a", 1<<16)
	for name, tc := range map[string]struct {
		answer *Answer
		err    error
		kept   bool
	}{
		"200":           {publicJSON("{}"), nil, true},
		"301":           {Redirect(301, "/x"), nil, true},
		"303":           {Redirect(303, "/x"), nil, false},
		"201":           {&Answer{Status: 201, Cache: Public(time.Minute)}, nil, false},
		"not found":     {nil, core.NotFoundf("Gone."), false},
		"private":       {&Answer{Status: 200, Cache: Private()}, nil, false},
		"no policy":     {&Answer{Status: 200}, nil, false},
		"no age":        {&Answer{Status: 200, Cache: Public(0)}, nil, false},
		"cookie":        {&Answer{Status: 200, Cache: Public(time.Minute), Header: http.Header{"Set-Cookie": {"a=1"}}}, nil, false},
		"over 1/16":     {&Answer{Status: 200, Cache: Public(time.Minute), Body: []byte(big)}, nil, false},
		"stream":        {NDJSON(nil), nil, false},
		"nothing":       {nil, nil, false},
		"internal":      {nil, errors.New("broken"), false},
		"unreachable":   {nil, &core.Error{Kind: core.Unavailable}, false},
		"within bounds": {&Answer{Status: 200, Cache: Public(time.Minute), Body: []byte(big[:1<<15])}, nil, true},
	} {
		calls := 0
		h := newCache(t, 1<<20).Handler(nil, nil, func(*http.Request) (*Answer, error) { calls++; return tc.answer, tc.err })
		fetchBody(t, h, "/x")
		fetchBody(t, h, "/x")
		if kept := calls == 1; kept != tc.kept {
			t.Errorf("%s: kept %v, want %v", name, kept, tc.kept)
		}
	}
}

func TestCacheIsBoundedByBytes(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	c := newCache(t, size)
	body := strings.Repeat("a", 20_000)
	h := c.Handler(nil, nil, func(*http.Request) (*Answer, error) {
		return &Answer{Status: 200, ContentType: "image/png", Body: []byte(body), Cache: Public(time.Minute)}, nil
	})
	for n := range 500 {
		fetchBody(t, h, fmt.Sprintf("/x/%d", n))
	}
	c.entries.CleanUp()
	if s := c.Stats(); s.Bytes > size || s.Bytes < size/2 || s.Entries > size/len(body) {
		t.Errorf("10 MB went in, %+v are kept of %d", s, size)
	}
	for _, bad := range []int64{0, -1, 1 << 50} {
		if _, err := NewCache(bad, time.Minute); err == nil {
			t.Errorf("a cache of %d bytes was made", bad)
		}
	}
}

func TestCachePanicReachesEveryWaiter(t *testing.T) {
	t.Parallel()
	c := newCache(t, 1<<20)
	release := make(chan struct{})
	var log bytes.Buffer
	observe := Observe(Observation{Log: slog.New(slog.NewTextHandler(&log, nil))})
	h := observe(API(c.Handler(nil, nil, func(*http.Request) (*Answer, error) { <-release; panic("boom") })))
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
			if w.Code != 500 {
				t.Errorf("status %d", w.Code)
			}
		})
	}
	for c.misses.Load() < 10 {
		time.Sleep(time.Millisecond)
	}
	close(release)
	group.Wait()
	if n := strings.Count(log.String(), "boom"); n != 1 {
		t.Errorf("the panic was logged %d times", n)
	}
}

func TestCacheAges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := NewCache(1<<20, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var calls atomic.Int64
		long := c.Handler(nil, nil, counting(&calls))
		age := func(h Handler) string {
			w := httptest.NewRecorder()
			API(h).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
			return w.Header().Get("Age")
		}
		for _, step := range []struct {
			wait  time.Duration
			age   string
			calls int64
		}{{0, "0", 1}, {10 * time.Second, "10", 1}, {49900 * time.Millisecond, "59", 1}, {100 * time.Millisecond, "0", 2}, {59 * time.Second, "59", 2}} {
			time.Sleep(step.wait)
			if got := age(long); got != step.age || calls.Load() != step.calls {
				t.Errorf("after %v: Age %s, call %d, want %+v", step.wait, got, calls.Load(), step)
			}
		}
		short := c.Handler([]string{"short"}, nil, func(*http.Request) (*Answer, error) {
			calls.Add(1)
			return &Answer{Status: 200, Cache: Public(5 * time.Second)}, nil
		})
		age(short)
		time.Sleep(5 * time.Second)
		before := calls.Load()
		if got := age(short); got != "0" || calls.Load() != before+1 {
			t.Error("an answer was kept longer than it promised")
		}
	})
}

func TestCacheFillAndWaitAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := NewCache(1<<20, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		start := time.Now()
		h := c.Handler(nil, nil, func(r *http.Request) (*Answer, error) {
			<-r.Context().Done()
			return nil, (&core.Error{Kind: core.Unavailable}).Wrap(r.Context().Err())
		})
		w := httptest.NewRecorder()
		Timeout(time.Second, nil)(API(h)).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
		if w.Code != 503 || time.Since(start) != time.Second {
			t.Errorf("a waiter with one second: %d after %v", w.Code, time.Since(start))
		}
		w = httptest.NewRecorder()
		API(h).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
		if w.Code != 503 || time.Since(start) != fillTimeout {
			t.Errorf("a patient waiter: %d after %v", w.Code, time.Since(start))
		}
	})
}
