package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"homeplace/core/pgtest"
)

// importer imports into a database of its own.
func importer(t *testing.T) func(text string, args ...string) outcome {
	t.Helper()
	d := pgtest.New(t)
	return func(text string, args ...string) outcome {
		t.Helper()
		return homeplaceWith(t, text, append([]string{"import", "directory", "-", "--database-url", d.URL}, args...)...)
	}
}

func TestImport_forms(t *testing.T) {
	t.Parallel()
	const bom = "\ufeff"
	for _, tt := range []struct {
		name, text string
		args       []string
		code       int
		said       []string
	}{
		{"nothing", "", nil, 0, []string{"0 rows: 0 new, 0 updated, 0 refused"}},
		{"JSON Lines", `{"kind":"business","name":"A"}` + "\n\n" + `{"kind":"person","name":"B"}`, nil, 0, []string{"2 rows: 2 new"}},
		{"mark and CRLF", bom + "{\"kind\":\"business\",\"name\":\"A\"}\r\n{\"kind\":\"business\",\"name\":\"B\"}\r\n", nil, 0, []string{"2 new"}},
		{"CSV", bom + "kind,name,lat,lng\r\nbusiness,\"A, B\",33.7,-84.4\r\n", nil, 0, []string{"1 new, 0 updated, 0 refused"}},
		{"CSV over several lines", "kind,name,description\nbusiness,A,\"one\ntwo\"\nbusiness,,x\n", nil, 0, []string{"1 new", "line 4: name"}},
		{"CSV with a map", "sort,title,shop town\nbusiness,A,Atlanta\n", []string{"--map", "sort=kind", "--map", "shop town=city"}, 0, []string{"1 new"}},
		{"CSV with a map in one", "x,y\nbusiness,A\n", []string{"--map", "x=kind,y=name"}, 0, []string{"1 new"}},
		{"unknown columns", "kind,name,shoe size\nbusiness,A,45\n", nil, 0, []string{"ignored: shoe size", "1 new"}},
		{"forced format", "kind,name\nbusiness,A\n", []string{"--format", "jsonl"}, 0, []string{"line 1: is not a JSON object", "2 refused"}},
		{"unknown format", "", []string{"--format", "xml"}, 2, []string{"xml"}},
		{"bad lines", `{"kind":"business","name":"A"}` + "\n{\n" + `{"kind":"shop","name":"B"}` + "\n" + `{"kind":"business","name":"C","lat":100,"lng":0}` + "\n\xff\n" + `{"kind":"business","name":"D"}`,
			nil, 0, []string{"line 2: is not a JSON object", "line 3: kind", "line 4: lat", "line 5: is not valid UTF-8", "6 rows: 2 new, 0 updated, 4 refused"}},
		{"a line of 9 MB", `{"kind":"business","name":"A"}` + "\n{\"name\":\"" + strings.Repeat("x", 9<<20) + "\"}\n" + `{"kind":"business","name":"B"}`,
			nil, 0, []string{"line 2: is longer than 8 MB", "3 rows: 2 new, 0 updated, 1 refused"}},
		{"an owner that nobody knows", `{"kind":"business","name":"A","owner":"ghost"}`, nil, 0, []string{"line 1", "ghost", "1 refused"}},
		{"a wrong website", `{"kind":"business","name":"A","website":"ask at the door"}`, nil, 0, []string{"line 1: website", "1 new", "1 of them without a field that was wrong"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			importer(t)(tt.text, tt.args...).want(t, tt.code, tt.said...)
		})
	}
	homeplace(t, "import", "directory", "/no/such/file", "--data-dir", dataDir(t)).want(t, 1, "/no/such/file", "no such file")
	homeplace(t, "import", "shoes", "-", "--data-dir", dataDir(t)).want(t, 2, "shoes")
}

func TestImport_strict(t *testing.T) {
	t.Parallel()
	do := importer(t)
	const good, bad = `{"kind":"business","name":"A"}` + "\n", `{"kind":"business"}` + "\n"
	do(good+bad+good, "--strict").want(t, 1, "line 2: name", "Nothing was imported", "0 new, 0 updated, 1 refused")
	do(good+`{"kind":"business","name":"B","website":"none at all"}`, "--strict").want(t, 1, "line 2: website", "Nothing was imported")
	do(good+strings.ReplaceAll(good, "A", "B"), "--strict").want(t, 0, "2 rows: 2 new, 0 updated, 0 refused")
}

