package directory

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/geo"
)

// Input is what someone says an entry is. Empty fields are not set.
type Input struct {
	ID          string // UUID; empty = a new one
	Slug        string // empty = made from name and city
	Kind        Kind
	Name        string
	Category    string // curated slug or alias
	Summary     string
	Description string // Markdown
	Address     string
	City        string
	Region      string
	Country     string // ISO 3166 alpha-2
	Zip         string
	Lat, Lng    *float64
	Phone       string
	Email       string
	Website     string
	ImageURL    string
	Links       []Link
	Tags        []string
	Hours       *Hours
	Verified    *bool
	StartsAt    *time.Time
	EndsAt      *time.Time
	YearStart   *int
	YearEnd     *int
	Status      Status // empty = Published, or what is stored
	Hidden      bool   // false = what is stored
	OwnerID     string
}

// Longest texts of an entry, in Unicode characters.
const (
	maxName        = 160
	maxSummary     = 600
	maxDescription = 20_000
	maxLine        = 200
	maxAddress     = 500 // of a web address
	maxTags        = 20
	maxTag         = core.MaxSlug // a category outside the curated list becomes one
	maxLinks       = 10
)

// Normalize brings forms that mean the same into one.
func (in *Input) Normalize() {
	in.Slug = strings.ToLower(strings.TrimSpace(in.Slug))
	in.Category = strings.ToLower(strings.TrimSpace(in.Category))
	in.Country = strings.ToUpper(strings.TrimSpace(in.Country))
	in.Zip = normalizeZIP(in.Zip)
	if code, ok := geo.Region(in.Region); ok && (in.Country == "" || in.Country == "US") {
		in.Region, in.Country = code, "US"
	}
	in.Website = withScheme(in.Website)
	in.ImageURL = withScheme(in.ImageURL)
	in.Tags = normalizeTags(in.Tags)
}

var zipForm = regexp.MustCompile(`^(\d{3,5})(-\d{4})?$`)

// normalizeZIP gives back leading zeros that a spreadsheet took, and drops
// the four digits that name a delivery route.
func normalizeZIP(s string) string {
	s = strings.TrimSpace(s)
	m := zipForm.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	return strings.Repeat("0", 5-len(m[1])) + m[1]
}

func withScheme(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.Contains(s, "://") || !strings.Contains(s, ".") || strings.Contains(s, ":") {
		return s
	}
	return "https://" + s
}

// normalizeTags also parts what a semicolon joins, as it does in a CSV.
func normalizeTags(tags []string) []string {
	seen := map[string]bool{}
	kept := []string{}
	for t := range strings.SplitSeq(strings.Join(tags, ";"), ";") {
		t = strings.ToLower(strings.Join(strings.Fields(t), " "))
		if t != "" && !seen[t] {
			seen[t] = true
			kept = append(kept, t)
		}
	}
	return kept
}

// Validate reports every field that is wrong. Call Normalize before.
func (in *Input) Validate() error {
	var p core.Problems
	in.check(&p)
	return p.Err()
}

func (in *Input) check(p *core.Problems) {
	if _, ok := ParseKind(string(in.Kind)); !ok {
		p.Add("kind", "must be business, landmark, person, service or event, not %q", in.Kind)
	}
	if in.ID != "" && !core.ValidID(in.ID) {
		p.Add("id", "must be a UUID")
	}
	if in.Slug != "" && !core.ValidSlug(in.Slug) {
		p.Add("slug", "must be 2 to 80 lowercase letters and digits, joined by single hyphens")
	}
	p.Line("name", &in.Name, 1, maxName)
	p.Line("category", &in.Category, 0, core.MaxSlug)
	p.Text("summary", &in.Summary, 0, maxSummary)
	p.Text("description", &in.Description, 0, maxDescription)
	in.checkPlace(p)
	in.checkContact(p)
	in.checkTime(p)
	in.checkLists(p)
	switch in.Status {
	case "", Draft, Pending, Published, Refused, Archived:
	default:
		p.Add("status", "must be draft, pending, published, refused or archived, not %q", in.Status)
	}
}

var countryForm = regexp.MustCompile(`^[A-Z]{2}$`)

func (in *Input) checkPlace(p *core.Problems) {
	p.Line("address", &in.Address, 0, maxLine)
	p.Line("city", &in.City, 0, 100)
	p.Line("region", &in.Region, 0, 100)
	p.Line("zip", &in.Zip, 0, 12)
	if in.Country != "" && !countryForm.MatchString(in.Country) {
		p.Add("country", "must be a code of two letters such as US")
	}
	switch {
	case (in.Lat == nil) != (in.Lng == nil):
		p.Add("lat", "and lng must come together")
	case in.Lat == nil:
	case !(*in.Lat >= -90 && *in.Lat <= 90):
		p.Add("lat", "must lie between -90 and 90")
	case !(*in.Lng >= -180 && *in.Lng <= 180):
		p.Add("lng", "must lie between -180 and 180")
	}
}

func (in *Input) checkContact(p *core.Problems) {
	p.Line("phone", &in.Phone, 0, 40)
	p.Line("email", &in.Email, 0, 254)
	if in.Email != "" && !looksLikeEmail(in.Email) {
		p.Add("email", "must be an address such as name@example.org")
	}
	checkURL(p, "website", in.Website)
	checkURL(p, "image_url", in.ImageURL)
	if len(in.Links) > maxLinks {
		p.Add("links", "has %d links; at most %d", len(in.Links), maxLinks)
	}
	for i := range in.Links {
		p.Line("links", &in.Links[i].Label, 1, 80)
		p.Line("links", &in.Links[i].URL, 1, maxAddress)
		checkURL(p, "links", in.Links[i].URL)
	}
}

func looksLikeEmail(s string) bool {
	name, domain, found := strings.Cut(s, "@")
	return found && name != "" && strings.Contains(domain, ".") && !strings.ContainsAny(s, " ,;:/()<>")
}

func checkURL(p *core.Problems, field, s string) {
	if s == "" {
		return
	}
	p.Line(field, &s, 0, maxAddress)
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		p.Add(field, "must be a web address that starts with http:// or https://")
	}
}

func (in *Input) checkTime(p *core.Problems) {
	for field, year := range map[string]*int{"year_start": in.YearStart, "year_end": in.YearEnd} {
		if year != nil && (*year < -4000 || *year > 3000) {
			p.Add(field, "must lie between -4000 and 3000")
		}
	}
	if in.YearStart != nil && in.YearEnd != nil && *in.YearEnd < *in.YearStart {
		p.Add("year_end", "must not lie before year_start")
	}
	if in.StartsAt != nil && in.EndsAt != nil && in.EndsAt.Before(*in.StartsAt) {
		p.Add("ends_at", "must not lie before starts_at")
	}
}

func (in *Input) checkLists(p *core.Problems) {
	if len(in.Tags) > maxTags {
		p.Add("tags", "has %d tags; at most %d", len(in.Tags), maxTags)
	}
	for i := range in.Tags {
		p.Line("tags", &in.Tags[i], 0, maxTag)
	}
	in.Hours.check(p, "hours")
}
