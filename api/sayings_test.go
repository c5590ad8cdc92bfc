package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/rowfile"
)

// pipeline rejects "buy now" and fails on all else.
type pipeline struct{}

func (pipeline) Judge(_ context.Context, _ core.Viewer, t core.Text) (core.Verdict, error) {
	if strings.Contains(t.Body, "buy now") && t.From.AddressKey == "192.0.2.7" {
		return core.Verdict{Decision: core.DecisionReject, Score: 1}, nil
	}
	return core.Verdict{}, errors.New("no model")
}

func (in instance) loadSayings(t testing.TB, lines ...string) {
	t.Helper()
	rows, err := rowfile.NewReader(strings.NewReader(strings.Join(lines, "\n")), rowfile.JSONLines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.sayings.Import(t.Context(), core.TheSystem(), rows, rowfile.Options{Strict: true}); err != nil {
		t.Fatal(err)
	}
}

type sayingPage struct {
	Total, Limit, Offset int
	Next                 *string
	Sayings              []struct{ Slug string }
}

func (p sayingPage) slugs() string {
	var list []string
	for _, s := range p.Sayings {
		list = append(list, s.Slug)
	}
	return strings.Join(list, " ")
}

var threeSayings = []string{
	`{"slug":"rivers","text":"Rivers find the sea.","meaning":"In time.","attribution":"Yoruba proverb","region":"West Africa","category":"patience","published_at":"2026-01-03"}`,
	`{"slug":"elders","text":"Listen to the élders.","published_at":"2026-01-02"}`,
	`{"slug":"doors","text":"Doors open.","region":"west africa","published_at":"2026-01-01"}`,
	`{"slug":"hidden","text":"Hidden.","hidden":true}`,
	`{"slug":"waiting","text":"Waiting.","status":"pending"}`,
}

func TestSayingsAreListed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, target := range []string{"/api/sayings/random", "/api/sayings/rivers"} {
		refused(t, w.get(t, target), http.StatusNotFound, "not_found", "")
	}
	w.loadSayings(t, threeSayings...)
	for query, want := range map[string]string{
		"": "rivers elders doors", "?q=ELDERS": "elders", "?q=time+sea": "rivers", "?q=%25": "", "?category=patience": "rivers",
		"?category=nonsense": "rivers elders doors", "?region=West+Africa": "rivers doors", "?region=west%20africa&q=open": "doors",
		"?limit=1&offset=1": "elders", "?limit=1000": "rivers elders doors", "?surprise=1": "rivers elders doors", "?q=": "rivers elders doors",
	} {
		if got := read[sayingPage](t, w.get(t, "/api/sayings"+query), http.StatusOK); got.slugs() != want {
			t.Errorf("%s lists %q, want %q", query, got.slugs(), want)
		}
	}
	all := read[sayingPage](t, w.get(t, "/api/sayings?limit=2"), http.StatusOK)
	if all.Total != 3 || all.Limit != 2 || all.Next == nil || read[sayingPage](t, w.get(t, *all.Next), http.StatusOK).slugs() != "doors" {
		t.Errorf("the envelope is %+v", all)
	}
	for _, bad := range []string{"limit=0", "limit=x", "offset=-1", "q=%FF", "q=" + strings.Repeat("a", 501)} {
		field, _, _ := strings.Cut(bad, "=")
		refused(t, w.get(t, "/api/sayings?"+bad), http.StatusBadRequest, "validation_failed", field)
	}
	one := read[map[string]any](t, w.get(t, "/api/sayings/rivers"), http.StatusOK)
	delete(one, "id")
	if diff := cmp.Diff(map[string]any{"slug": "rivers", "text": "Rivers find the sea.", "meaning": "In time.", "attribution": "Yoruba proverb",
		"region": "West Africa", "category": "patience", "image_url": nil, "url": base + "/sayings/rivers"}, one); diff != "" {
		t.Errorf("a saying (-want +got):\n%s", diff)
	}
	for _, slug := range []string{"hidden", "waiting", "nothing", "Rivers"} {
		refused(t, w.get(t, "/api/sayings/"+slug), http.StatusNotFound, "not_found", "")
	}
	counts := read[struct {
		Categories []struct {
			Slug, Label string
			Count       int
		}
	}](t, w.get(t, "/api/sayings/categories"), http.StatusOK)
	if len(counts.Categories) != 12 || counts.Categories[8].Slug != "patience" || counts.Categories[8].Count != 1 {
		t.Errorf("%+v", counts)
	}
	a := w.get(t, "/api/sayings/random")
	read[struct{ Slug string }](t, a, http.StatusOK)
	if got := a.header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("a random one is kept: %q", got)
	}
	if got := w.get(t, "/api/sayings/categories").header.Get("Cache-Control"); got != "public, max-age=3600" {
		t.Errorf("categories: %q", got)
	}
}

