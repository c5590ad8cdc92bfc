package reviews

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeplace/core"
)

var someReviews = []string{
	`{"product_slug":"shea","author":"Ann","rating":5,"body":"Soft hands at last.","created_at":"2026-01-01T10:00:00Z"}`,
	`{"product_slug":"coffee","author":"Bea","rating":3,"body":"A little too dark.","created_at":"2026-01-03T10:00:00Z"}`,
	`{"product_slug":"shea","author":"Cal","rating":4,"body":"Good, and it lasts.","created_at":"2026-01-02T10:00:00Z"}`,
	`{"product_slug":"shea","author":"Dot","rating":1,"body":"Nobody sees this.","hidden":true}`,
	`{"product_slug":"shea","author":"Eve","rating":1,"body":"Nobody sees this.","status":"pending"}`,
}

func TestListIsTheFlatFeed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.products(t, `{"slug":"secret","name":"Not yet","status":"draft"}`)
	w.load(t, someReviews...)
	w.load(t, `{"product_slug":"secret","author":"Fay","rating":5,"body":"Of a product nobody sees."}`)
	for _, tt := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "Bea Cal Ann"},
		{Filter{MinRating: 1}, "Bea Cal Ann"},
		{Filter{MinRating: 4}, "Cal Ann"},
		{Filter{MinRating: 5}, "Ann"},
		{Filter{Product: "shea"}, "Cal Ann"},
		{Filter{Product: "coffee", MinRating: 4}, ""},
		{Filter{Product: "nothing"}, ""},
		{Filter{Product: "Not a slug"}, ""},
		{Filter{Product: "secret"}, ""},
		{Filter{Page: core.Page{Limit: 1, Offset: 1}}, "Cal"},
	} {
		if got := w.found(t, tt.f); got != tt.want {
			t.Errorf("%+v finds %q, want %q", tt.f, got, tt.want)
		}
	}
	for _, rating := range []int{-1, 6} {
		_, err := w.List(t.Context(), Filter{MinRating: rating})
		wantError(t, "a rating that there is not", err, core.Invalid, "validation_failed")
	}
	list, err := w.List(t.Context(), Filter{Product: "shea", Page: core.Page{Limit: 1}})
	if err != nil || list.Total != 2 || list.Items[0].ProductName != "Shea Butter" || list.Items[0].ProductImageURL != "https://example.org/shea.png" {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := w.List(t.Context(), Filter{Page: core.Page{Limit: 1000}}); err != nil || list.Page.Limit != 100 {
		t.Errorf("%+v, %v", list.Page, err)
	}
	if list, err := w.List(t.Context(), Filter{}); err != nil || list.Page.Limit != 30 {
		t.Errorf("%+v, %v", list.Page, err)
	}
}

func TestPagesRepeatNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for n := range 11 { // written at one moment, so that only the last sort key tells them apart
		w.load(t, fmt.Sprintf(`{"product_slug":"shea","author":"A%d","rating":5,"body":"Said together","created_at":"2026-01-01"}`, n))
	}
	var seen []string
	for offset := 0; offset < 11; offset += 3 {
		seen = append(seen, strings.Fields(w.found(t, Filter{Page: core.Page{Limit: 3, Offset: offset}}))...)
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 11 {
		t.Errorf("the pages list %v", seen)
	}
}

func TestProductsAreFoundAndRated(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.products(t, `{"slug":"secret","name":"Secret coffee","status":"draft"}`, `{"slug":"gone","name":"Gone coffee","hidden":true}`)
	w.load(t, someReviews...)
	for query, want := range map[string]string{
		"": "coffee shea", "COFFEE": "coffee", "elan": "coffee", "butter skin": "shea", "hand": "shea", "butter coffee": "", "%": "", "nias": "shea",
	} {
		list, err := w.Products(t.Context(), ProductFilter{Query: query})
		var slugs []string
		for _, p := range list.Items {
			slugs = append(slugs, p.Slug)
		}
		if got := strings.Join(slugs, " "); err != nil || got != want || list.Total != len(slugs) {
			t.Errorf("%q finds %q, want %q: %v", query, got, want, err)
		}
	}
	p, err := w.Product(t.Context(), core.Nobody(), "shea")
	if err != nil || p.Reviews != 2 || p.Average != 4.5 || !slices.Equal(p.Stars, []int{0, 0, 0, 1, 1}) || p.Maker != "Nia’s Kitchen" {
		t.Errorf("%+v, %v", p, err)
	}
	w.products(t, `{"slug":"quilt","name":"Quilt"}`)
	if p, err := w.Product(t.Context(), core.Nobody(), "quilt"); err != nil || p.Reviews != 0 || p.Average != 0 || !slices.Equal(p.Stars, make([]int, 5)) {
		t.Errorf("%+v, %v", p, err)
	}
	ada := w.member(t, "ada")
	for _, slug := range []string{"secret", "gone", "nothing", "Not a slug"} {
		for _, v := range []core.Viewer{core.Nobody(), ada} {
			_, err := w.Product(t.Context(), v, slug)
			wantError(t, slug, err, core.NotFound, "not_found")
		}
	}
	mod := w.moderator(t, "mod")
	if p, err := w.Product(t.Context(), mod, "secret"); err != nil || p.Public() {
		t.Errorf("%+v, %v", p, err)
	}
	drafts, err := w.Drafts(t.Context(), mod, core.Page{})
	if err != nil || drafts.Total != 2 || drafts.Items[0].Slug != "gone" {
		t.Errorf("%+v, %v", drafts, err)
	}
	_, err = w.Drafts(t.Context(), ada, core.Page{})
	wantError(t, "drafts for a member", err, core.Forbidden, "not_allowed")
}

