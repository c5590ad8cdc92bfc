package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/desk"
)

func TestFilesOfAnApp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	// In the order of their change, of 2, 12, 7, 3 and 7 bytes.
	for _, f := range [][2]string{{"b.json", `{}`}, {"Apple.json", `{"kind":"a"}`}, {"7up.json", `[1,2,3]`}, {"apple_pie.json", `[ ]`}, {"c.json", `[4,5,6]`}} {
		w.upload(t, p, "stops", f[0], f[1])
	}
	const byName = "7up.json Apple.json apple_pie.json b.json c.json"
	for query, want := range map[string]string{
		"": byName, "sort=name": byName, "sort=name&dir=asc": byName, "dir=desc": "c.json b.json apple_pie.json Apple.json 7up.json",
		"sort=size":             "b.json apple_pie.json 7up.json c.json Apple.json",
		"sort=size&dir=desc":    "Apple.json 7up.json c.json apple_pie.json b.json",
		"sort=updated":          "b.json Apple.json 7up.json apple_pie.json c.json",
		"sort=updated&dir=desc": "c.json apple_pie.json 7up.json Apple.json b.json",
		"letter=a":              "Apple.json apple_pie.json", "letter=A": "Apple.json apple_pie.json", "letter=%23": "7up.json", "letter=z": "",
		"q=APPLE": "Apple.json apple_pie.json", "q=_": "apple_pie.json", "q=%25": "", "q=pie&letter=b": "", "letter=": byName, "sort=&dir=": byName,
		"limit=2": "7up.json Apple.json", "limit=2&offset=4": "c.json", "limit=9999": byName, "colour=red": byName,
	} {
		if got := read[appPage](t, w.get(t, "/api/apps/stops/files?"+query), http.StatusOK); got.names() != want {
			t.Errorf("%s lists %q, want %q", query, got.names(), want)
		}
	}
	whole := read[map[string]any](t, w.get(t, "/api/apps/stops/files?limit=9999&letter=b"), http.StatusOK)
	file := whole["files"].([]any)[0].(map[string]any)
	for _, field := range []string{"created_at", "updated_at"} {
		if at, ok := file[field].(string); !ok || !strings.HasSuffix(at, "Z") {
			t.Errorf("%s is %v, want a time in UTC", field, file[field])
		}
		delete(file, field)
	}
	want := map[string]any{"app": map[string]any{"slug": "stops"}, "total": 1.0, "limit": 500.0, "offset": 0.0, "next": nil, "files": []any{
		map[string]any{"filename": "b.json", "size_bytes": 2.0, "content_type": "application/json", "url": base + "/api/apps/stops/data/b.json"}}}
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Errorf("the list differs (- wanted, + shown):\n%s", diff)
	}
	if got := read[appPage](t, w.get(t, "/api/apps/stops/files"), http.StatusOK); got.Limit != 100 || got.Total != 5 {
		t.Errorf("limit is %d and total %d by themselves, want 100 and 5", got.Limit, got.Total)
	}
	for bad, says := range map[string]string{
		"sort=date": "name, size, updated", "sort=Name": "name, size, updated", "dir=up": "asc, desc", "letter=ab": "a to z", "letter=%C3%A9": "a to z", "letter=1": "a to z",
		"limit=0": "at least 1", "limit=ten": "whole number", "offset=-1": "at least 0",
	} {
		field, _, _ := strings.Cut(bad, "=")
		if f := refused(t, w.get(t, "/api/apps/stops/files?"+bad), http.StatusBadRequest, "validation_failed", field); !strings.Contains(f.Fields[field], says) {
			t.Errorf("%s says %q, want %q in it", bad, f.Fields[field], says)
		}
	}
	refused(t, w.get(t, "/api/apps/nothing/files"), http.StatusNotFound, "not_found", "")
}

