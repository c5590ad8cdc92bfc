package api

import (
	"net/http"
	"strings"

	"homeplace/core"
	"homeplace/core/geo"
	"homeplace/web/httpx"
)

type zipAnswer struct {
	ZIP         string   `json:"zip"`
	City        string   `json:"city"`
	Region      *string  `json:"region"`
	MetroCity   *string  `json:"metro_city"`
	MetroRegion *string  `json:"metro_region"`
	Lat         *float64 `json:"lat"`
	Lng         *float64 `json:"lng"`
}

func (h *handlers) geocodeZIP(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	code := q.String("zip")
	if len(code) != 5 || strings.Trim(code, "0123456789") != "" {
		q.Problem("zip", "is required: a US ZIP of five digits, such as 30303")
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	zip, ok := h.Places().ZIP(code)
	if !ok {
		return nil, core.NotFoundf("There is no US ZIP %s that we know of.", code)
	}
	a := zipAnswer{ZIP: zip.Code, City: zip.City, Region: optional(zip.Region)}
	if zip.Located() { // an army post office has no place of its own
		a.Lat, a.Lng = &zip.Lat, &zip.Lng
		if m, ok := h.Places().Metro(zip.Lat, zip.Lng); ok {
			a.MetroCity, a.MetroRegion = &m.City, &m.Region
		}
	}
	return httpx.JSON(http.StatusOK, a)
}

type reverseAnswer struct {
	City    *string    `json:"city"`
	Region  *string    `json:"region"`
	Country *string    `json:"country"`
	Metro   *metroItem `json:"metro"`
}

type metroItem struct {
	City   string `json:"city"`
	Region string `json:"region"`
}

func (h *handlers) geocodeReverse(r *http.Request) (*httpx.Answer, error) {
	q := httpx.ParseQuery(r)
	lat := required(q, "lat", -90, 90)
	lng := required(q, "lng", -180, 180)
	precise, _ := q.Bool("precise")
	if err := q.Err(); err != nil {
		return nil, err
	}
	return httpx.JSON(http.StatusOK, reverse(h.Places(), lat, lng, precise))
}

func required(q *httpx.Query, name string, min, max float64) float64 {
	value, present := q.Float(name, min, max)
	if !present {
		q.Problem(name, "is required: a number from %g to %g", min, max)
	}
	return value
}

// reverse names the place of a point: the snapped metro where there is one,
// unless the literal locality is wanted.
func reverse(places *geo.Gazetteer, lat, lng float64, precise bool) reverseAnswer {
	var a reverseAnswer
	if here, ok := places.Reverse(lat, lng); ok {
		a.City, a.Region, a.Country = optional(here.City), optional(here.Region), optional(here.Country)
	}
	if m, ok := places.Metro(lat, lng); ok {
		a.Metro = &metroItem{City: m.City, Region: m.Region}
		if !precise {
			country := "US"
			a.City, a.Region, a.Country = &m.City, &m.Region, &country
		}
	}
	return a
}
