package httpx

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestPartsOfAFile(t *testing.T) {
	t.Parallel()
	body := `{"letters":"` + strings.Repeat("abcdefghij", 300) + `"}` // 3,014 bytes: enough to be compressed
	file := &Answer{Status: 200, ContentType: "application/json", Body: []byte(body), Cache: Public(time.Minute), File: &File{Tag: "c0ffee"}}
	for name, c := range map[string]struct {
		headers    []string
		status     int
		body, span string
	}{
		"whole":               {nil, 200, body, ""},
		"from the start":      {[]string{"Range", "bytes=0-10"}, 206, `{"letters":`, "bytes 0-10/3014"},
		"from the end":        {[]string{"Range", "bytes=-3"}, 206, `j"}`, "bytes 3011-3013/3014"},
		"never compressed":    {[]string{"Range", "bytes=0-1", "Accept-Encoding", "gzip"}, 206, `{"`, "bytes 0-1/3014"},
		"of this file still":  {[]string{"Range", "bytes=0-1", "If-Range", `"c0ffee"`}, 206, `{"`, "bytes 0-1/3014"},
		"of an older file":    {[]string{"Range", "bytes=0-1", "If-Range", `"decaf"`}, 200, body, ""},
		"known already":       {[]string{"Range", "bytes=0-1", "If-None-Match", `"c0ffee"`}, 304, "", ""},
		"another unit":        {[]string{"Range", "lines=0-1"}, 200, body, ""},
		"past the end":        {[]string{"Range", "bytes=5000-"}, 416, "", "bytes */3014"},
		"the whole, known":    {[]string{"If-None-Match", `"c0ffee"`}, 304, "", ""},
		"the whole, known gz": {[]string{"If-None-Match", `"c0ffee-gzip"`}, 304, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := get(t, file, c.headers...)
			got := text(t, r.Body)
			if r.StatusCode != c.status || (c.status != 416 && got != c.body) || r.Header.Get("Content-Range") != c.span {
				t.Errorf("got %d, %d bytes %.20q, Content-Range %q; want %d, %d bytes, %q",
					r.StatusCode, len(got), got, r.Header.Get("Content-Range"), c.status, len(c.body), c.span)
			}
			if c.status == 416 {
				var e struct{ Error, Code string }
				if err := json.Unmarshal([]byte(got), &e); err != nil || e.Code != "range_not_satisfiable" || !strings.Contains(e.Error, "3014 bytes") {
					t.Errorf("the error is %s (%v)", got, err)
				}
				return
			}
			if r.Header.Get("Etag") != `"c0ffee"` || r.Header.Get("Accept-Ranges") != "bytes" {
				t.Errorf("ETag %q, Accept-Ranges %q", r.Header.Get("Etag"), r.Header.Get("Accept-Ranges"))
			}
		})
	}
}

func TestOnlyFilesHaveParts(t *testing.T) {
	t.Parallel()
	r := get(t, publicJSON(`{"a":1}`), "Range", "bytes=0-1")
	if got := text(t, r.Body); r.StatusCode != 200 || got != `{"a":1}` || r.Header.Get("Accept-Ranges") != "" {
		t.Errorf("got %d %s, Accept-Ranges %q", r.StatusCode, got, r.Header.Get("Accept-Ranges"))
	}
}
