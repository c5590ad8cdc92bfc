package web

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/apps"
	"homeplace/core/directory"
	"homeplace/core/markdown"
	"homeplace/core/polls"
	"homeplace/core/reviews"
	"homeplace/core/sayings"
	"homeplace/core/settings"
	"homeplace/static"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

const (
	// sitemapAge is how long site maps may be kept.
	sitemapAge = time.Hour
	// sitemapPiece is how many addresses are read and sent at a time.
	sitemapPiece = 1000
	sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"
	// firstFile names the file of a site map that begins with the pages
	// themselves; the others are named after the entry that they follow.
	firstFile = "start"
)

// sitemapPages are the pages beside those of entries.
var sitemapPages = []string{"/", "/directory", "/directory/businesses", "/directory/landmarks", "/directory/services",
	"/directory/events", "/directory/people", "/search", views.FakeReportsPage, "/shout-outs", "/leaderboard", guidePath, "/credits"}

// sitemap is the index of the site map's files.
func (h *handlers) sitemap(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<sitemapindex xmlns="` + sitemapSpace + `">` + "\n")
	file := firstFile
	for after := ""; ; {
		writeElement(&b, "sitemap", h.Addresses.Page("sitemaps", file+".xml"), time.Time{})
		list, err := h.Directory.ForSitemap(r.Context(), after, entriesIn(file))
		if err != nil {
			return nil, err
		}
		if len(list) < entriesIn(file) {
			break
		}
		after = list[len(list)-1].ID
		file = after
	}
	for _, file := range sectionFiles {
		writeElement(&b, "sitemap", h.Addresses.Page("sitemaps", file+".xml"), time.Time{})
	}
	b.WriteString("</sitemapindex>\n")
	return xmlAnswer(b.Bytes()), nil
}

// entriesIn is how many entries a file of the site map holds.
func entriesIn(file string) int {
	if file == firstFile {
		return directory.MaxSitemap - len(sitemapPages)
	}
	return directory.MaxSitemap
}

func xmlAnswer(body []byte) *httpx.Answer {
	return &httpx.Answer{Status: http.StatusOK, ContentType: "application/xml", Body: body}
}

// sitemapFile sends one file of the site map, piece by piece: it can be large.
func (h *handlers) sitemapFile(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	file, ok := strings.CutSuffix(chi.URLParam(r, "file"), ".xml")
	if !ok || file != firstFile && !slices.Contains(sectionFiles, file) && !core.ValidID(file) {
		return nil, core.NotFoundf("There is no such file of the site map.")
	}
	a := xmlAnswer(nil)
	a.Cache = httpx.Public(sitemapAge)
	a.Stream = func(ctx context.Context, s *httpx.Stream) error { return h.sendSitemap(ctx, s, file) }
	return a, nil
}

func (h *handlers) sendSitemap(ctx context.Context, s *httpx.Stream, file string) error {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="` + sitemapSpace + `">` + "\n")
	after := ""
	switch {
	case slices.Contains(sectionFiles, file):
		return h.sendSectionMap(ctx, s, &b, file)
	case file == firstFile:
		for _, path := range sitemapPages {
			writeElement(&b, "url", h.Addresses.Base()+path, time.Time{})
		}
	default:
		after = file
	}
	for left := entriesIn(file); left > 0; {
		piece := min(sitemapPiece, left)
		list, err := h.Directory.ForSitemap(ctx, after, piece)
		if err != nil {
			return err
		}
		for _, e := range list {
			writeElement(&b, "url", h.Addresses.Page("directory", e.Kind.Segment(), e.Slug), e.UpdatedAt)
			after = e.ID
		}
		if _, err := s.Write(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
		if left -= len(list); len(list) < piece {
			break
		}
	}
	_, err := s.Write([]byte("</urlset>\n"))
	return err
}

// sectionFiles are the files of the site map that hold one section each; they
// have its name.
var sectionFiles = []string{"apps", "sayings", "polls", "reviews"}

// located is a page of a section, as the site map tells of it.
type located struct {
	slug    string
	changed time.Time // zero where that is not known
}

