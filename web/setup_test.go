package web_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/geo"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
	"homeplace/web"
	"homeplace/web/httpx"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const base = "https://homeplace.test"

// world is the site over a database of its own.
type world struct {
	handler   http.Handler
	db        *pgtest.Database
	directory *directory.Service
	asleep    *atomic.Bool // what /readyz hears
}

func setup(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	addresses, err := httpx.NewAddresses(base)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := httpx.NewCache(16<<20, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	d.OnChange(func(area string) {
		if area == pg.Everything {
			cache.InvalidateAll()
		} else {
			cache.Invalidate(area)
		}
	})
	w := world{db: d, directory: directory.New(d.DB, core.Now, geo.Builtin), asleep: new(atomic.Bool)}
	if err := w.directory.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.handler = web.New(web.Services{Directory: w.directory, Newest: w.directory.Newest}, web.Surface{
		Addresses: addresses, Cache: cache, SiteName: func() string { return "Test & Porch" }, Contract: contract(t),
		Observe: httpx.Observe(httpx.Observation{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}),
		Ready: func(context.Context) error {
			if w.asleep.Load() {
				return errors.New("migration 7 is missing in search_documents")
			}
			return nil
		},
	})
	return w
}

// contract is the contract of the API as the program hands it in.
func contract(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (w world) load(t *testing.T, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.directory.Import(t.Context(), core.TheSystem(), rows, directory.ImportOptions{Strict: true}); err != nil {
		t.Fatal(err)
	}
}

func (w world) do(method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, base+target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	return recorder
}

// page reads a page that must have the status.
func (w world) page(t *testing.T, target string, status int) *html.Node {
	t.Helper()
	a := w.do(http.MethodGet, target)
	if a.Code != status || a.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%s gives %d, %s; want a page with %d: %.300s", target, a.Code, a.Header().Get("Content-Type"), status, a.Body)
	}
	tree, err := html.Parse(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// elements are those with a tag name, or all for "".
func elements(root *html.Node, tag string) (list []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (tag == "" || n.Data == tag) {
			list = append(list, n)
		}
	}
	return list
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// text is what a reader sees of a part of the page.
func text(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
