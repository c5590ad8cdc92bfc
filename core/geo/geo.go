// Package geo answers questions about places without a network: where a US ZIP
// is, which big-city metro a point belongs to, what a point on the globe is
// called, and which city a few words of text name.
//
// The tables are built into the binary and decoded on first use; see CREDITS.md
// for their sources. An operator can replace them by public gazetteer files, see
// [Gazetteer.ParseZIPs] and [Gazetteer.ParseCities]. Everything here is safe for
// concurrent use.
//
// The United States, in this package, includes the District of Columbia, Puerto
// Rico, the US Virgin Islands, Guam, American Samoa and the Northern Marianas:
// places there have the country "US" and their USPS code as region.
package geo

import "math"

const (
	// EarthRadiusKm is the mean radius of the Earth (IUGG R1) in kilometres.
	EarthRadiusKm = 6371.0088
	// MetroRadiusKm is how far from its city point a metro reaches, inclusive.
	MetroRadiusKm = 120.0
	// reverseRadiusKm is how far the nearest known place may be for a point to
	// have a locality at all; beyond it is open sea or ice.
	reverseRadiusKm = 250.0
)

// ZIP is a US postal code with its preferred city and a point inside its area.
type ZIP struct {
	Code   string // five digits
	City   string
	Region string // USPS code; AA, AE or AP for military mail
	Lat    float64
	Lng    float64
}

// Located reports whether Lat and Lng are a place. Military codes have none:
// their mail goes wherever the unit is, and their point is 0, 0.
func (z ZIP) Located() bool { return z.Lat != 0 || z.Lng != 0 }

// Metro is a big city that stands for its metropolitan area.
type Metro struct {
	City   string
	Region string // USPS code
	Lat    float64
	Lng    float64
}

// Locality is a named place.
type Locality struct {
	City    string
	Region  string // USPS code in the US, else the first-level area's name or ""
	Country string // ISO 3166-1 alpha-2
	Lat     float64
	Lng     float64
}

// Distance returns the great-circle distance of two points in kilometres by the
// haversine formula on a sphere of [EarthRadiusKm]. Arguments are degrees.
func Distance(lat1, lng1, lat2, lng2 float64) float64 {
	const radians = math.Pi / 180
	sinLat := math.Sin((lat2 - lat1) * radians / 2)
	sinLng := math.Sin((lng2 - lng1) * radians / 2)
	h := sinLat*sinLat + math.Cos(lat1*radians)*math.Cos(lat2*radians)*sinLng*sinLng
	return 2 * EarthRadiusKm * math.Asin(math.Sqrt(min(h, 1)))
}

// onGlobe reports whether lat and lng are finite degrees within their ranges.
func onGlobe(lat, lng float64) bool {
	return lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180
}
