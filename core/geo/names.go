package geo

import (
	"hash/fnv"
	"slices"
	"strings"
)

const (
	// familiarPeople is the size from which a US city is known by its name alone.
	familiarPeople = 15_000
	// stateNamePeople is the size from which a city that shares its name with a
	// state (New York, Washington) is what the name alone means.
	stateNamePeople = 500_000
	// homeWeight is how many times a US city counts against one abroad.
	homeWeight = 20
	// maxNameWords bounds the words of a city or a region in a query.
	maxNameWords = 6
)

// cityAliases are further names of cities, all folded. A place that bears such a
// name itself is still found by its region (Manhattan, Kansas).
var cityAliases = map[string]struct{ name, region string }{
	"new york city":        {"new york", "NY"},
	"nyc":                  {"new york", "NY"},
	"manhattan":            {"new york", "NY"},
	"the bronx":            {"bronx", "NY"},
	"dc":                   {"washington", "DC"},
	"d c":                  {"washington", "DC"},
	"district of columbia": {"washington", "DC"},
	"philly":               {"philadelphia", "PA"},
}

// zipRef marks a reference to a ZIP row among references to city rows.
const zipRef = 1 << 31

// nameIndex holds the hash of a folded name in the upper and a reference in the
// lower half of each entry, sorted.
type nameIndex []uint64

func newNameIndex(g *Gazetteer) nameIndex {
	hashes := make([]uint32, len(g.names))
	for i, name := range g.names {
		hashes[i] = hashName(fold(name))
	}
	index := make(nameIndex, 0, len(g.cities)+len(g.zips))
	for i, row := range g.cities {
		index = append(index, uint64(hashes[row.name])<<32|uint64(i))
	}
	seen := make(map[uint64]struct{}, len(g.zips))
	for i, row := range g.zips {
		place := uint64(row.name)<<32 | uint64(row.area)
		if _, ok := seen[place]; ok || military(g.areas[row.area].region) {
			continue
		}
		seen[place] = struct{}{}
		index = append(index, uint64(hashes[row.name])<<32|uint64(i|zipRef))
	}
	slices.Sort(index)
	return slices.Clip(index)
}

func hashName(folded string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(folded)) // a hash never fails
	return h.Sum32()
}

// candidate is one place under a name.
type candidate struct {
	locality Locality
	people   int
}

// candidates calls yield for every place with a folded name, cities before ZIPs.
func (g *Gazetteer) candidates(folded string, yield func(candidate)) {
	if g.index == nil {
		return
	}
	index := g.index()
	hash := hashName(folded)
	start, _ := slices.BinarySearch(index, uint64(hash)<<32)
	for _, entry := range index[start:] {
		if uint32(entry>>32) != hash {
			return
		}
		c := g.candidate(uint32(entry))
		if fold(c.locality.City) == folded {
			yield(c)
		}
	}
}

func (g *Gazetteer) candidate(ref uint32) candidate {
	if ref&zipRef != 0 {
		return candidate{locality: g.zipLocality(int(ref &^ zipRef))}
	}
	return candidate{locality: g.cityLocality(int(ref)), people: int(g.cities[ref].people)}
}

// City returns the city with a name, whatever its case, accents and punctuation;
// "St." and "Saint", "Ft." and "Fort", "Mt." and "Mount" are the same. The region
// is a US state or territory by code or name, a first-level area's name or an ISO
// country code; in it the largest city of that name wins. With region "" the
// best-known one in the world does: the largest, US cities counting twenty times.
func (g *Gazetteer) City(name, region string) (Locality, bool) {
	best, ok := g.bestCity(name, func(c candidate) int {
		weight := c.people + 1
		switch {
		case region != "" && !c.locality.in(region):
			return 0
		case c.locality.Country == "US":
			weight *= homeWeight
		}
		return weight
	})
	return best.locality, ok
}

func (l Locality) in(region string) bool {
	if code, ok := Region(region); ok {
		if l.Country == "US" && l.Region == code {
			return true
		}
	}
	return l.Country != "US" && l.Region != "" && fold(l.Region) == fold(region) ||
		strings.EqualFold(l.Country, region)
}

// bestCity returns the place under a name or alias with the greatest weight above
// zero.
func (g *Gazetteer) bestCity(name string, weigh func(candidate) int) (best candidate, ok bool) {
	folded := fold(name)
	greatest := 0
	consider := func(c candidate) {
		if w := weigh(c); w > greatest {
			best, greatest = c, w
		}
	}
	g.candidates(folded, consider)
	if alias, ok := cityAliases[folded]; ok {
		g.candidates(alias.name, func(c candidate) {
			if c.locality.Region == alias.region {
				consider(c)
			}
		})
	}
	return best, greatest > 0
}

// MatchCity finds a US city in the first words of a query and returns it with the
// number of words that name it, the most there are. A state may follow the city
// ("st louis mo", "Washington, DC"): then any place in that state counts. Without
// one only cities of 15,000 people and more do, the largest of the name. Some
// names are ordinary words too (Mobile, Reading, Orange): the caller weighs that.
func (g *Gazetteer) MatchCity(words []string) (city Locality, n int, ok bool) {
	for n := min(len(words), maxNameWords); n > 0; n-- {
		if city, ok := g.cityOf(words[:n]); ok {
			return city, n, true
		}
	}
	return Locality{}, 0, false
}

// MatchCityEnd is [Gazetteer.MatchCity] for the last words of a query.
func (g *Gazetteer) MatchCityEnd(words []string) (city Locality, n int, ok bool) {
	for n := min(len(words), maxNameWords); n > 0; n-- {
		if city, ok := g.cityOf(words[len(words)-n:]); ok {
			return city, n, true
		}
	}
	return Locality{}, 0, false
}

// cityOf takes all the words as a city, or as a city and its state.
func (g *Gazetteer) cityOf(words []string) (Locality, bool) {
	for split := len(words) - 1; split > 0; split-- {
		code, ok := Region(strings.Join(words[split:], " "))
		if !ok {
			continue
		}
		best, ok := g.bestCity(strings.Join(words[:split], " "), func(c candidate) int {
			if c.locality.Country != "US" || c.locality.Region != code {
				return 0
			}
			return c.people + 1
		})
		if ok {
			return best.locality, true
		}
	}
	return g.familiarCity(strings.Join(words, " "))
}

func (g *Gazetteer) familiarCity(name string) (Locality, bool) {
	least := familiarPeople
	if _, ok := regionCodes[fold(name)]; ok {
		least = stateNamePeople
	}
	best, ok := g.bestCity(name, func(c candidate) int {
		if c.locality.Country != "US" || c.people < least {
			return 0
		}
		return c.people
	})
	return best.locality, ok
}
