package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestOfflinePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tree := w.page(t, "/offline", http.StatusOK)
	checkOutline(t, tree)
	checkReferences(t, tree)
	checkNothingInline(t, tree)
	if got := text(elements(tree, "h1")[0]); got != "You are offline" {
		t.Errorf("the page is headed %q", got)
	}
	hidden := false
	for _, n := range elements(tree, "meta") {
		name, _ := attribute(n, "name")
		content, _ := attribute(n, "content")
		hidden = hidden || name == "robots" && content == "noindex"
	}
	if !hidden {
		t.Error("search engines may list the page")
	}
}

var quotedPath = regexp.MustCompile(`"(/[^"]+)"`)

func TestServiceWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.do(http.MethodGet, "/sw.js")
	h := a.Header()
	if a.Code != http.StatusOK || h.Get("Content-Type") != "text/javascript; charset=utf-8" || h.Get("Cache-Control") != "no-cache" {
		t.Fatalf("the worker gives %d, %v", a.Code, h)
	}
	if again := w.do(http.MethodGet, "/sw.js", "If-None-Match", h.Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("asked again it gives %d", again.Code)
	}
	if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy, "; worker-src 'self';") {
		t.Errorf("the policy is %q", policy)
	}
	script := a.Body.String()
	if strings.Contains(script, "VERSION") || strings.Contains(script, "FILES") {
		t.Error("a name is not filled in")
	}
	var kept []string
	for _, match := range quotedPath.FindAllStringSubmatch(script, -1) {
		kept = append(kept, match[1])
		if got := w.do(http.MethodGet, match[1]); got.Code != http.StatusOK {
			t.Errorf("%s gives %d", match[1], got.Code)
		}
	}
	page := w.page(t, "/offline", http.StatusOK)
	for _, n := range slices.Concat(elements(page, "img"), elements(page, "script")) {
		if src, _ := attribute(n, "src"); !slices.Contains(kept, src) {
			t.Errorf("the offline page needs %s, and %q are kept", src, kept)
		}
	}
	for _, n := range elements(page, "link") {
		rel, _ := attribute(n, "rel")
		if href, _ := attribute(n, "href"); rel == "stylesheet" && !slices.Contains(kept, href) && href != "/theme.css" {
			t.Errorf("the offline page needs %s, and %q are kept", href, kept)
		}
	}
}
