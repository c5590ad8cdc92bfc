package ratelimit_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
	"homeplace/core/ratelimit"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func setup(t *testing.T) (*ratelimit.Service, *pgtest.Database) {
	t.Helper()
	d := pgtest.New(t)
	return ratelimit.New(d.DB), d
}

func take(t *testing.T, s *ratelimit.Service, key string, max int, per time.Duration) ratelimit.Decision {
	t.Helper()
	d, err := s.Take(t.Context(), key, max, per)
	if err != nil {
		t.Fatalf("Take(%s): %v", key, err)
	}
	return d
}

func TestExactOverTwoInstances(t *testing.T) {
	t.Parallel()
	here, d := setup(t)
	there := ratelimit.New(d.Instance(t))
	for round := range 3 { // each with a new key: the first inserts meet, too
		key := "ask:" + string(rune('a'+round))
		var allowed, refused atomic.Int64
		var tries sync.WaitGroup
		for i := range 200 {
			s := here
			if i%2 == 1 {
				s = there
			}
			tries.Go(func() {
				decision, err := s.Take(context.Background(), key, 12, time.Minute)
				switch {
				case err != nil:
					t.Errorf("Take: %v", err)
				case decision.Allowed:
					allowed.Add(1)
				default:
					refused.Add(1)
				}
			})
		}
		tries.Wait()
		if allowed.Load() != 12 || refused.Load() != 188 {
			t.Errorf("of 200 tries %d were allowed and %d refused, want 12 and 188", allowed.Load(), refused.Load())
		}
		want := pgtest.Value[bool](t, d, core.TheSystem(), `select hits = array(select h from unnest(hits) h order by h) from rate_limits where key = $1`, hash(key))
		if !want {
			t.Error("the tries are not stored in order")
		}
	}
}

func TestRemainingAndReset(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	begin := time.Now()
	for i, want := range []ratelimit.Decision{
		{Allowed: true, Limit: 3, Remaining: 2},
		{Allowed: true, Limit: 3, Remaining: 1},
		{Allowed: true, Limit: 3, Remaining: 0},
		{Allowed: false, Limit: 3, Remaining: 0},
		{Allowed: false, Limit: 3, Remaining: 0},
	} {
		got := take(t, s, "votes:1", 3, time.Hour)
		least := time.Hour - time.Since(begin)
		if got.Reset > time.Hour || got.Reset < least {
			t.Errorf("try %d: reset in %v, want %v to 1h", i+1, got.Reset, least)
		}
		got.Reset = 0
		if got != want {
			t.Errorf("try %d: %+v, want %+v", i+1, got, want)
		}
	}
	if got := take(t, s, "votes:2", 3, time.Hour); !got.Allowed || got.Remaining != 2 {
		t.Errorf("another key is %+v, want it untouched", got)
	}
}

func TestTheWindowSlides(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	const key, per = "votes:1", time.Hour
	ago := func(minutes ...int) {
		t.Helper()
		_, err := d.Exec(t, core.TheSystem(), `
			insert into rate_limits (key, hits, expires_at)
			select $1, array(select clock_timestamp() - make_interval(mins => m) from unnest($2::int[]) m order by m desc), now()
			on conflict (key) do update set hits = excluded.hits`, hash(key), minutes)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name      string
		minutes   []int // of the tries before
		allowed   bool
		remaining int
		reset     time.Duration
	}{
		{"the first", nil, true, 2, 60 * time.Minute},
		{"none has left", []int{59, 30}, true, 0, time.Minute},
		{"full until the oldest leaves", []int{50, 30, 10}, false, 0, 10 * time.Minute},
		{"one has left", []int{61, 30, 10}, true, 0, 30 * time.Minute},
		{"all have left", []int{90, 80, 70}, true, 2, 60 * time.Minute},
		{"the limit was five before", []int{50, 40, 30, 20, 10}, false, 0, 30 * time.Minute},
	} {
		ago(c.minutes...)
		got := take(t, s, key, 3, per)
		if got.Allowed != c.allowed || got.Remaining != c.remaining || (got.Reset-c.reset).Abs() > 2*time.Second {
			t.Errorf("%s: %+v, want allowed %t, remaining %d, reset %v", c.name, got, c.allowed, c.remaining, c.reset)
		}
	}
}

