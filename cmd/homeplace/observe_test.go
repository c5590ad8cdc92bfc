package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"homeplace/core/pgtest"
)

func TestServe_logs(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	p := serve(t, "--database-url", d.URL, "--log-format", "json")
	const secret = "tok_0123456789secretsecretsecretsecretsecret"
	r, err := http.NewRequest(http.MethodGet, p.url+"/api/me?private=whisper", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	p.get(t, "/api/directory/search?q=whisper")
	p.signal(t, syscall.SIGTERM)

	ids := map[string]bool{}
	for line := range strings.Lines(p.messages.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if entry["msg"] == "request" {
			ids[entry["request_id"].(string)] = true
		}
	}
	if id := answer.Header.Get("X-Request-Id"); len(ids) != 2 || !ids[id] {
		t.Errorf("the log holds the requests %v, want 2 with %s", ids, id)
	}
	for _, private := range []string{"whisper", "secret", "tok_"} {
		if strings.Contains(p.messages.String(), private) {
			t.Errorf("the log holds %q: %s", private, p.messages.String())
		}
	}
}

func TestServe_metrics(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	p := serve(t, "--database-url", d.URL, "--database-read-url", d.URL, "--metrics-addr", "127.0.0.1:0", "--log-format", "json")
	for range 3 { // the cache may drop an early answer once it listens for changes
		p.total(t, everything)
	}
	if status, _, _ := p.get(t, "/metrics"); status != http.StatusNotFound {
		t.Errorf("/metrics on the main address answers %d", status)
	}
	metrics := &process{}
	eventually(t, "the metrics' address", func() bool {
		for line := range strings.Lines(p.messages.String()) {
			var entry struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Addr != "" {
				metrics.url = "http://" + entry.Addr
			}
		}
		return metrics.url != ""
	})
	status, _, body := metrics.get(t, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("/metrics answers %d %s", status, body)
	}
	for _, want := range []string{
		`homeplace_http_requests_total{method="GET",route="/api/directory/search",status="200"} 3`,
		"homeplace_cache_hits_total", "homeplace_cache_misses_total", "homeplace_database_connections_in_use 0", "go_goroutines",
		"homeplace_llm_breaker_state 0", "homeplace_llm_calls_total 0", "homeplace_llm_failures_total 0", "homeplace_llm_refused_total 0",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if status, _, _ := metrics.get(t, "/api"); status != http.StatusNotFound {
		t.Errorf("the metrics' address answers /api with %d", status)
	}
}
