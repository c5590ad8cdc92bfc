package main

import (
	"strings"
	"testing"

	"homeplace/core/pgtest"
)

// What is exported goes in again as it was; bad lines are named.
func TestImport_shoutOutsAndFakeReports(t *testing.T) {
	t.Parallel()
	const entry = `{"kind":"business","slug":"blue-heron","name":"Blue Heron"}`
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
		run(d, entry, 0, "1 new", "import", "directory", "-")
	}
	for kind, lines := range map[string][]string{
		"shoutout": {
			`{"business_slug":"blue-heron","rating":4.5,"body":"Rolls.","display_name":"Ms. Lorraine","created_at":"2026-10-06T12:45:00Z","colour":"gold"}`,
			`{"business_name":"Night Cobbler","rating":5,"owner":"ada","status":"pending"}`,
			`{"business_slug":"none","rating":5}`,
		},
		"fake-report": {
			`{"category":"scam","description":"Rental scam","colour":"gold","created_at":"2026-10-06T12:45:00Z"}`,
			`{"category":"other","description":"Waits","owner":"ada","status":"pending"}`,
			`{"category":"none","description":"x"}`,
		},
	} {
		in := strings.Join(lines, "\n")
		run(first, in, 1, "Nothing was imported", "import", kind, "-", "--strict")
		o := run(first, in, 0, "3 rows: 2 new, 0 updated, 1 refused", "import", kind, "-")
		if !strings.Contains(o.out, "ignored: colour") || !strings.Contains(o.messages, "line 3") {
			t.Errorf("%s: said %s%s", kind, o.out, o.messages)
		}
		run(first, "", 1, "must be jsonl", "export", kind, "--format", "csv")
		out := run(first, "", 0, "2 rows", "export", kind).out
		run(first, out, 0, "0 new, 2 updated", "import", kind, "-", "--strict")
		run(second, out, 0, "2 rows: 2 new", "import", kind, "-", "--strict")
		if again := run(second, "", 0, "2 rows", "export", kind).out; out != again {
			t.Errorf("exported\n%s\nand again\n%s", out, again)
		}
	}
}
