package geo_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"homeplace/core/geo"
)

// small has two ZIPs and two cities.
func small(t testing.TB) *geo.Gazetteer {
	t.Helper()
	g, _, err := new(geo.Gazetteer).ParseZIPs(strings.NewReader(
		"US\t30303\tAtlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.7525\t-84.3888\t4\n" +
			"US\t09001\tAPO AA\t\t\t\t\t\t\t38.1105\t15.6613\t\n"))
	if err != nil {
		t.Fatal(err)
	}
	g, _, err = g.ParseCities(strings.NewReader(
		cityLine("Atlanta", "33.749", "-84.38798", "PPLA", "US", "GA", "420003")+
			cityLine("Accra", "5.55602", "-0.1969", "PPLC", "GH", "01", "1963264")), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func cityLine(name, lat, lng, feature, country, area, people string) string {
	fields := []string{
		"1", name, name, "", lat, lng, "P", feature, country, "", area, "", "", "", people, "", "0", "UTC", "2020-01-01",
	}
	return strings.Join(fields, "\t") + "\n"
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	first := small(t).Encode()
	g, err := geo.Decode(first)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g.Encode(), first) {
		t.Error("encoding again gives other bytes")
	}
	want := geo.ZIP{Code: "30303", City: "Atlanta", Region: "GA", Lat: 33.7525, Lng: -84.3888}
	if zip, ok := g.ZIP("30303"); !ok || zip != want {
		t.Errorf("ZIP(30303) = %+v, want %+v", zip, want)
	}
	if zip, _ := g.ZIP("09001"); zip != (geo.ZIP{Code: "09001", City: "APO", Region: "AE"}) {
		t.Errorf("ZIP(09001) = %+v", zip)
	}
	accra := geo.Locality{City: "Accra", Region: "Greater Accra", Country: "GH", Lat: 5.556, Lng: -0.1969}
	if got, ok := g.Reverse(5.6, -0.2); !ok || got != accra {
		t.Errorf("Reverse near Accra = %+v, want %+v", got, accra)
	}
}

func TestBuiltinIsCompact(t *testing.T) {
	t.Parallel()
	data := geo.Builtin().Encode()
	zips, cities := geo.Builtin().Len()
	t.Logf("%d ZIPs and %d cities in %d bytes", zips, cities, len(data))
	if len(data) > 2_500_000 || zips < 41_000 || cities < 100_000 {
		t.Errorf("%d ZIPs and %d cities in %d bytes", zips, cities, len(data))
	}
}

func TestDecodeRejects(t *testing.T) {
	t.Parallel()
	good := small(t).Encode()
	raw := unpack(t, good)
	tests := map[string][]byte{
		"nothing":          nil,
		"no gzip":          []byte("zip,city\n"),
		"cut gzip":         good[:len(good)-9],
		"another content":  pack(t, []byte("hello")),
		"only the magic":   pack(t, raw[:16]),
		"cut content":      pack(t, raw[:len(raw)-1]),
		"trailing content": pack(t, append(bytes.Clone(raw), 0)),
	}
	for name, data := range tests {
		if _, err := geo.Decode(data); err == nil {
			t.Errorf("%s decodes", name)
		}
	}
}

// FuzzDecode feeds the content of the gzip stream, which random bytes never reach.
func FuzzDecode(f *testing.F) {
	f.Add(unpack(f, small(f).Encode()))
	f.Add([]byte("homeplace geo 1\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		g, err := geo.Decode(pack(t, raw))
		if err != nil {
			return
		}
		g.Reverse(5.6, -0.2)
		g.Metro(33.7, -84.4)
		g.City("Atlanta", "")
		if _, err := geo.Decode(g.Encode()); err != nil {
			t.Errorf("what was decoded does not decode again: %v", err)
		}
	})
}

func pack(t testing.TB, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	if _, err := zw.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unpack(t testing.TB, packed []byte) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
