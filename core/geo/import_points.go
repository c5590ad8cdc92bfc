package geo

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// pointsHeader says where a list of ZIP points keeps what.
type pointsHeader struct {
	separator     string
	zip, lat, lng int
}

var pointsColumns = map[string]string{
	"zip": "zip", "zipcode": "zip", "zip_code": "zip", "zcta": "zip", "zcta5": "zip", "geoid": "zip",
	"lat": "lat", "latitude": "lat", "intptlat": "lat",
	"lng": "lng", "lon": "lng", "long": "lng", "longitude": "lng", "intptlong": "lng",
}

// parsePointsHeader recognises the first line of a list of points, separated by
// commas, tabs or bars.
func parsePointsHeader(line string) (pointsHeader, bool) {
	line = strings.TrimPrefix(line, "\ufeff")
	for _, separator := range []string{",", "\t", "|"} {
		at := map[string]int{}
		for i, name := range strings.Split(line, separator) {
			name = strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))
			if column, ok := pointsColumns[name]; ok {
				at[column] = i
			}
		}
		if len(at) == 3 {
			return pointsHeader{separator: separator, zip: at["zip"], lat: at["lat"], lng: at["lng"]}, true
		}
	}
	return pointsHeader{}, false
}

func (g *Gazetteer) parsePoints(r io.Reader, header pointsHeader) ([]place, Report, error) {
	var zips []place
	seen := map[uint32]bool{}
	headerSeen := false
	report, err := eachLine(r, func(_ int, text string) error {
		if !headerSeen {
			headerSeen = true
			return errSkip
		}
		zip, err := g.parsePointLine(text, header)
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

func (g *Gazetteer) parsePointLine(text string, header pointsHeader) (place, error) {
	fields := strings.Split(text, header.separator)
	if need := max(header.zip, header.lat, header.lng) + 1; len(fields) < need {
		return place{}, fmt.Errorf("has %d columns, want at least %d", len(fields), need)
	}
	for i := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(fields[i]), `"`)
	}
	code, ok := parseZIPCode(fields[header.zip])
	if !ok {
		return place{}, fmt.Errorf("ZIP %q is not five digits", fields[header.zip])
	}
	lat, lng, err := parsePoint(fields[header.lat], fields[header.lng])
	if err != nil {
		return place{}, err
	}
	zip := place{code: code, lat: lat, lng: lng, pointOnly: true}
	if known, ok := g.ZIP(fields[header.zip]); ok {
		zip.name, zip.area = known.City, postalArea(known.Region)
		return zip, nil
	}
	near, ok := g.Reverse(degrees(lat), degrees(lng))
	if !ok || near.Country != "US" {
		return place{}, errors.New("is not near any known ZIP code")
	}
	zip.name, zip.area = near.City, postalArea(near.Region)
	return zip, nil
}
