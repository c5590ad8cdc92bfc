package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

const toReport = "/api/report"

func reportOf(kind, id string) string {
	return fmt.Sprintf(`{"target_type": %q, "target_id": %q, "reason_category": "misleading", "reason_detail": null}`, kind, id)
}

type reportAnswer struct {
	OK, Duplicate bool
	Status        string
}

// reporters makes members, each with a token.
func (w world) reporters(t testing.TB, names ...string) (tokens []string) {
	t.Helper()
	for _, name := range names {
		_, token, _ := w.account(t, name, accounts.RoleMember, nil)
		tokens = append(tokens, token)
	}
	return tokens
}

// Three members report an entry: it leaves the list, the search and its address,
// and a moderator brings it back.
func TestReportsHideAnEntry(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, `{"kind":"business","name":"Blue Heron Bakery","slug":"blue-heron","city":"Atlanta","region":"GA"}`)
	const page = "/api/directory/businesses/blue-heron"
	id := read[struct{ ID string }](t, w.get(t, page), http.StatusOK).ID
	tokens := w.reporters(t, "ann", "ben", "cam")
	for i, token := range tokens {
		got := read[reportAnswer](t, w.submit(t, toReport, token, reportOf("directory_entry", id)), http.StatusCreated)
		if got != (reportAnswer{OK: true, Status: "open"}) {
			t.Errorf("reporter %d gets %+v", i+1, got)
		}
		again := w.submit(t, toReport, token, reportOf("directory_entry", id))
		if got := read[reportAnswer](t, again, http.StatusOK); got != (reportAnswer{OK: true, Duplicate: true}) || strings.Contains(string(again.body), "status") {
			t.Errorf("reporter %d again gets %s", i+1, again.body)
		}
	}
	refused(t, w.get(t, page), http.StatusNotFound, "not_found", "")
	for _, list := range []string{"/api/directory/businesses", "/api/directory/search?q=heron"} {
		if got := read[struct{ Total int }](t, w.get(t, list), http.StatusOK); got.Total != 0 {
			t.Errorf("%s still has %d", list, got.Total)
		}
	}
	mod, _, _ := w.account(t, "mo", accounts.RoleModerator, nil)
	w.decided(t, mod, core.Target{Type: "report", ID: id}, core.ActionKeep, "It is right.")
	if got := read[struct{ Total int }](t, w.get(t, "/api/directory/search?q=heron"), http.StatusOK); got.Total != 1 {
		t.Errorf("%d are found once it is kept", got.Total)
	}
	for _, token := range w.reporters(t, "dan", "eve", "fay") {
		read[reportAnswer](t, w.submit(t, toReport, token, reportOf("directory_entry", id)), http.StatusCreated)
	}
	if a := w.get(t, page); a.status != http.StatusOK {
		t.Errorf("what was kept is hidden by reports: %d", a.status)
	}
}

func TestReportsHideAnApp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	id := read[struct{ ID string }](t, w.get(t, "/api/apps/stops"), http.StatusOK).ID
	refused(t, w.submit(t, toReport, p.ownerToken, reportOf("app", id)), http.StatusForbidden, "not_allowed", "")
	for _, token := range w.reporters(t, "ann", "ben", "cam") {
		read[reportAnswer](t, w.submit(t, toReport, token, reportOf("app", id)), http.StatusCreated)
	}
	refused(t, w.get(t, "/api/apps/stops"), http.StatusNotFound, "not_found", "")
	for range 2 { // the second time nothing is left to do
		if err := w.apps.Unhide(t.Context(), p.staff, "stops"); err != nil {
			t.Fatal(err)
		}
	}
	log := pgtest.Value[string](t, w.database, core.TheSystem(), `select string_agg(kind, ' ' order by created_at, id) from audit_log`)
	if log != "app_published hidden_by_reports app_shown" {
		t.Errorf("the log holds %s", log)
	}
}

