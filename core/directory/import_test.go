package directory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
)

func (w world) count(t *testing.T) int {
	t.Helper()
	return pgtest.Value[int](t, w.db, core.TheSystem(), `select count(*) from directory_entries`)
}

// shops is that many rows of JSON Lines.
func shops(count int) string {
	var text strings.Builder
	for n := range count {
		fmt.Fprintf(&text, `{"kind":"business","slug":"shop-%d","name":"Shop %d"}`+"\n", n, n)
	}
	return text.String()
}

// What Progress reported is there, however the import ends.
func TestImport_keepsWhatItReported(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, tt := range []struct {
		name   string
		strict bool
		stored int // of 1,200 rows in batches of 500
	}{{"in batches", false, 1200}, {"strict", true, 0}} {
		w := setup(t)
		source, err := rowfile.NewReader(io.MultiReader(strings.NewReader(shops(1200)), failing{broken}), rowfile.JSONLines)
		if err != nil {
			t.Fatal(err)
		}
		reported := 0
		summary, err := w.Import(t.Context(), core.TheSystem(), source, directory.ImportOptions{Strict: tt.strict, Progress: func(stored int) {
			reported = stored
			if got := w.count(t); got != stored {
				t.Errorf("%s: %d rows are there when %d are reported", tt.name, got, stored)
			}
		}})
		if !errors.Is(err, broken) || summary.Created != tt.stored || reported != tt.stored || w.count(t) != tt.stored {
			t.Errorf("%s: %d reported, %d counted, %d stored, %v; want %d", tt.name, reported, summary.Created, w.count(t), err, tt.stored)
		}
		w.wantInOrder(t)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestImport_cancelled(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	summary, err := w.Import(ctx, core.TheSystem(), rows(t, shops(1200)), directory.ImportOptions{Progress: func(int) { cancel() }})
	if !errors.Is(err, context.Canceled) || summary.Created != 500 || w.count(t) != 500 || summary.Refused != 0 {
		t.Errorf("%+v with %d rows stored, %v", summary, w.count(t), err)
	}
	if s := w.importRows(t, shops(1200)); s.Created != 700 || s.Updated != 500 {
		t.Errorf("the import again: %+v", s)
	}
}

// A row that only the database refuses keeps no other row out.
func TestImport_rowsThatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const id = "0190b2a0-0000-7000-8000-000000000001"
	var lines []int
	summary, err := w.Import(t.Context(), core.TheSystem(), rows(t, `{"kind":"business","slug":"one","name":"One","id":"`+id+`"}
{"kind":"business","slug":"two","name":"Two","id":"`+id+`"}
{"kind":"business","slug":"three","name":"Three"}`), directory.ImportOptions{Problem: func(line int, _ error) { lines = append(lines, line) }})
	if err != nil || summary.Created != 2 || summary.Refused != 1 || len(lines) != 1 || lines[0] != 2 {
		t.Errorf("%+v, lines %v, %v", summary, lines, err)
	}
	w.wantInOrder(t)
}

// A strict import that loses a deadlock runs again, whole.
func TestImport_strictAfterADeadlock(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if _, err := w.db.Owner(t).Exec(t.Context(), `
		create sequence attempts;
		grant usage on attempts to system;
		create function lose_first() returns trigger language plpgsql as $$
		begin
			if nextval('attempts') = 1 then
				raise exception using errcode = 'deadlock_detected';
			end if;
			return null;
		end
		$$;
		create trigger lose_first before insert on directory_entries execute function lose_first()`); err != nil {
		t.Fatal(err)
	}
	summary, err := w.Import(t.Context(), core.TheSystem(), rows(t, shops(3)), directory.ImportOptions{Strict: true})
	if err != nil || summary.Created != 3 || w.count(t) != 3 {
		t.Errorf("%+v with %d rows stored, %v", summary, w.count(t), err)
	}
	if attempts := pgtest.Value[int](t, w.db, core.TheSystem(), `select last_value from pg_sequences where sequencename = 'attempts'`); attempts != 2 {
		t.Errorf("%d attempts, want 2", attempts)
	}
}

func TestImport_keepsWhatARowLeavesOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, `{"kind":"business","slug":"joes","name":"Joe's","category":"barber","summary":"Cuts","description":"**Cuts**","city":"Macon","region":"GA","tags":["old"],"links":[{"label":"a","url":"https://example.org"}],"verified":true,"lat":1,"lng":2,"hours":{"mon":[]},"status":"draft"}`)
	w.importRows(t, `{"kind":"business","slug":"joes","name":"Joe's Cuts","summary":null,"tags":"","city":""}`)
	got := pgtest.Value[string](t, w.db, core.TheSystem(), `
		select concat_ws('|', name, category, summary, description, city, region, tags, links->0->>'label', verified, lat, hours, status) from directory_entries`)
	if want := `Joe's Cuts|barber-shop|Cuts|**Cuts**|Macon|GA|{old}|a|t|1|{"mon": []}|draft`; got != want {
		t.Errorf("the row is %s\nwant %s", got, want)
	}
	w.importRows(t, `{"kind":"person","slug":"joes","name":"Joe","verified":false,"status":"published"}`)
	got = pgtest.Value[string](t, w.db, core.TheSystem(), `select concat_ws('|', kind, name, coalesce(category, '-'), verified, status) from directory_entries`)
	if want := `person|Joe|-|f|published`; got != want {
		t.Errorf("the row is %s, want %s", got, want)
	}
	w.wantInOrder(t)
}

