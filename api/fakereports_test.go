package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/fakereports"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

const toFakes = "/api/report-fake"

type fakePage struct {
	Total, Limit, Offset int
	Next                 *string
	Reports              []map[string]any
}

func (p fakePage) texts() string {
	var list []string
	for _, r := range p.Reports {
		list = append(list, fmt.Sprint(r["description"]))
	}
	return strings.Join(list, ", ")
}

func (w world) fakeFeed(t testing.TB, query string) fakePage {
	t.Helper()
	return read[fakePage](t, w.get(t, toFakes+query), http.StatusOK)
}

// confirmLatest decides about what was sent last, as the desk does.
func (w world) confirmLatest(t testing.TB, mod core.Viewer) {
	t.Helper()
	list, err := w.fakes.Recent(t.Context(), mod, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = w.database.Write(t.Context(), mod, func(tx *pg.Tx) error {
		_, err := w.fakes.Desk().DecideTx(t.Context(), tx, mod, list[0].ID, core.ActionApprove, "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFakeReportsAreSentAndConfirmed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	second := w.database.Instance(t)
	there := newInstance(t, second)
	listen(t, second)
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	mod, _, _ := w.account(t, "mo", accounts.RoleModerator, nil)
	if empty := w.fakeFeed(t, ""); empty.Total != 0 || empty.Reports == nil || empty.Limit != 50 || empty.Next != nil {
		t.Errorf("an empty feed is %+v", empty)
	}
	read[fakePage](t, there.get(t, toFakes), http.StatusOK)
	body := `{"category":"impersonation","description":" Not <b>her</b>.\r\nهذا مزيف ","platform":"Instagram","content_url":"HTTPS://social.example/not-her","handle":"@not-her",` +
		`"submitter_name":"Ida","submitter_email":"ida@example.org","surprise":1}`
	a := w.post(t, toFakes, body)
	if got := read[map[string]any](t, a, http.StatusCreated); !cmp.Equal(got, map[string]any{"ok": true, "status": "pending"}) ||
		a.header.Get("RateLimit-Limit") != "10" || a.header.Get("RateLimit-Remaining") != "9" || a.header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("%v, %v", got, a.header)
	}
	w.confirmLatest(t, mod)
	eventually(t, "the other instance lists it", func() bool {
		return read[fakePage](t, there.get(t, toFakes), http.StatusOK).Total == 1
	})
	a = w.get(t, toFakes)
	one := read[fakePage](t, a, http.StatusOK).Reports[0]
	if strings.Contains(string(a.body), "Ida") || strings.Contains(strings.ToLower(string(a.body)), "ida@") || a.header.Get("Cache-Control") != "public, max-age=60" || a.header.Get("ETag") == "" {
		t.Errorf("%v %s", a.header, a.body)
	}
	delete(one, "id")
	delete(one, "created_at")
	delete(one, "confirmed_at")
	if diff := cmp.Diff(map[string]any{"category": "impersonation", "description": "Not <b>her</b>.\nهذا مزيف", "platform": "Instagram",
		"content_url": "https://social.example/not-her", "handle": "@not-her"}, one); diff != "" {
		t.Errorf("a report (-want +got):\n%s", diff)
	}

	a = w.post(t, toFakes, `{"category":"scam","description":"Of a member","platform":null}`, bearer(token))
	if read[map[string]any](t, a, http.StatusCreated); a.header.Get("RateLimit-Limit") != "30" {
		t.Errorf("a member has %s", a.header.Get("RateLimit-Limit"))
	}
	w.confirmLatest(t, mod)
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from points_transactions where reason = 'fake_report_confirmed'`); n != 1 {
		t.Errorf("%d were paid", n)
	}
	if got := read[map[string]any](t, w.post(t, toFakes, `{"category":"other","description":"buy now"}`), http.StatusCreated); got["status"] != "spam" {
		t.Errorf("abuse is %v", got)
	}
	w.post(t, toFakes, `{"category":"other","description":"still waits"}`)
	for query, want := range map[string]string{
		"": "Of a member, Not <b>her</b>.\nهذا مزيف", "?category=scam": "Of a member", "?category=": "Of a member, Not <b>her</b>.\nهذا مزيف",
		"?category=other": "", "?limit=1": "Of a member", "?limit=1&offset=1": "Not <b>her</b>.\nهذا مزيف", "?offset=2": "",
	} {
		if got := w.fakeFeed(t, query); got.texts() != want {
			t.Errorf("%s lists %q, want %q", query, got.texts(), want)
		}
	}
	if got := w.fakeFeed(t, "?limit=1&category=scam"); got.Total != 1 || got.Next != nil {
		t.Errorf("%+v", got)
	}
	if got := w.fakeFeed(t, "?limit=1"); got.Next == nil || w.fakeFeed(t, strings.TrimPrefix(*got.Next, base+toFakes)).texts() != "Not <b>her</b>.\nهذا مزيف" {
		t.Errorf("%+v", got)
	}
	if got := w.fakeFeed(t, "?limit=1000"); got.Limit != 100 {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"category=rumour", "limit=0", "limit=x", "offset=-1"} {
		field, _, _ := strings.Cut(bad, "=")
		a := w.get(t, toFakes+"?"+bad)
		refused(t, a, http.StatusBadRequest, "validation_failed", field)
		if field == "category" && !strings.Contains(string(a.body), "fake_profile, ai_generated, impersonation, scam, misinformation, other") {
			t.Errorf("it does not name the values: %s", a.body)
		}
	}
}

func TestFakeReportsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	with := func(fields string) string { return `{"category":"scam","description":"abc"` + fields + `}` }
	for body, field := range map[string]string{
		`{"description":"abc"}`: "category", `{"category":"rumour","description":"abc"}`: "category", `{"category":1,"description":"abc"}`: "category",
		`{"category":"scam"}`: "description", `{"category":"scam","description":" ab "}`: "description", `{"category":"scam","description":7}`: "description",
		`{"category":"scam","description":"` + strings.Repeat("é", 4001) + `"}`: "description", `{"category":"scam","description":"a\u0000bc"}`: "description",
		`{"category":"scam","description":"a\u001bbc"}`: "description", with(`,"platform":"` + strings.Repeat("p", 81) + `"`): "platform",
		with(`,"handle":"` + strings.Repeat("h", 121) + `"`): "handle", with(`,"content_url":"example.org"`): "content_url",
		with(`,"content_url":"javascript:alert(1)"`): "content_url", with(`,"submitter_email":"ida"`): "submitter_email", with(`,"submitter_name":["Ida"]`): "submitter_name",
	} {
		refused(t, w.post(t, toFakes, body, bearer(token)), http.StatusBadRequest, "validation_failed", field)
	}
	refused(t, w.post(t, toFakes, with(""), bearer("tok_nonsense")), http.StatusUnauthorized, "unauthenticated", "")
	refused(t, w.post(t, toFakes, with(""), http.Header{"Authorization": {"Basic eDp5"}}), http.StatusUnauthorized, "unauthenticated", "")
	refused(t, w.post(t, toFakes, `{"category"`), http.StatusBadRequest, "malformed_json", "")
	refused(t, w.post(t, toFakes, with(`,"x":"`+strings.Repeat("x", 70_000)+`"`)), http.StatusRequestEntityTooLarge, "too_large", "")
	refused(t, w.send(t, http.MethodPost, toFakes, strings.NewReader(with("")), http.Header{"Content-Type": {"text/plain"}}), http.StatusUnsupportedMediaType, "unsupported_media_type", "")
	key := http.Header{"Idempotency-Key": {"once"}}
	for range 2 {
		read[map[string]any](t, w.post(t, toFakes, with(""), key), http.StatusCreated)
	}
	refused(t, w.post(t, toFakes, with(`,"handle":"@x"`), key), http.StatusUnprocessableEntity, "idempotency_key_reused", "")
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from fake_reports`); n != 1 {
		t.Errorf("%d are stored, want 1", n)
	}
	err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		_, err := w.blocks.BlockTx(t.Context(), tx, core.TheSystem(), core.Abuse{From: core.Origin{AddressKey: "192.0.2.7"}, Reason: "abuse"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, w.post(t, toFakes, with("")), http.StatusForbidden, "address_blocked", "")
	refused(t, w.post(t, toFakes, with(""), bearer(token)), http.StatusForbidden, "address_blocked", "")
	w.fakeFeed(t, "")
}

// Ten an hour are taken from one address, on both instances together, however
// many come at once; members do not count with them.
func TestAnonymousFakeReportsAreCountedByAddress(t *testing.T) {
	t.Parallel()
	w := setup(t)
	sites := []instance{w.instance, newInstance(t, w.database.Instance(t))}
	_, token, _ := w.account(t, "ada", accounts.RoleMember, nil)
	const body = `{"category":"scam","description":"One of many"}`
	answers := make([]answer, 24)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = sites[i%2].post(t, toFakes, body) })
	}
	group.Wait()
	taken := 0
	for _, a := range answers {
		if a.status == http.StatusCreated {
			taken++
			continue
		}
		refused(t, a, http.StatusTooManyRequests, "rate_limited", "")
		if a.header.Get("Retry-After") == "" {
			t.Error("it does not say when again")
		}
	}
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from fake_reports where submitted_by is null`); taken != 10 || n != 10 {
		t.Errorf("%d were taken, and %d are stored, want 10", taken, n)
	}
	for i := range 30 {
		read[map[string]any](t, sites[i%2].post(t, toFakes, body, bearer(token)), http.StatusCreated)
	}
	refused(t, w.post(t, toFakes, body, bearer(token)), http.StatusTooManyRequests, "rate_limited", "")
	if err := w.settings.Set(t.Context(), core.TheSystem(), "anonymous_submissions_per_hour", "12"); err != nil {
		t.Fatal(err)
	}
	read[map[string]any](t, w.post(t, toFakes, body), http.StatusCreated)
	if list, err := w.fakes.List(t.Context(), fakereports.Filter{}); err != nil || list.Total != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