func TestStaffKeepProducts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ada, mod := w.member(t, "ada"), w.moderator(t, "mod")
	if _, err := w.database.Exec(t, core.TheSystem(), `insert into directory_entries (id, slug, kind, name) values (gen_random_uuid(), 'nias', 'business', 'Nia’s'),
		(gen_random_uuid(), 'mill', 'landmark', 'Old Mill')`); err != nil {
		t.Fatal(err)
	}
	in := ProductInput{Name: " Hot  Sauce ", Maker: "Ms. Odessa", ImageURL: "https://example.org/a.png", Website: "https://example.org", Business: "nias"}
	for _, v := range []core.Viewer{core.Nobody(), ada} {
		kind, code := core.Forbidden, "not_allowed"
		if !v.SignedIn() {
			kind, code = core.Unauthenticated, "unauthenticated"
		}
		_, created := w.CreateProduct(t.Context(), v, in)
		_, updated := w.UpdateProduct(t.Context(), v, "shea", in)
		for _, err := range []error{created, updated, w.HideProduct(t.Context(), v, "shea"), w.ShowProduct(t.Context(), v, "shea")} {
			wantError(t, v.Username, err, kind, code)
		}
	}
	p, err := w.CreateProduct(t.Context(), mod, in)
	if err != nil || p.Slug != "hot-sauce" || p.BusinessName != "Nia’s" || p.Business != "nias" || !p.Public() {
		t.Fatalf("%+v, %v", p, err)
	}
	if again, err := w.CreateProduct(t.Context(), mod, in); err != nil || again.Slug != "hot-sauce-2" {
		t.Errorf("%+v, %v", again, err)
	}
	if taken, err := w.CreateProduct(t.Context(), mod, ProductInput{Name: "Products"}); err != nil || taken.Slug != "products-2" {
		t.Errorf("an address that leads elsewhere: %+v, %v", taken, err)
	}
	for field, bad := range map[string]ProductInput{
		"name": {}, "maker": {Name: "x", Maker: strings.Repeat("m", 161)}, "image_url": {Name: "x", ImageURL: "javascript:x"}, "website": {Name: "x", Website: "example.org"},
		"status": {Name: "x", Status: "odd"}, "business": {Name: "x", Business: "mill"}, "summary": {Name: "x", Summary: strings.Repeat("s", 601)},
	} {
		_, err := w.CreateProduct(t.Context(), mod, bad)
		wantError(t, field, err, core.Invalid, "validation_failed")
		if core.AsError(err).Fields[field] == "" {
			t.Errorf("%s is not named: %v", field, err)
		}
	}
	in.Status, in.Business = Draft, ""
	if p, err := w.UpdateProduct(t.Context(), mod, "hot-sauce", in); err != nil || p.Public() || p.Business != "" {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = w.UpdateProduct(t.Context(), mod, "nothing", in)
	wantError(t, "what is not there", err, core.NotFound, "not_found")
	wantError(t, "what is not there", w.HideProduct(t.Context(), mod, "nothing"), core.NotFound, "not_found")

	w.load(t, someReviews[0])
	if err := w.HideProduct(t.Context(), mod, "shea"); err != nil || w.found(t, Filter{}) != "" {
		t.Errorf("a hidden product shows %q, %v", w.found(t, Filter{}), err)
	}
	_, err = w.Write(t.Context(), ada, "shea", Input{Rating: 5, Body: "Too late for this."})
	wantError(t, "a review of what is hidden", err, core.NotFound, "not_found")
	if err := w.ShowProduct(t.Context(), mod, "shea"); err != nil || w.found(t, Filter{}) != "Ann" {
		t.Errorf("shown again: %v", err)
	}
}
