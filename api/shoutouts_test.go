package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

const toShoutOuts = "/api/business-shoutouts"

type shoutOutPage struct {
	Total, Limit, Offset int
	Next                 *string
	ShoutOuts            []struct {
		BusinessName string  `json:"business_name"`
		BusinessSlug *string `json:"business_slug"`
	}
}

type shoutOutPosted struct {
	OK, SignedIn bool
	ID, Status   string
	DraftListing *struct{ Slug string } `json:"draft_listing"`
}

// approveShoutOut decides as the desk does.
func (in instance) approveShoutOut(t testing.TB, w world, mod core.Viewer, id string) {
	t.Helper()
	err := w.database.Write(t.Context(), mod, func(tx *pg.Tx) error {
		_, err := in.shoutOuts.Desk().DecideTx(t.Context(), tx, mod, id, core.ActionApprove, "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestShoutOutsFromPostToFeed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.database.Instance(t)
	there := newInstance(t, second)
	listen(t, second)
	listen(t, w.database.DB)
	ada, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	mod, _, _ := w.account(t, "mo", accounts.RoleModerator, nil)
	w.load(t, `{"id":"0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10","slug":"blue-heron","kind":"business","name":"Blue Heron","city":"Atlanta"}`)
	if got := read[shoutOutPage](t, there.get(t, toShoutOuts), 200); got.Total != 0 || got.Limit != 12 || got.ShoutOuts == nil {
		t.Fatalf("%+v", got)
	}
	first := read[shoutOutPosted](t, w.post(t, toShoutOuts, `{"business_name":"Bread","rating":4.5,"city":null,"body":"Warm.","surprise":1,
		"directory_entry_id":"0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10"}`, bearer(token)), 201)
	if !first.OK || !first.SignedIn || first.Status != "pending" || first.DraftListing != nil {
		t.Errorf("%+v", first)
	}
	drafted := read[shoutOutPosted](t, w.post(t, toShoutOuts, `{"business_name":"New Place","rating":5,"city":"Macon"}`, bearer(token)), 201)
	if drafted.DraftListing == nil || drafted.DraftListing.Slug != "new-place-macon" {
		t.Errorf("%+v", drafted)
	}
	again := read[shoutOutPosted](t, w.post(t, toShoutOuts, `{"business_name":"New place","rating":4,"city":"macon"}`, bearer(token)), 201)
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from directory_contributions`); n != 1 || again.DraftListing == nil {
		t.Errorf("%d drafts, %+v", n, again)
	}
	open := read[shoutOutPosted](t, w.post(t, toShoutOuts, `{"business_name":"New Place","rating":1,"submitter_name":"Bea"}`), 201)
	if open.SignedIn || open.DraftListing != nil || open.Status != "pending" {
		t.Errorf("%+v", open)
	}
	if spam := read[shoutOutPosted](t, w.post(t, toShoutOuts, `{"business_name":"buy now","rating":5}`, bearer(token)), 201); spam.Status != "spam" || spam.DraftListing != nil {
		t.Errorf("%+v", spam)
	}
	detail := func(in instance) map[string]any {
		return read[map[string]any](t, in.get(t, "/api/directory/businesses/blue-heron"), 200)["shoutouts"].(map[string]any)
	}
	if diff := cmp.Diff(map[string]any{"count": 0.0, "average": nil}, detail(there)); diff != "" {
		t.Error(diff)
	}
	w.approveShoutOut(t, w, mod, first.ID)
	w.approveShoutOut(t, w, mod, open.ID)
	eventually(t, "the other instance lists them", func() bool {
		return read[shoutOutPage](t, there.get(t, toShoutOuts), 200).Total == 2
	})
	eventually(t, "the other instance sums them up", func() bool {
		return cmp.Equal(map[string]any{"count": 1.0, "average": 4.5}, detail(there))
	})
	all := read[map[string]any](t, w.get(t, toShoutOuts+"?limit=1&offset=1"), 200)
	one := all["shoutouts"].([]any)[0].(map[string]any)
	delete(one, "created_at")
	if diff := cmp.Diff(map[string]any{"id": first.ID, "business_name": "Bread", "business_slug": "blue-heron", "rating": 4.5, "city": nil,
		"body": "Warm.", "display_name": "ada"}, one); diff != "" {
		t.Errorf("a shout-out (-want +got):\n%s", diff)
	}
	if a := w.get(t, toShoutOuts); a.header.Get("Cache-Control") != "public, max-age=60" || a.header.Get("ETag") == "" {
		t.Errorf("kept %q", a.header.Get("Cache-Control"))
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from points_transactions where reason = 'shoutout_approved'`); n != 1 {
		t.Errorf("%d payments to %s", n, ada.Username)
	}
}

func TestShoutOutsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for body, field := range map[string]string{
		`{"rating":5}`:                                              "business_name",
		`{"business_name":"x"}`:                                     "rating",
		`{"business_name":"x","rating":"5"}`:                        "rating",
		`{"business_name":"x","rating":0.5}`:                        "rating",
		`{"business_name":"x","rating":5.5}`:                        "rating",
		`{"business_name":"x","rating":3.3}`:                        "rating",
		`{"business_name":["x"],"rating":5}`:                        "business_name",
		`{"business_name":"x","rating":5,"city":"a\u0000"}`:         "city",
		`{"business_name":"x","rating":5,"directory_entry_id":"x"}`: "directory_entry_id",
		`{"business_name":"x","rating":5,"directory_entry_id":"0197b1f2-6c1e-7c4a-9d53-2f8c1f6f3b10"}`: "directory_entry_id",
	} {
		w := setup(t) // each try counts
		refused(t, w.post(t, toShoutOuts, body), 400, "validation_failed", field)
	}
	refused(t, w.post(t, toShoutOuts, `[]`), 400, "malformed_json", "")
	refused(t, w.post(t, toShoutOuts, `{"business_name":"x","rating":5}`, bearer("tok_nonsense")), 401, "unauthenticated", "")
	refused(t, w.send(t, http.MethodPost, toShoutOuts, strings.NewReader(`x=1`)), 415, "unsupported_media_type", "")
	refused(t, w.get(t, toShoutOuts+"?limit=0"), 400, "validation_failed", "limit")
	refused(t, w.get(t, toShoutOuts+"?offset=-1"), 400, "validation_failed", "offset")
	refused(t, w.do(t, http.MethodDelete, toShoutOuts), 405, "method_not_allowed", "")
}

func TestShoutOutIsPostedOnceUnderAKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	key := http.Header{"Idempotency-Key": {"bread-1"}}
	first := read[shoutOutPosted](t, w.post(t, toShoutOuts, `{"business_name":"Bread","rating":5}`, key), 201)
	a := w.post(t, toShoutOuts, `{"business_name":"Bread","rating":5}`, key)
	if again := read[shoutOutPosted](t, a, 201); again.ID != first.ID || a.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v, then %+v", first, again)
	}
	refused(t, w.post(t, toShoutOuts, `{"business_name":"Bread","rating":4}`, key), 422, "idempotency_key_reused", "")
}

