package geo_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"homeplace/core/geo"
)

func problems(r geo.Report) []string {
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, p.String())
	}
	return lines
}

func TestParseZIPsNamesBadLines(t *testing.T) {
	t.Parallel()
	const file = "US\t30303\tAtlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.7525\t-84.3888\t4\r\n" +
		"\n" +
		"US\t3030\tAtlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.7525\t-84.3888\t4\n" +
		"US\t30304\tAtlanta\n" +
		"US\t30305\tAtlanta\tGeorgia\tGA\t\t\t\t\tnorth\t-84.3888\t4\n" +
		"US\t30306\tAtlanta\tGeorgia\tGA\t\t\t\t\t133.7\t-84.3888\t4\n" +
		"US\t30307\tAtlanta\tGeorgia\tXX\t\t\t\t\t33.7\t-84.3888\t4\n" +
		"US\t30308\t\tGeorgia\tGA\t\t\t\t\t33.7\t-84.3888\t4\n" +
		"US\t30303\tAgain\tGeorgia\tGA\t\t\t\t\t33.7\t-84.3888\t4\n" +
		"DE\t10115\tBerlin\t\tBE\t\t\t\t\t52.5\t13.4\t4\n" +
		"PR\t00901\tSan Juan\t\t\t\t\t\t\t18.4655\t-66.1057\t4\n"
	g, report, err := new(geo.Gazetteer).ParseZIPs(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`line 3: ZIP "3030" is not five digits`,
		`line 4: has 3 tab-separated columns, want 12`,
		`line 5: latitude "north" or longitude "-84.3888" is not a number`,
		`line 6: latitude 133.7 or longitude -84.3888 is out of range`,
		`line 7: state code "XX" is unknown`,
		`line 8: has no name`,
	}
	if got := problems(report); !slices.Equal(got, want) {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if report.Lines != 10 || report.Kept != 2 || report.Skipped != 2 || report.Bad != 6 {
		t.Errorf("report = %+v", report)
	}
	if zip, ok := g.ZIP("00901"); !ok || zip.Region != "PR" {
		t.Errorf("ZIP(00901) = %+v, %t", zip, ok)
	}
}

func TestParseZIPsReplacesWholeStates(t *testing.T) {
	t.Parallel()
	const file = "US\t30303\tNew Atlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.7525\t-84.3888\t4\n"
	g, _, err := geo.Builtin().ParseZIPs(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if zip, _ := g.ZIP("30303"); zip.City != "New Atlanta" {
		t.Errorf("ZIP(30303) = %+v", zip)
	}
	if _, ok := g.ZIP("30305"); ok {
		t.Error("a code of Georgia that the file lacks is still there")
	}
	if _, ok := g.ZIP("00901"); !ok {
		t.Error("Puerto Rico, which the file has nothing of, is gone")
	}
	if zip, _ := geo.Builtin().ZIP("30303"); zip.City != "Atlanta" {
		t.Error("the import changed the built-in tables")
	}
}

func TestParsePoints(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"comma": "zip,lat,lng\n30303,33.75,-84.39\n30300,33.76,-84.4\nx,1,2\n99998,0,0\n",
		"tab": "GEOID\tALAND\tINTPTLAT\tINTPTLONG   \n30303\t1\t33.75\t-84.39  \n30300\t1\t33.76\t-84.4\n" +
			"x\t1\t1\t2\n99998\t1\t0\t0\n",
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, report, err := geo.Builtin().ParseZIPs(strings.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			if report.Kept != 2 || report.Bad != 2 || report.Problems[1].Line != 5 {
				t.Errorf("report = %+v", report)
			}
			if zip, _ := g.ZIP("30303"); zip.City != "Atlanta" || zip.Lat != 33.75 || zip.Lng != -84.39 {
				t.Errorf("moved code: %+v", zip)
			}
			if zip, _ := g.ZIP("30300"); zip.City != "Atlanta" || zip.Region != "GA" {
				t.Errorf("new code: %+v", zip)
			}
			if _, ok := g.ZIP("30305"); !ok {
				t.Error("a code the list lacks is gone")
			}
		})
	}
}

