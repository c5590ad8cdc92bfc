package main

import (
	"net/http"
	"strings"
	"testing"

	"homeplace/core/pgtest"
)

// fields joins the columns of the gazetteer layouts by tabs.
func fields(columns ...string) string { return strings.Join(columns, "\t") + "\n" }

func TestGeo(t *testing.T) {
	t.Parallel()
	db := "--database-url=" + pgtest.New(t).URL
	zips := file(t, "US.txt", fields("US", "00601", "Newtown", "Puerto Rico", "PR", "Newtown County", "001", "", "", "18.18", "-66.75", "4")+"broken\n")
	cities := file(t, "cities.txt", fields("1", "Newtown", "Newtown", "", "18.18", "-66.75", "P", "PPL", "PR", "", "00", "", "", "", "120000", "", "10", "America/Puerto_Rico", "2026-01-01"))
	p := serve(t, db)
	zip := func() string { _, _, body := p.get(t, "/api/geocode/zip?zip=00601"); return body }
	if before := zip(); !strings.Contains(before, "Adjuntas") {
		t.Fatalf("the built-in table says %s", before)
	}
	homeplace(t, "geo", "import", "--zips", zips, "--cities", cities, db).want(t, 0, "US.txt: line 2:", "2 lines, 1 places", "1 wrong", "cities.txt: 1 lines, 1 places")
	eventually(t, "the imported table", func() bool { return strings.Contains(zip(), "Newtown") })
	homeplace(t, "doctor", db).want(t, 0, "an imported gazetteer is in use")
	homeplace(t, "geo", "reset", db).want(t, 0)
	eventually(t, "the built-in table", func() bool { return strings.Contains(zip(), "Adjuntas") })
	homeplace(t, "doctor", db).want(t, 0, "the built-in gazetteer is in use")

	homeplace(t, "geo", "import", db).want(t, 1, "zips")
	homeplace(t, "geo", "import", "--zips", file(t, "bad.txt", "nothing\n"), db).want(t, 1, "bad.txt", "no US ZIP code")
	homeplace(t, "geo", "import", "--zips", "/no/such/file", db).want(t, 2, "/no/such/file")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := "--database-url=" + d.URL
	homeplace(t, "settings", "list", db).want(t, 0, "  site_name = Homeplace", "The name of the site", "writes_per_hour = 30", "sign_in_window = 15m")
	p := serve(t, db)
	homeplace(t, "settings", "set", "site_name", "Our Town", db).want(t, 0)
	homeplace(t, "settings", "list", db).want(t, 0, "* site_name = Our Town", "(default: Homeplace)")
	if o := homeplace(t, "settings", "get", "site_name", db); o.out != "Our Town\n" {
		t.Errorf("get prints %q, want the value alone", o.out)
	}
	eventually(t, "the new name in the running service", func() bool {
		_, _, body := p.get(t, "/api")
		return strings.Contains(body, "Our Town")
	})
	logged(t, d, "setting_changed", `"Homeplace" → "Our Town"`)
	homeplace(t, "settings", "set", "writes_per_hour", "many", db).want(t, 1, "whole number", "many")
	homeplace(t, "settings", "set", "writes_per_hour", "0", db).want(t, 1, "from 1 to")
	homeplace(t, "settings", "set", "site_nam", "x", db).want(t, 1, "site_nam", "Did you mean site_name?")
	homeplace(t, "settings", "get", "zzz", db).want(t, 1, `no setting "zzz"`)
	homeplace(t, "settings", "set", "site_name", "default", db).want(t, 0)
	if o := homeplace(t, "settings", "get", "site_name", db); o.out != "Homeplace\n" {
		t.Errorf("after a reset it is %q", o.out)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	data := "--data-dir=" + dataDir(t)
	status := homeplace(t, "migrate", "status", data)
	status.want(t, 0, "0001_roles.sql", "waiting")
	if strings.Contains(status.out, "applied") {
		t.Errorf("an empty database has %s", status.out)
	}
	for range 2 {
		homeplace(t, "migrate", "up", data).want(t, 0, "the schema is up to date")
	}
	if status := homeplace(t, "migrate", "status", data); status.code != 0 || strings.Contains(status.out, "waiting") {
		t.Errorf("after migrate up: %s", status.out)
	}
}

func TestSearchCommands(t *testing.T) {
	t.Parallel()
	db := "--database-url=" + pgtest.New(t).URL
	entries := file(t, "entries.csv", "id,kind,name,city\n7,business,Juniper Books,Macon\n8,business,Anvil Tools,Macon\n")
	cases := file(t, "cases.jsonl", `{"type":"exact_name","q":"juniper books","k":5,"min_hits":1,"relevant_ids":["7"]}
{"type":"exact_name","q":"juniper books","params":{"kinds":"person"},"k":5,"min_hits":1,"relevant_ids":["7"]}
{"type":"misspelt_name","q":"junipr boks","k":1,"min_hits":1,"relevant_ids":["7"]}
`)
	homeplace(t, "import", "directory", entries, db).want(t, 0, "2 new")
	o := homeplace(t, "search", "evaluate", cases, "--entries", entries, "--misses", db)
	o.want(t, 0, "   1 of    2   50.0 %", "   1 of    1  100.0 %", `exact_name: "juniper books" has 0 of 1`)
	homeplace(t, "search", "reindex", db).want(t, 0, "2 entries are in the search index")
	homeplace(t, "search", "evaluate", cases, "--entries", file(t, "short.csv", "id,name\n"), db).want(t, 1, "short.csv", "id, name and city")
	homeplace(t, "search", "evaluate", entries, "--entries", entries, db).want(t, 1, "entries.csv: line 1")
}

func TestServe_takesARequestAtEachSurface(t *testing.T) {
	t.Parallel()
	p := serve(t, "--database-url", pgtest.New(t).URL)
	for path, want := range map[string]int{
		"/healthz": http.StatusOK, "/api": http.StatusOK, "/api/no-such-thing": http.StatusNotFound, "/no-such-page": http.StatusNotFound,
		"/apiary": http.StatusNotFound, "/api/openapi.json": http.StatusOK,
	} {
		if status, _, body := p.get(t, path); status != want {
			t.Errorf("%s answers %d %.200s, want %d", path, status, body, want)
		}
	}
}
