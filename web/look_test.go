package web

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"golang.org/x/net/html"

	"homeplace/static"
	"homeplace/views/ui/sample"
	"homeplace/views/woven"
	"homeplace/web/httpx"
)

func look(t *testing.T) http.Handler {
	t.Helper()
	addresses, err := httpx.NewAddresses("https://example.org")
	if err != nil {
		t.Fatal(err)
	}
	r := chi.NewRouter()
	r.Use(httpx.Observe(httpx.Observation{Log: slog.New(slog.DiscardHandler)}), httpx.PageHeaders(addresses, httpx.PageSources{}), httpx.HeadAsGet)
	MountLook(r, true)
	return r
}

func ask(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestThemeSheetFollowsTheCookie(t *testing.T) {
	t.Parallel()
	h := look(t)
	for cookie, want := range map[string]string{"light": "color-scheme:light", "dark": "color-scheme:dark", "": "", "../app": "", "purple": ""} {
		r := httptest.NewRequest(http.MethodGet, "/theme.css", nil)
		r.Header.Set("Cookie", "theme="+cookie)
		got := ask(h, r)
		text, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got.StatusCode != 200 || !strings.Contains(string(text), want) || want == "" && len(text) > 1 {
			t.Errorf("cookie %q: %d %.60s", cookie, got.StatusCode, text)
		}
		if got.Header.Get("Cache-Control") != "private, no-cache" || !strings.Contains(strings.Join(got.Header["Vary"], ","), "Cookie") {
			t.Errorf("cookie %q: %v", cookie, got.Header)
		}
		r.Header.Set("If-None-Match", got.Header.Get("ETag"))
		if again := ask(h, r); again.StatusCode != http.StatusNotModified {
			t.Errorf("cookie %q asked again: %d", cookie, again.StatusCode)
		}
	}
}

func TestChoosingAThemeLeadsBack(t *testing.T) {
	t.Parallel()
	h := look(t)
	for referer, want := range map[string]string{
		"https://example.org/directory?near=30303": "/directory?near=30303",
		"https://example.org/a%2Fb":                "/a%2Fb",
		"https://evil.example/directory":           "/",
		"https://example.org//evil.example":        "/",
		`https://example.org/\evil.example`:        "/%5Cevil.example", // a path of this site
		"javascript:alert(1)":                      "/",
		"":                                         "/",
	} {
		r := httptest.NewRequest(http.MethodPost, "https://example.org/theme", strings.NewReader(url.Values{"theme": {"dark"}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Referer", referer)
		got := ask(h, r)
		if where := got.Header.Get("Location"); got.StatusCode != http.StatusSeeOther || where != want {
			t.Errorf("from %q: %d to %q, want %q", referer, got.StatusCode, where, want)
		}
		if c := got.Cookies(); len(c) != 1 || c[0].Value != "dark" || c[0].MaxAge != 365*24*60*60 || c[0].Path != "/" {
			t.Errorf("cookies %v", c)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/theme", strings.NewReader("theme=system"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c := ask(h, r).Cookies(); len(c) != 1 || c[0].MaxAge != -1 {
		t.Errorf("following the system leaves %v", c)
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	h := look(t)
	for path, want := range map[string]int{
		"/covers/card/old-mill-bridge.svg":                 200,
		"/covers/mark/a1.svg":                              200,
		"/covers/band.svg":                                 200,
		"/covers/card/Old.svg":                             404,
		"/covers/card/a.svg":                               404,
		"/covers/card/old-mill-bridge":                     404,
		"/covers/huge/old-mill-bridge.svg":                 404,
		"/covers/card/" + strings.Repeat("a", 81) + ".svg": 404,
	} {
		got := ask(h, httptest.NewRequest(http.MethodGet, path, nil))
		if got.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, got.StatusCode, want)
		}
		if want == 200 && (got.Header.Get("Content-Type") != "image/svg+xml" || got.Header.Get("Cache-Control") != "public, max-age=31536000") {
			t.Errorf("%s: %v", path, got.Header)
		}
	}
	path := woven.Card.Address("old-mill-bridge")
	first, second := ask(h, httptest.NewRequest(http.MethodGet, path, nil)), ask(h, httptest.NewRequest(http.MethodGet, path, nil))
	a, _ := io.ReadAll(first.Body)
	b, _ := io.ReadAll(second.Body)
	if !bytes.Equal(a, b) || len(a) == 0 || len(a) > 4<<10 {
		t.Errorf("two drawings of %d and %d bytes", len(a), len(b))
	}
}

// TestSamplesAreSound renders every part of the pages and holds what must be
// true of each page of the site.
func TestSamplesAreSound(t *testing.T) {
	t.Parallel()
	h := look(t)
	for path := range sample.Pages() {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			got := ask(h, httptest.NewRequest(http.MethodGet, path, nil))
			if got.StatusCode != 200 {
				t.Fatalf("status %d", got.StatusCode)
			}
			doc, err := html.Parse(got.Body)
			if err != nil {
				t.Fatal(err)
			}
			inspect(t, h, doc)
		})
	}
}

func inspect(t *testing.T, h http.Handler, doc *html.Node) {
	t.Helper()
	ids, labels, count := map[string]bool{}, map[string]bool{}, map[string]int{}
	var controls, refers []string
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data != "title" || n.Parent.Data == "head" { // drawings have titles too
			count[n.Data]++
		}
		attrs := map[string]string{}
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
				t.Errorf("<%s %s=%q>: the policy of the pages forbids it", n.Data, a.Key, a.Val)
			}
		}
		if id := attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("id %q stands twice", id)
			}
			ids[id] = true
		}
		refers = append(refers, strings.Fields(attrs["aria-describedby"])...)
		switch n.Data {
		case "style":
			t.Error("a style sheet inside the page")
		case "script":
			if attrs["src"] == "" && attrs["type"] != "application/ld+json" {
				t.Error("a script inside the page")
			}
		case "label":
			labels[attrs["for"]] = true
		case "input", "select", "textarea":
			if n.Parent.Data != "label" {
				controls = append(controls, attrs["id"])
			}
		case "img":
			if _, ok := attrs["alt"]; !ok || attrs["width"] == "" || attrs["height"] == "" {
				t.Errorf("picture without alt or size: %v", attrs)
			}
			if src := attrs["src"]; strings.HasPrefix(src, "/") && ask(h, httptest.NewRequest(http.MethodGet, src, nil)).StatusCode != 200 {
				t.Errorf("no picture at %s", src)
			}
		}
	}
	for _, id := range controls {
		if !labels[id] {
			t.Errorf("control %q has no label", id)
		}
	}
	for _, id := range refers {
		if !ids[id] {
			t.Errorf("aria-describedby names %q, which is not there", id)
		}
	}
	if count["h1"] != 1 || count["main"] != 1 || count["title"] != 1 || !ids["main"] {
		t.Errorf("h1 %d, main %d, title %d", count["h1"], count["main"], count["title"])
	}
}