func TestImport_categories(t *testing.T) {
	t.Parallel()
	const rows = "kind,name,category\nbusiness,A,Élan Vital\nbusiness,B,élan-vital\nbusiness,C,barber\nbusiness,D,Juggling\n"
	do := importer(t)
	do(rows).want(t, 0, "kept as tags (--add-categories adds them)", "élan vital: 1", "élan-vital: 1", "juggling: 1", "4 new")

	d := pgtest.New(t)
	homeplaceWith(t, rows, "import", "directory", "-", "--add-categories", "--database-url", d.URL).want(t, 0, "4 new, 0 updated, 0 refused")
	p := serve(t, "--database-url", d.URL)
	_, _, body := p.get(t, "/api/directory/businesses")
	var list struct {
		Facets []struct{ Label string } `json:"available_categories"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Facets) != 3 {
		t.Fatalf("%v: %s", err, body)
	}
	if label := list.Facets[2].Label; label != "Élan vital" {
		t.Errorf("the category that joined is called %q", label)
	}
}

func TestImport_again(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	const rows = "kind,name,city\nbusiness,Joe's,Macon\nbusiness,Joe's,Macon\nperson,🍕,\nbusiness,Joe's 2,Macon\nbusiness,Joe's,Macon 2\n"
	var exported string
	for _, said := range []string{"5 new, 0 updated", "0 new, 5 updated"} {
		homeplaceWith(t, rows, "import", "directory", "-", "--database-url", d.URL).want(t, 0, said)
		export := homeplace(t, "export", "directory", "--database-url", d.URL)
		export.want(t, 0, `"slug":"joes-macon"`, `"slug":"joes-macon-2"`, `"slug":"joes-2-macon"`, `"slug":"joes-macon-2-2"`, `"slug":"person-`)
		if exported != "" && export.out != exported {
			t.Errorf("the second import changed\n%s\ninto\n%s", exported, export.out)
		}
		exported = export.out
	}
}

// full is entries that use every field, in forms that are hard to carry.
const full = `{"kind":"business","slug":"full","name":"Full \"Café\", Ltd; & Söhne","category":"cafe","summary":"Two\nlines; <b>bold</b> & more","description":"# Title\n\n- a\n- \"b\"","address":"1 Main St, #4","city":"Winston-Salem","region":"NC","country":"US","zip":"01234","lat":36.1,"lng":-80.25,"phone":"+1 (555) 0100","email":"a@example.org","website":"https://example.org/?a=1&b=2","image_url":"https://example.org/a.png","links":[{"label":"Menu; today","url":"https://example.org/menu"}],"tags":["late night","a;b","Étoile"],"hours":{"mon":[["09:00","17:30"],["19:00","02:00"]],"sun":[],"timezone":"America/New_York","note":"Ring twice, \"please\""},"verified":true,"owner":"ada"}
{"kind":"event","slug":"event","name":"'Fête'","starts_at":"2027-05-01T18:00:00.123456-05:00","ends_at":"2027-05-02","status":"draft"}
{"kind":"person","slug":"person","name":"=SUM(A1)","year_start":-300,"year_end":0,"hours":{},"status":"archived"}
{"kind":"landmark","slug":"bare","name":"北京"}
{"kind":"service","slug":"unknown-category","name":"S","category":"Juggling","zip":"30303-1234","region":"Georgia"}
{"kind":"business","slug":"hidden","name":"Out of sight","hidden":true}
`