func TestImport_fields(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("é", n) }
	tests := []struct{ field, wrong string }{
		{`"kind":"shop"`, "kind"}, {`"name":""`, "name"}, {`"name":"` + long(161) + `"`, "name"}, {`"name":["x"]`, "name"}, {`"name":"a\u0007b"`, "name"},
		{`"slug":"Not a slug"`, "slug"}, {`"slug":"a"`, "slug"}, {`"summary":"` + long(601) + `"`, "summary"}, {`"summary":7`, "summary"},
		{`"description":"` + long(20001) + `"`, "description"}, {`"lat":1`, "lat"}, {`"lat":91,"lng":0`, "lat"}, {`"lat":0,"lng":-181`, "lng"},
		{`"lat":"north","lng":0`, "lat"}, {`"country":"USA"`, "country"}, {`"zip":"1234567890123"`, "zip"}, {`"year_start":3001`, "year_start"},
		{`"year_start":2000,"year_end":1999`, "year_end"}, {`"starts_at":"soon"`, "starts_at"},
		{`"starts_at":"2027-01-02","ends_at":"2027-01-01"`, "ends_at"}, {`"verified":"perhaps"`, "verified"}, {`"status":"gone"`, "status"},
		{`"hours":{"someday":[]}`, "hours"}, {`"hours":{"mon":[["9","10"]]}`, "hours"}, {`"hours":{"timezone":"Mars/Base"}`, "hours"},
		{`"links":[{"label":"x"}]`, "links"}, {`"links":[{"label":"","url":"https://example.org"}]`, "links"}, {`"links":[{"label":"x","url":"javascript:alert(1)"}]`, "links"},
		{`"links":{}`, "links"}, {`"tags":[1]`, "tags"}, {`"tags":["` + long(81) + `"]`, "tags"}, {`"tags":"a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r;s;t;u"`, "tags"},
	}
	var text strings.Builder
	for _, tt := range tests {
		fmt.Fprintf(&text, `{"kind":"business","name":"X",%s}`+"\n", tt.field) // of two fields of one name the second counts
	}
	w := setup(t)
	told := map[int]string{}
	summary, err := w.Import(t.Context(), core.TheSystem(), rows(t, text.String()), directory.ImportOptions{
		Problem: func(line int, err error) { told[line] = err.Error() }})
	if err != nil || summary.Created != 0 || summary.Refused != len(tests) {
		t.Errorf("%+v, %v", summary, err)
	}
	for i, tt := range tests {
		if !strings.HasPrefix(told[i+1], tt.wrong+":") {
			t.Errorf("%.60s gives %q, want %s named", tt.field, told[i+1], tt.wrong)
		}
	}
}

// A row may hide its entry, and none brings a hidden one back.
func TestImport_hidden(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.importRows(t, `{"kind":"business","slug":"shy","name":"Shy","hidden":true}`+"\n"+`{"kind":"business","slug":"bold","name":"Bold"}`)
	w.importRows(t, `{"kind":"business","slug":"shy","name":"Shy","hidden":false}`+"\n"+`{"kind":"business","slug":"bold","name":"Bold","hidden":"yes"}`)
	if l := w.list(t, directory.Filter{Kind: directory.KindBusiness}); l.Total != 0 {
		t.Errorf("shown are %s", slugs(l.Items))
	}
	w.wantInOrder(t)
}
