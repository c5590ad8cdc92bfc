package demo

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type entry struct {
	Slug        string                     `json:"slug"`
	Name        string                     `json:"name"`
	Kind        string                     `json:"kind"`
	Category    string                     `json:"category"`
	Summary     string                     `json:"summary"`
	Description string                     `json:"description"`
	Address     string                     `json:"address"`
	City        string                     `json:"city"`
	Region      string                     `json:"region"`
	Country     string                     `json:"country"`
	Zip         string                     `json:"zip"`
	Lat         float64                    `json:"lat"`
	Lng         float64                    `json:"lng"`
	Phone       string                     `json:"phone"`
	Website     string                     `json:"website"`
	Email       string                     `json:"email"`
	Tags        []string                   `json:"tags"`
	Hours       map[string]json.RawMessage `json:"hours"`
	Links       []link                     `json:"links"`
	Verified    bool                       `json:"verified"`
	YearStart   int                        `json:"year_start"`
	YearEnd     int                        `json:"year_end"`
	StartsAt    string                     `json:"starts_at"`
	EndsAt      string                     `json:"ends_at"`
}

type link struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// entries reads the resolved directory; a field that the site does not know is an error.
func entries(t *testing.T, today time.Time) []entry {
	t.Helper()
	data, err := Directory(today)
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(data) || bytes.ContainsRune(data, '\r') {
		t.Error("directory is not UTF-8 with LF line ends")
	}
	var all []entry
	for line := range bytes.Lines(data) {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var e entry
		if err := dec.Decode(&e); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, e)
	}
	return all
}

func TestDirectoryHasTheMixOfATown(t *testing.T) {
	t.Parallel()
	kinds, cities := map[string]int{}, map[string]int{}
	for _, e := range entries(t, time.Now()) {
		kinds[e.Kind]++
		cities[e.City]++
	}
	for kind, atLeast := range map[string]int{"business": 55, "service": 28, "landmark": 26, "person": 20, "event": 15} {
		if kinds[kind] < atLeast {
			t.Errorf("%d entries of kind %s, want at least %d", kinds[kind], kind, atLeast)
		}
	}
	if len(kinds) != 5 {
		t.Errorf("kinds %v, want the five of the directory", kinds)
	}
	if len(cities) < 14 {
		t.Errorf("%d cities, want at least 14", len(cities))
	}
	for _, city := range []string{"Atlanta", "Detroit", "Chicago"} {
		if n := cities[city]; n < 10 || n > 14 {
			t.Errorf("%d entries in %s, want 10 to 14", n, city)
		}
	}
}

func TestEntriesAreCompleteAndDistinct(t *testing.T) {
	t.Parallel()
	slug := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]string{}
	for _, e := range entries(t, time.Now()) {
		if !slug.MatchString(e.Slug) || len(e.Slug) < 2 || len(e.Slug) > 80 {
			t.Errorf("slug %q is not lower-case words joined by hyphens, 2 to 80 long", e.Slug)
		}
		for field, value := range map[string]string{"slug": e.Slug, "summary": e.Summary, "description": e.Description} {
			if other, ok := seen[field+value]; ok {
				t.Errorf("%s and %s have the same %s", e.Slug, other, field)
			}
			seen[field+value] = e.Slug
		}
		if n := utf8.RuneCountInString(e.Summary); n == 0 || n > 220 {
			t.Errorf("%s: summary of %d characters, want 1 to 220", e.Slug, n)
		}
		if n := utf8.RuneCountInString(e.Description); n < 300 || n > 900 {
			t.Errorf("%s: description of %d characters, want 300 to 900", e.Slug, n)
		}
		if n := len(e.Tags); n < 2 || n > 5 {
			t.Errorf("%s: %d tags, want 2 to 5", e.Slug, n)
		}
		if e.Name == "" || e.City == "" || len(e.Region) != 2 || e.Country != "US" || len(e.Zip) != 5 {
			t.Errorf("%s: name or place is incomplete", e.Slug)
		}
		if e.Lat < 24 || e.Lat > 50 || e.Lng < -125 || e.Lng > -66 {
			t.Errorf("%s: %v, %v is outside the lower forty-eight", e.Slug, e.Lat, e.Lng)
		}
		for _, l := range e.Links {
			if l.Label == "" || !strings.HasPrefix(l.URL, "https://") {
				t.Errorf("%s: link %+v is incomplete", e.Slug, l)
			}
		}
	}
}