func TestExport_roundTrip(t *testing.T) {
	t.Parallel()
	database := func() string {
		d := "--database-url=" + pgtest.New(t).URL
		homeplace(t, "user", "create", "--email", "a@example.org", "--username", "ada", "--password", "correct horse", d).want(t, 0)
		return d
	}
	first := database()
	homeplaceWith(t, full, "import", "directory", "-", first).want(t, 0, "6 new, 0 updated, 0 refused\n")
	rows := homeplace(t, "export", "directory", first)
	rows.want(t, 0, "6 rows")
	for _, format := range []string{"jsonl", "csv"} {
		export := homeplace(t, "export", "directory", "--format", format, first)
		export.want(t, 0, "6 rows")
		second := database()
		homeplaceWith(t, export.out, "import", "directory", "-", "--strict", second).want(t, 0, "6 new, 0 updated, 0 refused\n")
		if again := homeplace(t, "export", "directory", "--format", format, second); again.out != export.out {
			t.Errorf("%s: exported\n%s\nand from its import\n%s", format, export.out, again.out)
		}
		if again := homeplace(t, "export", "directory", second); again.out != rows.out {
			t.Errorf("over %s\n%s\nbecomes\n%s", format, rows.out, again.out)
		}
	}
}

// What is exported goes in again as it was, and needs nothing the second time.
func TestImport_apps(t *testing.T) {
	t.Parallel()
	const apps = `{"slug":"block-map","name":"Block Map","owner":"ada","colour":"red"}` + "\n" +
		`{"slug":"draft","name":"Draft","status":"pending"}` + "\n" + `{"name":"","status":"gone"}` + "\n"
	const files = `{"app":"block-map","filename":"a.json","content":{"b":1.0,  "a":[]},"schema":{"type":"object"}}` + "\n" +
		`{"app":"block-map","filename":"b.json","content":"[1,\n 2.0]\n"}` + "\n" +
		`{"app":"none","filename":"b.json","content":[]}` + "\n" + `{"app":"draft","filename":"c.txt","content":"[1"}` + "\n"
	first, second := pgtest.New(t), pgtest.New(t)
	run := func(d *pgtest.Database, in string, code int, said string, args ...string) outcome {
		t.Helper()
		o := homeplaceWith(t, in, append(args, "--database-url", d.URL)...)
		if o.code != code || !strings.Contains(o.out+o.messages, said) {
			t.Errorf("%v: code %d, %s%s\nwant %s", args, o.code, o.out, o.messages, said)
		}
		return o
	}
	for _, d := range []*pgtest.Database{first, second} {
		run(d, "", 0, "", "user", "create", "--email", "ada@example.org", "--username", "ada", "--password", "a long password")
	}
	run(first, apps, 0, "3 rows: 2 new, 0 updated, 1 refused", "import", "app", "-")
	if o := run(first, apps, 0, "0 new, 2 updated", "import", "app", "-"); !strings.Contains(o.out, "ignored: colour") || !strings.Contains(o.messages, "line 3") {
		t.Errorf("said %s%s", o.out, o.messages)
	}
	o := run(first, files, 0, "4 rows: 2 new, 0 updated, 2 refused", "import", "app-file", "-")
	for _, want := range []string{"line 3", "line 4", "end in .json", "ends too early"} {
		if !strings.Contains(o.messages, want) {
			t.Errorf("messages %s lack %q", o.messages, want)
		}
	}
	run(first, files, 0, "2 had the same bytes already", "import", "app-file", "-")
	run(first, files, 1, "Nothing was imported", "import", "app-file", "-", "--strict")
	run(first, "", 1, "must be jsonl", "export", "app", "--format", "csv")
	for _, kind := range []string{"app", "app-file"} {
		out := run(first, "", 0, "2 rows", "export", kind).out
		run(second, out, 0, "2 rows: 2 new", "import", kind, "-", "--strict")
		again := run(second, "", 0, "2 rows", "export", kind).out
		if withoutIDs(out) != withoutIDs(again) {
			t.Errorf("exported\n%s\nand again\n%s", out, again)
		}
	}
}

var idField = regexp.MustCompile(`"id":"[^"]*",`)

func TestImport_polls(t *testing.T) {
	t.Parallel()
	db := "--database-url=" + pgtest.New(t).URL
	homeplaceWith(t, `{"question":"Grits with sugar or salt?","options":["Sugar","Salt"]}`+"\n"+`{"question":"Only one?","options":["Yes"]}`, "import", "poll", "-", db).
		want(t, 0, "line 2", "2 to 8", "2 rows: 1 new, 0 updated, 1 refused")
	homeplace(t, "export", "poll", db).want(t, 0, `"slug":"grits-with-sugar-or-salt"`, `"options":["Sugar","Salt"]`)
}

func withoutIDs(lines string) string { return idField.ReplaceAllString(lines, "") }
