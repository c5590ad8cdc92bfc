package httpx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"homeplace/core"
)

type limiterFunc func(key string, l Limit) (Decision, error)

func (f limiterFunc) Take(_ context.Context, key string, l Limit) (Decision, error) { return f(key, l) }

func TestLimited(t *testing.T) {
	t.Parallel()
	votes := func() Limit { return Limit{Name: "votes", Max: 60, Per: time.Hour} }
	key := func(*http.Request) string { return "203.0.113.5" }
	ok := func(*http.Request) (*Answer, error) { return NoContent(), nil }
	for name, tc := range map[string]struct {
		decision   Decision
		err        error
		status     int
		remaining  string
		retryAfter string
	}{
		"allowed": {Decision{Allowed: true, Limit: 60, Remaining: 59, Reset: 90 * time.Second}, nil, 204, "59", ""},
		"refused": {Decision{Limit: 60, Reset: 1500 * time.Millisecond}, nil, 429, "0", "2"},
		"down":    {Decision{}, (&core.Error{Kind: core.Unavailable, RetryAfter: 3 * time.Second}), 503, "", "3"},
		"broken":  {Decision{}, errors.New("relation is missing"), 503, "", "2"},
	} {
		limiter := limiterFunc(func(key string, l Limit) (Decision, error) {
			if key != "votes:203.0.113.5" || l.Max != 60 {
				t.Errorf("counted %s against %+v", key, l)
			}
			return tc.decision, tc.err
		})
		w, _ := observed(API(Limited(limiter, votes, key, ok)), httptest.NewRequest("POST", "/x", nil))
		if w.Code != tc.status || w.Header().Get("RateLimit-Remaining") != tc.remaining || w.Header().Get("Retry-After") != tc.retryAfter {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		if tc.status == 429 && (decoded(t, w.Body.Bytes())["retry_after"] != 2.0 || w.Header().Get("RateLimit-Reset") != "2") {
			t.Errorf("%s: %s %v", name, w.Body, w.Header())
		}
	}
}

func TestTightestLimitShows(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	for _, d := range []Decision{{true, 60, 5, 0}, {true, 10, 7, 0}, {true, 3, 2, 0}, {true, 100, 50, 0}} {
		showLimit(h, d)
	}
	if h.Get("RateLimit-Limit") != "3" || h.Get("RateLimit-Remaining") != "2" {
		t.Errorf("shown %v", h)
	}
	for d, want := range map[time.Duration]string{0: "a second", 30 * time.Second: "30 seconds", 121 * time.Second: "3 minutes"} {
		if got := waitInWords(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// memoryKeys keeps keys as the database does: claim inserts in the effect's
// transaction, Finish adds the answer.
type memoryKeys struct {
	mu   sync.Mutex
	keys map[string]*KeyRecord
	fail error
}

var errTaken = errors.New("key is taken")

type claimContext struct{}

func (m *memoryKeys) claim(ctx context.Context) error {
	c, ok := ctx.Value(claimContext{}).(Claim)
	if !ok {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys[c.Caller+c.Key] != nil {
		return errTaken
	}
	m.keys[c.Caller+c.Key] = &KeyRecord{Hash: c.Hash}
	return nil
}

func (m *memoryKeys) Find(_ context.Context, caller, key string) (*KeyRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.keys[caller+key]; k != nil {
		c := *k
		return &c, m.fail
	}
	return nil, m.fail
}

func (m *memoryKeys) Finish(_ context.Context, c Claim, a StoredAnswer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	if k := m.keys[c.Caller+c.Key]; k == nil || k.Answer == nil {
		m.keys[c.Caller+c.Key] = &KeyRecord{Hash: c.Hash, Answer: &a}
	}
	return nil
}

func (m *memoryKeys) guard(h Handler) Handler {
	i := &Idempotency{Keys: m, Taken: errTaken, Render: ErrorAnswer,
		Caller:    func(r *http.Request) string { return r.Header.Get("Authorization") },
		WithClaim: func(ctx context.Context, c Claim) context.Context { return context.WithValue(ctx, claimContext{}, c) }}
	return i.Handler(DefaultBody, h)
}

func write(h Handler, caller, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/api/sayings/submit", strings.NewReader(body))
	r.Header.Set("Authorization", caller)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	API(h).ServeHTTP(w, r)
	return w
}

func TestIdempotentReplay(t *testing.T) {
	t.Parallel()
	m := &memoryKeys{keys: map[string]*KeyRecord{}}
	effects := 0
	h := m.guard(func(r *http.Request) (*Answer, error) {
		if err := m.claim(r.Context()); err != nil {
			return nil, fmt.Errorf("submit: %w", err)
		}
		effects++
		body, err := io.ReadAll(r.Body)
		a := &Answer{Status: 201, ContentType: "application/json", Body: fmt.Appendf(body, "%d", effects)}
		a.SetHeader("Location", "/x")
		return a, err
	})
	for _, tc := range []struct {
		caller, key, body string
		status            int
		want, replayed    string
	}{
		{"ann", "k", "a", 201, "a1", ""},
		{"ann", "k", "a", 201, "a1", "true"},
		{"ann", "k", "b", 422, "", ""},
		{"bob", "k", "a", 201, "a2", ""},
		{"ann", "", "a", 201, "a3", ""},
		{"ann", "l", "a", 201, "a4", ""},
		{"ann", "white space", "a", 400, "", ""},
		{"ann", strings.Repeat("k", 255), "a", 201, "a5", ""},
		{"ann", strings.Repeat("k", 256), "a", 400, "", ""},
		{"ann", "kä", "a", 400, "", ""},
		{"ann", "big", strings.Repeat("a", DefaultBody+1), 413, "", ""},
	} {
		w := write(h, tc.caller, tc.key, tc.body)
		if w.Code != tc.status || (tc.want != "" && w.Body.String() != tc.want) || w.Header().Get("Idempotent-Replayed") != tc.replayed {
			t.Errorf("%.20s %.20s %.20s: %d %s %v", tc.caller, tc.key, tc.body, w.Code, w.Body, w.Header())
		}
		if w.Code == 201 && w.Header().Get("Location") != "/x" {
			t.Errorf("%s %s: the Location is lost", tc.caller, tc.key)
		}
	}
	m.fail = &core.Error{Kind: core.Unavailable}
	if w := write(h, "ann", "new", "a"); w.Code != 503 || effects != 5 {
		t.Errorf("without a store: %d, %d effects", w.Code, effects)
	}
}

func TestOnlyOutcomesAreRepeated(t *testing.T) {
	t.Parallel()
	for kind, repeated := range map[core.Kind]bool{core.Conflict: true, core.Insufficient: true, core.Forbidden: true, core.NotFound: true,
		core.Invalid: false, core.Unauthenticated: false, core.RateLimited: false, core.Internal: false, core.Unavailable: false} {
		m := &memoryKeys{keys: map[string]*KeyRecord{}}
		calls := 0
		h := m.guard(func(*http.Request) (*Answer, error) { calls++; return nil, &core.Error{Kind: kind, Msg: "No."} })
		first, second := write(h, "ann", "k", ""), write(h, "ann", "k", "")
		if first.Code != second.Code || (calls == 1) != repeated {
			t.Errorf("kind %d: %d then %d, %d calls", kind, first.Code, second.Code, calls)
		}
	}
}

func TestConcurrentRepetitionWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memoryKeys{keys: map[string]*KeyRecord{}}
		var effects atomic.Int64
		slow := func(d time.Duration) Handler {
			return m.guard(func(r *http.Request) (*Answer, error) {
				time.Sleep(10 * time.Millisecond) // both pass the look-up before either claims
				if err := m.claim(r.Context()); err != nil {
					return nil, err
				}
				effects.Add(1)
				time.Sleep(d)
				return &Answer{Status: 201, Body: []byte("done")}, nil
			})
		}
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if w := write(slow(2*time.Second), "ann", "k", ""); w.Code != 201 || w.Body.String() != "done" {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		group.Wait()
		if effects.Load() != 1 {
			t.Errorf("%d effects", effects.Load())
		}
		group.Go(func() { write(slow(time.Minute), "ann", "slow", "") })
		time.Sleep(time.Second)
		start := time.Now()
		w := write(slow(0), "ann", "slow", "")
		if waited := time.Since(start); w.Code != 409 || decoded(t, w.Body.Bytes())["code"] != "request_in_progress" || waited < patience || waited > patience+time.Second {
			t.Errorf("%d %s after %v", w.Code, w.Body, waited)
		}
		group.Wait()
	})
}
