package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/rowfile"
)

func (w world) loadProducts(t testing.TB, lines ...string) {
	t.Helper()
	if _, err := w.Reviews.ImportProducts(t.Context(), core.TheSystem(), rowsOf(t, lines), rowfile.Options{Strict: true}); err != nil {
		t.Fatal(err)
	}
}

func (w world) loadReviews(t testing.TB, lines ...string) {
	t.Helper()
	if _, err := w.Reviews.ImportReviews(t.Context(), core.TheSystem(), rowsOf(t, lines), rowfile.Options{Strict: true}); err != nil {
		t.Fatal(err)
	}
}

func rowsOf(t testing.TB, lines []string) *rowfile.Reader {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// decideReview does what the desk does with the member's one review of a product.
func (w world) decideReview(t testing.TB, author, mod accounts.Account, product string, action core.Action, reason string) {
	t.Helper()
	p, err := w.Reviews.Product(t.Context(), mod.Viewer(), product)
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := w.Reviews.Own(t.Context(), author.Viewer(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.db.DB.Write(t.Context(), mod.Viewer(), func(tx *pg.Tx) error {
		_, err := w.Reviews.Desk().DecideTx(t.Context(), tx, mod.Viewer(), own.ID, action, reason)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

var (
	someProducts = []string{
		`{"slug":"shea","name":"Shea <Butter>","maker":"Nia’s Kitchen","summary":"Whipped by hand.","category":"Skin care","website":"https://nia.example/shop","business":"blue-heron"}`,
		`{"slug":"coffee","name":"Porch Coffee"}`,
		`{"slug":"draft","name":"Not yet","status":"draft"}`,
	}
	someReviews = []string{
		`{"product_slug":"shea","author":"Ann","rating":5,"title":"Soft <hands>","body":"At last,\nthey are soft.","created_at":"2026-01-01T10:00:00Z"}`,
		`{"product_slug":"shea","author":"Cal","rating":4,"body":"Good, and it lasts.","created_at":"2026-01-02T10:00:00Z"}`,
		`{"product_slug":"coffee","author":"Bea","rating":3,"title":"Dark","body":"A little too dark.","created_at":"2026-01-03T10:00:00Z"}`,
		`{"product_slug":"shea","author":"Dot","rating":1,"body":"Nobody sees this.","status":"pending"}`,
	}
)

func TestReviewPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for target, want := range map[string]string{"/reviews": "No reviews here yet", "/reviews?min_rating=5": "No review fits that", "/reviews/products": "No products here yet",
		"/reviews/products?q=x": "No product fits “x”"} {
		tree := w.page(t, target, 200)
		wantText(t, target, tree, want)
		checkPage(t, target, tree)
	}
	w.load(t, porch...)
	w.loadProducts(t, someProducts...)
	w.loadReviews(t, someReviews...)
	for target, want := range map[string][]string{
		"/reviews":                           {"Soft <hands>", "4 stars from Cal", "Dark", "All 3, the newest first", "Porch Coffee", "Talked about most", "4.5 of 5 in 2 reviews", "All 2 products", "5 out of 5 stars"},
		"/reviews?min_rating=4":              {"Soft <hands>", "All 2", "Show all reviews"},
		"/reviews?product=coffee":            {"Dark", "All 1"},
		"/reviews?product=nothing":           {"No review fits that"},
		"/reviews?min_rating=nonsense":       {"All 3"},
		"/reviews?page=9":                    {"All 3"},
		"/reviews/products":                  {"Shea <Butter>", "By Nia’s Kitchen. Whipped by hand.", "All 2, by name"},
		"/reviews/products?q=KITCHEN":        {"Shea <Butter>", "All 1"},
		"/reviews/shea":                      {"Shea <Butter>", "by Nia’s Kitchen", "4.5", "2 reviews", "4.5 out of 5 stars", "Blue Heron <Bakery>", "nia.example", "they are soft.", "Sign in to write a review"},
		"/reviews/coffee":                    {"Porch Coffee", "1 review", "3 out of 5 stars"},
		"/reviews/shea?page=7":               {"Soft <hands>"},
		"/reviews?product=shea&min_rating=1": {"All 2"},
	} {
		tree := w.page(t, target, 200)
		wantText(t, target, tree, want...)
		checkPage(t, target, tree)
		if strings.Contains(text(tree), "Nobody sees this") || strings.Contains(text(tree), "Not yet") {
			t.Errorf("%s shows what is not public", target)
		}
	}
	meters := elements(w.page(t, "/reviews/shea", 200), "meter")
	if len(meters) != 5 {
		t.Fatalf("%d bars", len(meters))
	}
	for i, want := range []string{"1", "1", "0", "0", "0"} {
		value, _ := attribute(meters[i], "value")
		most, _ := attribute(meters[i], "max")
		if label, _ := attribute(meters[i], "aria-label"); value != want || most != "2" || label == "" {
			t.Errorf("bar %d is %s of %s, %q", i, value, most, label)
		}
	}
	for _, missing := range []string{"/reviews/draft", "/reviews/nothing", "/preview/reviews/draft.png", "/preview/reviews/shea", "/reviews/products?page=2"} {
		if a := w.do(http.MethodGet, missing); a.Code != 404 {
			t.Errorf("%s gives %d", missing, a.Code)
		}
	}
	for slash, want := range map[string]string{"/reviews/": "/reviews", "/reviews/products/": "/reviews/products", "/reviews/shea/": "/reviews/shea"} {
		if a := w.do(http.MethodGet, slash); a.Code != 301 || a.Header().Get("Location") != want {
			t.Errorf("%s leads to %d %s", slash, a.Code, a.Header().Get("Location"))
		}
	}
	if a := w.do(http.MethodGet, "/sitemaps/reviews.xml"); !strings.Contains(a.Body.String(), base+"/reviews/shea") || strings.Contains(a.Body.String(), "draft") {
		t.Errorf("the site map: %s", a.Body)
	}
	if a := w.do(http.MethodGet, "/preview/reviews/shea.png"); a.Code != 200 || a.Header().Get("Content-Type") != "image/png" {
		t.Errorf("the picture is %d", a.Code)
	}
}

func TestProductIsDescribedToOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	w.loadProducts(t, someProducts...)
	schema := func() map[string]any {
		t.Helper()
		_, rest, _ := strings.Cut(w.do(http.MethodGet, "/reviews/shea").Body.String(), `type="application/ld+json"`)
		_, rest, _ = strings.Cut(rest, ">")
		text, _, _ := strings.Cut(rest, "</script>")
		var tree map[string]any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return tree
	}
	if s := schema(); s["@type"] != "Product" || s["name"] != "Shea <Butter>" || s["aggregateRating"] != nil {
		t.Errorf("without reviews it is %v", s)
	}
	w.loadReviews(t, someReviews...)
	s := schema()
	rating, _ := s["aggregateRating"].(map[string]any)
	said, _ := s["review"].([]any)
	if rating["ratingValue"] != 4.5 || rating["reviewCount"] != 2.0 || rating["bestRating"] != 5.0 || len(said) != 2 || s["image"] != base+"/preview/reviews/shea.png" {
		t.Errorf("schema %v", s)
	}
}

func TestReviewFromFormToPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	w.loadProducts(t, someProducts...)
	ada, mo := w.account(t, "ada"), w.moderator(t, "mo")
	if a := w.browser(t).post("/reviews/shea", "rating", "5", "body", "Ten letters and more"); a.Code != 401 {
		t.Errorf("nobody sends: %d", a.Code)
	}
	b := w.as(t, ada)
	tree := b.page("/reviews/shea", 200)
	wantText(t, "the form", tree, "How was it?", "Send the review", "Yours could be the first")
	checkPage(t, "the form", tree)
	tree = parsed(t, "a short one", b.post("/reviews/shea", "title", "kept", "body", "short"), 422)
	wantText(t, "a short one", tree, "Must be 1 to 5 stars", "Must have at least 10 characters, has 5")
	checkPage(t, "a short one", tree)
	if a := b.post("/reviews/draft", "rating", "5", "body", "Ten letters and more"); a.Code != 404 {
		t.Errorf("a review of a draft: %d", a.Code)
	}
	if a := b.post("/reviews/shea", "rating", "4", "title", "Soft", "body", "It melts\r\nin the hand."); a.Code != 303 || a.Header().Get("Location") != "/reviews/shea#write" {
		t.Fatalf("sending gives %d %s", a.Code, a.Body)
	}
	tree = b.page("/reviews/shea", 200)
	wantText(t, "what waits", tree, "Your review waits for a moderator", "It melts", "Take it back", "Write it again", "Nobody has written a review yet")
	checkPage(t, "what waits", tree)
	tree = parsed(t, "wrong again", b.post("/reviews/shea", "rating", "5", "body", "no"), 422)
	wantText(t, "wrong again", tree, "Must have at least 10 characters, has 2", "Your review waits for a moderator")
	checkPage(t, "wrong again", tree)
	wantText(t, "what was sent", b.page("/account/submissions", 200), "Review", "Shea <Butter>", "4 stars · Soft It melts in the hand.", "Waiting for a moderator")

	w.decideReview(t, ada, mo, "shea", core.ActionApprove, "")
	wantText(t, "the page", w.page(t, "/reviews/shea", 200), "It melts", "ada", "1 review")
	wantText(t, "the feed", w.page(t, "/reviews", 200), "It melts", "Shea <Butter>")
	tree = b.page("/reviews/shea", 200)
	wantText(t, "one's own", tree, "Your review is public", "Take it back")
	if strings.Contains(text(tree), "Look at it on the desk") {
		t.Error("a member is led to the desk")
	}
	tree = w.as(t, mo).page("/reviews/shea", 200)
	wantText(t, "for staff", tree, "Look at it on the desk", "Hide this product")
	checkPage(t, "for staff", tree)
	b.post("/reviews/shea", "rating", "1", "body", "It melts too early in June.")
	if body := text(w.page(t, "/reviews/shea", 200)); strings.Contains(body, "It melts") {
		t.Error("what was written again is still shown as it was")
	}
	w.decideReview(t, ada, mo, "shea", core.ActionReject, "Say how you kept it.")
	for _, target := range []string{"/reviews/shea", "/account/submissions"} {
		tree = b.page(target, 200)
		wantText(t, target, tree, "Say how you kept it.")
		checkPage(t, target, tree)
	}
	b.post("/reviews/shea", "rating", "2", "body", "I kept it by the window.")
	p, err := w.Reviews.Product(t.Context(), core.Nobody(), "shea")
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := w.Reviews.Own(t.Context(), ada.Viewer(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	path := "/account/submissions/reviews/" + own.ID + "/withdraw"
	if a := w.as(t, mo).post(path); a.Code != 404 {
		t.Errorf("another takes it back: %d", a.Code)
	}
	if a := b.post(path, "product", "shea"); a.Code != 303 || a.Header().Get("Location") != "/reviews/shea" {
		t.Errorf("taking it back gives %d %s", a.Code, a.Header().Get("Location"))
	}
	wantText(t, "afterwards", b.page("/reviews/shea", 200), "Taken back.", "Send the review")
}

func TestStaffKeepProducts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.load(t, porch...)
	w.loadProducts(t, someProducts...)
	ada, mo := w.account(t, "ada"), w.moderator(t, "mo")
	if a := w.do(http.MethodGet, "/reviews/products/new"); a.Code != 303 || a.Header().Get("Location") != "/sign-in?next=%2Freviews%2Fproducts%2Fnew" {
		t.Errorf("nobody is led to %d %s", a.Code, a.Header().Get("Location"))
	}
	b := w.as(t, ada)
	for _, path := range []string{"/reviews/products/new", "/reviews/products/shea/edit"} {
		if a := b.get(path); a.Code != 403 {
			t.Errorf("a member opens %s: %d", path, a.Code)
		}
	}
	for _, path := range []string{"/reviews/products/new", "/reviews/products/shea/edit", "/reviews/products/shea/hide", "/reviews/products/shea/unhide"} {
		if a := b.post(path, "name", "x"); a.Code != 403 {
			t.Errorf("a member sends to %s: %d", path, a.Code)
		}
	}
	m := w.as(t, mo)
	checkSound(t, "the form", m.page("/reviews/products/new", 200))
	tree := parsed(t, "an empty form", m.post("/reviews/products/new", "name", " ", "maker", "kept", "business", "nobody"), 422)
	wantText(t, "an empty form", tree, "Is required")
	checkSound(t, "an empty form", tree)
	if a := m.post("/reviews/products/new", "name", "Hot Sauce", "maker", "Ms. Odessa", "business", base+"/directory/businesses/blue-heron", "status", "published"); a.Code != 303 || a.Header().Get("Location") != "/reviews/hot-sauce" {
		t.Fatalf("adding gives %d %s", a.Code, a.Body)
	}
	wantText(t, "the page", w.page(t, "/reviews/hot-sauce", 200), "by Ms. Odessa", "Blue Heron <Bakery>")
	tree = m.page("/reviews/products", 200)
	wantText(t, "the list for staff", tree, "Add a product", "Drafts and hidden ones", "Not yet", "a draft")
	checkSound(t, "the list for staff", tree)
	tree = m.page("/reviews/draft", 200)
	wantText(t, "a draft", tree, "This product is a draft", "Reviews can be written once everybody sees this product.")
	checkSound(t, "a draft", tree)
	checkSound(t, "the form", m.page("/reviews/products/draft/edit", 200))
	wantText(t, "a wrong change", parsed(t, "a wrong change", m.post("/reviews/products/draft/edit", "name", "x", "website", "nowhere"), 422), "Must be an address that starts with http:// or https://")
	if a := m.post("/reviews/products/draft/edit", "name", "Now", "status", "published"); a.Code != 303 {
		t.Errorf("changing gives %d", a.Code)
	}
	wantText(t, "changed", w.page(t, "/reviews/draft", 200), "Now")
	m.post("/reviews/products/shea/hide")
	if a := w.do(http.MethodGet, "/reviews/shea"); a.Code != 404 {
		t.Errorf("a hidden one gives %d", a.Code)
	}
	wantText(t, "hidden, to staff", m.page("/reviews/shea", 200), "This product is hidden", "Show this product again")
	m.post("/reviews/products/shea/unhide")
	w.page(t, "/reviews/shea", 200)
	for _, path := range []string{"/reviews/products/nothing/edit", "/reviews/products/nothing/hide"} {
		if a := m.post(path, "name", "x"); a.Code != 404 {
			t.Errorf("%s gives %d", path, a.Code)
		}
	}
}
