package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/sayings"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

// sayingFrame is what search engines and other sites are told of a saying.
func (h *handlers) sayingFrame(s sayings.Saying) layout.FrameProps {
	frame := layout.FrameProps{Title: excerpt(oneLine(s.Text), 70), Section: views.SayingsPage, Article: true,
		Description: excerpt(joined(" ", "“"+oneLine(s.Text)+"”", oneLine(s.Meaning), s.Attribution), 220)}
	if !s.Public() {
		frame.NoIndex = true
		return frame
	}
	frame.Canonical, frame.Image = h.Addresses.Page("sayings", s.Slug), h.Addresses.Page("preview", "sayings", s.Slug+".png")
	frame.ImageAlt = "“" + excerpt(oneLine(s.Text), 120) + "”, on woven cloth"
	frame.JSONLD = h.sayingSchema(s)
	return frame
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// sayingSchema describes a saying to search engines.
func (h *handlers) sayingSchema(s sayings.Saying) map[string]any {
	t := thing{"@context": "https://schema.org", "@type": "Quotation", "text": s.Text, "url": h.Addresses.Page("sayings", s.Slug),
		"image": h.Addresses.Page("preview", "sayings", s.Slug+".png")}
	if s.ImageURL != "" {
		t["image"] = s.ImageURL
	}
	t.text("description", s.Meaning)
	t.text("creditText", s.Attribution)
	t.text("contentLocation", s.Region)
	t.text("genre", s.CategoryLabel)
	if s.PublishedAt != nil {
		t["datePublished"] = s.PublishedAt.UTC().Format(time.DateOnly)
	}
	return t
}

// sayingPreview is the picture that other sites show of a saying.
func (h *handlers) sayingPreview(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	slug, ok := strings.CutSuffix(chi.URLParam(r, "file"), ".png")
	if !ok {
		return nil, core.NotFoundf("There is no such picture.")
	}
	s, err := h.Sayings.Get(r.Context(), core.Nobody(), slug)
	if err != nil {
		return nil, err
	}
	body, err := drawPreview(r.Context(), poster{seed: s.Slug, kicker: "SAYING", name: excerpt(oneLine(s.Text), 110),
		place: joined(" · ", s.Attribution, sampler(s).Place), site: h.Settings.Text(settings.SiteName)})
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "image/png", Body: body}, nil
}
