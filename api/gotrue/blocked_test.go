package gotrue_test

import (
	"net/http"
	"testing"

	"homeplace/core"
	"homeplace/core/pg"
)

// From a blocked address nothing is written, and whoever has an account still gets
// in, stays in and out again: the request takes the way of the running service.
func TestBlockedAddress(t *testing.T) {
	t.Parallel()
	w := setup(t, true)
	w.member("ada")
	access, refresh := w.signIn("ada")
	err := w.database.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		_, err := w.blocks.BlockTx(t.Context(), tx, core.TheSystem(), core.Abuse{From: core.Origin{AddressKey: "192.0.2.7"}, Reason: "A threat."})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, token, body string }{
		{"POST", "/signup", "", `{"email":"new@homeplace.test","password":"` + password + `"}`},
		{"POST", "/recover", "", `{"email":"ada@homeplace.test"}`},
		{"PUT", "/user", access, `{"data":{"bio":"Hello"}}`},
	} {
		a := w.ask(c.method, c.path, c.token, c.body)
		if a.status != http.StatusForbidden || a.code() != "address_blocked" || a.text("message") == "" {
			t.Errorf("%s %s: %d %v", c.method, c.path, a.status, a.body)
		}
	}
	if a := w.ask("GET", "/user", access, ""); a.status != http.StatusOK {
		t.Errorf("reading as oneself: %d %v", a.status, a.body)
	}
	a := w.ask("POST", "/token?grant_type=refresh_token", "", `{"refresh_token":"`+refresh+`"}`)
	if a.status != http.StatusOK {
		t.Errorf("refreshing: %d %v", a.status, a.body)
	}
	again, _ := w.signIn("ada")
	if a := w.ask("POST", "/logout?scope=local", again, ""); a.status != http.StatusNoContent {
		t.Errorf("signing out: %d %v", a.status, a.body)
	}
	if a := w.ask("GET", "/.well-known/jwks.json", "", ""); a.status != http.StatusOK {
		t.Errorf("the key set: %d %v", a.status, a.body)
	}
}
