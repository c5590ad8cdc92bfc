package httpx

import (
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"homeplace/core"
)

func query(raw string) *Query { return ParseQuery(queryRequest(raw)) }

func queryRequest(raw string) *http.Request {
	r := httptest.NewRequest("GET", "/api/things", nil)
	r.URL.RawQuery = raw
	return r
}

func problems(err error) map[string]string {
	if err == nil {
		return nil
	}
	return core.AsError(err).Fields
}

func TestQueryPage(t *testing.T) {
	t.Parallel()
	rule := core.PageRule{Default: 24, Max: 100}
	for raw, want := range map[string]core.Page{
		"":                         {Limit: 24},
		"limit=&offset=":           {Limit: 24},
		"limit=&limit=7":           {Limit: 7},
		"limit=5&offset=10":        {Limit: 5, Offset: 10},
		"limit=101":                {Limit: 100},
		"limit=%205":               {Limit: 5},
		"limit=007":                {Limit: 7},
		"offset=99999999999":       {Limit: 24, Offset: core.MaxOffset},
		"unknown=%zz&offset=1":     {Limit: 24, Offset: 1},
		"%zz=1&limit=3;x&limit=3&": {Limit: 24},
	} {
		q := query(raw)
		got := q.Page(rule)
		if err := q.Err(); (err != nil) != strings.Contains(raw, ";") {
			t.Errorf("%q: %v", raw, err)
		}
		if got != want {
			t.Errorf("%q: %+v, want %+v", raw, got, want)
		}
	}
	for _, raw := range []string{"limit=0", "limit=-1", "limit=1.5", "limit=ten", "limit=1e3", "limit=%2B5", "limit=0x10",
		"limit=9999999999999999999999", "limit=5%00", "limit=%ff", "limit=%"} {
		q := query(raw)
		q.Page(rule)
		if problems(q.Err())["limit"] == "" {
			t.Errorf("%q was taken", raw)
		}
	}
	q := query("offset=-1&limit=x")
	q.Page(rule)
	want := map[string]string{"offset": "must be a whole number of at least 0", "limit": "must be a whole number of at least 1"}
	if got := problems(q.Err()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestQueryValues(t *testing.T) {
	t.Parallel()
	q := query("s=+two+words+&n=7&f=-1.5&yes=1&no=false&e=open&l=a,,b&l=b,c&el=x&none=&s=ignored")
	if got := q.String("s"); got != "two words" {
		t.Errorf("String %q", got)
	}
	if got := q.Int("n", 1, 10, 3); got != 7 {
		t.Errorf("Int %d", got)
	}
	if got, ok := q.Float("f", -90, 90); got != -1.5 || !ok {
		t.Errorf("Float %v %v", got, ok)
	}
	if got, ok := q.Bool("yes"); !got || !ok {
		t.Errorf("Bool yes %v %v", got, ok)
	}
	if got, ok := q.Bool("no"); got || !ok {
		t.Errorf("Bool no %v %v", got, ok)
	}
	if got := q.Enum("e", "open", "closed"); got != "open" {
		t.Errorf("Enum %q", got)
	}
	if got := q.List("l"); !reflect.DeepEqual(got, []string{"a", "b", "c"}) {
		t.Errorf("List %q", got)
	}
	if got := q.EnumList("el", "x", "y"); !reflect.DeepEqual(got, []string{"x"}) {
		t.Errorf("EnumList %q", got)
	}
	_, hasNone := q.Bool("none")
	_, hasAbsent := q.Float("absent", 0, 1)
	if hasNone || hasAbsent || q.List("none") != nil || q.Enum("none", "a") != "" || q.Int("none", 1, 2, 9) != 9 {
		t.Error("an empty parameter counted as present")
	}
	if err := q.Err(); err != nil {
		t.Error(err)
	}
	if got, want := q.Asked(), []string{"s", "n", "f", "yes", "no", "e", "l", "el", "none", "absent"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Asked %q, want %q", got, want)
	}
}

func TestQueryGathersProblems(t *testing.T) {
	t.Parallel()
	q := query("n=11&f=NaN&g=Inf&h=0x1p4&i=91&b=yes&e=half&l=a,z&bad=%zz&utf=%ff&nul=a%00")
	q.Int("n", 1, 10, 3)
	for _, name := range []string{"f", "g", "h", "i"} {
		q.Float(name, -90, 90)
	}
	q.Bool("b")
	q.Enum("e", "open", "closed")
	q.EnumList("l", "a", "b")
	q.String("bad")
	q.List("utf")
	q.String("nul")
	q.Problem("nul", "a later message")
	want := map[string]string{
		"n": "must be a whole number from 1 to 10",
		"f": "must be a number from -90 to 90", "g": "must be a number from -90 to 90",
		"h": "must be a number from -90 to 90", "i": "must be a number from -90 to 90",
		"b": "must be true or false", "e": "must be one of: open, closed", "l": "must hold only these: a, b",
		"bad": "is not encoded as an address asks; write a percent sign as %25",
		"utf": "is not valid UTF-8 text", "nul": "contains the control character U+0000; remove it",
	}
	if got := problems(q.Err()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestNextPage(t *testing.T) {
	t.Parallel()
	a, err := NewAddresses("https://example.org/town/")
	if err != nil {
		t.Fatal(err)
	}
	next := func(raw string, total int) string {
		q := query(raw)
		q.String("q")
		q.List("kinds")
		if n := a.Next(queryRequest(raw), q, q.Page(core.PageRule{Default: 10, Max: 50}), total); n != nil {
			return *n
		}
		return ""
	}
	for _, tc := range []struct {
		raw   string
		total int
		want  string
	}{
		{"", 10, ""},
		{"", 11, "https://example.org/town/api/things?limit=10&offset=10"},
		{"q=a+%26+b&zz=1&kinds=x&kinds=y&limit=500", 51, "https://example.org/town/api/things?kinds=x&kinds=y&limit=50&offset=50&q=a+%26+b"},
		{"offset=20&q=", 31, "https://example.org/town/api/things?limit=10&offset=30"},
		{"offset=20", 30, ""},
		{"offset=1000000000", math.MaxInt, ""},
	} {
		if got := next(tc.raw, tc.total); got != tc.want {
			t.Errorf("%q of %d: %s, want %s", tc.raw, tc.total, got, tc.want)
		}
	}
	answer := publicJSON("{}")
	answer.LinkNext(nil)
	if answer.Header != nil {
		t.Error("a Link without a next page")
	}
	url := "https://example.org/x?offset=1"
	answer.LinkNext(&url)
	if got, want := answer.Header.Get("Link"), `<https://example.org/x?offset=1>; rel="next"`; got != want {
		t.Errorf("Link %s, want %s", got, want)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	a, err := NewAddresses(" HTTPS://Example.org:8443/a%20b/ ")
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{
		{a.Base(), "https://example.org:8443/a%20b"},
		{a.API(), "https://example.org:8443/a%20b/api"},
		{a.API("apps", "x", "files", "a/b?.json"), "https://example.org:8443/a%20b/api/apps/x/files/a%2Fb%3F.json"},
		{a.Page("news", "größe"), "https://example.org:8443/a%20b/news/gr%C3%B6%C3%9Fe"},
		{a.Page(), "https://example.org:8443/a%20b/"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("got %s, want %s", pair[0], pair[1])
		}
	}
	if !a.Secure() {
		t.Error("https is not secure")
	}
	for _, base := range []string{"", "example.org", "ftp://example.org", "https://", "https://u:p@example.org", "https://example.org?x",
		"https://example.org?", "https://example.org#x", "http://:80", "http://exa mple.org"} {
		if _, err := NewAddresses(base); err == nil {
			t.Errorf("%q was taken", base)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"limit=5&offset=-1", "q=%zz&kinds=a,b", "lat=1e400&lat=%00", "a=%ff", "&&=;", "limit=+1"} {
		f.Add(seed)
	}
	a, err := NewAddresses("http://localhost:8080")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q := query(raw)
		page := q.Page(core.PageRule{Default: 20, Max: 100})
		lat, ok := q.Float("lat", -90, 90)
		text, kinds := q.String("q"), q.EnumList("kinds", "a", "b")
		if page.Limit < 1 || page.Limit > 100 || page.Offset < 0 || page.Offset > core.MaxOffset {
			t.Fatalf("%q: page %+v", raw, page)
		}
		if ok && !(lat >= -90 && lat <= 90) {
			t.Fatalf("%q: lat %v", raw, lat)
		}
		if strings.ContainsRune(text, 0) {
			t.Fatalf("%q: NUL in %q", raw, text)
		}
		next := a.Next(queryRequest(raw), q, page, math.MaxInt)
		if q.Err() != nil || next == nil {
			return
		}
		u, err := url.Parse(*next)
		if err != nil {
			t.Fatalf("%q: next %q: %v", raw, *next, err)
		}
		after := query(u.RawQuery)
		again := after.Page(core.PageRule{Default: 20, Max: 100})
		if again.Limit != page.Limit || again.Offset != page.Offset+page.Limit || after.String("q") != text ||
			!reflect.DeepEqual(after.EnumList("kinds", "a", "b"), kinds) || after.Err() != nil {
			t.Fatalf("%q: the next page %q loses something", raw, *next)
		}
	})
}
