package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeplace/core"
)

func itoa(n int) string { return strconv.Itoa(n) }

// observed runs h behind Observe and gives the answer and the log.
func observed(h http.Handler, r *http.Request) (*httptest.ResponseRecorder, string) {
	var log bytes.Buffer
	w := httptest.NewRecorder()
	Observe(Observation{Log: slog.New(slog.NewJSONHandler(&log, nil))})(h).ServeHTTP(w, r)
	return w, log.String()
}

func failing(err error) Handler { return func(*http.Request) (*Answer, error) { return nil, err } }

func decoded(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return m
}

func TestStatusTable(t *testing.T) {
	t.Parallel()
	want := []int{500, 400, 401, 402, 403, 404, 405, 409, 413, 415, 416, 422, 429, 503}
	for kind, status := range want {
		if got := Status(core.Kind(kind)); got != status {
			t.Errorf("kind %d: %d, want %d", kind, got, status)
		}
	}
	if len(statuses) != len(want) || Status(core.Kind(99)) != 500 {
		t.Error("a kind without a status")
	}
}

func TestErrorAnswerBody(t *testing.T) {
	t.Parallel()
	e := &core.Error{Kind: core.Insufficient, Code: "insufficient_points", Msg: "This costs 50 points.",
		Details: map[string]any{"required": 50, "balance": 7, "error": "overwritten"}, Fields: map[string]string{"a": "b"}}
	w, _ := observed(API(failing(fmt.Errorf("redeem: %w", e))), httptest.NewRequest("POST", "/x", nil))
	id := w.Header().Get("X-Request-Id")
	want := `{"error":"This costs 50 points.","code":"insufficient_points","request_id":"` + id +
		`","fields":{"a":"b"},"balance":7,"required":50}`
	if w.Body.String() != want || w.Code != 402 {
		t.Errorf("got %d %s\nwant 402 %s", w.Code, w.Body, want)
	}
	if w.Header().Get("Cache-Control") != "no-store" || id == "" {
		t.Errorf("headers %v", w.Header())
	}
}

func TestErrorHeaders(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err           *core.Error
		authorization string
		header, want  string
		retryAfter    any
	}{
		"no token":       {core.Unauthenticatedf("Sign in."), "", "WWW-Authenticate", `Bearer realm="api"`, nil},
		"bad token":      {core.Unauthenticatedf("Sign in."), "bearer x", "WWW-Authenticate", `Bearer realm="api", error="invalid_token"`, nil},
		"other scheme":   {core.Unauthenticatedf("Sign in."), "Basic x", "WWW-Authenticate", `Bearer realm="api"`, nil},
		"rounded up":     {&core.Error{Kind: core.RateLimited, RetryAfter: 1500 * time.Millisecond}, "", "Retry-After", "2", 2.0},
		"at least one":   {&core.Error{Kind: core.RateLimited}, "", "Retry-After", "1", 1.0},
		"unavailable":    {&core.Error{Kind: core.Unavailable, RetryAfter: 5 * time.Second}, "", "Retry-After", "5", 5.0},
		"nothing to add": {core.NotFoundf("Gone."), "", "Retry-After", "", nil},
	} {
		r := httptest.NewRequest("GET", "/x", nil)
		r.Header.Set("Authorization", tc.authorization)
		w, _ := observed(API(failing(tc.err)), r)
		if got := w.Header().Get(tc.header); got != tc.want {
			t.Errorf("%s: %s %q, want %q", name, tc.header, got, tc.want)
		}
		if got := decoded(t, w.Body.Bytes())["retry_after"]; got != tc.retryAfter {
			t.Errorf("%s: retry_after %v, want %v", name, got, tc.retryAfter)
		}
	}
}

func TestInternalCauseIsLoggedOnceAndNeverShown(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"plain":   errors.New("secret table is missing"),
		"wrapped": core.AsError(errors.New("secret table is missing")),
	} {
		w, log := observed(API(failing(err)), httptest.NewRequest("GET", "/x?token=hidden", nil))
		if w.Code != 500 || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if strings.Count(log, "secret table") != 1 || !strings.Contains(log, w.Header().Get("X-Request-Id")) {
			t.Errorf("%s: log %s", name, log)
		}
		if strings.Contains(log, "hidden") {
			t.Errorf("%s: the query stands in the log: %s", name, log)
		}
	}
}

func TestDetailsThatCannotBeEncodedStillAnswer(t *testing.T) {
	t.Parallel()
	w, log := observed(API(failing(&core.Error{Kind: core.Conflict, Msg: "x", Details: map[string]any{"f": func() {}}})),
		httptest.NewRequest("GET", "/x", nil))
	if w.Code != 409 || decoded(t, w.Body.Bytes())["code"] != "internal" || !strings.Contains(log, "could not be encoded") {
		t.Errorf("%d %s\n%s", w.Code, w.Body, log)
	}
}

func TestClientThatHungUpIsNoError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, log := observed(API(failing(fmt.Errorf("query: %w", context.Canceled))), httptest.NewRequest("GET", "/x", nil).WithContext(ctx))
	if w.Code != StatusClientGone || !strings.Contains(log, `"status":499`) || strings.Contains(log, "ERROR") {
		t.Errorf("%d\n%s", w.Code, log)
	}
	w, _ = observed(API(failing(context.Canceled)), httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 {
		t.Errorf("cancelled by someone else: %d, want 500", w.Code)
	}
}

func TestPanicsAreSurvived(t *testing.T) {
	t.Parallel()
	boom := func(*http.Request) (*Answer, error) { panic("boom") }
	w, log := observed(API(boom), httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("handler: %d %s", w.Code, w.Body)
	}
	if strings.Count(log, "boom") != 1 || !strings.Contains(log, "TestPanicsAreSurvived") {
		t.Errorf("log without one stack: %s", log)
	}

	raw := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") })
	if w, _ = observed(Recover(ErrorAnswer)(raw), httptest.NewRequest("GET", "/x", nil)); w.Code != 500 {
		t.Errorf("middleware: %d", w.Code)
	}

	half := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("half")); panic("boom") })
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("half an answer: recovered %v, want the connection cut", v)
		}
	}()
	observed(Recover(ErrorAnswer)(half), httptest.NewRequest("GET", "/x", nil))
}

func TestHandlerWithoutAnswerIsInternal(t *testing.T) {
	t.Parallel()
	w, log := observed(API(func(*http.Request) (*Answer, error) { return nil, nil }), httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || !strings.Contains(log, errNoAnswer.Error()) {
		t.Errorf("%d %s", w.Code, log)
	}
}
