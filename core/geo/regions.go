package geo

import "strings"

// regionNames maps the USPS code of every state, DC and the five inhabited
// territories to its name.
var regionNames = map[string]string{
	"AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California",
	"CO": "Colorado", "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia",
	"FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois",
	"IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
	"ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
	"MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada",
	"NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York",
	"NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon",
	"PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota",
	"TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia",
	"WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
	"PR": "Puerto Rico", "VI": "U.S. Virgin Islands", "GU": "Guam", "AS": "American Samoa",
	"MP": "Northern Mariana Islands",
}

// regionAliases are other folded spellings of a region.
var regionAliases = map[string]string{
	"d c":                          "DC",
	"washington dc":                "DC",
	"washington d c":               "DC",
	"virgin islands":               "VI",
	"us virgin islands":            "VI",
	"united states virgin islands": "VI",
	"northern marianas":            "MP",
	"commonwealth of the northern mariana islands": "MP",
	"commonwealth of puerto rico":                  "PR",
}

// regionCodes maps every folded name and alias to its code.
var regionCodes = func() map[string]string {
	codes := make(map[string]string, len(regionNames)+len(regionAliases))
	for code, name := range regionNames {
		codes[fold(name)] = code
	}
	for alias, code := range regionAliases {
		codes[alias] = code
	}
	return codes
}()

// territories have a country code of their own in ISO 3166 and in GeoNames files.
var territories = map[string]bool{"PR": true, "VI": true, "GU": true, "AS": true, "MP": true}

// postalRegions are served by the US mail and are no part of the United States
// here: the armed forces, Micronesia, the Marshall Islands and Palau.
var postalRegions = map[string]bool{
	"AA": true, "AE": true, "AP": true, "FM": true, "MH": true, "PW": true,
}

// Region returns the USPS code of a state, DC or an inhabited territory, given as
// its code or its name in any case: "ohio", "OH", "Washington DC", "d.c.".
func Region(s string) (code string, ok bool) {
	code = strings.ToUpper(strings.TrimSpace(s))
	if _, ok := regionNames[code]; ok {
		return code, true
	}
	code, ok = regionCodes[fold(s)]
	return code, ok
}

// RegionName returns the name of the region with a USPS code, or "" for a code
// that [Region] does not return.
func RegionName(code string) string { return regionNames[code] }

// military reports whether a region is a mail route of the armed forces.
func military(region string) bool { return region == "AA" || region == "AE" || region == "AP" }
