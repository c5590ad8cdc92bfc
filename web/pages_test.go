package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var porch = []string{
	`{"kind":"business","slug":"blue-heron","name":"Blue Heron <Bakery>","category":"bakery","summary":"Pies & bread","city":"Atlanta","region":"GA","verified":true}`,
	`{"kind":"business","slug":"zoras-den","name":"Zora's Den"}`,
	`{"kind":"landmark","slug":"old-mill","name":"Old Mill","lat":33.75,"lng":-84.38}`,
}

func TestPagesAreSoundHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	for target, status := range map[string]int{"/": 200, "/docs/api": 200, "/nothing-here": 404, "/credits": 200, "/directory": 200,
		"/directory/businesses": 200, "/directory/events": 200, "/directory/businesses?view=map&q=bread&letter=b": 200, "/directory/nothing": 404,
		"/directory/businesses/blue-heron": 200, "/directory/landmarks/old-mill": 200, "/search": 200, "/search?q=bread": 200, "/search?q=zeppelin&where=Atlanta": 200} {
		tree := w.page(t, target, status)
		t.Run(target, func(t *testing.T) {
			checkOutline(t, tree)
			checkReferences(t, tree)
			checkNothingInline(t, tree)
		})
	}
}

func checkOutline(t *testing.T, tree *html.Node) {
	t.Helper()
	if n := len(elements(tree, "h1")); n != 1 {
		t.Errorf("there are %d h1", n)
	}
	level := 0
	for _, n := range elements(tree, "") {
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			if next := int(n.Data[1] - '0'); next > level+1 {
				t.Errorf("h%d %q follows h%d", next, text(n), level)
			}
			level = int(n.Data[1] - '0')
		}
	}
	for _, tag := range []string{"main", "header", "footer", "title"} {
		within := tree
		if tag == "title" {
			within = elements(tree, "head")[0] // drawings have titles too
		}
		if n := len(elements(within, tag)); n != 1 {
			t.Errorf("there are %d of %s", n, tag)
		}
	}
	if lang, _ := attribute(elements(tree, "html")[0], "lang"); lang != "en" {
		t.Errorf("lang is %q", lang)
	}
	first := elements(elements(tree, "body")[0], "a")[0]
	if href, _ := attribute(first, "href"); href != "#main" {
		t.Errorf("the first link leads to %q, want the content", href)
	}
}

func checkReferences(t *testing.T, tree *html.Node) {
	t.Helper()
	ids := map[string]bool{}
	for _, n := range elements(tree, "") {
		if id, ok := attribute(n, "id"); ok {
			if ids[id] || id == "" {
				t.Errorf("the id %q stands twice, or is empty", id)
			}
			ids[id] = true
		}
	}
	for _, n := range elements(tree, "") {
		for _, name := range []string{"aria-labelledby", "aria-describedby", "for"} {
			list, _ := attribute(n, name)
			for _, id := range strings.Fields(list) {
				if !ids[id] {
					t.Errorf("%s %s names %q, which is nowhere", n.Data, name, id)
				}
			}
		}
		href, ok := attribute(n, "href")
		if n.Data == "a" && (!ok || href == "" || text(n) == "") {
			t.Errorf("a link leads to %q and says %q", href, text(n))
		}
		if id, found := strings.CutPrefix(href, "#"); found && !ids[id] {
			t.Errorf("%q leads to nothing", href)
		}
	}
	for _, n := range slices.Concat(elements(tree, "nav"), elements(tree, "section")) {
		_, label := attribute(n, "aria-label")
		_, labelled := attribute(n, "aria-labelledby")
		if !label && !labelled {
			t.Errorf("a %s has no label", n.Data)
		}
	}
	for _, n := range elements(tree, "svg") {
		hidden, _ := attribute(n, "aria-hidden")
		if label, _ := attribute(n, "aria-label"); hidden != "true" && label == "" {
			t.Error("an ornament is read out")
		}
	}
}

