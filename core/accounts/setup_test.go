package accounts

import (
	"sync"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type world struct {
	*Service
	db    *pgtest.Database
	clock *clock
}

func setup(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	c := &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return world{Service: New(d.DB, c.read), db: d, clock: c}
}

// account makes an account that is called name.
func (w world) account(t *testing.T, name string, role Role) core.Viewer {
	t.Helper()
	a, err := w.Create(t.Context(), core.TheSystem(), Input{Email: name + "@example.org", Username: name, Password: "correct horse", Role: role})
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	return a.Viewer()
}

func (w world) token(t *testing.T, v core.Viewer, in TokenInput) (string, Token) {
	t.Helper()
	if in.Label == "" {
		in.Label = "laptop"
	}
	token, stored, err := w.CreateToken(t.Context(), v, in)
	if err != nil {
		t.Fatalf("create a token for %s: %v", v.Username, err)
	}
	return token, stored
}

func wantKind(t *testing.T, what string, err error, want core.Kind) {
	t.Helper()
	if err == nil || core.KindOf(err) != want {
		t.Errorf("%s gives %v, want an error of kind %d", what, err, want)
	}
}
