package reviews

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/rowfile"
)

func TestProductsComeInAndGoOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada := w.member(t, "ada")
	_, err := w.ImportProducts(t.Context(), ada, rows(t), rowfile.Options{})
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	_, err = w.ExportProducts(t.Context(), ada, &bytes.Buffer{})
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	var problems []string
	sum, err := w.ImportProducts(t.Context(), core.TheSystem(), rows(t,
		`{"name":"Red Hot Sauce","maker":"Ms. Odessa","category":"Hot sauce","website":"https://odessa.example"}`,
		`{"slug":"shea","name":"Shea Butter, whipped","hidden":true,"surprise":1}`,
		`{"name":"Later","status":"draft"}`,
		`{"maker":"Nobody"}`, `nonsense`, `{"name":"x","image_url":"javascript:x"}`, `{"name":7}`, `{"name":"x","status":"odd"}`,
		`{"slug":"products","name":"Products"}`, `{"slug":"Bad Slug","name":"x"}`, `{"name":"Sold by nobody","business":"nobody"}`,
	), rowfile.Options{Problem: func(_ int, err error) { problems = append(problems, err.Error()) }})
	if err != nil || sum.Created != 2 || sum.Updated != 1 || sum.Refused != 8 || len(problems) != 8 || !cmp.Equal(sum.Ignored, []string{"surprise"}) {
		t.Errorf("%+v, %v, %q", sum, err, problems)
	}
	mod := w.moderator(t, "mod")
	if p, err := w.Product(t.Context(), mod, "shea"); err != nil || p.Name != "Shea Butter, whipped" || p.Maker != "Nia’s Kitchen" || p.HiddenAt == nil {
		t.Errorf("a missing field does not leave what was there: %+v, %v", p, err)
	}
	checkRoundTrip(t, 4, w.ExportProducts, w.ImportProducts, strictly(t))
	sum, err = w.ImportProducts(t.Context(), core.TheSystem(), rows(t, `{"name":"Fine"}`, `{"name":""}`), rowfile.Options{Strict: true})
	if err == nil || sum.Created != 0 || w.count(t, `select count(*) from products`) != 4 {
		t.Errorf("strict: %+v, %v", sum, err)
	}
}

func TestReviewsComeInAndGoOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, gone := w.member(t, "ada"), "0197c3d4-52ab-7e11-8c40-91d6a2b7e0f5"
	options := rowfile.Options{OwnerID: func(_ context.Context, username string) (string, error) {
		if username == "ada" {
			return ada.ID, nil
		}
		return "", core.NotFoundf("There is no account called %q.", username)
	}}
	_, err := w.ImportReviews(t.Context(), ada, rows(t), options)
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	_, err = w.ExportReviews(t.Context(), ada, &bytes.Buffer{})
	wantError(t, "a member", err, core.Forbidden, "not_allowed")
	var lines []int
	options.Problem = func(line int, err error) { lines = append(lines, line) }
	sum, err := w.ImportReviews(t.Context(), core.TheSystem(), rows(t,
		`{"product_slug":"shea","owner":"ada","rating":5,"title":"Soft","body":"Soft hands at last.","created_at":"2026-01-01T10:00:00Z"}`,
		`{"product_slug":"shea","author":"Bea","rating":"4","body":"Good for the winter.","status":"published"}`,
		`{"product_slug":"shea","author":"BEA","rating":3,"body":"Good for some winters.","surprise":1}`,
		`{"product_slug":"shea","id":"`+gone+`","rating":2,"body":"From one who left us.","hidden":true,"reason":"Known"}`,
		`{"product_slug":"shea","author":"Cal","rating":1,"body":"Not for my hands.","status":"refused","reason":"Known"}`,
		`{"product_slug":"nothing","author":"x","rating":1,"body":"Of what is not here."}`,
		`{"product_slug":"shea","rating":1,"body":"Who is it that says so?"}`,
		`{"product_slug":"shea","owner":"nobody","rating":1,"body":"Not an account here."}`,
		`{"product_slug":"shea","author":"x","rating":6,"body":"Six stars are too many."}`,
		`{"product_slug":"shea","author":"x","rating":4.5,"body":"Halves are for shout-outs."}`,
		`{"product_slug":"shea","author":"x","rating":4,"body":"Short."}`,
		`{"product_slug":"shea","author":"x","rating":4,"body":"A state that is not.","status":"odd"}`,
		`{"product_slug":"shea","author":"x","rating":4,"body":"Hidden, yet it waits.","status":"pending","hidden":true}`,
		`{"product_slug":"shea","id":"x","rating":4,"body":"An id that is none."}`,
		`{"author":"x","rating":4,"body":"Of no product at all."}`,
		`nonsense`,
	), options)
	if err != nil || sum.Created != 4 || sum.Updated != 1 || !cmp.Equal(lines, []int{16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) || !cmp.Equal(sum.Ignored, []string{"surprise"}) {
		t.Errorf("%+v, %v, lines %v", sum, err, lines)
	}
	if got := w.found(t, Filter{}); got != "BEA ada" && got != "Bea ada" {
		t.Errorf("the public sees %q", got)
	}
	own, found, err := w.Own(t.Context(), ada, productID(t, w, "shea"))
	if err != nil || !found || own.Title != "Soft" || own.Status != Approved {
		t.Errorf("%+v, %v", own, err)
	}
	options.Strict, options.Problem = true, func(line int, err error) { t.Errorf("line %d: %v", line, err) }
	checkRoundTrip(t, 4, w.ExportReviews, w.ImportReviews, options)
	options.Problem = nil
	sum, err = w.ImportReviews(t.Context(), core.TheSystem(), rows(t, `{"product_slug":"shea","author":"Dot","rating":4,"body":"This one is right."}`,
		`{"product_slug":"shea","author":"Dot","rating":9,"body":"This one is wrong."}`), options)
	if err == nil || sum.Created != 0 || w.count(t, `select count(*) from reviews`) != 4 {
		t.Errorf("strict: %+v, %v", sum, err)
	}
}

// checkRoundTrip exports count rows, imports them again, and wants the same.
func checkRoundTrip(t *testing.T, count int, export func(context.Context, core.Viewer, io.Writer) (int, error),
	in func(context.Context, core.Viewer, *rowfile.Reader, rowfile.Options) (rowfile.Summary, error), o rowfile.Options) {
	t.Helper()
	var first, again bytes.Buffer
	if n, err := export(t.Context(), core.TheSystem(), &first); err != nil || n != count {
		t.Fatalf("exported %d, %v", n, err)
	}
	sum, err := in(t.Context(), core.TheSystem(), rows(t, strings.Split(strings.TrimSpace(first.String()), "\n")...), o)
	if err != nil || sum.Updated != count || sum.Created != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if _, err := export(t.Context(), core.TheSystem(), &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), again.String()); diff != "" {
		t.Errorf("the way out and in changes it:\n%s", diff)
	}
}
