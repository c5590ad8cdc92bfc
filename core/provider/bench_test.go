package provider_test

import (
	"testing"

	"homeplace/core/provider/providertest"
)

func BenchmarkVerify(b *testing.B) {
	w := newWorld(b)
	token := w.outside.Session(b, audience, "ada", providertest.Claims{"email": "ada@example.org", "email_verified": true})
	for b.Loop() {
		if _, err := w.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
