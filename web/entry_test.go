package web_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"homeplace/core/directory"

	"golang.org/x/net/html"
)

const blueHeron = `{"kind":"business","slug":"blue-heron","name":"Blue </script><b>Heron","category":"bakery","summary":"Pies & bread","description":"Three **ovens**.","city":"Atlanta","region":"GA","zip":"30303","country":"US","lat":33.7553,"lng":-84.3799,"phone":"(404) 555-0142","website":"https://www.blueheron.example/","email":"hi@blueheron.example","verified":true,"year_start":1998,"tags":["rye"],"links":[{"label":"Menu","url":"https://blueheron.example/menu"}],"hours":{"mon":[["00:00","00:00"]],"tue":[["00:00","00:00"]],"wed":[["00:00","00:00"]],"thu":[["00:00","00:00"]],"fri":[["00:00","00:00"]],"sat":[["00:00","00:00"]],"sun":[["00:00","00:00"]],"timezone":"America/New_York"}}`

var around = []string{blueHeron,
	`{"kind":"business","slug":"zora-lane","name":"Zora Lane","lat":33.7661,"lng":-84.3799}`, // 0.0108° north: 1.2 km
	`{"kind":"person","slug":"a-person","name":"Sarah Breedlove","category":"","year_start":1867,"year_end":1919}`,
	`{"kind":"event","slug":"fair","name":"Fair, with; all \\ of it and a name that is long enough to be folded ọ̀ọ̀ọ̀","summary":"First line","starts_at":"2090-06-01T16:00:00Z","ends_at":"2090-06-02T01:00:00Z","city":"Atlanta","region":"GA"}`,
	`{"kind":"landmark","slug":"old-mill","name":"Old Mill"}`, `{"kind":"service","slug":"legal-aid","name":"Legal Aid"}`,
}

func TestEntryPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, around...)
	tree := w.page(t, "/directory/businesses/blue-heron", 200)
	seen := text(tree)
	for _, want := range []string{"Blue </script><b>Heron", "Pies & bread", "Verified", "Open now day and night", "Every day open 24 hours", "Atlanta, GA 30303", "(404) 555-0142",
		"blueheron.example", "Since 1998", "Three ovens", "Around the corner", "1.2 km", "Zora Lane", "Suggest an edit", "Still open? Tell us"} {
		if !strings.Contains(seen, want) {
			t.Errorf("the page lacks %q: %s", want, seen)
		}
	}
	all := linksByText(tree)
	for words, want := range map[string]string{"(404) 555-0142": "tel:+14045550142", "Suggest an edit": "/directory/businesses/blue-heron/edit",
		"Still open? Tell us": "/directory/businesses/blue-heron/still-open", "rye": "/search?q=rye", "Menu": "https://blueheron.example/menu"} {
		if all[words] != want {
			t.Errorf("%q leads to %q, want %q", words, all[words], want)
		}
	}
	if seen := text(w.page(t, "/directory/people/a-person", 200)); !strings.Contains(seen, "1867–1919") || strings.Contains(seen, "Still open?") {
		t.Errorf("a person: %s", seen)
	}
	if seen := text(w.page(t, "/directory/events/fair", 200)); !strings.Contains(seen, "Thursday, June 1, 2090, noon to 9 pm (EDT)") {
		t.Errorf("an event: %s", seen)
	}
	w.page(t, "/directory/people/blue-heron", 404)
}

func TestEntrySchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, around...)
	for target, kind := range map[string]string{"/directory/businesses/blue-heron": "Bakery", "/directory/people/a-person": "Person", "/directory/events/fair": "Event",
		"/directory/businesses/zora-lane": "LocalBusiness", "/directory/landmarks/old-mill": "LandmarksOrHistoricalBuildings", "/directory/services/legal-aid": "Service"} {
		tree := w.page(t, target, 200)
		var schema map[string]any
		for _, n := range elements(tree, "script") {
			if is, _ := attribute(n, "type"); is == "application/ld+json" {
				if err := json.Unmarshal([]byte(n.FirstChild.Data), &schema); err != nil {
					t.Errorf("%s: %v in %s", target, err, n.FirstChild.Data)
				}
			}
		}
		if schema["@type"] != kind || schema["name"] != text(elements(tree, "h1")[0]) {
			t.Errorf("%s is %v %q", target, schema["@type"], schema["name"])
		}
		if len(elements(tree, "b")) > 0 && strings.Contains(target, "heron") && text(elements(tree, "b")[0]) == "Heron" {
			t.Error("a name became markup")
		}
	}
}

func TestHiddenEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, blueHeron)
	mod := w.moderator(t, "mod")
	e, err := w.Directory.Get(t.Context(), directory.KindBusiness, "blue-heron")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Directory.Hide(t.Context(), mod.Viewer(), e.ID); err != nil {
		t.Fatal(err)
	}
	const target = "/directory/businesses/blue-heron"
	w.page(t, target, 404)
	w.as(t, w.account(t, "other")).page(target, 404)
	if seen := text(w.as(t, mod).page(target, 200)); !strings.Contains(seen, "This listing is hidden") {
		t.Errorf("a moderator sees %s", seen)
	}
	if a := w.do(http.MethodGet, "/preview/businesses/blue-heron.png"); a.Code != http.StatusNotFound {
		t.Errorf("its picture gives %d", a.Code)
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, around...)
	w.load(t, `{"kind":"business","slug":"long-name","name":"`+strings.Repeat("Ọṣun Wordwithoutend", 6)+`"}`, `{"kind":"business","slug":"signs","name":"名前 名前"}`)
	for _, file := range []string{"businesses/blue-heron", "events/fair", "businesses/long-name", "businesses/signs"} {
		a := w.do(http.MethodGet, "/preview/"+file+".png")
		picture, err := png.Decode(bytes.NewReader(a.Body.Bytes()))
		if err != nil || a.Code != http.StatusOK || a.Header().Get("Content-Type") != "image/png" {
			t.Fatalf("%s: %d %v", file, a.Code, err)
		}
		if b := picture.Bounds(); b.Dx() != 1200 || b.Dy() != 630 {
			t.Errorf("%s is %v", file, b)
		}
	}
	for _, file := range []string{"businesses/nobody.png", "businesses/blue-heron", "nonsense/blue-heron.png", "businesses/..png"} {
		if a := w.do(http.MethodGet, "/preview/"+file); a.Code != http.StatusNotFound {
			t.Errorf("%s gives %d", file, a.Code)
		}
	}
}

func TestCalendars(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, around...)
	for _, target := range []string{"/events.ics", "/directory/events/fair.ics"} {
		a := w.do(http.MethodGet, target)
		body := a.Body.String()
		if a.Code != http.StatusOK || a.Header().Get("Content-Type") != "text/calendar; charset=utf-8" {
			t.Fatalf("%s gives %d, %s", target, a.Code, a.Header().Get("Content-Type"))
		}
		if !strings.HasSuffix(body, "END:VCALENDAR\r\n") || strings.Contains(strings.ReplaceAll(body, "\r\n", ""), "\n") {
			t.Errorf("%s has other line breaks than CR LF", target)
		}
		for _, line := range strings.Split(body, "\r\n") {
			if len(line) > 75 || !strings.Contains(line+":", ":") {
				t.Errorf("a line of %d bytes: %q", len(line), line)
			}
		}
		whole := strings.ReplaceAll(body, "\r\n ", "")
		for _, want := range []string{"DTSTART:20900601T160000Z\r\n", "DTEND:20900602T010000Z\r\n", `SUMMARY:Fair\, with\; all \\ of it and a name that is long enough to be folded ọ̀ọ̀ọ̀` + "\r\n"} {
			if !strings.Contains(whole, want) {
				t.Errorf("%s lacks %q: %s", target, want, whole)
			}
		}
	}
	if a := w.do(http.MethodGet, "/directory/businesses/blue-heron.ics"); a.Code != http.StatusNotFound {
		t.Errorf("a business in the calendar gives %d", a.Code)
	}
}