// stored are files whose bytes a careless encoder would change.
var stored = map[string]string{
	"compact":        `{"a":1}`,
	"spaced":         "\n\t{ \"a\" :  1 ,\r\n \"b\":[ ] }  \n\n",
	"escaped":        `{"é":"\u00e9\/\u003c<>&\ud83d\ude00😀","\u0000":"\u0000"}`,
	"numbers":        `[1.0,1e2,-0,0.10,123456789012345678901234567890,1E+2]`,
	"repeated names": `{"a":1,"a":2}`,
	"line separator": "[\"\u2028\u2029\ufeff\"]",
	"deep":           strings.Repeat("[", 64) + strings.Repeat("]", 64),
	"large":          `{"text":"` + strings.Repeat("porch swing ", 20_000) + `"}`,
	"list":           `[]`,
}

func TestDataIsServedByteForByte(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	for name, content := range stored {
		filename := strings.ReplaceAll(name, " ", "_") + ".json"
		w.upload(t, p, "stops", filename, content)
		target := "/api/apps/stops/data/" + filename
		tag := `"` + hexSHA256(content) + `"`
		for _, headers := range []http.Header{{}, {"Accept-Encoding": {"gzip"}}, bearer("tok_nonsense"), {"Range": {"lines=1-2"}}} {
			a := w.get(t, target, headers)
			want := tag
			if a.header.Get("Content-Encoding") == "gzip" {
				want = strings.TrimSuffix(tag, `"`) + `-gzip"`
			}
			if a.status != http.StatusOK || string(a.body) != content || a.header.Get("ETag") != want || a.header.Get("Cache-Control") != "public, max-age=60" ||
				a.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s with %v: %d, %d bytes for %d, %v", name, headers, a.status, len(a.body), len(content), a.header)
			}
			again := w.get(t, target, headers, http.Header{"If-None-Match": {want}})
			if again.status != http.StatusNotModified || again.header.Get("ETag") != want {
				t.Errorf("%s with %v: the own tag gives %d with %s", name, headers, again.status, again.header.Get("ETag"))
			}
		}
		head := w.do(t, http.MethodHead, target)
		if head.status != http.StatusOK || head.header.Get("Content-Length") != strconv.Itoa(len(content)) || head.header.Get("ETag") != tag {
			t.Errorf("%s: HEAD gives %d with %v", name, head.status, head.header)
		}
	}
	most := `["` + strings.Repeat("a", apps.MaxFileBytes-4) + `"]`
	w.upload(t, p, "stops", "most.json", most)
	if a := w.get(t, "/api/apps/stops/data/most.json"); string(a.body) != most || a.header.Get("Content-Length") != "1048576" {
		t.Errorf("of the largest file %d bytes are served with %v", len(a.body), a.header)
	}
	large := w.get(t, "/api/apps/stops/data/large.json", http.Header{"Accept-Encoding": {"gzip"}})
	if large.header.Get("Content-Encoding") != "gzip" {
		t.Error("240 kB are not compressed")
	}
}

