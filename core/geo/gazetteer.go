package geo

import (
	_ "embed"
	"fmt"
	"math"
	"sort"
	"strconv"
	"sync"
)

//go:embed tables.bin.gz
var builtinTables []byte

// degree is the number of stored units in one degree: a step is 11 m at most.
const degree = 10_000

// Gazetteer is an immutable set of US ZIPs and world cities with their indexes.
// Make one with [Builtin], [Decode] or an import; the zero value is empty and a base
// for imports that are to have nothing built in.
type Gazetteer struct {
	names  []string
	areas  []area
	zips   []zipRow  // by code
	cities []cityRow // by area, then from south to north

	zipTree  kdTree // ZIPs that are a place in the United States
	cityTree kdTree
	index    func() nameIndex
}

// area is a first-level area: a state, a province, a county of the first order.
type area struct {
	country string
	region  string
}

type zipRow struct {
	code     uint32
	name     uint32 // in names
	area     uint32 // in areas
	lat, lng int32
}

type cityRow struct {
	name     uint32
	area     uint32
	lat, lng int32
	people   uint32
}

var builtin = sync.OnceValue(func() *Gazetteer {
	g, err := Decode(builtinTables)
	if err != nil {
		panic(fmt.Sprintf("geo: the embedded tables do not decode: %v", err))
	}
	return g
})

// Builtin returns the tables of the binary, decoded once, on the first call.
func Builtin() *Gazetteer { return builtin() }

// ZIP returns the postal code of exactly five digits, if it is known.
func (g *Gazetteer) ZIP(code string) (ZIP, bool) {
	n, ok := parseZIPCode(code)
	if !ok {
		return ZIP{}, false
	}
	i := sort.Search(len(g.zips), func(i int) bool { return g.zips[i].code >= n })
	if i == len(g.zips) || g.zips[i].code != n {
		return ZIP{}, false
	}
	row := g.zips[i]
	return ZIP{
		Code: code, City: g.names[row.name], Region: g.areas[row.area].region,
		Lat: degrees(row.lat), Lng: degrees(row.lng),
	}, true
}

// Len returns how many ZIPs and how many cities the tables hold.
func (g *Gazetteer) Len() (zips, cities int) { return len(g.zips), len(g.cities) }

func parseZIPCode(code string) (uint32, bool) {
	if len(code) != 5 {
		return 0, false
	}
	for i := range len(code) {
		if code[i] < '0' || code[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(code, 10, 32)
	return uint32(n), err == nil
}

func degrees(units int32) float64 { return float64(units) / degree }

func units(degrees float64) int32 { return int32(math.Round(degrees * degree)) }

// inUS reports whether the area is in the United States.
func (a area) inUS() bool { return a.country == "US" }

// buildTrees indexes the rows; the name index waits for its first use.
func (g *Gazetteer) buildTrees() {
	zips := make([]node, 0, len(g.zips))
	for i, row := range g.zips {
		if g.areas[row.area].inUS() && !military(g.areas[row.area].region) {
			zips = append(zips, newNode(degrees(row.lat), degrees(row.lng), i))
		}
	}
	cities := make([]node, len(g.cities))
	for i, row := range g.cities {
		cities[i] = newNode(degrees(row.lat), degrees(row.lng), i)
	}
	g.zipTree, g.cityTree = newKDTree(zips), newKDTree(cities)
	g.index = sync.OnceValue(func() nameIndex { return newNameIndex(g) })
}

func (g *Gazetteer) zipLocality(i int) Locality {
	row := g.zips[i]
	return g.locality(row.name, row.area, row.lat, row.lng)
}

func (g *Gazetteer) cityLocality(i int) Locality {
	row := g.cities[i]
	return g.locality(row.name, row.area, row.lat, row.lng)
}

func (g *Gazetteer) locality(name, area uint32, lat, lng int32) Locality {
	a := g.areas[area]
	return Locality{
		City: g.names[name], Region: a.region, Country: a.country,
		Lat: degrees(lat), Lng: degrees(lng),
	}
}
