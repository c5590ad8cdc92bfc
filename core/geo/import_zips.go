package geo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Columns of the GeoNames postal layout.
const (
	postalCountry = iota
	postalCode
	postalName
	postalAreaName
	postalAreaCode
	_ // county name
	_ // county code
	_ // community name
	_ // community code
	postalLat
	postalLng
	_ // accuracy
	postalColumns
)

// ParseZIPs reads US postal codes and returns g with them in place of its own.
// The file, plain or inside a .zip, is either in the GeoNames postal layout or a
// list of points with a header, such as the Census gazetteer of ZIP code
// tabulation areas (zip, lat, lng).
//
// A GeoNames file replaces every state and territory that it has lines of; the
// others stay, as US.txt and PR.txt are separate files. A list of points has no
// names: it moves the codes that g knows, adds the others under the name of the
// nearest known code, and leaves the rest as they are.
//
// The error is for a file that cannot be read or has no usable line at all.
func (g *Gazetteer) ParseZIPs(r io.Reader) (*Gazetteer, Report, error) {
	text, err := openText(r)
	if err != nil {
		return nil, Report{}, err
	}
	buffered := bufio.NewReader(text)
	first, err := buffered.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, Report{}, fmt.Errorf("read ZIP codes: %w", err)
	}
	line, _, _ := strings.Cut(string(first), "\n")
	parse := g.parsePostal
	if header, ok := parsePointsHeader(line); ok {
		parse = func(r io.Reader) ([]place, Report, error) { return g.parsePoints(r, header) }
	}
	zips, report, err := parse(buffered)
	if err != nil {
		return nil, report, fmt.Errorf("read ZIP codes: %w", err)
	}
	if report.Kept == 0 {
		return nil, report, errors.New("no US ZIP code in the file: want the GeoNames postal layout " +
			"(12 tab-separated columns) or a header with zip, lat and lng")
	}
	return g.withZIPs(zips), report, nil
}

// withZIPs leaves to g's codes only what the new ones say nothing about.
func (g *Gazetteer) withZIPs(zips []place) *Gazetteer {
	var b builder
	codes, areas := map[uint32]bool{}, map[area]bool{}
	for _, z := range zips {
		codes[z.code] = true
		areas[z.area] = areas[z.area] || !z.pointOnly
	}
	b.zips = append(b.zips, zips...)
	b.keepZIPs(g, func(code uint32, a area) bool { return !codes[code] && !areas[a] })
	b.keepCities(g)
	return b.build()
}

func (g *Gazetteer) parsePostal(r io.Reader) ([]place, Report, error) {
	var zips []place
	seen := map[uint32]bool{}
	report, err := eachLine(r, func(_ int, text string) error {
		zip, err := parsePostalLine(text)
		if err != nil {
			return err
		}
		if seen[zip.code] {
			return errSkip
		}
		seen[zip.code] = true
		zips = append(zips, zip)
		return nil
	})
	return zips, report, err
}

func parsePostalLine(text string) (place, error) {
	fields, err := columns(text, postalColumns)
	if err != nil {
		return place{}, err
	}
	country := fields[postalCountry]
	if country != "US" && !territories[country] {
		return place{}, errSkip
	}
	code, ok := parseZIPCode(fields[postalCode])
	if !ok {
		return place{}, fmt.Errorf("ZIP %q is not five digits", fields[postalCode])
	}
	if err := checkName(fields[postalName]); err != nil {
		return place{}, err
	}
	region := fields[postalAreaCode]
	if country != "US" {
		region = country
	}
	if region == "" || military(region) {
		return militaryZIP(code, fields[postalName])
	}
	if regionNames[region] == "" && !postalRegions[region] {
		return place{}, fmt.Errorf("state code %q is unknown", region)
	}
	lat, lng, err := parsePoint(fields[postalLat], fields[postalLng])
	if err != nil {
		return place{}, err
	}
	zip := place{code: code, name: fields[postalName], area: postalArea(region), lat: lat, lng: lng}
	return zip, nil
}

// postalArea gives Palau and its neighbours their own countries.
func postalArea(region string) area {
	if postalRegions[region] && !military(region) {
		return area{country: region, region: region}
	}
	return area{country: "US", region: region}
}

// militaryZIP takes the region from the code, as files differ in where they put
// it, and the post office from the name. It has no point.
func militaryZIP(code uint32, name string) (place, error) {
	office, _, _ := strings.Cut(strings.ToUpper(name), " ")
	if office != "APO" && office != "FPO" && office != "DPO" {
		return place{}, errors.New("has no state code and is not military mail (APO, FPO, DPO)")
	}
	region := "AA"
	switch three := code / 100; {
	case three >= 90 && three <= 99:
		region = "AE"
	case three >= 962 && three <= 968:
		region = "AP"
	}
	return place{code: code, name: office, area: area{country: "US", region: region}}, nil
}
