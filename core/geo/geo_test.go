package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core/geo"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	// One degree of a great circle is pi/180 of the radius: 111.1951 km.
	tests := []struct {
		name                   string
		lat1, lng1, lat2, lng2 float64
		want                   float64
	}{
		{"same point", 40, -75, 40, -75, 0},
		{"one degree of longitude on the equator", 0, 0, 0, 1, 111.1951},
		{"one degree of latitude", 50, 8, 51, 8, 111.1951},
		{"across the date line", 0, 179.5, 0, -179.5, 111.1951},
		{"pole to pole", 90, 0, -90, 0, 20015.1149},
		{"antipodes on the equator", 0, 0, 0, 180, 20015.1149},
		{"one degree of longitude at 60 north", 60, 0, 60, 1, 55.5970},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := geo.Distance(tt.lat1, tt.lng1, tt.lat2, tt.lng2); math.Abs(got-tt.want) > 0.001 {
				t.Errorf("Distance = %.4f km, want %.4f", got, tt.want)
			}
		})
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.Float64Range(-90, 90)
		lng := rapid.Float64Range(-180, 180)
		lat1, lng1, lat2, lng2 := lat.Draw(t, "lat1"), lng.Draw(t, "lng1"), lat.Draw(t, "lat2"), lng.Draw(t, "lng2")
		there := geo.Distance(lat1, lng1, lat2, lng2)
		back := geo.Distance(lat2, lng2, lat1, lng1)
		if math.Abs(there-back) > 1e-6 {
			t.Fatalf("%v km there, %v km back", there, back)
		}
		if there < 0 || there > math.Pi*geo.EarthRadiusKm+1e-6 || math.IsNaN(there) {
			t.Fatalf("%v km is no distance on the globe", there)
		}
	})
}

func TestRegion(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"ohio": "OH", "OH": "OH", " oh ": "OH", "Washington DC": "DC", "Washington, D.C.": "DC", "d.c.": "DC",
		"District of Columbia": "DC", "puerto rico": "PR", "US Virgin Islands": "VI", "U.S. Virgin Islands": "VI",
		"Guam": "GU", "american samoa": "AS", "Northern Mariana Islands": "MP", "washington": "WA",
		"new  york": "NY", "North-Carolina": "NC",
		"": "", "Ontario": "", "AE": "", "XX": "",
	}
	for in, want := range tests {
		code, ok := geo.Region(in)
		if code != want || ok != (want != "") {
			t.Errorf("Region(%q) = %q, %t; want %q", in, code, ok, want)
		}
	}
	if got := geo.RegionName("OH"); got != "Ohio" {
		t.Errorf("RegionName(OH) = %q", got)
	}
	if got := geo.RegionName("ZZ"); got != "" {
		t.Errorf("RegionName(ZZ) = %q, want none", got)
	}
}

func TestZIP(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	zip, ok := g.ZIP("10001")
	if !ok || zip.City != "New York" || zip.Region != "NY" || geo.Distance(zip.Lat, zip.Lng, 40.7506, -73.9972) > 2 {
		t.Errorf("ZIP(10001) = %+v, %t", zip, ok)
	}
	if zip, ok := g.ZIP("00901"); !ok || zip.City != "San Juan" || zip.Region != "PR" {
		t.Errorf("ZIP(00901) = %+v, %t", zip, ok)
	}
	for _, code := range []string{"", "1000", "100010", "1000a", "+1001", "00000", "99999", "１０００１"} {
		if zip, ok := g.ZIP(code); ok {
			t.Errorf("ZIP(%q) = %+v, want none", code, zip)
		}
	}
}

func TestMilitaryZIPHasNoPlace(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	for code, region := range map[string]string{"09001": "AE", "34001": "AA", "96201": "AP"} {
		zip, ok := g.ZIP(code)
		if !ok || zip.Region != region || zip.Located() {
			t.Errorf("ZIP(%s) = %+v, %t; want %s and no point", code, zip, ok, region)
		}
		if metro, ok := g.Metro(zip.Lat, zip.Lng); ok {
			t.Errorf("%s is in the metro of %s", code, metro.City)
		}
	}
}

func TestZeroGazetteerIsEmpty(t *testing.T) {
	t.Parallel()
	var g geo.Gazetteer
	if _, ok := g.ZIP("10001"); ok {
		t.Error("it has a ZIP")
	}
	if _, ok := g.Reverse(40.7, -74); ok {
		t.Error("it has a locality")
	}
	if _, ok := g.City("New York", "NY"); ok {
		t.Error("it has a city")
	}
	if _, ok := g.Metro(40.7, -74); ok {
		t.Error("it knows that a point is in the United States")
	}
}