func TestInventedContactsReachNobody(t *testing.T) {
	t.Parallel()
	phone := regexp.MustCompile(`^\([2-9]\d\d\) 555-01\d\d$`)
	website := regexp.MustCompile(`^https://[a-z0-9]+\.example(/|$)`)
	email := regexp.MustCompile(`^[a-z]+@[a-z0-9]+\.example$`)
	phones := map[string]string{}
	for _, e := range entries(t, time.Now()) {
		if e.Phone != "" {
			if !phone.MatchString(e.Phone) {
				t.Errorf("%s: phone %q is not in the range kept for fiction", e.Slug, e.Phone)
			}
			if other, ok := phones[e.Phone]; ok {
				t.Errorf("%s and %s share %s", e.Slug, other, e.Phone)
			}
			phones[e.Phone] = e.Slug
		}
		if e.Email != "" && !email.MatchString(e.Email) {
			t.Errorf("%s: email %q is not under .example", e.Slug, e.Email)
		}
		if e.Website != "" && e.Kind != "landmark" && !website.MatchString(e.Website) {
			t.Errorf("%s: website %q is not under .example", e.Slug, e.Website)
		}
		if e.Kind == "person" && (e.Phone != "" || e.Website != "" || e.Hours != nil || e.YearStart >= e.YearEnd) {
			t.Errorf("%s: a person has years of birth and death and nothing to call", e.Slug)
		}
	}
}

func TestCategoriesAreCurated(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("..", "core", "directory", "categories.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	curated := map[[2]string]bool{}
	for _, row := range rows[1:] {
		for _, slug := range append(strings.Split(row[3], ";"), row[1]) {
			curated[[2]string{row[0], slug}] = true
		}
	}
	for _, e := range entries(t, time.Now()) {
		if !curated[[2]string{e.Kind, e.Category}] {
			t.Errorf("%s: %s is not a curated %s category", e.Slug, e.Category, e.Kind)
		}
	}
}

func TestHoursAreWellFormed(t *testing.T) {
	t.Parallel()
	clock := regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)
	days := []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	for _, e := range entries(t, time.Now()) {
		if e.Hours == nil {
			continue
		}
		for _, day := range days {
			var spans [][]string
			if err := json.Unmarshal(e.Hours[day], &spans); err != nil || spans == nil {
				t.Errorf("%s: hours of %s are %s", e.Slug, day, e.Hours[day])
			}
			for _, span := range spans {
				if len(span) != 2 || !clock.MatchString(span[0]) || !clock.MatchString(span[1]) || span[0] == span[1] {
					t.Errorf("%s: %v on %s is not an opening and a closing time", e.Slug, span, day)
				}
			}
		}
		var zone string
		if err := json.Unmarshal(e.Hours["timezone"], &zone); err != nil {
			t.Errorf("%s: timezone of the hours: %v", e.Slug, err)
		} else if _, err := time.LoadLocation(zone); err != nil || zone == "" {
			t.Errorf("%s: timezone %q of the hours is unknown", e.Slug, zone)
		}
		for key := range e.Hours {
			if !slices.Contains(days, key) && key != "timezone" && key != "note" {
				t.Errorf("%s: hours have an unknown key %q", e.Slug, key)
			}
		}
	}
}

func TestEventsAreAlwaysAhead(t *testing.T) {
	t.Parallel()
	for _, today := range []time.Time{
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 3, 7, 23, 59, 59, 0, time.UTC),
		time.Date(2028, 2, 28, 12, 0, 0, 0, time.UTC),
		time.Date(2031, 12, 31, 23, 59, 59, 0, time.FixedZone("west", -11*3600)),
		time.Date(2032, 6, 1, 0, 0, 1, 0, time.FixedZone("east", 14*3600)),
		time.Now(),
	} {
		for _, e := range entries(t, today) {
			if (e.Kind == "event") != (e.StartsAt != "") {
				t.Errorf("%s: a %s starts at %q", e.Slug, e.Kind, e.StartsAt)
			}
			if e.Kind != "event" {
				continue
			}
			starts, err := time.Parse(time.RFC3339, e.StartsAt)
			if err != nil {
				t.Fatalf("%s: %v", e.Slug, err)
			}
			ends, err := time.Parse(time.RFC3339, e.EndsAt)
			if err != nil {
				t.Fatalf("%s: %v", e.Slug, err)
			}
			if !starts.After(today) || starts.After(today.AddDate(0, 0, 77)) || !ends.After(starts) {
				t.Errorf("%s: %s to %s, seen from %s", e.Slug, e.StartsAt, e.EndsAt, today)
			}
		}
	}
}

