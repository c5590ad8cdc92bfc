package api_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeplace/api"
)

// examples are addresses that answer with a body, one for each route.
var examples = map[string]string{
	"/api": "/api", "/api/openapi.json": "/api/openapi.json",
	"/api/directory/categories": "/api/directory/categories", "/api/directory/search": "/api/directory/search?q=alamo",
	"/api/directory/places": "/api/directory/places", "/api/directory/places/{slug}": "/api/directory/places/alamo-books",
	"/api/directory/{category}": "/api/directory/businesses?limit=3", "/api/directory/{category}/{slug}": "/api/directory/businesses/alamo-books",
	"/api/geocode/zip": "/api/geocode/zip?zip=30303", "/api/geocode/reverse": "/api/geocode/reverse?lat=33.7&lng=-84.4",
	"/api/leaderboard": "/api/leaderboard?limit=3", "/api/me": "/api/me", "/api/me/points": "/api/me/points", "/api/me/token": "/api/me/token",
	"/api/apps": "/api/apps", "/api/apps/{slug}": "/api/apps/stops", "/api/apps/{slug}/files": "/api/apps/stops/files",
	"/api/apps/{slug}/data/{filename}": "/api/apps/stops/data/a.json", "/api/apps/{slug}/submit": "/api/apps/stops/submit",
	"/api/sayings": "/api/sayings", "/api/sayings/random": "/api/sayings/random", "/api/sayings/categories": "/api/sayings/categories",
	"/api/sayings/{slug}": "/api/sayings/rivers", "/api/sayings/submit": "/api/sayings/submit",
	"/api/report": "/api/report", "/api/report-fake": "/api/report-fake", "/api/business-shoutouts": "/api/business-shoutouts", "/api/reviews": "/api/reviews", "/api/admin/recent-submissions": "/api/admin/recent-submissions",
	"/api/polls": "/api/polls", "/api/polls/{slug}": "/api/polls/tea", "/api/polls/{slug}/vote": "/api/polls/tea/vote",
}

func TestEveryRouteAnswersHeadOptionsAndRefusesOtherMethods(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	w.upload(t, p, "stops", "a.json", `{}`)
	w.loadSayings(t, threeSayings[0])
	w.tea(t, p.owner)
	browser := w.cookie(t, p.owner)
	for _, pattern := range api.Patterns() {
		target, ok := examples[pattern[1]]
		if !ok {
			t.Errorf("%s has no example", pattern[1])
			continue
		}
		credential := bearer(p.ownerToken)
		switch {
		case target == "/api/me/token":
			credential = browser
		case strings.HasPrefix(target, "/api/admin/"):
			credential = bearer(p.staffToken)
		}
		allow := "GET, HEAD, OPTIONS"
		switch {
		case pattern[1] == "/api/polls" || pattern[1] == "/api/report-fake" || pattern[1] == "/api/business-shoutouts" || pattern[1] == "/api/sayings/submit": // the latter could be the address of a saying
			allow = "GET, HEAD, POST, OPTIONS"
		case pattern[0] == http.MethodPost:
			allow = "POST, OPTIONS"
		}
		if pattern[0] == http.MethodGet {
			headIsGet(t, w, target, credential)
		}
		options := w.do(t, http.MethodOptions, target, http.Header{"Origin": {"https://elsewhere.test"}, "Access-Control-Request-Method": {"GET"}})
		if options.status != http.StatusNoContent || options.header.Get("Allow") != allow || options.header.Get("Access-Control-Allow-Methods") != allow {
			t.Errorf("%s: OPTIONS gives %d with %v", target, options.status, options.header)
		}
		holds(t, options, "Access-Control-Allow-Headers", "Authorization", "Content-Type", "If-None-Match", "Idempotency-Key", "Range", "If-Range")
		holds(t, options, "Access-Control-Expose-Headers", "ETag", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Content-Range")
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodTrace, "BREW"} {
			if strings.Contains(allow, method) {
				continue
			}
			a := w.do(t, method, target, credential)
			refused(t, a, http.StatusMethodNotAllowed, "method_not_allowed", "")
			if a.header.Get("Allow") != allow {
				t.Errorf("%s %s: Allow is %q", method, target, a.header.Get("Allow"))
			}
		}
	}
}

func headIsGet(t *testing.T, w world, target string, credential http.Header) {
	t.Helper()
	got, head := w.get(t, target, credential), w.do(t, http.MethodHead, target, credential)
	if head.status != got.status || got.status >= 400 {
		t.Errorf("%s: GET gives %d, HEAD %d", target, got.status, head.status)
	}
	for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control", "Location", "Link", "Accept-Ranges"} {
		if head.header.Get(name) != got.header.Get(name) {
			t.Errorf("%s: %s is %q with GET, %q with HEAD", target, name, got.header.Get(name), head.header.Get(name))
		}
	}
}

func holds(t *testing.T, a answer, header string, words ...string) {
	t.Helper()
	list := strings.Split(strings.ReplaceAll(a.header.Get(header), " ", ""), ",")
	for _, word := range words {
		if !slices.Contains(list, word) {
			t.Errorf("%s is %q, without %s", header, a.header.Get(header), word)
		}
	}
}