// However many come from one address at once, to whichever instance, the hour's
// ten are taken; who is signed in has an allowance of their own.
func TestShoutOutsFromOneAddress(t *testing.T) {
	t.Parallel()
	w := setup(t)
	instances := []instance{w.instance, newInstance(t, w.database.Instance(t))}
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	var taken atomic.Int64
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			switch a := instances[i%2].post(t, toShoutOuts, fmt.Sprintf(`{"business_name":"Number %d","rating":5}`, i)); a.status {
			case 201:
				taken.Add(1)
			case 429:
			default:
				t.Errorf("%d: %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	if stored := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from shoutouts`); taken.Load() != 10 || stored != 10 {
		t.Errorf("took %d, stored %d, want 10", taken.Load(), stored)
	}
	a := w.post(t, toShoutOuts, `{"business_name":"Mine","rating":5}`, bearer(token))
	read[shoutOutPosted](t, a, 201)
	if got := a.header.Get("RateLimit-Limit"); got != "30" {
		t.Errorf("a member has %s", got)
	}
}

func TestBrowserIsMarked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	body := `{"business_name":"Bread","rating":5}`
	a := w.post(t, toShoutOuts, body)
	cookie := a.header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Host-voter=") {
		t.Fatalf("the cookie is %q", cookie)
	}
	value, _, _ := strings.Cut(cookie, ";")
	if again := w.post(t, toShoutOuts, body, http.Header{"Cookie": {value}}); again.header.Get("Set-Cookie") != "" {
		t.Error("it gets another one")
	}
	for what, headers := range map[string][]http.Header{"a member": {bearer(token)}, "another site": {{"Sec-Fetch-Site": {"cross-site"}}}} {
		if a := w.post(t, toShoutOuts, body, headers...); a.status != 201 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d, %q", what, a.status, a.header.Get("Set-Cookie"))
		}
	}
	marks := `select count(distinct browser_hash) * 100 + count(browser_hash) from shoutout_senders`
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), marks); n != 102 {
		t.Errorf("%d: want one browser with two shout-outs", n)
	}
}
