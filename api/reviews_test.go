package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/reviews"
	"homeplace/core/rowfile"
)

func (in instance) loadReviews(t testing.TB, products, lines []string) {
	t.Helper()
	for i, load := range []func(*rowfile.Reader) error{
		func(r *rowfile.Reader) error {
			_, err := in.reviews.ImportProducts(t.Context(), core.TheSystem(), r, rowfile.Options{Strict: true})
			return err
		},
		func(r *rowfile.Reader) error {
			_, err := in.reviews.ImportReviews(t.Context(), core.TheSystem(), r, rowfile.Options{Strict: true})
			return err
		},
	} {
		rows, err := rowfile.NewReader(strings.NewReader(strings.Join([][]string{products, lines}[i], "\n")), rowfile.JSONLines)
		if err != nil {
			t.Fatal(err)
		}
		if err := load(rows); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	twoProducts = []string{`{"slug":"shea","name":"Shea Butter","image_url":"https://example.org/shea.png"}`, `{"slug":"coffee","name":"Porch Coffee"}`,
		`{"slug":"draft","name":"Not yet","status":"draft"}`}
	fourReviews = []string{
		`{"product_slug":"shea","author":"Ann","rating":5,"title":"Soft","body":"Soft hands at last.","created_at":"2026-01-01T10:00:00Z"}`,
		`{"product_slug":"coffee","author":"Bea","rating":3,"body":"A little too dark.","created_at":"2026-01-03T10:00:00Z"}`,
		`{"product_slug":"shea","author":"Cal","rating":4,"body":"Good, and it lasts.","created_at":"2026-01-02T10:00:00Z"}`,
		`{"product_slug":"shea","author":"Dot","rating":1,"body":"Nobody sees this.","status":"pending"}`,
		`{"product_slug":"draft","author":"Eve","rating":1,"body":"Nobody sees this."}`,
	}
)

type reviewPage struct {
	Total, Limit, Offset int
	Next                 *string
	Reviews              []struct{ Author string }
}

func (p reviewPage) authors() string {
	var list []string
	for _, r := range p.Reviews {
		list = append(list, r.Author)
	}
	return strings.Join(list, " ")
}

func TestReviewsAreListed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if got := read[reviewPage](t, w.get(t, "/api/reviews"), http.StatusOK); got.Total != 0 || got.Reviews == nil || got.Limit != 30 {
		t.Errorf("an empty list is %+v", got)
	}
	w.loadReviews(t, twoProducts, fourReviews)
	for query, want := range map[string]string{
		"": "Bea Cal Ann", "?min_rating=4": "Cal Ann", "?min_rating=5": "Ann", "?min_rating=1": "Bea Cal Ann", "?min_rating=": "Bea Cal Ann",
		"?product=shea": "Cal Ann", "?product=coffee&min_rating=4": "", "?product=nothing": "", "?product=Not+a+slug": "", "?product=draft": "",
		"?limit=1&offset=1": "Cal", "?limit=1000": "Bea Cal Ann", "?surprise=1": "Bea Cal Ann",
	} {
		if got := read[reviewPage](t, w.get(t, "/api/reviews"+query), http.StatusOK); got.authors() != want {
			t.Errorf("%s lists %q, want %q", query, got.authors(), want)
		}
	}
	if got := read[reviewPage](t, w.get(t, "/api/reviews?limit=1000"), http.StatusOK); got.Limit != 100 {
		t.Errorf("a limit over the maximum is %d", got.Limit)
	}
	all := read[reviewPage](t, w.get(t, "/api/reviews?limit=2&min_rating=3"), http.StatusOK)
	if all.Total != 3 || all.Next == nil || read[reviewPage](t, w.get(t, *all.Next), http.StatusOK).authors() != "Ann" {
		t.Errorf("the envelope is %+v", all)
	}
	for _, bad := range []string{"limit=0", "limit=x", "offset=-1", "min_rating=0", "min_rating=6", "min_rating=4.5", "min_rating=best", "product=%FF"} {
		field, _, _ := strings.Cut(bad, "=")
		refused(t, w.get(t, "/api/reviews?"+bad), http.StatusBadRequest, "validation_failed", field)
	}
	a := w.get(t, "/api/reviews?product=shea&min_rating=5")
	if a.header.Get("Cache-Control") != "public, max-age=60" || a.header.Get("ETag") == "" {
		t.Errorf("it may be kept %q", a.header.Get("Cache-Control"))
	}
	list := read[struct{ Reviews []map[string]any }](t, a, http.StatusOK)
	delete(list.Reviews[0], "id")
	if diff := cmp.Diff(map[string]any{"rating": 5.0, "title": "Soft", "body": "Soft hands at last.", "author": "Ann", "created_at": "2026-01-01T10:00:00Z",
		"product_slug": "shea", "product_name": "Shea Butter", "product_image_url": "https://example.org/shea.png", "page_url": base + "/reviews/shea"}, list.Reviews[0]); diff != "" {
		t.Errorf("a review (-want +got):\n%s", diff)
	}
	if a := w.do(t, http.MethodPost, "/api/reviews"); a.status != http.StatusMethodNotAllowed {
		t.Errorf("writing gives %d", a.status)
	}
}

func TestApprovedReviewShowsOnEveryInstance(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.database.Instance(t)
	there := newInstance(t, second)
	listen(t, second)
	w.loadReviews(t, twoProducts, nil)
	ada, _, _ := w.account(t, "ada", accounts.RoleMember, nil)
	mod, _, _ := w.account(t, "mo", accounts.RoleModerator, nil)
	if got := read[reviewPage](t, there.get(t, "/api/reviews"), http.StatusOK); got.Total != 0 {
		t.Fatalf("%+v", got)
	}
	sent, err := w.reviews.Write(t.Context(), ada, "shea", reviews.Input{Rating: 4, Body: "It melts in the hand."})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.database.DB.Write(t.Context(), mod, func(tx *pg.Tx) error {
		_, err := w.reviews.Desk().DecideTx(t.Context(), tx, mod, sent.ID, core.ActionApprove, "")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other instance lists it", func() bool {
		return read[reviewPage](t, there.get(t, "/api/reviews"), http.StatusOK).authors() == "ada"
	})
	if _, err := w.reviews.Write(t.Context(), ada, "shea", reviews.Input{Rating: 1, Body: "It melts too early."}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other instance drops what was written again", func() bool {
		return read[reviewPage](t, there.get(t, "/api/reviews"), http.StatusOK).Total == 0
	})
}
