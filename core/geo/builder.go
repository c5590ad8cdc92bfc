package geo

import (
	"cmp"
	"slices"
	"strings"
)

// builder collects places in the order they come and lays them out as tables.
type builder struct {
	zips   []place
	cities []place
}

// place is a ZIP or a city under construction.
type place struct {
	code   uint32 // of a ZIP
	name   string
	area   area
	lat    int32
	lng    int32
	people uint32 // of a city

	pointOnly bool // of a ZIP whose file gives no name
}

// keepZIPs takes over the ZIPs of g for which keep holds.
func (b *builder) keepZIPs(g *Gazetteer, keep func(code uint32, a area) bool) {
	for _, row := range g.zips {
		if a := g.areas[row.area]; keep(row.code, a) {
			b.zips = append(b.zips, place{
				code: row.code, name: g.names[row.name], area: a, lat: row.lat, lng: row.lng,
			})
		}
	}
}

func (b *builder) keepCities(g *Gazetteer) {
	for _, row := range g.cities {
		b.cities = append(b.cities, place{
			name: g.names[row.name], area: g.areas[row.area],
			lat: row.lat, lng: row.lng, people: row.people,
		})
	}
}

// build sorts the places and numbers their names and areas. The same places in
// any order give the same tables.
func (b *builder) build() *Gazetteer {
	slices.SortStableFunc(b.zips, func(x, y place) int { return cmp.Compare(x.code, y.code) })
	slices.SortStableFunc(b.cities, func(x, y place) int {
		return cmp.Or(compareAreas(x.area, y.area), cmp.Compare(x.lat, y.lat),
			cmp.Compare(x.lng, y.lng), strings.Compare(x.name, y.name), cmp.Compare(x.people, y.people))
	})
	var names []string
	var areas []area
	for _, list := range [][]place{b.zips, b.cities} {
		for _, p := range list {
			names = append(names, p.name)
			areas = append(areas, p.area)
		}
	}
	slices.Sort(names)
	slices.SortFunc(areas, compareAreas)
	g := &Gazetteer{names: slices.Compact(names), areas: slices.Compact(areas)}
	for _, p := range b.zips {
		name, area := g.numbers(p)
		g.zips = append(g.zips, zipRow{code: p.code, name: name, area: area, lat: p.lat, lng: p.lng})
	}
	for _, p := range b.cities {
		name, area := g.numbers(p)
		g.cities = append(g.cities, cityRow{name: name, area: area, lat: p.lat, lng: p.lng, people: p.people})
	}
	g.names, g.areas = slices.Clip(g.names), slices.Clip(g.areas)
	g.buildTrees()
	return g
}

func (g *Gazetteer) numbers(p place) (name, area uint32) {
	n, _ := slices.BinarySearch(g.names, p.name)
	a, _ := slices.BinarySearchFunc(g.areas, p.area, compareAreas)
	return uint32(n), uint32(a)
}

func compareAreas(x, y area) int {
	return cmp.Or(strings.Compare(x.country, y.country), strings.Compare(x.region, y.region))
}