func TestDataCannotEndItsBlock(t *testing.T) {
	t.Parallel()
	got := ask(look(t), httptest.NewRequest(http.MethodGet, "/kit/detail", nil))
	page, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), `type="application/ld+json">`)
	block, _, _ = strings.Cut(block, "</script>")
	if !strings.Contains(block, `\u003c/script\u003e`) || !strings.HasSuffix(strings.TrimSpace(block), "}") {
		t.Errorf("block %s", block)
	}
}

func TestSamplesAreForDevelopment(t *testing.T) {
	t.Parallel()
	r := chi.NewRouter()
	MountLook(r, false)
	if got := ask(r, httptest.NewRequest(http.MethodGet, "/kit", nil)); got.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", got.StatusCode)
	}
	if got := ask(r, httptest.NewRequest(http.MethodGet, static.URL("app.css"), nil)); got.StatusCode != http.StatusOK {
		t.Errorf("status %d", got.StatusCode)
	}
}

// TestListWeighsLittle holds the promise of a first visit to a list with 24
// covers, without fonts: everything compressed.
func TestListWeighsLittle(t *testing.T) {
	t.Parallel()
	h := look(t)
	total := 0
	add := func(path string) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		b, err := io.ReadAll(ask(h, r).Body)
		if err != nil {
			t.Fatal(err)
		}
		total += len(b)
	}
	for _, path := range []string{"/kit/list", static.URL("app.css"), static.URL("app.js"), static.URL("favicon.svg"), "/theme.css", "/covers/band.svg"} {
		add(path)
	}
	for i := range 24 {
		add(woven.Row.Address("entry-" + string(rune('a'+i))))
	}
	t.Logf("a list of 24 weighs %d bytes", total)
	if total > 45<<10 {
		t.Errorf("%d bytes", total)
	}
}
