package geo

import "math"

// metros lists the first-named principal city of every Census metropolitan
// statistical area with at least 250,000 people in July 2023 whose principal city
// has at least 50,000; for a state, or DC, without one, the principal city of its
// largest area; and San Juan. Points are the cities' own, in degrees.
var metros = [...]Metro{
	{"Anchorage", "AK", 61.21806, -149.90028},
	{"Birmingham", "AL", 33.52066, -86.80249},
	{"Huntsville", "AL", 34.73037, -86.5861},
	{"Mobile", "AL", 30.69436, -88.04305},
	{"Montgomery", "AL", 32.36681, -86.29997},
	{"Tuscaloosa", "AL", 33.20984, -87.56917},
	{"Fayetteville", "AR", 36.06258, -94.15743},
	{"Little Rock", "AR", 34.74648, -92.28959},
	{"Phoenix", "AZ", 33.44838, -112.07404},
	{"Tucson", "AZ", 32.22174, -110.92648},
	{"Bakersfield", "CA", 35.37329, -119.01871},
	{"Fresno", "CA", 36.74773, -119.77237},
	{"Los Angeles", "CA", 34.05223, -118.24368},
	{"Merced", "CA", 37.30216, -120.48297},
	{"Modesto", "CA", 37.6391, -120.99688},
	{"Oxnard", "CA", 34.1975, -119.17705},
	{"Riverside", "CA", 33.95335, -117.39616},
	{"Sacramento", "CA", 38.58157, -121.4944},
	{"Salinas", "CA", 36.67774, -121.6555},
	{"San Diego", "CA", 32.71533, -117.15726},
	{"San Francisco", "CA", 37.77493, -122.41942},
	{"San Jose", "CA", 37.33939, -121.89496},
	{"Santa Cruz", "CA", 36.97412, -122.0308},
	{"Santa Maria", "CA", 34.95303, -120.43572},
	{"Santa Rosa", "CA", 38.44047, -122.71443},
	{"Stockton", "CA", 37.9577, -121.29078},
	{"Vallejo", "CA", 38.10409, -122.25664},
	{"Visalia", "CA", 36.33023, -119.29206},
	{"Boulder", "CO", 40.01499, -105.27055},
	{"Colorado Springs", "CO", 38.83388, -104.82136},
	{"Denver", "CO", 39.73915, -104.9847},
	{"Fort Collins", "CO", 40.58526, -105.08442},
	{"Greeley", "CO", 40.42331, -104.70913},
	{"Bridgeport", "CT", 41.16704, -73.20483},
	{"Hartford", "CT", 41.76371, -72.68509},
	{"New Haven", "CT", 41.30815, -72.92816},
	{"Waterbury", "CT", 41.55815, -73.0515},
	{"Washington", "DC", 38.9047, -77.0163},
	{"Dover", "DE", 39.15817, -75.52437},
	{"Cape Coral", "FL", 26.56285, -81.94953},
	{"Deltona", "FL", 28.90054, -81.26367},
	{"Gainesville", "FL", 29.65163, -82.32483},
	{"Jacksonville", "FL", 30.33218, -81.65565},
	{"Lakeland", "FL", 28.03947, -81.9498},
	{"Miami", "FL", 25.77427, -80.19366},
	{"North Port", "FL", 27.04422, -82.23593},
	{"Ocala", "FL", 29.1872, -82.14009},
	{"Orlando", "FL", 28.53834, -81.37924},
	{"Palm Bay", "FL", 28.03446, -80.58866},
	{"Pensacola", "FL", 30.42131, -87.21691},
	{"Port St. Lucie", "FL", 27.2796, -80.3884},
	{"Tallahassee", "FL", 30.43826, -84.28073},
	{"Tampa", "FL", 27.94752, -82.45843},
	{"Atlanta", "GA", 33.749, -84.38798},
	{"Augusta", "GA", 33.47097, -81.97484},
	{"Columbus", "GA", 32.46098, -84.98771},
	{"Savannah", "GA", 32.08354, -81.09983},
	{"Honolulu", "HI", 21.30694, -157.85833},
	{"Cedar Rapids", "IA", 42.00833, -91.64407},
	{"Davenport", "IA", 41.52364, -90.57764},
	{"Des Moines", "IA", 41.60054, -93.60911},
	{"Boise", "ID", 43.6135, -116.20345},
	{"Chicago", "IL", 41.85003, -87.65005},
	{"Peoria", "IL", 40.69365, -89.58899},
	{"Rockford", "IL", 42.27113, -89.094},
	{"Evansville", "IN", 37.97476, -87.55585},
	{"Fort Wayne", "IN", 41.1306, -85.12886},
	{"Indianapolis", "IN", 39.76838, -86.15804},
	{"South Bend", "IN", 41.68338, -86.25001},
	{"Wichita", "KS", 37.69224, -97.33754},
	{"Lexington", "KY", 37.98869, -84.47772},
	{"Louisville", "KY", 38.25424, -85.75941},
	{"Baton Rouge", "LA", 30.45075, -91.15455},
	{"Lafayette", "LA", 30.22409, -92.01984},
	{"New Orleans", "LA", 29.95465, -90.07507},
	{"Shreveport", "LA", 32.52515, -93.75018},
	{"Boston", "MA", 42.35843, -71.05977},
	{"Springfield", "MA", 42.10148, -72.58981},
	{"Worcester", "MA", 42.26259, -71.80229},
	{"Baltimore", "MD", 39.29038, -76.61219},
	{"Portland", "ME", 43.66147, -70.25533},
	{"Ann Arbor", "MI", 42.27756, -83.74088},
	{"Detroit", "MI", 42.33143, -83.04575},
	{"Flint", "MI", 43.01253, -83.68746},
	{"Grand Rapids", "MI", 42.96336, -85.66809},
	{"Kalamazoo", "MI", 42.29171, -85.58723},
	{"Lansing", "MI", 42.73253, -84.55553},
	{"Duluth", "MN", 46.78327, -92.10658},
	{"Minneapolis", "MN", 44.97997, -93.26384},
	{"Kansas City", "MO", 39.09973, -94.57857},
	{"Springfield", "MO", 37.21533, -93.29824},
	{"St. Louis", "MO", 38.62727, -90.19789},
	{"Gulfport", "MS", 30.36742, -89.09282},
	{"Jackson", "MS", 32.29876, -90.18481},
	{"Billings", "MT", 45.78329, -108.50069},
	{"Asheville", "NC", 35.60095, -82.55402},
	{"Charlotte", "NC", 35.22709, -80.84313},
	{"Durham", "NC", 35.99403, -78.89862},
	{"Fayetteville", "NC", 35.05266, -78.87836},
	{"Greensboro", "NC", 36.07264, -79.79198},
	{"Raleigh", "NC", 35.7721, -78.63861},
	{"Wilmington", "NC", 34.22573, -77.94471},
	{"Winston-Salem", "NC", 36.09986, -80.24422},
	{"Fargo", "ND", 46.87719, -96.7898},
	{"Lincoln", "NE", 40.8, -96.66696},
	{"Omaha", "NE", 41.25861, -95.93779},
	{"Manchester", "NH", 42.99564, -71.45479},
	{"Trenton", "NJ", 40.21705, -74.74294},
	{"Albuquerque", "NM", 35.08449, -106.65114},
	{"Las Vegas", "NV", 36.17497, -115.13722},
	{"Reno", "NV", 39.52963, -119.8138},
	{"Albany", "NY", 42.65258, -73.75623},
	{"Buffalo", "NY", 42.88645, -78.87837},
	{"New York", "NY", 40.71427, -74.00597},
	{"Rochester", "NY", 43.15478, -77.61556},
	{"Syracuse", "NY", 43.04812, -76.14742},
	{"Utica", "NY", 43.1009, -75.23266},
	{"Akron", "OH", 41.08144, -81.51901},
	{"Canton", "OH", 40.79895, -81.37845},
	{"Cincinnati", "OH", 39.162, -84.45689},
	{"Cleveland", "OH", 41.4995, -81.69541},
	{"Columbus", "OH", 39.96118, -82.99879},
	{"Dayton", "OH", 39.75895, -84.19161},
	{"Toledo", "OH", 41.66394, -83.55521},
	{"Youngstown", "OH", 41.09978, -80.64952},
	{"Oklahoma City", "OK", 35.46756, -97.51643},
	{"Tulsa", "OK", 36.15398, -95.99277},
	{"Bend", "OR", 44.05817, -121.31531},
	{"Eugene", "OR", 44.05207, -123.08675},
	{"Portland", "OR", 45.52345, -122.67621},
	{"Salem", "OR", 44.9429, -123.0351},
	{"Allentown", "PA", 40.60843, -75.49018},
	{"Erie", "PA", 42.12922, -80.08506},
	{"Harrisburg", "PA", 40.2737, -76.88442},
	{"Lancaster", "PA", 40.03788, -76.30551},
	{"Philadelphia", "PA", 39.95233, -75.16379},
	{"Pittsburgh", "PA", 40.44062, -79.99589},
	{"Reading", "PA", 40.33565, -75.92687},
	{"Scranton", "PA", 41.40916, -75.6649},
	{"San Juan", "PR", 18.4655, -66.1057},
	{"Providence", "RI", 41.82399, -71.41283},
	{"Charleston", "SC", 32.77657, -79.93092},
	{"Columbia", "SC", 34.00071, -81.03481},
	{"Greenville", "SC", 34.85262, -82.39401},
	{"Sioux Falls", "SD", 43.54997, -96.70033},
	{"Chattanooga", "TN", 35.04563, -85.30968},
	{"Clarksville", "TN", 36.52977, -87.35945},
	{"Kingsport", "TN", 36.54843, -82.56182},
	{"Knoxville", "TN", 35.96064, -83.92074},
	{"Memphis", "TN", 35.14953, -90.04898},
	{"Nashville", "TN", 36.16589, -86.78444},
	{"Amarillo", "TX", 35.222, -101.8313},
	{"Austin", "TX", 30.26715, -97.74306},
	{"Beaumont", "TX", 30.08605, -94.10185},
	{"Brownsville", "TX", 25.90175, -97.49748},
	{"College Station", "TX", 30.62798, -96.33441},
	{"Corpus Christi", "TX", 27.80058, -97.39638},
	{"Dallas", "TX", 32.78306, -96.80667},
	{"El Paso", "TX", 31.75872, -106.48693},
	{"Houston", "TX", 29.76328, -95.36327},
	{"Killeen", "TX", 31.11712, -97.7278},
	{"Laredo", "TX", 27.50641, -99.50754},
	{"Longview", "TX", 32.5007, -94.74049},
	{"Lubbock", "TX", 33.57786, -101.85517},
	{"McAllen", "TX", 26.20341, -98.23001},
	{"San Antonio", "TX", 29.42412, -98.49363},
	{"Waco", "TX", 31.54933, -97.14667},
	{"Ogden", "UT", 41.223, -111.97383},
	{"Provo", "UT", 40.23384, -111.65853},
	{"Salt Lake City", "UT", 40.76078, -111.89105},
	{"Lynchburg", "VA", 37.41375, -79.14225},
	{"Richmond", "VA", 37.55376, -77.46026},
	{"Roanoke", "VA", 37.27097, -79.94143},
	{"Virginia Beach", "VA", 36.85293, -75.97799},
	{"Burlington", "VT", 44.47588, -73.21207},
	{"Kennewick", "WA", 46.21125, -119.13723},
	{"Olympia", "WA", 47.03787, -122.9007},
	{"Seattle", "WA", 47.60621, -122.33207},
	{"Spokane", "WA", 47.65966, -117.42908},
	{"Yakima", "WA", 46.60207, -120.5059},
	{"Green Bay", "WI", 44.51916, -88.01983},
	{"Madison", "WI", 43.07305, -89.40123},
	{"Milwaukee", "WI", 43.0389, -87.90647},
	{"Huntington", "WV", 38.41925, -82.44515},
	{"Cheyenne", "WY", 41.13998, -104.82025},
}

// metroVectors holds the unit vector of every row of metros.
var metroVectors = func() (vectors [len(metros)]vector) {
	for i, m := range metros {
		vectors[i] = unitVector(m.Lat, m.Lng)
	}
	return vectors
}()

// Metros returns the big-city table, by region and city. The slice is the caller's.
func (g *Gazetteer) Metros() []Metro {
	return append([]Metro(nil), metros[:]...)
}

// Metro returns the nearest big city of a point in the United States, if one is
// within [MetroRadiusKm]. A point abroad has none, however near the border: its
// country is that of the nearest known ZIP or city.
func (g *Gazetteer) Metro(lat, lng float64) (Metro, bool) {
	if !onGlobe(lat, lng) {
		return Metro{}, false
	}
	metro := metros[nearestMetro(unitVector(lat, lng))]
	if Distance(lat, lng, metro.Lat, metro.Lng) > MetroRadiusKm || !g.inUS(lat, lng) {
		return Metro{}, false
	}
	return metro, true
}

// nearestMetro compares chords, which order as great circles do.
func nearestMetro(at vector) int {
	best, nearest := 0, math.Inf(1)
	for i, v := range metroVectors {
		if d := at.chord2(v); d < nearest {
			best, nearest = i, d
		}
	}
	return best
}
