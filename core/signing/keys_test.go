package signing

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestPrepareMakesOneKeyOnManyInstances(t *testing.T) {
	t.Parallel()
	w := empty(t)
	second := w.database.Instance(t)
	var all sync.WaitGroup
	for range 8 {
		for _, db := range []*pg.DB{w.database.DB, second} {
			s := w.instance(t, db, "a")
			all.Go(func() {
				if err := s.Prepare(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from signing_keys`); n != 1 {
		t.Errorf("there are %d keys, want 1", n)
	}
	if !accepts(t, w.instance(t, second, "a"), w.sign(t, w.instance(t, w.database.DB, "a"))) {
		t.Error("one instance does not take what the other signed")
	}
}

func TestAnotherSecret(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.instance(t, w.database.Instance(t), "b")
	if err := other.Prepare(t.Context()); !errors.Is(err, ErrOtherSecret) {
		t.Errorf("Prepare gives %v", err)
	}
	if _, err := other.Sign(t.Context(), w.claims()); !errors.Is(err, ErrOtherSecret) || core.KindOf(err) != core.Internal {
		t.Errorf("Sign gives %v", err)
	}
	if _, err := other.Rotate(t.Context()); !errors.Is(err, ErrOtherSecret) {
		t.Errorf("Rotate gives %v", err)
	}
	if n, err := w.Reset(t.Context()); n != 0 || err != nil {
		t.Errorf("with the right secret Reset drops %d, %v", n, err)
	}
	token := w.sign(t, w.Service)
	if !accepts(t, other, token) {
		t.Error("the public key is enough to verify")
	}
	if n, err := other.Reset(t.Context()); n != 1 || err != nil {
		t.Fatalf("Reset = %d, %v, want 1", n, err)
	}
	if err := other.Prepare(t.Context()); err != nil {
		t.Errorf("after Reset, Prepare gives %v", err)
	}
	if accepts(t, other, token) || !accepts(t, other, w.sign(t, other)) {
		t.Error("after Reset the old key counts, or the new one does not")
	}
	w.forget()
	if err := w.Check(t.Context()); !errors.Is(err, ErrOtherSecret) {
		t.Errorf("the instance with the lost secret says %v", err)
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	w := setup(t)
	first := published(t, w.Service)[0]
	before := w.sign(t, w.Service)
	w.at(time.Hour - time.Minute)
	next, err := w.Rotate(t.Context())
	if err != nil || !next.ActiveFrom.Equal(start.Add(74*time.Minute)) {
		t.Fatalf("Rotate = %+v, %v", next, err)
	}
	if _, err := w.Rotate(t.Context()); core.KindOf(err) != core.Conflict {
		t.Errorf("a second rotation gives %v", err)
	}
	names := published(t, w.Service)
	if !slices.Equal(names, []string{next.ID, first}) {
		t.Fatalf("published are %v", names)
	}
	if !accepts(t, w.Service, before) {
		t.Error("a token of before is refused")
	}
	for _, c := range []struct {
		at    time.Duration
		signs string
		live  int
	}{
		{74*time.Minute - time.Second, first, 2},
		{74 * time.Minute, next.ID, 2},
		{74*time.Minute + 24*time.Hour + 59*time.Second, next.ID, 2},
		{74*time.Minute + 24*time.Hour + time.Minute, next.ID, 1},
	} {
		w.at(c.at)
		token := w.sign(t, w.Service)
		if got := header(t, token)["kid"]; got != c.signs || !accepts(t, w.Service, token) || len(published(t, w.Service)) != c.live {
			t.Errorf("after %v %v signs and %d are published, want %s and %d", c.at, got, len(published(t, w.Service)), c.signs, c.live)
		}
	}
}

// The last token that the old key signs is good to its end.
func TestRotateOutlivesTheLastToken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if _, err := w.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.at(15*time.Minute - time.Second)
	claims := w.claims()
	claims.ExpiresAt.Time = w.clock().Add(MaxLifetime)
	last, err := w.Sign(t.Context(), claims)
	if err != nil {
		t.Fatal(err)
	}
	w.at(15*time.Minute - time.Second + MaxLifetime + Leeway - time.Second)
	if !accepts(t, w.Service, last) {
		t.Error("the last token of the old key is refused before its end")
	}
}

// Another instance hears of a new key, and takes its tokens even where it did
// not hear.
func TestRotateOnAnotherInstance(t *testing.T) {
	t.Parallel()
	w := setup(t)
	db := w.database.Instance(t)
	hears, deaf := w.instance(t, db, "a"), w.instance(t, w.database.Instance(t), "a")
	go db.Listen(t.Context(), slog.New(slog.DiscardHandler))
	for _, s := range []*Service{hears, deaf} {
		if len(published(t, s)) != 1 {
			t.Fatal("the first key is missing")
		}
	}
	if _, err := w.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); len(published(t, hears)) != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the other instance did not hear of the new key")
		}
	}
	w.at(16 * time.Minute)
	token := w.sign(t, w.Service)
	if !accepts(t, hears, token) || !accepts(t, deaf, token) {
		t.Error("a token of the new key is refused")
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, c := range []struct {
		at      time.Duration
		rotated bool
		keys    int
	}{
		{90*24*time.Hour - time.Second, false, 1},
		{90 * 24 * time.Hour, true, 2},
		{90*24*time.Hour + time.Minute, false, 2},
		{91*24*time.Hour + 15*time.Minute + 59*time.Second, false, 2},
		{91*24*time.Hour + 16*time.Minute, false, 1},
		{180 * 24 * time.Hour, false, 1}, // the second key signs since 90 days and 15 minutes
		{180*24*time.Hour + 15*time.Minute, true, 2},
	} {
		w.at(c.at)
		rotated, err := w.Sweep(t.Context())
		n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from signing_keys`)
		if err != nil || rotated != c.rotated || n != c.keys {
			t.Errorf("after %v Sweep = %t, %v and %d keys, want %t and %d", c.at, rotated, err, n, c.rotated, c.keys)
		}
	}
}

func TestManySweepsRotateOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.instance(t, w.database.Instance(t), "a")
	w.at(100 * 24 * time.Hour)
	var all sync.WaitGroup
	for range 8 {
		for _, s := range []*Service{w.Service, other} {
			all.Go(func() {
				if _, err := s.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if n := pgtest.Value[int](t, w.database, core.TheSystem(), `select count(*) from signing_keys`); n != 2 {
		t.Errorf("there are %d keys, want 2", n)
	}
}

// A row that somebody tampered with is noticed and not used.
func TestTamperedRows(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"another public key": `update signing_keys set public_jwk = public_jwk || '{"x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}'`,
		"another name":       `update signing_keys set kid = 'mine'`,
	} {
		w := setup(t)
		if _, err := w.database.Exec(t, core.TheSystem(), sql); err != nil {
			t.Fatal(err)
		}
		w.forget()
		if _, err := w.Sign(t.Context(), w.claims()); err == nil {
			t.Errorf("%s: it signs", name)
		}
	}
	w := setup(t)
	if _, err := w.database.Exec(t, core.TheSystem(), `update signing_keys set private_sealed = set_byte(private_sealed, 20, get_byte(private_sealed, 20) # 1)`); err != nil {
		t.Fatal(err)
	}
	w.forget()
	if err := w.Check(t.Context()); !errors.Is(err, ErrOtherSecret) {
		t.Errorf("with another private key: %v", err)
	}
}

func TestOnlyTheSystemTouchesKeys(t *testing.T) {
	t.Parallel()
	w := setup(t)
	admin := core.Viewer{ID: pg.NewID(), Role: core.Staff, Moderator: true, Admin: true}
	for name, v := range map[string]core.Viewer{"admin": admin, "member": {ID: pg.NewID(), Role: core.Member}, "nobody": core.Nobody()} {
		for _, sql := range []string{`select kid from signing_keys`, `delete from signing_keys`, `update signing_keys set active_from = now()`,
			`insert into signing_keys (kid, algorithm, public_jwk, private_sealed, created_at, active_from) values ('x', 'ES256', '{}', '', now(), now())`} {
			if _, err := w.database.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v, want 42501", name, sql, err)
			}
		}
	}
}