func hexSHA256(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestPartsOfData(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	body := `{"letters":"` + strings.Repeat("abcdefghij", 300) + `"}` // 3,014 bytes
	w.upload(t, p, "stops", "letters.json", body)
	tag := `"` + hexSHA256(body) + `"`
	for name, c := range map[string]struct {
		header     http.Header
		status     int
		body, span string
	}{
		"whole":           {http.Header{}, 200, body, ""},
		"the start":       {http.Header{"Range": {"bytes=0-10"}}, 206, `{"letters":`, "bytes 0-10/3014"},
		"to the end":      {http.Header{"Range": {"bytes=3012-"}}, 206, `"}`, "bytes 3012-3013/3014"},
		"the last three":  {http.Header{"Range": {"bytes=-3"}}, 206, `j"}`, "bytes 3011-3013/3014"},
		"past the end":    {http.Header{"Range": {"bytes=3013-9999"}}, 206, `}`, "bytes 3013-3013/3014"},
		"uncompressed":    {http.Header{"Range": {"bytes=0-0"}, "Accept-Encoding": {"gzip"}}, 206, `{`, "bytes 0-0/3014"},
		"of this file":    {http.Header{"Range": {"bytes=0-0"}, "If-Range": {tag}}, 206, `{`, "bytes 0-0/3014"},
		"of another":      {http.Header{"Range": {"bytes=0-0"}, "If-Range": {`"other"`}}, 200, body, ""},
		"of the gzip one": {http.Header{"Range": {"bytes=0-0"}, "If-Range": {strings.TrimSuffix(tag, `"`) + `-gzip"`}}, 200, body, ""},
		"known":           {http.Header{"Range": {"bytes=0-0"}, "If-None-Match": {tag}}, 304, "", ""},
	} {
		for range 2 { // made, and from the cache
			a := w.get(t, "/api/apps/stops/data/letters.json", c.header)
			if a.status != c.status || string(a.body) != c.body || a.header.Get("Content-Range") != c.span || a.header.Get("Accept-Ranges") != "bytes" || a.header.Get("ETag") != tag {
				t.Errorf("%s: %d, %.20q, Content-Range %q, want %d, %.20q, %q", name, a.status, a.body, a.header.Get("Content-Range"), c.status, c.body, c.span)
			}
		}
	}
	outside := w.get(t, "/api/apps/stops/data/letters.json", http.Header{"Range": {"bytes=3014-"}})
	refused(t, outside, http.StatusRequestedRangeNotSatisfiable, "range_not_satisfiable", "")
	if outside.header.Get("Content-Range") != "bytes */3014" || outside.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the refusal has %v", outside.header)
	}
	head := w.do(t, http.MethodHead, "/api/apps/stops/data/letters.json", http.Header{"Range": {"bytes=0-10"}})
	if head.status != http.StatusPartialContent || head.header.Get("Content-Length") != "11" {
		t.Errorf("HEAD of a part gives %d with %v", head.status, head.header)
	}
	options := w.do(t, http.MethodOptions, "/api/apps/stops/data/letters.json", http.Header{"Origin": {"https://elsewhere.test"}})
	holds(t, options, "Access-Control-Allow-Headers", "Range", "If-Range", "If-None-Match")
}

func TestVersionsOfData(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	const target = "/api/apps/stops/data/a.json"
	versions := []string{`{"v":1}`, `{"v":2}`, `{"v":3}`}
	for _, content := range versions {
		w.upload(t, p, "stops", "a.json", content)
		if a := w.get(t, target); string(a.body) != content {
			t.Errorf("after the upload %s is served, want %s", a.body, content)
		}
	}
	for n, content := range versions {
		a := w.get(t, fmt.Sprintf("%s?version=%d", target, n+1))
		if a.status != http.StatusOK || string(a.body) != content || a.header.Get("ETag") != `"`+hexSHA256(content)+`"` {
			t.Errorf("version %d gives %d %s", n+1, a.status, a.body)
		}
	}
	if a := w.get(t, target+"?version="); string(a.body) != versions[2] {
		t.Errorf("an empty version gives %s", a.body)
	}
	for _, unknown := range []string{"4", "2147483647", "2147483648", "9223372036854775807"} {
		refused(t, w.get(t, target+"?version="+unknown), http.StatusNotFound, "not_found", "")
	}
	for _, wrong := range []string{"0", "-1", "x", "1.0", "%2B1", "1e3", "0x1", "9223372036854775808", "%FF", "%00"} {
		refused(t, w.get(t, target+"?version="+wrong), http.StatusBadRequest, "validation_failed", "version")
	}
	refused(t, w.get(t, "/api/apps/stops/data/b.json"), http.StatusNotFound, "not_found", "")
	refused(t, w.get(t, "/api/apps/nothing/data/a.json"), http.StatusNotFound, "not_found", "")
}

