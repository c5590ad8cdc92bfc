package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/directory/contributions"
	"homeplace/core/markdown"
	"homeplace/core/settings"
	"homeplace/views"
	"homeplace/views/layout"
	"homeplace/web/httpx"
)

// profile is the public page of a member.
func (h *handlers) profile(r *http.Request, v core.Viewer) (*httpx.Answer, error) {
	p, err := h.Accounts.PublicProfile(r.Context(), chi.URLParam(r, "username"))
	if err != nil {
		return nil, err
	}
	path := "/u/" + p.Username
	if r.URL.Path != path {
		return httpx.Redirect(http.StatusMovedPermanently, path), nil
	}
	given, err := h.Contributions.Given(r.Context(), p.AccountID)
	if err != nil {
		return nil, err
	}
	props := views.ProfileProps{Name: nameOf(p), Username: p.Username, Since: sinceOf(p), Bio: markdown.Paragraphs(p.Bio),
		Given: givenWords(given), Picture: orEmpty(p.AvatarURL), Seed: clothOf(p.Username), Mine: v.ID == p.AccountID}
	leader, found, err := h.Points.Standing(r.Context(), p.AccountID)
	if err != nil {
		return nil, err
	}
	if found {
		props.Standing, props.Points = "Number "+thousands(leader.Rank)+" on the leaderboard", pointsOf(leader.Points)
	}
	own, err := h.Apps.OfOwner(r.Context(), p.AccountID)
	if err != nil {
		return nil, err
	}
	props.Apps = h.appCards(own)
	for i := range props.Apps {
		props.Apps[i].Tag = "" // whose they are is said above them
	}
	props.Frame = h.frame(r, v, h.profileFrame(p))
	return show(r, http.StatusOK, views.Profile(props))
}

// nameOf is what a member is called on pages.
func nameOf(p accounts.Profile) string {
	if name := orEmpty(p.DisplayName); name != "" {
		return name
	}
	return p.Username
}

func sinceOf(p accounts.Profile) string { return p.CreatedAt.UTC().Format("January 2006") }

// givenWords say what a member gave to the directory; nothing for nothing.
func givenWords(g contributions.Given) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{g.Listings, "listing"}, {g.Edits, "change"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.word)
		case p.n > 1:
			parts = append(parts, strconv.Itoa(p.n)+" "+p.word+"s")
		}
	}
	return strings.Join(parts, " and ")
}

func (h *handlers) profileFrame(p accounts.Profile) layout.FrameProps {
	name := nameOf(p)
	f := layout.FrameProps{Title: name, Description: markdown.Plain(p.Bio, 160),
		Image: h.Addresses.Page("preview", "u", p.Username+".png"), ImageAlt: name + ", on woven cloth"}
	if f.Description == "" {
		f.Description = name + " is a neighbour at " + h.Settings.Text(settings.SiteName) + " since " + sinceOf(p) + "."
	}
	f.JSONLD = h.profileSchema(p)
	return f
}

// profileSchema describes a member to search engines.
func (h *handlers) profileSchema(p accounts.Profile) map[string]any {
	t := thing{"@context": "https://schema.org", "@type": "Person", "name": nameOf(p), "alternateName": p.Username,
		"url": h.Addresses.Page("u", p.Username), "image": h.Addresses.Page("preview", "u", p.Username+".png")}
	t.text("description", markdown.Plain(p.Bio, 300))
	if p.AvatarURL != nil {
		t["image"] = *p.AvatarURL
	}
	return t
}

// profilePreview is the picture that other sites show of a member.
func (h *handlers) profilePreview(r *http.Request, _ core.Viewer) (*httpx.Answer, error) {
	username, ok := strings.CutSuffix(chi.URLParam(r, "file"), ".png")
	if !ok {
		return nil, core.NotFoundf("There is no such picture.")
	}
	p, err := h.Accounts.PublicProfile(r.Context(), username)
	if err != nil {
		return nil, err
	}
	body, err := drawPreview(r.Context(), poster{seed: clothOf(p.Username), kicker: "NEIGHBOUR", name: nameOf(p),
		place: "@" + p.Username + " · since " + sinceOf(p), site: h.Settings.Text(settings.SiteName)})
	if err != nil {
		return nil, err
	}
	return &httpx.Answer{Status: http.StatusOK, ContentType: "image/png", Body: body}, nil
}

// clothOf makes a username fit for the address of a picture, which takes
// single hyphens between letters and digits.
func clothOf(username string) string {
	words := strings.FieldsFunc(username, func(r rune) bool { return r == '_' || r == '-' })
	return "u-" + strings.Join(words, "-")
}