const toSayings = "/api/sayings/submit"

func TestSayingIsSubmittedAndApproved(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.database.Instance(t)
	there := newInstance(t, second)
	listen(t, second)
	ada, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	mod, _, _ := w.account(t, "mo", accounts.RoleModerator, nil)
	if got := read[sayingPage](t, there.get(t, "/api/sayings"), http.StatusOK); got.Total != 0 {
		t.Fatalf("%+v", got)
	}
	got := read[map[string]string](t, w.submit(t, toSayings, token,
		`{"text":"Rivers find the sea.","meaning":null,"category":"patience","submitter_name":"Ada","surprise":1}`), http.StatusCreated)
	if diff := cmp.Diff(map[string]string{"status": "pending"}, got); diff != "" {
		t.Error(diff)
	}
	if got := read[map[string]string](t, w.submit(t, toSayings, token, `{"text":"buy now"}`), http.StatusCreated); got["status"] != "spam" {
		t.Errorf("abuse is %v", got)
	}
	refused(t, w.submit(t, toSayings, token, `{"text":"rivers find the SEA"}`), http.StatusConflict, "already_here", "")
	waiting := pgtest.Value[[]string](t, w.database, mod, `select array_agg(target_id::text) from desk_queue where target_type = 'saying'`)
	if len(waiting) != 1 {
		t.Fatalf("%d wait", len(waiting))
	}
	err := w.database.Write(t.Context(), mod, func(tx *pg.Tx) error {
		_, err := w.sayings.Desk().DecideTx(t.Context(), tx, mod, waiting[0], core.ActionApprove, "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other instance lists it", func() bool {
		return read[sayingPage](t, there.get(t, "/api/sayings"), http.StatusOK).slugs() == "rivers-find-the-sea"
	})
	a := w.submit(t, toSayings, token, `{"text":"rivers find the SEA"}`)
	refused(t, a, http.StatusConflict, "already_here", "")
	if !strings.Contains(string(a.body), `"slug":"rivers-find-the-sea"`) {
		t.Errorf("it does not say where: %s", a.body)
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from points_transactions where reason = 'saying_approved'`); n != 1 {
		t.Errorf("%d payments for %s", n, ada.Username)
	}
}

func TestSayingsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	refused(t, w.submit(t, toSayings, "", `{"text":"x"}`), http.StatusUnauthorized, "unauthenticated", "")
	refused(t, w.submit(t, toSayings, "tok_nonsense", `{"text":"x"}`), http.StatusUnauthorized, "unauthenticated", "")
	for body, field := range map[string]string{
		`{}`: "text", `{"text":"  "}`: "text", `{"text":7}`: "text", `{"text":"x","category":"nonsense"}`: "category",
		`{"text":"` + strings.Repeat("é", 501) + `"}`: "text", `{"text":"x","meaning":"` + strings.Repeat("m", 1001) + `"}`: "meaning",
	} {
		refused(t, w.submit(t, toSayings, token, body), http.StatusBadRequest, "validation_failed", field)
	}
	refused(t, w.submit(t, toSayings, token, `{"text"`), http.StatusBadRequest, "malformed_json", "")
	refused(t, w.submit(t, toSayings, token, `{"text":"`+strings.Repeat("x", 70_000)+`"}`), http.StatusRequestEntityTooLarge, "too_large", "")
	refused(t, w.send(t, http.MethodPost, toSayings, strings.NewReader(`{"text":"x"}`), bearer(token), http.Header{"Content-Type": {"text/plain"}}),
		http.StatusUnsupportedMediaType, "unsupported_media_type", "")
	key := http.Header{"Idempotency-Key": {"once"}}
	first := w.submit(t, toSayings, token, `{"text":"Said once"}`, key)
	again := w.submit(t, toSayings, token, `{"text":"Said once"}`, key)
	if first.status != http.StatusCreated || again.status != http.StatusCreated || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("repeated: %d, %d %s", first.status, again.status, again.body)
	}
	refused(t, w.submit(t, toSayings, token, `{"text":"Another"}`, key), http.StatusUnprocessableEntity, "idempotency_key_reused", "")
	if a := w.get(t, toSayings); a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
		t.Errorf("reading it gives %d", a.status)
	}
}
