package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core/geo"
)

func TestMetro(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		lat, lng float64
		want     string
	}{
		{"Manhattan", 40.7831, -73.9712, "New York"},
		{"the National Mall", 38.8895, -77.0353, "Washington"},
		{"Newark, nearer to New York than to Trenton", 40.7357, -74.1724, "New York"},
		{"Ponce, 72 km from San Juan", 18.0111, -66.6141, "San Juan"},
		{"Waikiki", 21.2793, -157.8292, "Honolulu"},
		{"Key West, 208 km from Miami", 24.5551, -81.78, ""},
		{"Nome", 64.5011, -165.4064, ""},
		{"St. Thomas, 126 km from San Juan", 18.3419, -64.9307, ""},
		{"Toronto, 98 km from Buffalo", 43.6532, -79.3832, ""},
		{"Tijuana", 32.5149, -117.0382, ""},
		{"Ciudad Juárez", 31.6904, -106.4245, ""},
		{"Matamoros", 25.8797, -97.5042, ""},
		{"London", 51.5074, -0.1278, ""},
		{"the Gulf of Guinea", 0, 0, ""},
		{"off the globe", 91, 0, ""},
		{"not a number", math.NaN(), -75, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			metro, ok := geo.Builtin().Metro(tt.lat, tt.lng)
			if metro.City != tt.want || ok != (tt.want != "") {
				t.Errorf("Metro = %q, %t; want %q", metro.City, ok, tt.want)
			}
		})
	}
}

func TestMetroIsNeverFar(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.Float64Range(17, 72).Draw(t, "lat")
		lng := rapid.Float64Range(-170, -64).Draw(t, "lng")
		metro, ok := g.Metro(lat, lng)
		if ok && geo.Distance(lat, lng, metro.Lat, metro.Lng) > geo.MetroRadiusKm {
			t.Fatalf("%s is too far from %v, %v", metro.City, lat, lng)
		}
		for _, other := range g.Metros() {
			if ok && geo.Distance(lat, lng, other.Lat, other.Lng) < geo.Distance(lat, lng, metro.Lat, metro.Lng)-1e-6 {
				t.Fatalf("%s is nearer than %s", other.City, metro.City)
			}
		}
	})
}

func TestMetrosAreTheCallers(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	g.Metros()[0].City = "changed"
	if g.Metros()[0].City == "changed" {
		t.Error("a caller changed the table")
	}
}

func listedMetros(t *testing.T) []geo.Metro {
	t.Helper()
	var metros []geo.Metro
	for _, row := range sharedRows(t, "geo/metros.csv") {
		if row["in_metro_list"] == "true" {
			metros = append(metros, geo.Metro{
				City: row["city"], Region: row["state"], Lat: number(t, row["lat"]), Lng: number(t, row["lng"]),
			})
		}
	}
	return metros
}

func TestMetroTable(t *testing.T) {
	t.Parallel()
	want := listedMetros(t)
	got := map[[2]string]geo.Metro{}
	for _, m := range geo.Builtin().Metros() {
		got[[2]string{m.City, m.Region}] = m
	}
	if len(got) != 185 || len(want) != 185 {
		t.Fatalf("table has %d metros, list has %d, want 185", len(got), len(want))
	}
	for _, w := range want {
		m, ok := got[[2]string{w.City, w.Region}]
		if !ok || geo.Distance(m.Lat, m.Lng, w.Lat, w.Lng) > 0.01 {
			t.Errorf("%s %s: table has %+v, list has %+v", w.City, w.Region, m, w)
		}
	}
}

// TestMetroOfEveryZIP compares with the rule written out, over the list's points.
func TestMetroOfEveryZIP(t *testing.T) {
	t.Parallel()
	metros := listedMetros(t)
	g := geo.Builtin()
	compared := 0
	for _, row := range sharedRows(t, "geo/us_zip.csv") {
		zip, ok := g.ZIP(row["zip"])
		lat, lng := number(t, row["lat"]), number(t, row["lng"])
		if !ok || row["state"] == "" || zip.Lat != lat || zip.Lng != lng || geo.RegionName(zip.Region) == "" {
			continue
		}
		compared++
		var want geo.Metro
		least := geo.MetroRadiusKm
		for _, m := range metros {
			if d := geo.Distance(lat, lng, m.Lat, m.Lng); d <= least {
				want, least = m, d
			}
		}
		if got, _ := g.Metro(lat, lng); got.City != want.City || got.Region != want.Region {
			t.Errorf("%s at %v, %v: metro %s %s, want %s %s", zip.Code, lat, lng, got.City, got.Region, want.City, want.Region)
		}
	}
	t.Logf("compared %d ZIPs", compared)
	if compared < 40_000 {
		t.Errorf("compared only %d ZIPs", compared)
	}
}