// sectionPage reads the pages of a section, as many at a time as its lists show.
func (h *handlers) sectionPage(ctx context.Context, section string, page core.Page) ([]located, error) {
	switch section {
	case "apps":
		found, err := h.Apps.List(ctx, apps.Filter{Page: page})
		return locate(found, func(a apps.Summary) located { return located{a.Slug, a.UpdatedAt} }), err
	case "sayings":
		found, err := h.Sayings.List(ctx, sayings.Filter{Page: page})
		return locate(found, func(s sayings.Saying) located { return located{s.Slug, *s.PublishedAt} }), err
	case "reviews":
		found, err := h.Reviews.Products(ctx, reviews.ProductFilter{Page: page})
		return locate(found, func(p reviews.Product) located { return located{p.Slug, p.UpdatedAt} }), err
	default:
		found, err := h.Polls.List(ctx, polls.Filter{Page: page})
		return locate(found, func(p polls.Summary) located { return located{slug: p.Slug} }), err
	}
}

func locate[T any](found core.List[T], of func(T) located) []located {
	list := make([]located, len(found.Items))
	for i, item := range found.Items {
		list[i] = of(item)
	}
	return list
}

// sendSectionMap ends the file of the site map that holds a section.
func (h *handlers) sendSectionMap(ctx context.Context, s *httpx.Stream, b *bytes.Buffer, section string) error {
	writeElement(b, "url", h.Addresses.Page(section), time.Time{})
	page := core.Page{Limit: 100} // the longest page of every list
	for ; page.Offset < directory.MaxSitemap-1; page.Offset += page.Limit {
		list, err := h.sectionPage(ctx, section, page)
		if err != nil {
			return err
		}
		for _, one := range list {
			writeElement(b, "url", h.Addresses.Page(section, one.slug), one.changed)
		}
		if len(list) < page.Limit {
			break
		}
	}
	b.WriteString("</urlset>\n")
	_, err := s.Write(b.Bytes())
	return err
}

// writeElement writes one address; a zero time is left out. Addresses hold
// nothing that XML would need escaped but an ampersand, which paths of this
// site do not have; the base address may.
func writeElement(b *bytes.Buffer, name, address string, changed time.Time) {
	b.WriteString("<" + name + "><loc>")
	xml.EscapeText(b, []byte(address))
	b.WriteString("</loc>")
	if !changed.IsZero() {
		b.WriteString("<lastmod>" + changed.UTC().Format("2006-01-02T15:04:05Z") + "</lastmod>")
	}
	b.WriteString("</" + name + ">\n")
}

// robots tells programs that read the site what is not for them.
func (h *handlers) robots(*http.Request, core.Viewer) (*httpx.Answer, error) {
	text := "User-agent: *\n" +
		"Disallow: /account\nDisallow: /moderation\nDisallow: /admin\nDisallow: /sign-in\nDisallow: /sign-up\nDisallow: /search?\n\n" +
		"Sitemap: " + h.Addresses.Page("sitemap.xml") + "\n"
	return &httpx.Answer{Status: http.StatusOK, ContentType: "text/plain; charset=utf-8", Body: []byte(text)}, nil
}

// manifest lets telephones put the site beside their programs.
func (h *handlers) manifest(*http.Request, core.Viewer) (*httpx.Answer, error) {
	icon := func(file, size, purpose string) map[string]string {
		return map[string]string{"src": static.URL(file), "sizes": size, "type": "image/png", "purpose": purpose}
	}
	a, err := httpx.JSON(http.StatusOK, map[string]any{
		"name": h.Settings.Text(settings.SiteName), "short_name": h.Settings.Text(settings.SiteShortName), "description": tagline,
		"id": "/", "start_url": "/", "scope": "/", "display": "standalone", "lang": "en",
		"background_color": "#FAF6EF", "theme_color": "#FAF6EF",
		"icons":     []map[string]string{icon("icons/icon-192.png", "192x192", "any"), icon("icons/icon-512.png", "512x512", "any")},
		"shortcuts": []map[string]string{{"name": "Search", "url": "/search"}, {"name": "Events", "url": "/directory/events"}},
	})
	if err != nil {
		return nil, err
	}
	a.ContentType = "application/manifest+json"
	return a, nil
}

//go:embed credits.md
var creditsText string

// credits names whose work this site stands on.
func (h *handlers) credits(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p := views.CreditsProps{Text: markdown.Render(creditsText)}
	p.Frame = h.frame(r, v, layout.FrameProps{Title: "Credits", Description: "What this site is built with, and whose work it stands on."})
	return show(r, http.StatusOK, views.Credits(p))
}
