package e2e

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"homeplace/e2e/browser"
)

const listKept = `caches.keys()
	.then((names) => Promise.all(names.map((name) => caches.open(name))))
	.then((kept) => Promise.all(kept.map((cache) => cache.keys())))
	.then((requests) => requests.flat().map((request) => new URL(request.url).pathname))`

func TestWithoutANetworkAPageSaysSo(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := browser.Open(t, browser.Device{})
	p.Visit(s.url + "/sw.js") // no page yet, so no worker either
	browser.Evaluate[any](p, `caches.open("older").then((cache) => cache.add("/credits"))`)
	p.Visit(s.url)
	browser.Evaluate[any](p, `navigator.serviceWorker.ready.then(() => null)`)
	p.Click(`button[value="dark"]`)
	p.WaitFor(`button[value="dark"][aria-pressed="true"]`)
	p.Visit(s.url + "/directory")
	kept := browser.Evaluate[[]string](p, listKept)
	if len(kept) != 5 || !slices.Contains(kept, "/offline") || slices.ContainsFunc(kept, func(path string) bool {
		return path != "/offline" && !strings.HasPrefix(path, "/static/") && !strings.HasPrefix(path, "/covers/")
	}) {
		t.Errorf("the worker keeps %q, want the offline page and the four files it is made of", kept)
	}

	s.stop()
	address := s.url + "/directory/businesses?q=bakery"
	p.Visit(address)
	if got := p.Text("h1"); got != "You are offline" {
		t.Errorf("the page is headed %q", got)
	}
	if got := p.URL(); got != address {
		t.Errorf("the page stands at %s, so that trying again asks for another", got)
	}
	if scheme := browser.Evaluate[string](p, `getComputedStyle(document.documentElement).colorScheme`); scheme != "dark" {
		t.Errorf("the colours are %q, want those that were chosen", scheme)
	}
	if width := browser.Evaluate[int](p, `document.querySelector(".empty img").naturalWidth`); width == 0 {
		t.Error("the picture is not there")
	}
	p.CheckAccessibility("offline")

	comeBack(t, s)
	p.Submit("[data-again] button")
	if got := p.Text("h1"); got != "/directory/businesses?q=bakery" {
		t.Errorf("trying again leads to %q", got)
	}
}

// comeBack answers in place of a site that was stopped, with the address that
// was asked for.
func comeBack(t *testing.T, s *site) {
	t.Helper()
	listener, err := net.Listen("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><title>Back</title><h1>" + r.URL.RequestURI() + "</h1>"))
	}))
}
