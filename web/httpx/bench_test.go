package httpx

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
)

// sink is the cheapest http.ResponseWriter, with the fresh header map that the
// server makes for each request.
type sink struct{ h http.Header }

func (s *sink) Header() http.Header         { return s.h }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(int)             {}

func benchmarkChain(b *testing.B, target string, routed bool) {
	out := NewLogWriter(io.Discard)
	defer out.Close()
	log := slog.New(out.Handler(slog.NewJSONHandler(out, nil)))
	addresses, err := NewAddresses("https://example.org")
	if err != nil {
		b.Fatal(err)
	}
	cache, err := NewCache(64<<20, time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	defer cache.Close()
	body := `[` + strings.Repeat(`{"slug":"some-slug","name":"Some name"},`, 280) + `{}]`
	read := API(cache.Handler([]string{"apps"}, []string{"limit", "offset", "q"}, func(*http.Request) (*Answer, error) {
		return &Answer{Status: 200, ContentType: "application/json", Body: []byte(body), Cache: Public(time.Minute)}, nil
	}))
	observe, headers := Observe(Observation{Log: log}), APIHeaders(addresses)
	chain := observe(Recover(ErrorAnswer)(headers(CORS(read))))
	if routed {
		m := chi.NewRouter()
		m.Use(observe, Recover(ErrorAnswer), headers, CORS, HeadAsGet)
		m.Method("GET", "/api/apps", read)
		chain = m
	}
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept-Encoding", "gzip, deflate, br")
	b.ReportAllocs()
	for b.Loop() {
		chain.ServeHTTP(&sink{h: make(http.Header)}, r)
	}
}

func BenchmarkCachedHit(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmarkChain(b, "/api/apps", false) })
	b.Run("query", func(b *testing.B) { benchmarkChain(b, "/api/apps?limit=20&q=soul+food", false) })
	b.Run("routed", func(b *testing.B) { benchmarkChain(b, "/api/apps", true) })
}

func BenchmarkDecodeJSON(b *testing.B) {
	body := `{"title":"Hello","options":["` + strings.Repeat(`some option","`, 60) + `last"]}`
	var dst struct {
		Title   string   `json:"title"`
		Options []string `json:"options"`
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := decode([]byte(body), &dst); err != nil {
			b.Fatal(err)
		}
	}
}