func TestRefusedReports(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token := w.reporters(t, "ann")[0]
	refused(t, w.submit(t, toReport, "", reportOf("app", pg.NewID())), http.StatusUnauthorized, "unauthenticated", "")
	refused(t, w.submit(t, toReport, token, reportOf("app", pg.NewID())), http.StatusNotFound, "not_found", "")
	refused(t, w.submit(t, toReport, token, reportOf("job", pg.NewID())), http.StatusNotFound, "not_found", "")
	refused(t, w.submit(t, toReport, token, reportOf("saying", pg.NewID())), http.StatusBadRequest, "validation_failed", "target_type")
	refused(t, w.submit(t, toReport, token, reportOf("app", "7")), http.StatusBadRequest, "validation_failed", "target_id")
	refused(t, w.submit(t, toReport, token, `{"target_type":7}`), http.StatusBadRequest, "validation_failed", "target_type")
	refused(t, w.submit(t, toReport, token, `{`), http.StatusBadRequest, "malformed_json", "")
	refused(t, w.submit(t, toReport, token, strings.Repeat(" ", 65<<10)+"{}"), http.StatusRequestEntityTooLarge, "too_large", "")
	refused(t, w.send(t, http.MethodPost, toReport, strings.NewReader("a=b"), bearer(token), http.Header{"Content-Type": {"text/plain"}}),
		http.StatusUnsupportedMediaType, "unsupported_media_type", "")
	refused(t, w.get(t, toReport), http.StatusMethodNotAllowed, "method_not_allowed", "")
}

// blocked blocks an address as the program does when it is certain of abuse.
func (w world) blocked(t testing.TB, key string) {
	t.Helper()
	err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		done, err := w.blocks.BlockTx(t.Context(), tx, core.TheSystem(), core.Abuse{From: core.Origin{AddressKey: key}, Reason: "A threat."})
		if err == nil && !done {
			t.Errorf("%s is not blocked", key)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// From a blocked address everything is read and nothing written, on every
// instance; no Idempotency-Key keeps the refusal.
func TestBlockedAddress(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.people(t)
	w.app(t, p, "stops", "Stops")
	there := newInstance(t, w.database.Instance(t))
	w.blocked(t, "192.0.2.7") // of every request of these tests
	key := http.Header{"Idempotency-Key": {"once"}}
	for _, in := range []instance{w.instance, there} {
		notOK(t, "a file", in.submit(t, toStops, p.otherToken, body("a.json", "{}"), key), http.StatusForbidden, "address_blocked", "")
		f := refused(t, in.submit(t, toReport, p.otherToken, reportOf("app", pg.NewID())), http.StatusForbidden, "address_blocked", "")
		if !strings.Contains(f.Error, "UTC") || !strings.Contains(f.Error, "mistake") {
			t.Errorf("it says %q", f.Error)
		}
		read[struct{ Total int }](t, in.get(t, "/api/apps"), http.StatusOK)
		read[map[string]any](t, in.get(t, "/api/me", bearer(p.otherToken)), http.StatusOK)
	}
	list, err := w.blocks.List(t.Context(), core.TheSystem(), core.Page{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("the blocks are %+v, %v", list, err)
	}
	if err := w.blocks.Lift(t.Context(), core.TheSystem(), list.Items[0].ID, "A mistake."); err != nil {
		t.Fatal(err)
	}
	read[submitted](t, there.submit(t, toStops, p.otherToken, body("a.json", "{}"), key), http.StatusCreated)
}

// A block holds for one address and no other, and never for who stands behind a
// proxy that nobody configured.
func TestBlockSparesOthers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token := w.reporters(t, "ann")[0]
	w.blocked(t, "192.0.2.8")
	refused(t, w.submit(t, toReport, token, reportOf("app", pg.NewID())), http.StatusNotFound, "not_found", "")
	w.blocked(t, "192.0.2.7")
	refused(t, w.submit(t, toReport, token, reportOf("app", pg.NewID())), http.StatusForbidden, "address_blocked", "")
	refused(t, w.submit(t, toReport, token, reportOf("app", pg.NewID()), http.Header{"X-Forwarded-For": {"198.51.100.1"}}), http.StatusNotFound, "not_found", "")
}
