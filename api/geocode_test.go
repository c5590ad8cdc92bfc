package api_test

import (
	"math"
	"net/http"
	"testing"
)

type zipPlace struct {
	ZIP, City   string
	Region      *string
	MetroCity   *string `json:"metro_city"`
	MetroRegion *string `json:"metro_region"`
	Lat, Lng    *float64
}

func deref(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

func TestGeocodeZIP(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for code, want := range map[string]struct {
		city, region, metro string
		lat, lng            float64
	}{
		"30303":     {"Atlanta", "GA", "Atlanta GA", 33.75, -84.39},
		"30030":     {"Decatur", "GA", "Atlanta GA", 33.77, -84.29},
		"60601":     {"Chicago", "IL", "Chicago IL", 41.89, -87.62},
		"59301":     {"Miles City", "MT", "null null", 46.4, -105.85},
		"%2030303+": {"Atlanta", "GA", "Atlanta GA", 33.75, -84.39},
	} {
		p := read[zipPlace](t, w.get(t, "/api/geocode/zip?zip="+code), http.StatusOK)
		metro := deref(p.MetroCity) + " " + deref(p.MetroRegion)
		if p.City != want.city || deref(p.Region) != want.region || metro != want.metro || p.Lat == nil || p.Lng == nil ||
			math.Abs(*p.Lat-want.lat) > 0.1 || math.Abs(*p.Lng-want.lng) > 0.1 {
			t.Errorf("%s is %s, %s, metro %s at %v, %v; want %+v", code, p.City, deref(p.Region), metro, p.Lat, p.Lng, want)
		}
	}
	military := read[zipPlace](t, w.get(t, "/api/geocode/zip?zip=09012"), http.StatusOK)
	if deref(military.Region) != "AE" || military.Lat != nil || military.Lng != nil || military.MetroCity != nil || military.MetroRegion != nil {
		t.Errorf("military mail is at %v, %v, metro %v", military.Lat, military.Lng, military.MetroCity)
	}
	refused(t, w.get(t, "/api/geocode/zip?zip=00000"), http.StatusNotFound, "not_found", "")
	for _, query := range []string{"", "?zip=", "?zip=3030", "?zip=303033", "?zip=3030a", "?zip=30303-1234", "?zip=%EF%BC%93%EF%BC%90%EF%BC%93%EF%BC%90%EF%BC%93",
		"?zip=-3030", "?zip=3e303", "?zip=%00", "?zip=%FF", "?zip=%zz", "?ZIP=30303"} {
		refused(t, w.get(t, "/api/geocode/zip"+query), http.StatusBadRequest, "validation_failed", "zip")
	}
}

func TestGeocodeReverse(t *testing.T) {
	t.Parallel()
	w := setup(t)
	type place struct {
		City, Region, Country *string
		Metro                 *struct{ City, Region string }
	}
	for query, want := range map[string]struct{ place, metro string }{
		"lat=33.7715&lng=-84.2963":               {"Atlanta GA US", "Atlanta GA"},
		"lat=33.7715&lng=-84.2963&precise=0":     {"Atlanta GA US", "Atlanta GA"},
		"lat=33.7715&lng=-84.2963&precise=":      {"Atlanta GA US", "Atlanta GA"},
		"lat=33.7715&lng=-84.2963&precise=1":     {"Decatur GA US", "Atlanta GA"},
		"lat=33.7715&lng=-84.2963&precise=true":  {"Decatur GA US", "Atlanta GA"},
		"lat=3.37715e1&lng=-84.2963&precise=1":   {"Decatur GA US", "Atlanta GA"},
		"lat=46.4083&lng=-105.8406":              {"Miles City MT US", "null"},
		"lat=90&lng=180":                         {"null null null", "null"},
		"lat=-90&lng=-180":                       {"null null null", "null"},
		"lat=0&lng=0":                            {"null null null", "null"},
		"lat=0.0000&lng=-0":                      {"null null null", "null"},
		"lat=33.7715&lng=-84.2963&colour=purple": {"Atlanta GA US", "Atlanta GA"},
	} {
		p := read[place](t, w.get(t, "/api/geocode/reverse?"+query), http.StatusOK)
		metro := "null"
		if p.Metro != nil {
			metro = p.Metro.City + " " + p.Metro.Region
		}
		if got := deref(p.City) + " " + deref(p.Region) + " " + deref(p.Country); got != want.place || metro != want.metro {
			t.Errorf("%s is %s, metro %s; want %+v", query, got, metro, want)
		}
	}
	abroad := read[place](t, w.get(t, "/api/geocode/reverse?lat=48.8566&lng=2.3522"), http.StatusOK)
	if deref(abroad.City) != "Paris" || deref(abroad.Country) != "FR" || abroad.Metro != nil {
		t.Errorf("the middle of Paris is %s, %s, metro %v", deref(abroad.City), deref(abroad.Country), abroad.Metro)
	}
	for query, field := range map[string]string{
		"": "lat", "lng=1": "lat", "lat=1": "lng", "lat=&lng=1": "lat", "lat=90.0001&lng=1": "lat", "lat=-90.0001&lng=1": "lat",
		"lat=1&lng=180.0001": "lng", "lat=1&lng=-181": "lng", "lat=NaN&lng=1": "lat", "lat=nan&lng=1": "lat", "lat=1&lng=Inf": "lng",
		"lat=1&lng=-Infinity": "lng", "lat=0x10&lng=1": "lat", "lat=1_0&lng=1": "lat", "lat=1,5&lng=1": "lat", "lat=1e3&lng=1": "lat",
		"lat=north&lng=1": "lat", "lat=1&lng=%00": "lng", "lat=1&lng=%FF": "lng", "lat=1e999&lng=1": "lat",
		"lat=1&lng=1&precise=2": "precise", "lat=1&lng=1&precise=yes": "precise",
	} {
		refused(t, w.get(t, "/api/geocode/reverse?"+query), http.StatusBadRequest, "validation_failed", field)
	}
	if f := refused(t, w.get(t, "/api/geocode/reverse"), http.StatusBadRequest, "validation_failed", "lat"); f.Fields["lng"] == "" {
		t.Errorf("only %v is named; both are missing", f.Fields)
	}
}
