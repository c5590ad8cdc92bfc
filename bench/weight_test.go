package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestPagesOf(t *testing.T) {
	t.Parallel()
	got := pagesOf([]string{"/api/directory/people/ida-b-wells", "/api/directory/search?q=barber+macon"})
	if want := []string{"/directory/people/ida-b-wells", "/search?q=barber+macon"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The length counted is that on the wire.
func TestGetZipped(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/zipped" {
			w.Header().Set("Content-Encoding", r.Header.Get("Accept-Encoding"))
		}
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, strings.Repeat("x", 777))
	}))
	defer s.Close()
	if body, err := getZipped(t.Context(), s.URL+"/zipped"); err != nil || len(body) != 777 {
		t.Errorf("got %d bytes, %v; want 777", len(body), err)
	}
	for path, problem := range map[string]string{"/plain": `200 OK in encoding ""`, "/gone": "404 Not Found"} {
		if _, err := getZipped(t.Context(), s.URL+path); !strings.Contains(fmt.Sprint(err), problem) {
			t.Errorf("%s: got %v, want %q in it", path, err, problem)
		}
	}
}