func TestOnDay(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	evening := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	for _, c := range []struct{ relative, want string }{
		{"+1d 09:30", "2026-03-02T09:30:00-05:00"},
		{"+12d 18:00", "2026-03-13T18:00:00-04:00"}, // clocks change on 8 March
		{"+31d 00:15", "2026-04-01T00:15:00-04:00"},
	} {
		got, err := onDay(c.relative, evening, newYork)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("onDay(%q) = %s, %v, want %s", c.relative, got.Format(time.RFC3339), err, c.want)
		}
	}
	for _, bad := range []string{"", "+12d", "12d 18:00", "-1d 18:00", "+12d 25:00", "tomorrow", "+xd 18:00"} {
		if got, err := onDay(bad, evening, newYork); err == nil {
			t.Errorf("onDay(%q) = %s, want an error", bad, got)
		}
	}
}

func TestAppsAndTheirFiles(t *testing.T) {
	t.Parallel()
	type row struct {
		Slug, Name, Summary, Description, App, Filename, Content, Schema string
		HomepageURL                                                      string `json:"homepage_url"`
	}
	read := func(data []byte) (rows []row) {
		t.Helper()
		for line := range bytes.Lines(data) {
			var r row
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatalf("%.80s: %v", line, err)
			}
			rows = append(rows, r)
		}
		return rows
	}
	files, schemas := map[string]int{}, 0
	for _, f := range read(AppFiles()) {
		files[f.App]++
		if !json.Valid([]byte(f.Content)) || !strings.HasSuffix(f.Filename, ".json") {
			t.Errorf("%s of %s is not JSON", f.Filename, f.App)
		}
		if f.Schema != "" {
			schemas++
		}
	}
	list := read(Apps())
	if len(list) < 8 || len(files) != len(list) || schemas == 0 {
		t.Errorf("%d apps, %d of them with files, %d schemas", len(list), len(files), schemas)
	}
	for _, a := range list {
		if n := files[a.Slug]; n < 2 || n > 6 {
			t.Errorf("%s has %d files, want 2 to 6", a.Slug, n)
		}
		if a.Name == "" || a.Summary == "" || utf8.RuneCountInString(a.Summary) > 200 || a.Description == "" || !strings.HasSuffix(a.HomepageURL, ".example/") {
			t.Errorf("%s is incomplete", a.Slug)
		}
	}
}

func TestSayingsAreWholeAndDistinct(t *testing.T) {
	t.Parallel()
	seen, regions := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(Sayings()) {
		var s struct{ Text, Meaning, Attribution, Region, Category string }
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, part := range []string{s.Text, s.Meaning, s.Attribution, s.Region, s.Category} {
			if strings.TrimSpace(part) == "" || strings.TrimSpace(part) != part {
				t.Errorf("%q lacks something", s.Text)
			}
		}
		if seen[strings.ToLower(s.Text)] {
			t.Errorf("%q comes twice", s.Text)
		}
		seen[strings.ToLower(s.Text)], regions[s.Region] = true, true
	}
	if len(seen) < 60 || len(regions) < 10 {
		t.Errorf("%d sayings of %d regions", len(seen), len(regions))
	}
}

func TestProductsAndTheirReviews(t *testing.T) {
	t.Parallel()
	type row struct {
		Slug, Name, Maker, Category, Summary, Website, Author, Body string
		ProductSlug                                                 string `json:"product_slug"`
		Rating                                                      int
	}
	read := func(data []byte) (rows []row) {
		t.Helper()
		for line := range bytes.Lines(data) {
			var r row
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatalf("%.80s: %v", line, err)
			}
			rows = append(rows, r)
		}
		return rows
	}
	website := regexp.MustCompile(`^(https://[a-z0-9]+\.example/.*)?$`)
	reviewed := map[string]int{}
	for _, p := range read(Products()) {
		reviewed[p.Slug] = 0
		if p.Name == "" || p.Maker == "" || p.Category == "" || utf8.RuneCountInString(p.Summary) < 60 || !website.MatchString(p.Website) {
			t.Errorf("%s is incomplete, or leads to somebody", p.Slug)
		}
	}
	list, said := read(Reviews()), map[string]bool{}
	for _, r := range list {
		if _, known := reviewed[r.ProductSlug]; !known || r.Author == "" || r.Rating < 1 || r.Rating > 5 || utf8.RuneCountInString(r.Body) < 40 || said[r.Body] {
			t.Errorf("the review of %s by %s is incomplete, or comes twice", r.ProductSlug, r.Author)
		}
		reviewed[r.ProductSlug]++
		said[r.Body] = true
	}
	for slug, n := range reviewed {
		if n == 0 {
			t.Errorf("nobody says anything of %s", slug)
		}
	}
	if len(reviewed) < 8 || len(reviewed) > 12 || len(list) < 18 {
		t.Errorf("%d products, %d reviews", len(reviewed), len(list))
	}
}