func TestUnknownAddressesAreJSON(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, target := range []string{"/api/", "/api/nope", "/api/directory", "/api/directory/businesses/a/b", "/api/me/", "/api/geocode",
		"/api/%00", "/api/%FF", "/api/..%2f..%2fetc", "/api//directory/search", "/api/" + strings.Repeat("x", 5000)} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			refused(t, w.do(t, method, target), http.StatusNotFound, "not_found", "")
		}
	}
	one, other := w.get(t, "/api/nope"), w.get(t, "/api/nope")
	if a, b := read[failure](t, one, 404), read[failure](t, other, 404); a.RequestID == b.RequestID || a.RequestID != one.header.Get("X-Request-Id") {
		t.Errorf("request ids are %q and %q, the header says %q", a.RequestID, b.RequestID, one.header.Get("X-Request-Id"))
	}
}

func TestHowLongAnswersMayBeKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	for target, want := range map[string]string{
		"/api": "public, max-age=60", "/api/openapi.json": "public, max-age=60", "/api/directory/categories": "public, max-age=3600",
		"/api/directory/search?q=a": "public, max-age=60", "/api/directory/businesses": "public, max-age=60",
		"/api/directory/businesses/alamo-books": "public, max-age=60", "/api/directory/places": "public, max-age=60",
		"/api/geocode/zip?zip=30303": "public, max-age=86400", "/api/geocode/reverse?lat=1&lng=1": "public, max-age=60",
		"/api/polls": "public, max-age=60", "/api/polls/nothing": "no-store",
		"/api/apps": "public, max-age=60", "/api/apps/nothing": "no-store", "/api/apps/nothing/data/a.json": "no-store",
		"/api/nope": "no-store", "/api/me": "no-store", "/api/directory/businesses?limit=0": "no-store",
		"/api/directory/businesses/nothing": "no-store", "/api/geocode/zip?zip=00000": "no-store",
	} {
		if got := w.get(t, target).header.Get("Cache-Control"); got != want {
			t.Errorf("%s may be kept %q, want %q", target, got, want)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	const target = "/api/directory/businesses"
	first := w.get(t, target)
	tag := first.header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		t.Fatalf("the ETag %q is not a strong one", tag)
	}
	for _, header := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		a := w.get(t, target, http.Header{"If-None-Match": {header}})
		if a.status != http.StatusNotModified || a.header.Get("ETag") != tag || a.header.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("If-None-Match %s gives %d with ETag %s", header, a.status, a.header.Get("ETag"))
		}
	}
	for _, header := range []string{`"other"`, "", strings.Trim(tag, `"`)} {
		if a := w.get(t, target, http.Header{"If-None-Match": {header}}); a.status != http.StatusOK {
			t.Errorf("If-None-Match %q gives %d", header, a.status)
		}
	}
	w.load(t, `{"kind":"business","slug":"new","name":"New"}`)
	if a := w.get(t, target, http.Header{"If-None-Match": {tag}}); a.status != http.StatusOK || a.header.Get("ETag") == tag {
		t.Errorf("after a change the old tag gives %d", a.status)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	gzipped := http.Header{"Accept-Encoding": {"gzip, deflate, br"}}
	plain, packed := w.get(t, "/api/directory/businesses"), w.get(t, "/api/directory/businesses", gzipped)
	if packed.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Encoding") != "" || !bytes.Equal(plain.body, packed.body) {
		t.Errorf("encodings are %q and %q", plain.header.Get("Content-Encoding"), packed.header.Get("Content-Encoding"))
	}
	for _, a := range []answer{plain, packed} {
		if a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Vary is %q", a.header.Get("Vary"))
		}
	}
	tag := packed.header.Get("ETag")
	if tag == plain.header.Get("ETag") {
		t.Errorf("both bodies have the strong tag %s", tag)
	}
	again := w.get(t, "/api/directory/businesses", gzipped, http.Header{"If-None-Match": {tag}})
	if again.status != http.StatusNotModified {
		t.Errorf("the tag of the gzip body gives %d", again.status)
	}
	for _, refusal := range []string{"", "identity", "gzip;q=0", "br"} {
		if a := w.get(t, "/api/directory/businesses", http.Header{"Accept-Encoding": {refusal}}); a.header.Get("Content-Encoding") != "" {
			t.Errorf("Accept-Encoding %q gets %q", refusal, a.header.Get("Content-Encoding"))
		}
	}
	if small := w.get(t, "/api/geocode/zip?zip=30303", gzipped); small.header.Get("Content-Encoding") != "" {
		t.Errorf("%d bytes are compressed", len(small.body))
	}
}

func TestManyAtOnceGetTheSameAnswer(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, street...)
	var group sync.WaitGroup
	tags := make([]string, 64)
	for i := range tags {
		group.Go(func() { tags[i] = w.get(t, "/api/directory/search?q=bakery").header.Get("ETag") })
	}
	group.Wait()
	if distinct := slices.Compact(slices.Sorted(slices.Values(tags))); len(distinct) != 1 || distinct[0] == "" {
		t.Errorf("tags differ: %v", tags)
	}
}

func TestAPIHeaders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, target := range []string{"/api", "/api/nope"} {
		h := w.get(t, target).header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			"Strict-Transport-Security": "max-age=31536000", "Referrer-Policy": "strict-origin-when-cross-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", target, name, h.Get(name), want)
			}
		}
	}
}