func checkNothingInline(t *testing.T, tree *html.Node) {
	t.Helper()
	for _, n := range elements(tree, "") {
		kind, _ := attribute(n, "type")
		if src, _ := attribute(n, "src"); n.Data == "style" || n.Data == "script" && src == "" && kind != "application/ld+json" {
			t.Errorf("there is a %s element", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Val, "javascript:") {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, target := range []string{"/nothing-here", "/docs", "/directory/%00", "/directory/businesses/%FF", "/directory/businesses/nobody", "/%FF"} {
		a := w.do(http.MethodGet, target)
		id := a.Header().Get("X-Request-Id")
		if a.Code != http.StatusNotFound || id == "" || !strings.Contains(a.Body.String(), id) || a.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s gives %d, %s; want a 404 that shows its id %q", target, a.Code, a.Header().Get("Cache-Control"), id)
		}
	}
	a := w.do(http.MethodPost, "/")
	if a.Code != http.StatusMethodNotAllowed || a.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST gives %d, Allow %q", a.Code, a.Header().Get("Allow"))
	}
	head := w.do(http.MethodHead, "/docs/api")
	if head.Code != http.StatusOK || head.Body.Len() > 0 || head.Header().Get("ETag") == "" {
		t.Errorf("HEAD gives %d with %d bytes", head.Code, head.Body.Len())
	}
}

func TestErrorPagesKeepTheCauseToThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Close()
	a := w.do(http.MethodGet, "/")
	if a.Code < 500 {
		t.Fatalf("without a database the first page gives %d", a.Code)
	}
	shown := strings.ReplaceAll(a.Body.String(), a.Header().Get("X-Request-Id"), "") // random letters may spell anything
	for _, internal := range []string{"pool", "pgx", "select", "SQLSTATE", ".go:"} {
		if strings.Contains(shown, internal) {
			t.Errorf("the page names %q", internal)
		}
	}
	if id := a.Header().Get("X-Request-Id"); id == "" || !strings.Contains(a.Body.String(), id) {
		t.Errorf("the page does not show its id %q", id)
	}
	if a.Code == http.StatusServiceUnavailable && a.Header().Get("Retry-After") == "" {
		t.Error("it does not say when to come back")
	}
}

func TestPageHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for target, cached := range map[string]string{"/": "public, max-age=60", "/docs/api": "public, max-age=600", "/nothing-here": "no-store"} {
		h := w.do(http.MethodGet, target).Header()
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s has the policy %q", target, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" || h.Get("Referrer-Policy") == "" ||
			h.Get("X-Frame-Options") != "DENY" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s has the headers %v", target, h)
		}
		if h.Get("Cache-Control") != cached {
			t.Errorf("%s may be kept %q, want %q", target, h.Get("Cache-Control"), cached)
		}
	}
}

func TestPagesLoadOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	loaded := 0
	for _, link := range elements(w.page(t, "/", 200), "link") {
		href, _ := attribute(link, "href")
		rel, _ := attribute(link, "rel")
		if rel == "canonical" || !strings.HasPrefix(href, "/static/") {
			continue
		}
		loaded++
		a := w.do(http.MethodGet, href)
		if a.Code != http.StatusOK || a.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || a.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s gives %d, %s", href, a.Code, a.Header().Get("Cache-Control"))
		}
	}
	if loaded < 3 {
		t.Errorf("the page loads %d files, want the style, the icon and fonts", loaded)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, target := range []string{"/healthz", "/readyz"} {
		a := w.do(http.MethodGet, target)
		if a.Code != http.StatusOK || a.Header().Get("Content-Type") != "application/json" || a.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s gives %d, %v", target, a.Code, a.Header())
		}
	}
	w.asleep.Store(true)
	a := w.do(http.MethodGet, "/readyz")
	if a.Code != http.StatusServiceUnavailable || a.Header().Get("Retry-After") == "" || strings.Contains(a.Body.String(), "migration 7") ||
		!strings.Contains(a.Body.String(), `"code":"unavailable"`) {
		t.Errorf("not ready gives %d: %s", a.Code, a.Body)
	}
	if a := w.do(http.MethodGet, "/healthz"); a.Code != http.StatusOK {
		t.Errorf("the process itself gives %d", a.Code)
	}
}
