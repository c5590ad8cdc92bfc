package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	const good = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello"
	for _, c := range []struct{ name, stream, problem string }{
		{"good", good, ""},
		{"two", good + good, ""},
		{"refused", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", `answer "HTTP/1.1 503 Service Unavailable"`},
		{"without length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "an answer without Content-Length"},
		{"cut", good[:len(good)-1], "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := bufio.NewReader(iotest.OneByteReader(strings.NewReader(c.stream)))
			var err error
			for range strings.Count(c.stream, "HTTP/1.1") {
				err = readAnswer(r)
			}
			if got := fmt.Sprint(err); c.problem == "" && err != nil || c.problem != "" && got != c.problem {
				t.Errorf("got %v, want %q", err, c.problem)
			}
			if err == nil && r.Buffered() > 0 {
				t.Errorf("%d bytes are left over", r.Buffered())
			}
		})
	}
}

// Every address is asked for, and each by one connection only.
func TestHammerGoesRound(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	askers := map[string]map[string]bool{} // address → connections
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if askers[r.URL.Path] == nil {
			askers[r.URL.Path] = map[string]bool{}
		}
		askers[r.URL.Path][r.RemoteAddr] = true
		fmt.Fprint(w, "ok")
	}))
	defer s.Close()
	var list []string
	for i := range 3 * connections {
		list = append(list, fmt.Sprintf("/%d", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var h hammer
	ended := make(chan error, 1)
	go func() { ended <- h.run(ctx, s.Listener.Addr().String(), list) }()
	for deadline := time.Now().Add(10 * time.Second); h.count() < 50*connections && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(askers) != len(list) {
		t.Errorf("%d of %d addresses were asked for", len(askers), len(list))
	}
	for address, connections := range askers {
		if len(connections) != 1 {
			t.Errorf("%s was asked for by %d connections", address, len(connections))
		}
	}
}

func TestHammerReportsRefusals(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	var h hammer
	err := h.run(t.Context(), s.Listener.Addr().String(), []string{"/gone"})
	if want := `GET /gone HTTP/1.1: answer "HTTP/1.1 404 Not Found"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for want, values := range map[float64][]float64{3: {9, 3, 1}, 2: {3, 1}, 7: {7}} {
		if got := median(values); got != want {
			t.Errorf("median of %v is %g, want %g", values, got, want)
		}
	}
}