func TestRealTime(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	const per = 300 * time.Millisecond
	take(t, s, "k", 2, per)
	take(t, s, "k", 2, per)
	refused := take(t, s, "k", 2, per)
	if refused.Allowed {
		t.Skip("the machine is too busy for a window of 300 ms")
	}
	time.Sleep(refused.Reset + time.Millisecond)
	if got := take(t, s, "k", 2, per); !got.Allowed {
		t.Errorf("after the reset that was told, %v, the try is refused: %+v", refused.Reset, got)
	}
}

func TestNothingIsAllowedByALimitOfNone(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	for _, max := range []int{0, -1} {
		if got := take(t, s, "k", max, time.Minute); got.Allowed || got.Remaining != 0 || got.Reset != time.Minute {
			t.Errorf("with a limit of %d: %+v", max, got)
		}
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	take(t, s, "short", 5, time.Millisecond)
	take(t, s, "long", 5, time.Hour)
	time.Sleep(5 * time.Millisecond)
	if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("Sweep = %d, %v, want 1", n, err)
	}
	if got := take(t, s, "long", 5, time.Hour); got.Remaining != 3 {
		t.Errorf("after the sweep %d remain, want 3", got.Remaining)
	}
	if n := pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from rate_limits`); n != 1 {
		t.Errorf("%d keys are left, want 1", n)
	}
}

func TestSweepMeetsTries(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	var both sync.WaitGroup
	var allowed atomic.Int64
	both.Go(func() {
		for range 100 {
			d, err := s.Take(context.Background(), "k", 50, 5*time.Minute)
			if err != nil {
				t.Errorf("Take: %v", err)
			}
			if d.Allowed {
				allowed.Add(1)
			}
		}
	})
	both.Go(func() {
		for range 100 {
			if _, err := s.Sweep(context.Background()); err != nil {
				t.Errorf("Sweep: %v", err)
			}
		}
	})
	both.Wait()
	if allowed.Load() != 50 {
		t.Errorf("%d tries were allowed while sweeping, want 50", allowed.Load())
	}
}

func TestAddressesAreNotStored(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	take(t, s, "votes:203.0.113.7", 5, time.Hour)
	stored := pgtest.Value[string](t, d, core.TheSystem(), `select key from rate_limits`)
	if strings.Contains(stored, "203.0.113") || stored != hash("votes:203.0.113.7") {
		t.Errorf("the key is stored as %q", stored)
	}
}

func hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])[:32]
}

func TestNoClaimIsStored(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	ctx := pg.WithClaim(t.Context(), pg.Claim{Caller: "a", Key: "k", Hash: make([]byte, 32)})
	if _, err := s.Take(ctx, "k", 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from idempotency_keys`); n != 0 {
		t.Error("counting stored the request's Idempotency-Key")
	}
}

func TestOnlyTheSystemCounts(t *testing.T) {
	t.Parallel()
	_, d := setup(t)
	for name, v := range map[string]core.Viewer{
		"anonymous": core.Nobody(),
		"member":    {ID: pg.NewID(), Role: core.Member},
		"moderator": {ID: pg.NewID(), Role: core.Staff, Moderator: true},
	} {
		for _, sql := range []string{`select * from rate_limit_take('k', 1, interval '1 hour')`, `select * from rate_limits`, `delete from rate_limits`} {
			if _, err := d.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v, want a refusal", name, sql, err)
			}
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	d.Close()
	if got, err := s.Take(t.Context(), "k", 5, time.Hour); err == nil || got.Allowed {
		t.Errorf("without a database Take = %+v, %v, want a refusal and an error", got, err)
	}
}

func BenchmarkTake(b *testing.B) {
	s := ratelimit.New(pgtest.New(b).DB)
	for b.Loop() {
		if _, err := s.Take(context.Background(), "k", 30, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}