// Whatever takes an app out of the public takes its files out on every
// instance at once, and back.
func TestAppLeavesThePublicEverywhere(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	listen(t, w.database.DB)
	there := newInstance(t, w.database.Instance(t))
	a, err := w.apps.Create(t.Context(), p.owner, apps.Input{Slug: "stops", Name: "Stops"})
	if err != nil {
		t.Fatal(err)
	}
	about := core.Target{Type: "app", ID: a.ID}
	w.decided(t, p.staff, about, core.ActionReject, "It has gone stale.")
	restored := w.decided(t, p.staff, about, core.ActionRestore, "")
	w.upload(t, p, "stops", "a.json", `{"v":1}`)
	w.upload(t, p, "stops", "a.json", `{"v":2}`)
	targets := []string{"/api/apps/stops", "/api/apps/stops/files", "/api/apps/stops/data/a.json", "/api/apps/stops/data/a.json?version=1"}
	all := func(in instance, status int) bool {
		for _, target := range targets {
			for _, headers := range []http.Header{{}, bearer(p.ownerToken), bearer(p.staffToken), {"If-None-Match": {"*"}}, {"Range": {"bytes=0-1"}}} {
				got := in.get(t, target, headers).status
				if (got == http.StatusNotFound) != (status == http.StatusNotFound) {
					return false
				}
			}
		}
		return (read[appPage](t, in.get(t, "/api/apps"), http.StatusOK).Total == 0) == (status == http.StatusNotFound)
	}
	ctx := t.Context()
	for _, change := range []struct {
		what      string
		out, back func() error
	}{
		{"switched off", func() error { return second(there.apps.SetAPI(ctx, p.owner, "stops", false)) },
			func() error { return second(there.apps.SetAPI(ctx, p.owner, "stops", true)) }},
		{"hidden", func() error { return there.apps.Hide(ctx, p.staff, "stops") },
			func() error { return there.apps.Unhide(ctx, p.staff, "stops") }},
		{"refused again", func() error { return second(there.desk.Undo(ctx, p.staff, restored.Batch)) }, func() error {
			return second(there.desk.Decide(ctx, p.staff, desk.Decision{Targets: []core.Target{about}, Action: core.ActionRestore}))
		}},
		{"removed", func() error { return there.apps.Delete(ctx, p.owner, "stops") }, nil},
	} {
		eventually(t, "public before it is "+change.what, func() bool { return all(w.instance, http.StatusOK) && all(there, http.StatusOK) })
		if err := change.out(); err != nil {
			t.Fatalf("%s: %v", change.what, err)
		}
		if !all(there, http.StatusNotFound) {
			t.Errorf("%s: the writing instance itself still shows it", change.what)
		}
		eventually(t, change.what, func() bool { return all(w.instance, http.StatusNotFound) })
		refused(t, w.submit(t, "/api/apps/stops/submit", p.otherToken, `{"filename":"a.json","content":{}}`), http.StatusNotFound, "not_found", "")
		if change.back == nil {
			break
		}
		if err := change.back(); err != nil {
			t.Fatalf("not %s any more: %v", change.what, err)
		}
	}
}

func TestManyReadersGetTheSameBytes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	body := `{"text":"` + strings.Repeat("porch swing ", 50_000) + `"}`
	w.upload(t, p, "stops", "a.json", body)
	var group sync.WaitGroup
	wrong := make([]bool, 32)
	for i := range wrong {
		group.Go(func() {
			header := http.Header{}
			if i%2 == 0 {
				header.Set("Accept-Encoding", "gzip")
			}
			wrong[i] = !bytes.Equal(w.get(t, "/api/apps/stops/data/a.json", header).body, []byte(body))
		})
	}
	group.Wait()
	if slices.Contains(wrong, true) {
		t.Error("somebody got other bytes")
	}
}

func TestMeKnowsAppOwners(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	owns := func(token string) bool {
		return read[me](t, w.get(t, "/api/me", bearer(token)), http.StatusOK).Roles.AppOwner
	}
	if owns(p.ownerToken) {
		t.Error("nobody has an app yet")
	}
	if _, err := w.apps.Create(t.Context(), p.owner, apps.Input{Slug: "waiting", Name: "Waiting"}); err != nil {
		t.Fatal(err)
	}
	if !owns(p.ownerToken) || owns(p.otherToken) || owns(p.staffToken) {
		t.Error("the owner of a pending app, and nobody else, owns an app")
	}
	if err := w.apps.Delete(t.Context(), core.TheSystem(), "waiting"); err != nil {
		t.Fatal(err)
	}
	if owns(p.ownerToken) {
		t.Error("the app is gone")
	}
}
