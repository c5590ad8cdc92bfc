package accounts

import (
	"strings"
	"testing"

	"homeplace/core"
)

func TestTokenForm(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 200 {
		token := newToken()
		if len(token) != 4+37+6 || !strings.HasPrefix(token, "tok_") || strings.Trim(token[4:], base62) != "" {
			t.Fatalf("%q is not tok_ and 43 base62 characters", token)
		}
		if !wellFormedToken(token) || !LooksLikeToken(token) {
			t.Fatalf("%q is refused", token)
		}
		if seen[token] {
			t.Fatalf("%q came twice", token)
		}
		seen[token] = true
	}
}

// Worked out with zlib: 0x00000000, 0xCBF43926 (the check value of CRC-32) and
// 0x9B6DD2BC.
func TestChecksum(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{"": "000000", "123456789": "3jZRME", strings.Repeat("A", 37): "2qTV0e"} {
		if got := checksum(body); got != want {
			t.Errorf("checksum(%q) = %s, want %s", body, got, want)
		}
	}
}

// Every slip of one character and every swap of two neighbours is refused, and
// nobody asks the database: there is none.
func TestSlipsAreRefusedWithoutLookup(t *testing.T) {
	t.Parallel()
	s := New(nil, core.Now)
	refused := func(slip string) {
		t.Helper()
		if _, err := s.Authenticate(t.Context(), slip); core.KindOf(err) != core.Unauthenticated || err == nil {
			t.Errorf("%q gives %v, want Unauthenticated", slip, err)
		}
	}
	for range 20 {
		token := newToken()
		for i := range len(token) {
			for _, c := range []byte(base62 + "_- .\x00\xc3") {
				if c != token[i] {
					refused(token[:i] + string([]byte{c}) + token[i+1:])
				}
			}
			refused(token[:i] + token[i+1:])              // one left out
			refused(token[:i] + token[i:i+1] + token[i:]) // one doubled
			if i > 0 && token[i-1] != token[i] {
				refused(token[:i-1] + token[i:i+1] + token[i-1:i] + token[i+1:])
			}
		}
	}
	for _, other := range []string{"", "tok_", "tok", "Bearer " + newToken(), " " + newToken(), newToken() + " ", newToken() + newToken(),
		strings.ToLower("TOK_" + newToken()[4:]), "eyJhbGciOiJFUzI1NiJ9.e30.x", strings.Repeat("tok_", 1<<18)} {
		refused(other)
	}
}

func TestLooksLikeToken(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"tok_x": true, newToken(): true, "eyJhbGciOiJFUzI1NiJ9.e30.x": false, "TOK_x": false, "": false} {
		if LooksLikeToken(s) != want {
			t.Errorf("LooksLikeToken(%q) = %t, want %t", s, !want, want)
		}
	}
}

func FuzzWellFormedToken(f *testing.F) {
	f.Add(newToken())
	f.Add("tok_")
	f.Fuzz(func(t *testing.T, s string) {
		if wellFormedToken(s) && (len(s) != 47 || s != "tok_"+s[4:41]+checksum(s[4:41])) {
			t.Errorf("%q passes for a token", s)
		}
	})
}
