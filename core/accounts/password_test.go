package accounts

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestPasswordRoundTrip(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"correct horse", "", "pässwörd 密码 \x00", strings.Repeat("x", 800)} {
		hash, err := hashPassword(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Count(hash, "$") != 5 {
			t.Errorf("the hash %s is not in PHC string form", hash)
		}
		for attempt, want := range map[string]bool{password: true, password + " ": false, "x" + password: false, strings.ToUpper(password) + "X": false} {
			if got, err := passwordMatches(t.Context(), hash, attempt); err != nil || got != want {
				t.Errorf("%.20q against the hash of %.20q: %t, %v, want %t", attempt, password, got, err, want)
			}
		}
	}
}

func TestPasswordsAreSalted(t *testing.T) {
	t.Parallel()
	one, err := hashPassword(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if two, err := hashPassword(t.Context(), "correct horse"); err != nil || one == two {
		t.Errorf("the same password has the same hash twice: %s, %v", two, err)
	}
}

// The reference program of argon2 made this hash, with other costs:
// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
func TestPasswordWithOtherCosts(t *testing.T) {
	t.Parallel()
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, err := passwordMatches(t.Context(), hash, "password"); err != nil || !ok {
		t.Errorf("the reference hash does not match: %t, %v", ok, err)
	}
	if ok, err := passwordMatches(t.Context(), hash, "Password"); err != nil || ok {
		t.Errorf("another password matches the reference hash: %t, %v", ok, err)
	}
}

func TestBrokenHashes(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{"", "x", "$2a$10$abc", "$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA", "$argon2id$v=19$m=x$AAAA$AAAA",
		"$argon2id$v=19$m=19456,t=2,p=1$!$AAAA", "$argon2id$v=19$m=19456,t=2,p=1$AAAA$!", "$argon2id$v=19$m=19456,t=2,p=1$AAAA"} {
		if ok, err := passwordMatches(t.Context(), hash, "x"); ok || err == nil {
			t.Errorf("the stored hash %q gives %t, %v, want an error", hash, ok, err)
		}
	}
}

func TestHashingWaitsNoLongerThanTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range cap(hashing) { // nobody else gets a turn
		hashing <- struct{}{}
	}
	defer func() {
		for range cap(hashing) {
			<-hashing
		}
	}()
	if _, err := hashPassword(ctx, "correct horse"); !errors.Is(err, context.Canceled) {
		t.Errorf("hashing for a request that ended gives %v, want context.Canceled", err)
	}
}

func BenchmarkHashPassword(b *testing.B) {
	for b.Loop() {
		if _, err := hashPassword(b.Context(), "correct horse"); err != nil {
			b.Fatal(err)
		}
	}
}
