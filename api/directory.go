package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/search"
	"homeplace/web/httpx"
)

// entryItem is an entry in lists (CONTRACT.md §3).
type entryItem struct {
	ID            string     `json:"id"`
	Slug          string     `json:"slug"`
	Name          string     `json:"name"`
	Kind          string     `json:"kind"`
	KindSlug      string     `json:"kind_slug"`
	Summary       string     `json:"summary"`
	Category      *string    `json:"category"`
	CategoryLabel *string    `json:"category_label"`
	Address       *string    `json:"address"`
	City          *string    `json:"city"`
	Region        *string    `json:"region"`
	Country       *string    `json:"country"`
	Zip           *string    `json:"zip"`
	Lat           *float64   `json:"lat"`
	Lng           *float64   `json:"lng"`
	Website       *string    `json:"website"`
	Phone         *string    `json:"phone"`
	ImageURL      *string    `json:"image_url"`
	Verified      bool       `json:"verified"`
	StartsAt      *time.Time `json:"starts_at"`
	EndsAt        *time.Time `json:"ends_at"`
	YearStart     *int       `json:"year_start"`
	YearEnd       *int       `json:"year_end"`
	UpdatedAt     time.Time  `json:"updated_at"`
	URL           string     `json:"url"`
	PageURL       string     `json:"page_url"`
}

func (h *handlers) entryItem(e directory.Summary) entryItem {
	segment := e.Kind.Segment()
	return entryItem{
		ID: e.ID, Slug: e.Slug, Name: e.Name, Kind: string(e.Kind), KindSlug: segment, Summary: e.Summary,
		Category: e.Category, CategoryLabel: e.CategoryLabel,
		Address: e.Address, City: e.City, Region: e.Region, Country: e.Country, Zip: e.Zip, Lat: e.Lat, Lng: e.Lng,
		Website: e.Website, Phone: e.Phone, ImageURL: e.ImageURL, Verified: e.Verified,
		StartsAt: utc(e.StartsAt), EndsAt: utc(e.EndsAt), YearStart: e.YearStart, YearEnd: e.YearEnd, UpdatedAt: e.UpdatedAt.UTC(),
		URL:     h.Addresses.API("directory", segment, e.Slug),
		PageURL: h.Addresses.Page("directory", segment, e.Slug),
	}
}

func (h *handlers) entryItems(entries []directory.Summary) []entryItem {
	items := make([]entryItem, len(entries))
	for i, e := range entries {
		items[i] = h.entryItem(e)
	}
	return items
}

// utc makes a time of the database's session zone end in Z.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// entryDetail is an entry on its own.
type entryDetail struct {
	entryItem
	Description     string             `json:"description"`
	DescriptionHTML string             `json:"description_html"`
	Email           *string            `json:"email"`
	Links           []directory.Link   `json:"links"`
	Tags            []string           `json:"tags"`
	Hours           *directory.Hours   `json:"hours"`
	CreatedAt       time.Time          `json:"created_at"`
	OnStage         bool               `json:"on_stage"`
	Shoutouts       shoutOutStatistics `json:"shoutouts"`
}

type zipFilter struct {
	ZIP         string  `json:"zip"`
	Resolved    bool    `json:"resolved"`
	MetroCity   *string `json:"metro_city"`
	MetroRegion *string `json:"metro_region"`
	Scope       string  `json:"scope"`
}

func newZIPFilter(f *directory.ZIPFilter) *zipFilter {
	if f == nil {
		return nil
	}
	return &zipFilter{ZIP: f.ZIP, Resolved: f.Resolved, MetroCity: f.MetroCity, MetroRegion: f.MetroRegion, Scope: string(f.Scope)}
}

// envelope is what every list carries beside its array (CONTRACT.md §1).
type envelope struct {
	Total  int     `json:"total"`
	Limit  int     `json:"limit"`
	Offset int     `json:"offset"`
	Next   *string `json:"next"`
}

func (h *handlers) envelope(r *http.Request, q *httpx.Query, page core.Page, total int) envelope {
	return envelope{Total: total, Limit: page.Limit, Offset: page.Offset, Next: h.Addresses.Next(r, q, page, total)}
}

// list encodes an envelope with its array and repeats the next address as a
// Link header.
func list(v any, e envelope) (*httpx.Answer, error) {
	a, err := httpx.JSON(http.StatusOK, v)
	if err == nil {
		a.LinkNext(e.Next)
	}
	return a, err
}

type categoryItem struct {
	Slug  string `json:"slug"`
	Label string `json:"label"`
}

func (h *handlers) categories(r *http.Request) (*httpx.Answer, error) {
	byKind, err := h.Directory.Categories(r.Context())
	if err != nil {
		return nil, err
	}
	lists := map[string][]categoryItem{}
	for kind, categories := range byKind {
		items := make([]categoryItem, len(categories))
		for i, c := range categories {
			items[i] = categoryItem{Slug: c.Slug, Label: c.Label}
		}
		lists[kind.Segment()] = items
	}
	return httpx.JSON(http.StatusOK, lists)
}

type facetItem struct {
	categoryItem
	Count int `json:"count"`
}

type entryList struct {
	envelope
	Entries             []entryItem `json:"entries"`
	AvailableCategories []facetItem `json:"available_categories"`
	FilteredByZip       *zipFilter  `json:"filtered_by_zip"`
}

