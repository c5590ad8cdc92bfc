package httpx

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"homeplace/core"
)

func TestUnblocked(t *testing.T) {
	t.Parallel()
	proxies, err := NewProxies([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	blocked := map[string]bool{"192.0.2.1": true, "2001:db8:1:2::/64": true, "10.0.0.5": true, "198.51.100.9": true}
	ensure := func(_ context.Context, key string) error {
		if blocked[key] {
			return core.Forbiddenf("blocked")
		}
		return nil
	}
	handler := Observe(Observation{Log: slog.New(slog.DiscardHandler), Proxies: proxies})(
		API(Unblocked(ensure, func(*http.Request) (*Answer, error) { return NoContent(), nil })))
	for what, c := range map[string]struct {
		peer, forwarded string
		want            int
	}{
		"a blocked address":                  {"192.0.2.1:1", "", 403},
		"its neighbour":                      {"192.0.2.2:1", "", 204},
		"any address of a blocked /64":       {"[2001:db8:1:2:ffff::7]:1", "", 403},
		"the next /64":                       {"[2001:db8:1:3::7]:1", "", 204},
		"a blocked address behind our proxy": {"10.0.0.5:1", "198.51.100.9", 403},
		"another behind our proxy":           {"10.0.0.5:1", "198.51.100.8", 204},
		"our proxy that names nobody":        {"10.0.0.5:1", "", 204},
		"a proxy that nobody configured":     {"192.0.2.1:1", "203.0.113.4", 204},
		"somebody who says to be another":    {"192.0.2.9:1", "192.0.2.1", 204},
		"a caller without an address":        {"pipe", "", 204},
	} {
		// A fresh list of proxies each: one that was seen is spared from then on.
		proxies.seen = nil
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		a := httptest.NewRecorder()
		handler.ServeHTTP(a, r)
		if a.Code != c.want {
			t.Errorf("%s gets %d, want %d", what, a.Code, c.want)
		}
	}
}
