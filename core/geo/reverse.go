package geo

import "math"

const (
	// peoplePerKm2 turns a population into the disc a city is taken to cover.
	peoplePerKm2 = 5000.0
	// maxCityRadiusKm bounds that disc; the largest cities are not round.
	maxCityRadiusKm = 15.0
	// innerDisc is the part of a US city's radius within which its name beats that
	// of the nearest ZIP.
	innerDisc = 0.2
)

// Reverse returns what the place at a point is called. In the United States that
// is the postal city and the state of the nearest ZIP, and in the very middle of a
// city that city. Elsewhere it is the city, of the country whose city is nearest,
// whose built-up disc, drawn from its population, the point is deepest inside or
// nearest to. It is false for coordinates off the globe and for points over 250 km
// from every known place.
func (g *Gazetteer) Reverse(lat, lng float64) (Locality, bool) {
	n, ok := g.nearby(lat, lng)
	switch {
	case !ok:
		return Locality{}, false
	case n.us:
		return g.reverseUS(n), true
	default:
		return g.reverseAbroad(n), true
	}
}

// neighbours are the known places nearest to a point.
type neighbours struct {
	at         vector
	zip, city  int     // -1 where there is none
	zipChord2  float64 // squared chords, infinite where there is none
	cityChord2 float64
	us         bool // the nearest of the two is in the United States
}

func (g *Gazetteer) nearby(lat, lng float64) (neighbours, bool) {
	n := neighbours{zip: -1, city: -1, zipChord2: math.Inf(1), cityChord2: math.Inf(1)}
	if !onGlobe(lat, lng) {
		return n, false
	}
	n.at = unitVector(lat, lng)
	limit := chordOfKm(reverseRadiusKm)
	if id, d, ok := g.zipTree.nearest(n.at, limit); ok {
		n.zip, n.zipChord2 = id, d
	}
	if id, d, ok := g.cityTree.nearest(n.at, limit); ok {
		n.city, n.cityChord2 = id, d
	}
	if n.zip < 0 && n.city < 0 {
		return n, false
	}
	n.us = n.zipChord2 <= n.cityChord2 || g.areas[g.cities[n.city].area].inUS()
	return n, true
}

func (g *Gazetteer) inUS(lat, lng float64) bool {
	n, ok := g.nearby(lat, lng)
	return ok && n.us
}

// reverseUS takes the nearest ZIP's city, but deep inside a city of the same state
// the city itself: its centre has ZIPs of single buildings. The points of ZIPs in
// the territories are coarse; there the city alone decides.
func (g *Gazetteer) reverseUS(n neighbours) Locality {
	if n.zip < 0 {
		return g.cityLocality(n.city)
	}
	here := g.areas[g.zips[n.zip].area]
	city, ok := g.deepestCity(n, func(a area) bool { return a == here })
	if !ok {
		return g.zipLocality(n.zip)
	}
	row := g.cities[city]
	d := kmOfChord(n.at.chord2(unitVector(degrees(row.lat), degrees(row.lng))))
	if territories[here.region] || d <= innerDisc*cityRadiusKm(row.people) {
		return g.cityLocality(city)
	}
	return g.zipLocality(n.zip)
}

// reverseAbroad keeps to the country of the nearest city.
func (g *Gazetteer) reverseAbroad(n neighbours) Locality {
	country := g.areas[g.cities[n.city].area].country
	city, _ := g.deepestCity(n, func(a area) bool { return a.country == country })
	return g.cityLocality(city)
}

// deepestCity returns the city in an area that counts whose disc reaches furthest
// beyond the point, or falls short of it by the least. It looks no further than a
// disc could reach past the nearest city.
func (g *Gazetteer) deepestCity(n neighbours, counts func(area) bool) (city int, ok bool) {
	if n.city < 0 {
		return 0, false
	}
	limit := chordOfKm(kmOfChord(n.cityChord2) + maxCityRadiusKm)
	depth := math.Inf(1)
	g.cityTree.within(n.at, limit, func(id int, chord2 float64) float64 {
		row := g.cities[id]
		if !counts(g.areas[row.area]) {
			return limit
		}
		d := kmOfChord(chord2) - cityRadiusKm(row.people)
		if !ok || d < depth || d == depth && id < city {
			city, depth, ok = id, d, true
		}
		return limit
	})
	return city, ok
}

func cityRadiusKm(people uint32) float64 {
	return min(math.Sqrt(float64(people)/(peoplePerKm2*math.Pi)), maxCityRadiusKm)
}