func TestSitemap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, many(1200)...)
	index := w.do(http.MethodGet, "/sitemap.xml")
	if files := locations(t, index.Body); len(files) != 5 || files[3] != base+"/sitemaps/polls.xml" || files[4] != base+"/sitemaps/reviews.xml" || files[0] != base+"/sitemaps/start.xml" || files[1] != base+"/sitemaps/apps.xml" || files[2] != base+"/sitemaps/sayings.xml" {
		t.Errorf("the index names %v", files)
	}
	all := locations(t, w.do(http.MethodGet, "/sitemaps/start.xml").Body)
	seen := map[string]bool{}
	for _, address := range all {
		seen[address] = true
	}
	if len(all) != len(seen) || len(all) != 1213 || !seen[base+"/directory/businesses/shop-1199"] || !seen[base+"/"] {
		t.Errorf("%d addresses, %d different", len(all), len(seen))
	}
	polls := locations(t, w.do(http.MethodGet, "/sitemaps/polls.xml").Body)
	if len(polls) != 2 || polls[0] != base+"/polls" || !strings.HasPrefix(polls[1], base+"/polls/daily-") {
		t.Errorf("the polls are at %v", polls)
	}
	for _, file := range []string{"nonsense.xml", "start", "00000000-0000-0000-0000-00000000000.xml"} {
		if a := w.do(http.MethodGet, "/sitemaps/"+file); a.Code != http.StatusNotFound {
			t.Errorf("%s gives %d", file, a.Code)
		}
	}
}

func locations(t *testing.T, r io.Reader) (list []string) {
	t.Helper()
	decoder := xml.NewDecoder(r)
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "loc" {
			var address string
			if err := decoder.DecodeElement(&address, &start); err != nil {
				t.Fatal(err)
			}
			list = append(list, address)
		}
	}
}

func TestManifestAndRobots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.do(http.MethodGet, "/site.webmanifest")
	var manifest struct {
		Name  string
		Icons []struct{ Src string }
	}
	if err := json.Unmarshal(a.Body.Bytes(), &manifest); err != nil || manifest.Name != "Homeplace" || len(manifest.Icons) != 2 {
		t.Errorf("%v: %s", err, a.Body)
	}
	for _, icon := range manifest.Icons {
		if got := w.do(http.MethodGet, icon.Src); got.Code != http.StatusOK {
			t.Errorf("%s gives %d", icon.Src, got.Code)
		}
	}
	if robots := w.do(http.MethodGet, "/robots.txt").Body.String(); !strings.Contains(robots, "Sitemap: "+base+"/sitemap.xml\n") {
		t.Errorf("robots.txt: %s", robots)
	}
}

func TestSearchPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, around...)
	w.load(t, many(45)...)
	rows := func(target string) (int, string, *html.Node) {
		tree := w.page(t, target, 200)
		return len(byClass(tree, "row")), text(tree), tree
	}
	if n, seen, _ := rows("/search"); n != 0 || !strings.Contains(seen, "Some ideas") {
		t.Errorf("without a question: %s", seen)
	}
	if n, seen, tree := rows("/search?q=shop&where=Atlanta"); n != 20 || !strings.Contains(seen, "Looking in Atlanta, GA") || linksByText(tree)["Next"] != "/search?page=2&q=shop&where=Atlanta" {
		t.Errorf("shops in Atlanta: %d, %.400s", n, seen)
	}
	if _, seen, _ := rows("/search?q=shop&where=30303"); !strings.Contains(seen, "Around Atlanta, the nearest city to 30303") {
		t.Errorf("near a ZIP: %.400s", seen)
	}
	if n, seen, _ := rows("/search?q=Breedlov"); n != 1 {
		t.Errorf("a person: %s", seen)
	}
	if n, _, _ := rows("/search?q=Sarah&kinds=business"); n != 0 {
		t.Error("a tab shows other kinds")
	}
	if n, seen, _ := rows("/search?q=breedlvoe"); n != 1 || !strings.Contains(seen, "Showing results for") {
		t.Errorf("a slip of the finger: %s", seen)
	}
	if _, seen, _ := rows("/search?q=zeppelin&where=Macon,+GA"); !strings.Contains(seen, "Nothing fits yet") || !strings.Contains(seen, "Look nearby") || !strings.Contains(seen, "Add a listing") {
		t.Errorf("nothing fits: %s", seen)
	}
	for _, strange := range []string{"%00", "%FF%FE", "%zz", "'%22%3Cscript%3E", strings.Repeat("a+", 900), "&kinds=nonsense&page=-5", "shop&page=999999999999", "%F0%9F%8D%9E", "in+in+in", "*:%26|!()"} {
		rows("/search?q=" + strange)
		rows("/search?where=" + strange)
	}
}
