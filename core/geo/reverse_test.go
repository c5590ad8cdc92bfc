package geo_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeplace/core/geo"
)

func TestReverse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lat, lng              float64
		city, region, country string
	}{
		{40.7831, -73.9712, "New York", "NY", "US"},
		{33.749, -84.388, "Atlanta", "GA", "US"},
		{39.9526, -75.1652, "Philadelphia", "PA", "US"},
		{38.9072, -77.0369, "Washington", "DC", "US"},
		{39.9612, -82.9988, "Columbus", "OH", "US"},
		{40.6782, -73.9442, "Brooklyn", "NY", "US"},
		{18.4655, -66.1057, "San Juan", "PR", "US"},
		{18.3419, -64.9307, "Charlotte Amalie", "VI", "US"},
		{51.5074, -0.1278, "London", "England", "GB"},
		{6.5244, 3.3792, "Lagos", "Lagos", "NG"},
		{18.0179, -76.8099, "Kingston", "Kingston", "JM"},
		{18.5944, -72.3074, "Port-au-Prince", "Ouest", "HT"},
		{5.6037, -0.187, "Accra", "Greater Accra", "GH"},
		{43.6532, -79.3832, "Toronto", "Ontario", "CA"},
		{-26.2041, 28.0473, "Johannesburg", "Gauteng", "ZA"},
		{48.8566, 2.3522, "Paris", "Île-de-France", "FR"},
		{32.5149, -117.0382, "Tijuana", "Baja California", "MX"},
		{-4.2634, 15.2429, "Brazzaville", "", "CG"},
		{-18.1416, 178.4419, "Suva", "", "FJ"},
	}
	for _, tt := range tests {
		t.Run(tt.city, func(t *testing.T) {
			t.Parallel()
			got, ok := geo.Builtin().Reverse(tt.lat, tt.lng)
			if !ok || got.City != tt.city || got.Region != tt.region || got.Country != tt.country {
				t.Errorf("Reverse(%v, %v) = %+v, %t", tt.lat, tt.lng, got, ok)
			}
		})
	}
}

func TestReverseOfNowhere(t *testing.T) {
	t.Parallel()
	for _, p := range [][2]float64{{0, -30}, {-60, -120}, {90.1, 0}, {0, 180.1}, {math.NaN(), 0}, {0, math.Inf(1)}} {
		if got, ok := geo.Builtin().Reverse(p[0], p[1]); ok {
			t.Errorf("Reverse(%v) = %+v, want none", p, got)
		}
	}
}

func TestReverseIsNear(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	rapid.Check(t, func(t *rapid.T) {
		lat, lng := rapid.Float64Range(-90, 90).Draw(t, "lat"), rapid.Float64Range(-180, 180).Draw(t, "lng")
		place, ok := g.Reverse(lat, lng)
		// The nearest is within 250 km, and a disc reaches 15 km past it.
		if ok && geo.Distance(lat, lng, place.Lat, place.Lng) > 265.01 {
			t.Fatalf("%+v is too far from %v, %v", place, lat, lng)
		}
		if ok && (place.City == "" || len(place.Country) != 2) {
			t.Fatalf("%+v is no locality", place)
		}
	})
}

func TestAgainstPostalTruth(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	var total, known, sameCity, state, city int
	var apart []float64
	for _, row := range sharedRows(t, "geo/us_zip.csv") {
		if row["state"] == "" {
			continue
		}
		total++
		lat, lng := number(t, row["lat"]), number(t, row["lng"])
		if zip, ok := g.ZIP(row["zip"]); ok {
			known++
			apart = append(apart, geo.Distance(zip.Lat, zip.Lng, lat, lng))
			if strings.EqualFold(zip.City, row["city"]) {
				sameCity++
			}
		}
		place, _ := g.Reverse(lat, lng)
		if place.Region == row["state"] {
			state++
		}
		if strings.EqualFold(place.City, row["city"]) {
			city++
		}
	}
	atLeast(t, "ZIPs known", known, total, 0.995)
	atLeast(t, "city of a ZIP equal", sameCity, known, 0.98)
	atLeast(t, "state of a ZIP point", state, total, 0.995)
	atLeast(t, "city of a ZIP point", city, total, 0.93)
	slices.Sort(apart)
	if median := apart[len(apart)/2]; median > 1 {
		t.Errorf("ZIP points are %.2f km apart at the median, want 1 at most", median)
	}
}

func TestAgainstPlaces(t *testing.T) {
	t.Parallel()
	g := geo.Builtin()
	var total, same int
	for _, row := range sharedRows(t, "geo/us_places_1000.csv") {
		total++
		place, _ := g.Reverse(number(t, row["lat"]), number(t, row["lng"]))
		if place.Region == row["state"] && strings.EqualFold(place.City, row["name"]) {
			same++
		}
	}
	atLeast(t, "name of a place at its point", same, total, 0.95)
}

func BenchmarkReverse(b *testing.B) {
	g := geo.Builtin()
	points := [][2]float64{{40.7831, -73.9712}, {51.5, -0.13}, {35.1, -90.1}, {6.5, 3.4}, {48.5, 9.2}}
	i := 0
	for b.Loop() {
		p := points[i%len(points)]
		g.Reverse(p[0], p[1])
		i++
	}
}

func BenchmarkMetro(b *testing.B) {
	g := geo.Builtin()
	for b.Loop() {
		g.Metro(40.7831, -73.9712)
	}
}

func BenchmarkDecode(b *testing.B) {
	data := geo.Builtin().Encode()
	for b.Loop() {
		if _, err := geo.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
