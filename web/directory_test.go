package web_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// many are businesses whose names begin with letters in turn, a to e, one in
// three of them a bakery.
func many(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		category := "cafe"
		if i%3 == 0 {
			category = "bakery"
		}
		lines[i] = fmt.Sprintf(`{"kind":"business","slug":"shop-%d","name":"%c Shop %03d","category":"%s","summary":"Number %d on the street","city":"Atlanta","region":"GA","zip":"30303","lat":33.75,"lng":-84.39}`,
			i, 'A'+i%5, i, category, i)
	}
	return lines
}

func linksByText(root *html.Node) map[string]string {
	byText := map[string]string{}
	for _, n := range elements(root, "a") {
		byText[text(n)], _ = attribute(n, "href")
	}
	return byText
}

func byClass(root *html.Node, class string) (list []*html.Node) {
	for _, n := range elements(root, "") {
		if c, _ := attribute(n, "class"); slices.Contains(strings.Fields(c), class) {
			list = append(list, n)
		}
	}
	return list
}

func TestHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if seen := text(w.page(t, "/", 200)); !strings.Contains(seen, "Nothing is listed yet") {
		t.Errorf("an empty directory shows %q", seen)
	}
	w.load(t, porch...)
	w.load(t, `{"kind":"event","slug":"fair","name":"Street Fair","starts_at":"2090-06-01T16:00:00Z","city":"Atlanta","region":"GA"}`)
	tree := w.page(t, "/", 200)
	seen := text(tree)
	for _, want := range []string{"Everything our people build, in one place.", "Businesses 2", "Landmarks 1", "People 0", "Blue Heron <Bakery>", "Street Fair", "Thu 1 Jun 2090", "noon"} {
		if !strings.Contains(strings.ReplaceAll(seen, " ,", ","), want) {
			t.Errorf("the page lacks %q: %s", want, seen)
		}
	}
	if href := linksByText(tree)["Bakeries in Atlanta"]; href != "/search?q=Bakeries&where=Atlanta%2C+GA" {
		t.Errorf("a search to try leads to %q", href)
	} else if found := byClass(w.page(t, href, 200), "row"); len(found) == 0 {
		t.Error("a search to try finds nothing")
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, many(360)...)
	tree := w.page(t, "/directory/businesses", 200)
	if rows := byClass(tree, "row"); len(rows) != 24 || !strings.Contains(text(tree), "360 businesses") || !strings.Contains(text(tree), "1–24 of 360") {
		t.Errorf("the first page shows %d: %.400s", len(rows), text(tree))
	}
	seen := map[string]bool{}
	next := "/directory/businesses"
	for pages := 1; next != ""; pages++ {
		tree = w.page(t, next, 200)
		for _, row := range byClass(tree, "row") {
			seen[text(elements(row, "h3")[0])] = true
		}
		if next = linksByText(tree)["Next"]; (next == "") != (pages == 15) {
			t.Fatalf("page %d leads on to %q", pages, next)
		}
	}
	if len(seen) != 360 {
		t.Errorf("paging shows %d of 360", len(seen))
	}
	for target, want := range map[string]string{"?page=99999": "337–360 of 360", "?page=-1": "1–24", "?page=x": "1–24", "?page=3": "49–72 of 360"} {
		if seen := text(w.page(t, "/directory/businesses"+target, 200)); !strings.Contains(seen, want) {
			t.Errorf("%s lacks %q", target, want)
		}
	}
	if link := w.do(http.MethodGet, "/directory/businesses?page=2").Header().Get("Link"); link !=
		"<"+base+`/directory/businesses>; rel="prev", <`+base+`/directory/businesses?page=3>; rel="next"` {
		t.Errorf("Link: %s", link)
	}
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, many(30)...)
	tree := w.page(t, "/directory/businesses?category=bakery&letter=A", 200)
	if rows := byClass(tree, "row"); len(rows) != 2 { // 0 and 15
		t.Errorf("bakeries under A: %d", len(rows))
	}
	all := linksByText(tree)
	if all["Begins with A × , remove this filter"] != "/directory/businesses?category=bakery" || all["Bakeries × , remove this filter"] != "/directory/businesses?letter=a" {
		t.Errorf("the filters go by %v", all)
	}
	if all["C"] != "/directory/businesses?category=bakery&letter=c" || all["Z"] != "" {
		t.Errorf("C leads to %q, Z to %q", all["C"], all["Z"])
	}
	for query, want := range map[string]string{
		"zip=30303":                        "30 businesses around Atlanta, the nearest city to 30303",
		"zip=00000":                        "We could not place 00000",
		"zip=%3Cb%3E":                      "We could not place <b>",
		"q=Shop+029":                       "1 business",
		"q=nothing+like+it":                "No businesses fit all of that",
		"category=nonsense":                "30 businesses",
		"letter=%C3%A9&when=past&view=xyz": "30 businesses",
		"q=%FF%00%zz":                      "30 businesses",
		"q=" + strings.Repeat("x", 1500):   "No businesses fit",
		"view=map":                         "As a map",
	} {
		if seen := text(w.page(t, "/directory/businesses?"+query, 200)); !strings.Contains(seen, want) {
			t.Errorf("%.40s lacks %q: %.300s", query, want, seen)
		}
	}
	if n := len(byClass(w.page(t, "/directory/businesses?view=map", 200), "map")); n != 1 {
		t.Errorf("%d maps", n)
	}
	if seen := text(w.page(t, "/directory/nonsense", 404)); !strings.Contains(seen, "nonsense") {
		t.Errorf("an unknown kind says %q", seen)
	}
}

func TestListEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, `{"kind":"event","slug":"soon","name":"Soon Fair","starts_at":"2090-06-01T16:00:00Z","city":"Atlanta","region":"GA"}`,
		`{"kind":"event","slug":"gone","name":"Gone Fair","starts_at":"2001-06-01T16:00:00Z"}`)
	now, past := text(w.page(t, "/directory/events", 200)), text(w.page(t, "/directory/events?when=past", 200))
	if !strings.Contains(now, "Soon Fair") || strings.Contains(now, "Gone Fair") || !strings.Contains(past, "Gone Fair") || strings.Contains(past, "Soon Fair") {
		t.Errorf("coming up: %s\npast: %s", now, past)
	}
	if seen := text(w.page(t, "/directory/events?when=whenever", 200)); !strings.Contains(seen, "Soon Fair") {
		t.Error("an unknown time breaks the list")
	}
}

func TestListIsLightAndCached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, many(100)...)
	a := w.do(http.MethodGet, "/directory/businesses", "Accept-Encoding", "gzip")
	if a.Header().Get("Content-Encoding") != "gzip" || a.Body.Len() > 100_000 {
		t.Errorf("the list weighs %d bytes, %s", a.Body.Len(), a.Header().Get("Content-Encoding"))
	}
	z, err := gzip.NewReader(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(z); err != nil || !strings.Contains(string(plain), "</html>") {
		t.Errorf("the page is not whole: %v", err)
	}
	tag := w.do(http.MethodGet, "/directory/businesses").Header().Get("ETag")
	if again := w.do(http.MethodGet, "/directory/businesses", "If-None-Match", tag); tag == "" || again.Code != http.StatusNotModified {
		t.Errorf("asked again with %s: %d", tag, again.Code)
	}
	head := w.do(http.MethodHead, "/directory/businesses?page=2")
	if head.Code != http.StatusOK || head.Body.Len() > 0 {
		t.Errorf("HEAD gives %d with %d bytes", head.Code, head.Body.Len())
	}
	for _, target := range []string{"/", "/directory", "/directory/businesses", "/directory/businesses/shop-1", "/search?q=shop"} {
		if policy := w.do(http.MethodGet, target).Header().Get("Cache-Control"); policy != "public, max-age=60" {
			t.Errorf("%s may be kept %q", target, policy)
		}
		ada := w.as(t, w.account(t, fmt.Sprintf("ada%d", len(target))))
		if a := ada.get(target); !strings.HasPrefix(a.Header().Get("Cache-Control"), "private") && a.Header().Get("Cache-Control") != "no-store" ||
			!strings.Contains(a.Body.String(), "Signed in as") {
			t.Errorf("%s, signed in, may be kept %q", target, a.Header().Get("Cache-Control"))
		}
	}
}

func TestListCanonical(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, many(60)...)
	for target, want := range map[string]string{
		"/directory/businesses":                          base + "/directory/businesses",
		"/directory/businesses?utm_source=x&page=1":      base + "/directory/businesses",
		"/directory/businesses?page=2&category=cafe":     base + "/directory/businesses?category=cafe&page=2",
		"/directory/businesses?category=bakery&letter=a": "",
		"/directory/businesses?q=shop":                   "",
	} {
		canonical, noindex := "", false
		tree := w.page(t, target, 200)
		for _, n := range elements(tree, "link") {
			if rel, _ := attribute(n, "rel"); rel == "canonical" {
				canonical, _ = attribute(n, "href")
			}
		}
		for _, n := range elements(tree, "meta") {
			name, _ := attribute(n, "name")
			noindex = noindex || name == "robots"
		}
		if canonical != want || noindex != (want == "") {
			t.Errorf("%s: canonical %q, noindex %t", target, canonical, noindex)
		}
	}
}

func TestOldAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	for target, want := range map[string]string{
		"/directory/places":                 "/directory/landmarks",
		"/directory/places?category=bakery": "/directory/businesses?category=bakery",
		"/directory/places/blue-heron":      "/directory/businesses/blue-heron",
		"/directory/places/old-mill?a=b":    "/directory/landmarks/old-mill?a=b",
		"/directory/":                       "/directory",
		"/directory/people/?page=2":         "/directory/people?page=2",
		"/directory/businesses/blue-heron/": "/directory/businesses/blue-heron",
		"/search/?q=a":                      "/search?q=a",
	} {
		if a := w.do(http.MethodGet, target); a.Code != http.StatusMovedPermanently || a.Header().Get("Location") != want {
			t.Errorf("%s gives %d, %q; want %q", target, a.Code, a.Header().Get("Location"), want)
		}
	}
	w.page(t, "/directory/places/nobody", 404)
}