func (h *handlers) listEntries(r *http.Request) (*httpx.Answer, error) {
	kind, err := kindOf(r)
	if err != nil {
		return nil, err
	}
	q := httpx.ParseQuery(r)
	filter := directory.Filter{Kind: kind, Query: q.String("q"), Letter: q.String("letter"),
		Categories: q.List("category"), ZIP: zipOf(r, q), Page: q.Page(directory.ListRule)}
	if kind == directory.KindEvent { // of other kinds it is one more parameter that nobody knows
		filter.When = directory.When(q.Enum("when", string(directory.Upcoming), string(directory.Past)))
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	page, err := h.Directory.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	facets := make([]facetItem, len(page.Facets))
	for i, f := range page.Facets {
		facets[i] = facetItem{categoryItem{f.Slug, f.Label}, f.Count}
	}
	e := h.envelope(r, q, page.Page, page.Total)
	return list(entryList{e, h.entryItems(page.Items), facets, newZIPFilter(page.ZIPFilter)}, e)
}

// zipOf reads the zip of a list. Whatever is wrong with it, the list does not
// fail (CONTRACT.md §1): what is no text at all is a ZIP that nobody knows.
func zipOf(r *http.Request, q *httpx.Query) string {
	given := r.URL.Query().Get("zip")
	if given == "" {
		return ""
	}
	if text := strings.ToValidUTF8(strings.ReplaceAll(given, "\x00", "\ufffd"), "\ufffd"); text != given {
		return text
	}
	return q.String("zip")
}

// kindOf reads the plural word of the path.
func kindOf(r *http.Request) (directory.Kind, error) {
	segment := chi.URLParam(r, "category")
	kind, ok := directory.KindOfSegment(segment)
	if !ok {
		return "", core.NotFoundf("There is no list %q here; there are businesses, landmarks, people, services and events.", segment)
	}
	return kind, nil
}

func (h *handlers) entry(r *http.Request) (*httpx.Answer, error) {
	kind, err := kindOf(r)
	if err != nil {
		return nil, err
	}
	e, err := h.Directory.Get(r.Context(), kind, chi.URLParam(r, "slug"))
	if err != nil {
		return nil, err
	}
	praise, err := h.shoutOutsOf(r.Context(), e)
	if err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, entryDetail{
		entryItem: h.entryItem(e.Summary), Description: e.Description, DescriptionHTML: e.DescriptionHTML,
		Email: e.Email, Links: e.Links, Tags: e.Tags, Hours: e.Hours, CreatedAt: e.CreatedAt.UTC(),
		Shoutouts: praise,
	})
}

// places answers addresses from the time when businesses and landmarks were
// one list: the bare list is now landmarks, unless its categories are those of
// businesses.
func (h *handlers) places(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	categories := q.List("category")
	if err := q.Err(); err != nil {
		return nil, err
	}
	kind, err := h.Directory.CategoryKind(r.Context(), categories)
	if err != nil {
		return nil, err
	}
	if kind != directory.KindBusiness {
		kind = directory.KindLandmark
	}
	return httpx.Redirect(http.StatusMovedPermanently, withQuery(h.Addresses.API("directory", kind.Segment()), r)), nil
}

func (h *handlers) place(r *http.Request) (*httpx.Answer, error) {
	slug := chi.URLParam(r, "slug")
	kind, err := h.Directory.KindOf(r.Context(), slug)
	if err != nil {
		return nil, err
	}
	return httpx.Redirect(http.StatusMovedPermanently, withQuery(h.Addresses.API("directory", kind.Segment(), slug), r)), nil
}

func withQuery(address string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return address
	}
	return address + "?" + r.URL.RawQuery
}

// interpretation says how a search was understood.
type interpretation struct {
	Place       *searchPlace      `json:"place"`
	Categories  []string          `json:"categories"`
	Corrections map[string]string `json:"corrections"`
	Match       *string           `json:"match"`
}

type searchPlace struct {
	City   *string `json:"city"`
	Region string  `json:"region"`
	ZIP    *string `json:"zip"`
}

type searchList struct {
	envelope
	Results        []entryItem    `json:"results"`
	Interpretation interpretation `json:"interpretation"`
	FilteredByZip  *zipFilter     `json:"filtered_by_zip"`
}

func (h *handlers) search(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	query := search.Query{Text: q.String("q"), Kinds: searchKinds(q), ZIP: zipOf(r, q), Page: q.Page(search.Rule)}
	if err := q.Err(); err != nil {
		return nil, err
	}
	result, err := h.Search.Search(r.Context(), query)
	if err != nil {
		return nil, err
	}
	e := h.envelope(r, q, result.Page, result.Total)
	return list(searchList{e, h.entryItems(result.Items), newInterpretation(result.Reading), newZIPFilter(result.ZIPFilter)}, e)
}

// searchKinds reads the kinds; the legacy word place means business and
// landmark (SERVICE.md §4 Directory).
func searchKinds(q *httpx.Query) []directory.Kind {
	var kinds []directory.Kind
	for _, word := range q.EnumList("kinds", "business", "landmark", "service", "event", "person", "place") {
		if word == "place" {
			kinds = append(kinds, directory.KindBusiness, directory.KindLandmark)
		} else {
			kinds = append(kinds, directory.Kind(word))
		}
	}
	return kinds
}

func newInterpretation(reading search.Reading) interpretation {
	in := interpretation{Categories: reading.Categories, Corrections: reading.Corrections}
	if in.Categories == nil {
		in.Categories = []string{}
	}
	if in.Corrections == nil {
		in.Corrections = map[string]string{}
	}
	if p := reading.Place; p != nil {
		in.Place = &searchPlace{City: optional(p.City), Region: p.Region, ZIP: optional(p.ZIP)}
	}
	in.Match = optional(string(reading.Step))
	return in
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
