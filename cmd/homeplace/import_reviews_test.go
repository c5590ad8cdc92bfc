package main

import (
	"strings"
	"testing"

	"homeplace/core/pgtest"
)

// What is exported goes in again as it was; bad lines are named.
func TestImport_productsAndReviews(t *testing.T) {
	t.Parallel()
	const products = `{"slug":"shea","name":"Shea Butter","maker":"Nia","colour":"gold"}` + "\n" + `{"name":"Hot Sauce","status":"draft"}` + "\n" + `{"name":""}` + "\n"
	const reviews = `{"product_slug":"shea","owner":"ada","rating":5,"title":"Soft","body":"Soft hands at last.","created_at":"2026-01-01T10:00:00Z"}` + "\n" +
		`{"product_slug":"shea","author":"Bea","rating":3,"body":"A little too soft.","created_at":"2026-01-02T10:00:00Z"}` + "\n" +
		`{"product_slug":"shea","owner":"nobody","rating":3,"body":"Not an account here."}` + "\n" +
		`{"product_slug":"none","author":"Cal","rating":9,"body":"short"}` + "\n"
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
	if o := run(first, products, 0, "3 rows: 2 new, 0 updated, 1 refused", "import", "product", "-"); !strings.Contains(o.out, "ignored: colour") || !strings.Contains(o.messages, "line 3") {
		t.Errorf("said %s%s", o.out, o.messages)
	}
	o := run(first, reviews, 0, "4 rows: 2 new, 0 updated, 2 refused", "import", "review", "-")
	for _, want := range []string{"line 3", "line 4", "nobody", "rating", "body"} {
		if !strings.Contains(o.messages, want) {
			t.Errorf("messages %s lack %q", o.messages, want)
		}
	}
	run(first, reviews, 0, "0 new, 2 updated", "import", "review", "-")
	run(first, reviews, 1, "Nothing was imported", "import", "review", "-", "--strict")
	run(first, "", 1, "must be jsonl", "export", "review", "--format", "csv")
	for _, kind := range []string{"product", "review"} {
		out := run(first, "", 0, "2 rows", "export", kind).out
		run(second, out, 0, "2 rows: 2 new", "import", kind, "-", "--strict")
		if again := run(second, "", 0, "2 rows", "export", kind).out; withoutIDs(out) != withoutIDs(again) {
			t.Errorf("exported\n%s\nand again\n%s", out, again)
		}
	}
}
