package web

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
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
	props := views.ProfileProps{Name: p.Username, Username: p.Username, Since: p.CreatedAt.UTC().Format("January 2006"),
		Picture: orEmpty(p.AvatarURL), Seed: clothOf(p.Username), Mine: v.ID == p.AccountID}
	if name := orEmpty(p.DisplayName); name != "" {
		props.Name = name
	}
	for line := range strings.Lines(p.Bio) {
		if line = strings.TrimSpace(line); line != "" {
			props.Bio = append(props.Bio, line)
		}
	}
	props.Frame = h.frame(r, v, layout.FrameProps{Title: props.Name, Description: strings.Join(props.Bio, " ")})
	return show(r, http.StatusOK, views.Profile(props))
}

// clothOf makes a username fit for the address of a picture, which takes
// single hyphens between letters and digits.
func clothOf(username string) string {
	words := strings.FieldsFunc(username, func(r rune) bool { return r == '_' || r == '-' })
	return "u-" + strings.Join(words, "-")
}
