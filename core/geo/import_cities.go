package geo

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Columns of the GeoNames cities layout that are read.
const (
	cityName        = 1
	cityLat         = 4
	cityLng         = 5
	cityClass       = 6
	cityFeature     = 7
	cityCountry     = 8
	cityAreaCode    = 10
	cityPopulation  = 14
	cityColumns     = 19
	areaFileColumns = 4
)

// noCity are the feature codes of populated places that are not cities of today:
// quarters of one, and those abandoned, historical or destroyed.
var noCity = map[string]bool{
	"PPLX": true, "PPLQ": true, "PPLH": true, "PPLW": true, "PPLCH": true,
}

// usNames are what Americans, and the post, call cities which gazetteers list under
// an official name, by region and that name.
var usNames = map[[2]string]string{
	{"NY", "New York City"}:    "New York",
	{"NY", "Manhattan"}:        "New York",
	{"NY", "The Bronx"}:        "Bronx",
	{"DC", "Washington, D.C."}: "Washington",
	{"HI", "Urban Honolulu"}:   "Honolulu",
}

// ParseCities reads a file in the GeoNames cities layout (19 tab-separated
// columns; plain or inside a .zip) and returns g with these cities in place of its
// own. The names of first-level areas come from areas, which may be nil, else from
// a built-in list of large countries.
//
// The error is for a file that cannot be read or has no usable line at all.
func (g *Gazetteer) ParseCities(r io.Reader, areas Areas) (*Gazetteer, Report, error) {
	text, err := openText(r)
	if err != nil {
		return nil, Report{}, err
	}
	var b builder
	report, err := eachLine(text, func(_ int, text string) error {
		city, err := parseCityLine(text, areas)
		if err == nil {
			b.cities = append(b.cities, city)
		}
		return err
	})
	if err != nil {
		return nil, report, fmt.Errorf("read cities: %w", err)
	}
	if report.Kept == 0 {
		return nil, report, errors.New("no city in the file: want the GeoNames cities layout (19 tab-separated columns)")
	}
	b.keepZIPs(g, func(uint32, area) bool { return true })
	return b.build(), report, nil
}

func parseCityLine(text string, areas Areas) (place, error) {
	fields, err := columns(text, cityColumns)
	if err != nil {
		return place{}, err
	}
	if fields[cityClass] != "P" || noCity[fields[cityFeature]] {
		return place{}, errSkip
	}
	if err := checkName(fields[cityName]); err != nil {
		return place{}, err
	}
	country := fields[cityCountry]
	if !isCountry(country) {
		return place{}, fmt.Errorf("country %q is not two capital letters", country)
	}
	lat, lng, err := parsePoint(fields[cityLat], fields[cityLng])
	if err != nil {
		return place{}, err
	}
	people, err := parsePeople(fields[cityPopulation])
	if err != nil {
		return place{}, err
	}
	city := place{name: fields[cityName], lat: lat, lng: lng, people: people}
	city.area, err = cityArea(country, fields[cityAreaCode], areas)
	if name, ok := usNames[[2]string{city.area.region, city.name}]; ok {
		city.name = name
	}
	return city, err
}

func parsePeople(s string) (uint32, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n == math.MaxUint32 {
		return 0, fmt.Errorf("population %q is not a whole number", s)
	}
	return uint32(n), nil
}

func cityArea(country, code string, areas Areas) (area, error) {
	switch {
	case territories[country]:
		return area{country: "US", region: country}, nil
	case country == "US" && regionNames[code] == "":
		return area{}, fmt.Errorf("state code %q is unknown", code)
	case country == "US":
		return area{country: country, region: code}, nil
	}
	name := areas.name(country, code)
	if len(name) > maxNameBytes {
		return area{}, fmt.Errorf("name of area %s.%s is longer than %d bytes", country, code, maxNameBytes)
	}
	return area{country: country, region: name}, nil
}

// ParseAreas reads the names of first-level areas in the GeoNames layout (code,
// name, plain name, identifier).
func ParseAreas(r io.Reader) (Areas, Report, error) {
	areas := Areas{}
	report, err := eachLine(r, func(_ int, text string) error {
		fields, err := columns(text, areaFileColumns)
		if err != nil {
			return err
		}
		if country, code, ok := strings.Cut(fields[0], "."); !ok || !isCountry(country) || code == "" {
			return fmt.Errorf("code %q is not a country, a dot and an area", fields[0])
		}
		if err := checkName(fields[1]); err != nil {
			return err
		}
		areas[fields[0]] = fields[1]
		return nil
	})
	if err != nil {
		return nil, report, fmt.Errorf("read area names: %w", err)
	}
	return areas, report, nil
}
