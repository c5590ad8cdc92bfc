package web

import (
	"io"
	"net/http"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"homeplace/static"
	"homeplace/views/ui/sample"
	"homeplace/web/httpx"
)

// MountLook adds what every page needs to look as it should: files, colours,
// covers. With dev it adds /kit, which shows each part of the pages.
func MountLook(r chi.Router, dev bool) {
	r.Method(http.MethodGet, static.Prefix+"*", static.Handler())
	r.Get("/theme.css", themeSheet)
	r.Method(http.MethodPost, "/theme", httpx.API(chooseTheme))
	r.Method(http.MethodGet, "/covers/band.svg", httpx.API(band))
	r.Method(http.MethodGet, "/covers/{shape}/{file}", httpx.API(cover))
	if dev {
		for path, page := range sample.Pages() {
			r.Method(http.MethodGet, path, httpx.API(kit(page)))
		}
	}
}

// kit shows a page of samples.
func kit(page templ.Component) httpx.Handler {
	return func(r *http.Request) (*httpx.Answer, error) {
		return httpx.HTML(http.StatusOK, func(w io.Writer) error { return page.Render(r.Context(), w) })
	}
}