func TestParseCitiesNamesBadLines(t *testing.T) {
	t.Parallel()
	file := cityLine("Accra", "5.55602", "-0.1969", "PPLC", "GH", "01", "1963264") +
		cityLine("Osu", "5.55", "-0.18", "PPLX", "GH", "01", "30000") +
		cityLine("", "5.55", "-0.18", "PPL", "GH", "01", "1") +
		cityLine("Tema", "5.66", "-0.01", "PPL", "Ghana", "01", "1") +
		cityLine("Tema", "5.66", "-0.01", "PPL", "GH", "01", "many") +
		cityLine("Springfield", "39.8", "-89.6", "PPL", "US", "??", "1") +
		cityLine("New York City", "40.71427", "-74.00597", "PPL", "US", "NY", "8175133") +
		cityLine("Ville", "1", "2", "PPL", "XK", "7", "")
	g, report, err := new(geo.Gazetteer).ParseCities(strings.NewReader(file), geo.Areas{"XK.7": "Seventh"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`line 3: has no name`,
		`line 4: country "Ghana" is not two capital letters`,
		`line 5: population "many" is not a whole number`,
		`line 6: state code "??" is unknown`,
	}
	if got := problems(report); !slices.Equal(got, want) || report.Kept != 3 || report.Skipped != 1 {
		t.Errorf("report = %+v", report)
	}
	if city, ok := g.City("Ville", ""); !ok || city.Region != "Seventh" {
		t.Errorf("City(Ville) = %+v, %t", city, ok)
	}
	if city, ok := g.City("New York", "NY"); !ok || city.City != "New York" {
		t.Errorf("City(New York) = %+v, %t", city, ok)
	}
}

func TestParseRejectsUselessFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"empty": "", "prose": "hello\nworld\n", "broken zip": "PK\x03\x04nonsense", "only a header": "zip,lat,lng\n",
	}
	for name, file := range files {
		if _, _, err := geo.Builtin().ParseZIPs(strings.NewReader(file)); err == nil {
			t.Errorf("ZIPs: %s is taken", name)
		}
		if _, _, err := geo.Builtin().ParseCities(strings.NewReader(file), nil); err == nil {
			t.Errorf("cities: %s is taken", name)
		}
	}
	var empty bytes.Buffer
	if err := zip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := geo.Builtin().ParseZIPs(&empty); err == nil {
		t.Error("an empty zip file is taken")
	}
}

func TestImportOfPublicFiles(t *testing.T) {
	t.Parallel()
	areas, report, err := geo.ParseAreas(sharedFile(t, "geo/admin1CodesASCII.txt"))
	if err != nil || report.Bad > 1 || areas["NG.05"] != "Lagos" {
		t.Fatalf("areas: %v, %+v", err, report)
	}
	g, report, err := geo.Builtin().ParseZIPs(sharedFile(t, "geo/US.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if report.Lines != 41_490 || report.Kept != 41_488 || report.Bad != 0 {
		t.Errorf("US.zip: %+v", report)
	}
	g, report, err = g.ParseCities(sharedFile(t, "geo/cities15000.zip"), areas)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("cities15000.zip: %d kept, %d skipped, %d bad", report.Kept, report.Skipped, report.Bad)
	if report.Lines != 23_461 || report.Bad > 5 || report.Kept < 22_000 {
		t.Errorf("cities15000.zip: %+v", report)
	}
	g, report, err = g.ParseZIPs(sharedFile(t, "geo/zcta_lat_lng_2013.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if report.Kept < 33_000 || report.Bad > 5 {
		t.Errorf("zcta: %+v", report)
	}
	g, err = geo.Decode(g.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if place, _ := g.Reverse(6.5244, 3.3792); place.City != "Lagos" || place.Region != "Lagos" {
		t.Errorf("Reverse(Lagos) = %+v", place)
	}
	if zip, ok := g.ZIP("00901"); !ok || zip.Region != "PR" || geo.Distance(zip.Lat, zip.Lng, 18.4655, -66.1057) > 3 {
		t.Errorf("ZIP(00901) = %+v, %t", zip, ok)
	}
	if metro, ok := g.Metro(40.7831, -73.9712); !ok || metro.City != "New York" {
		t.Errorf("Metro(Manhattan) = %+v, %t", metro, ok)
	}
}

func FuzzParseZIPs(f *testing.F) {
	f.Add([]byte("US\t30303\tAtlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.7525\t-84.3888\t4\n"))
	f.Add([]byte("zip,lat,lng\n30303,33.75,-84.39\n"))
	f.Add([]byte("PK\x03\x04"))
	base := small(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		g, report, err := base.ParseZIPs(bytes.NewReader(file))
		checkImport(t, g, report, err)
	})
}

func FuzzParseCities(f *testing.F) {
	f.Add([]byte(cityLine("Accra", "5.55602", "-0.1969", "PPLC", "GH", "01", "1963264")))
	base := small(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		g, report, err := base.ParseCities(bytes.NewReader(file), nil)
		checkImport(t, g, report, err)
	})
}

func FuzzParseAreas(f *testing.F) {
	f.Add([]byte("GH.01\tGreater Accra\tGreater Accra\t2300569\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, report, err := geo.ParseAreas(bytes.NewReader(file))
		if err == nil && report.Kept+report.Skipped+report.Bad != report.Lines {
			t.Errorf("lines do not add up: %+v", report)
		}
	})
}

func checkImport(t *testing.T, g *geo.Gazetteer, report geo.Report, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if report.Kept+report.Skipped+report.Bad != report.Lines {
		t.Errorf("lines do not add up: %+v", report)
	}
	if _, err := geo.Decode(g.Encode()); err != nil {
		t.Errorf("the imported tables do not decode: %v", err)
	}
}