func TestShoutOutsAreForBusinessesOfTheDirectory(t *testing.T) {
	t.Parallel()
	businesses := map[string]entry{}
	for _, e := range entries(t, time.Now()) {
		if e.Kind == "business" {
			businesses[e.Slug] = e
		}
	}
	type shoutOut struct {
		BusinessSlug string    `json:"business_slug"`
		BusinessName string    `json:"business_name"`
		City         string    `json:"city"`
		Rating       float64   `json:"rating"`
		Body         string    `json:"body"`
		DisplayName  string    `json:"display_name"`
		CreatedAt    time.Time `json:"created_at"`
	}
	said, names, silent := map[string]bool{}, map[string]bool{}, 0
	list := read[shoutOut](t, ShoutOuts())
	for _, s := range list {
		b, known := businesses[s.BusinessSlug]
		if !known || s.BusinessName != b.Name || s.City != b.City || s.DisplayName == "" || names[s.DisplayName] {
			t.Errorf("%+v is of no business here, or of nobody new", s)
		}
		if s.Rating < 3.5 || s.Rating > 5 || s.CreatedAt.Format("2006") != "2026" || s.CreatedAt.Month() != 10 && s.CreatedAt.Month() != 11 {
			t.Errorf("%s has %v stars at %s", s.BusinessSlug, s.Rating, s.CreatedAt)
		}
		names[s.DisplayName] = true
		if s.Body == "" {
			silent++
			continue
		}
		if said[s.Body] || utf8.RuneCountInString(s.Body) < 30 || utf8.RuneCountInString(s.Body) > 400 || strings.Contains(s.Body, "!") {
			t.Errorf("%q comes twice, or is too short, long or loud", s.Body)
		}
		said[s.Body] = true
	}
	if len(list) < 14 || len(list) > 18 || silent != 2 {
		t.Errorf("%d shout-outs, %d of them without words", len(list), silent)
	}
}

func TestFakeReportsAccuseNobodyReal(t *testing.T) {
	t.Parallel()
	type report struct {
		Category, Description, Platform, Handle string
		ContentURL                              string    `json:"content_url"`
		CreatedAt                               time.Time `json:"created_at"`
		ConfirmedAt                             time.Time `json:"confirmed_at"`
	}
	address := regexp.MustCompile(`^(https://[a-z0-9-]+\.example/.+)?$`)
	kinds := map[string]bool{}
	list := read[report](t, FakeReports())
	for _, r := range list {
		kinds[r.Category] = true
		if n := utf8.RuneCountInString(r.Description); n < 200 || n > 700 {
			t.Errorf("%.40s: %d characters, want 200 to 700", r.Description, n)
		}
		if !strings.HasPrefix(r.Platform, "a ") || !address.MatchString(r.ContentURL) || r.CreatedAt.IsZero() || !r.ConfirmedAt.After(r.CreatedAt) {
			t.Errorf("%.40s: names a platform or leads to somebody, or was confirmed before it was sent", r.Description)
		}
	}
	if len(list) != 5 || len(kinds) < 4 {
		t.Errorf("%d reports of %d kinds", len(list), len(kinds))
	}
}

// read reads JSON Lines; a field that T does not know is an error.
func read[T any](t *testing.T, data []byte) (rows []T) {
	t.Helper()
	if !utf8.Valid(data) || bytes.ContainsRune(data, '\r') {
		t.Error("not UTF-8 with LF line ends")
	}
	for line := range bytes.Lines(data) {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var row T
		if err := dec.Decode(&row); err != nil {
			t.Fatalf("%.80s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}
