package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeplace/core"
	"homeplace/views/woven"
	"homeplace/web/httpx"
)

// coverAge is long, since the address of a picture carries its version.
const coverAge = 365 * 24 * time.Hour

// cover draws the woven picture of a slug. Any valid slug has one, whether or
// not something goes by it: drawing takes less time than asking would.
func cover(r *http.Request) (*httpx.Answer, error) {
	shape := woven.Shape(chi.URLParam(r, "shape"))
	slug, isSVG := strings.CutSuffix(chi.URLParam(r, "file"), ".svg")
	if _, ok := shape.Size(); !ok || !isSVG || !core.ValidSlug(slug) {
		return nil, core.NotFoundf("There is no such picture.")
	}
	return picture(shape.Draw(slug)), nil
}

// band draws the ornament along the top of every page.
func band(*http.Request) (*httpx.Answer, error) {
	return picture(woven.Band(woven.BandSeed, woven.BandWidth)), nil
}

func picture(svg string) *httpx.Answer {
	return &httpx.Answer{Status: http.StatusOK, ContentType: "image/svg+xml", Body: []byte(svg), Cache: httpx.Public(coverAge)}
}
