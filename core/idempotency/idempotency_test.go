package idempotency_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeplace/core"
	"homeplace/core/idempotency"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// setup adds a table that every viewer may write, for effects to be seen in.
func setup(t *testing.T) (*idempotency.Service, *pgtest.Database) {
	t.Helper()
	d := pgtest.New(t)
	if _, err := d.Owner(t).Exec(t.Context(), `
		create table effects (id int generated always as identity);
		grant select, insert on effects to anon, member, staff, system`); err != nil {
		t.Fatal(err)
	}
	return idempotency.New(d.DB), d
}

var viewers = map[string]core.Viewer{
	"anonymous": core.Nobody(),
	"member":    {ID: pg.NewID(), Role: core.Member},
	"staff":     {ID: pg.NewID(), Role: core.Staff, Moderator: true},
	"system":    core.TheSystem(),
}

func claim(caller, key, body string) pg.Claim {
	hash := sha256.Sum256([]byte(body))
	return pg.Claim{Caller: caller, Key: key, Hash: hash[:]}
}

func effect(ctx context.Context) func(tx *pg.Tx) error {
	return func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `insert into effects default values`)
		return err
	}
}

func count(t *testing.T, d *pgtest.Database, table string) int {
	t.Helper()
	return pgtest.Value[int](t, d, core.TheSystem(), `select count(*) from `+table)
}

func TestAnswerIsStoredAndFound(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	c := claim("203.0.113.7", "k1", "body")
	if _, found, err := s.Find(t.Context(), c.Caller, c.Key); found || err != nil {
		t.Fatalf("before the write: found %t, %v", found, err)
	}
	if err := d.Write(pg.WithClaim(t.Context(), c), core.Nobody(), effect(t.Context())); err != nil {
		t.Fatal(err)
	}
	r, found, err := s.Find(t.Context(), c.Caller, c.Key)
	if err != nil || !found || r.Answer != nil || !bytes.Equal(r.Hash, c.Hash) || r.CreatedAt.IsZero() {
		t.Fatalf("after the write: %+v, found %t, %v", r, found, err)
	}
	want := idempotency.StoredAnswer{Status: 201, ContentType: "application/json",
		Headers: map[string][]string{"Location": {"https://example.org/a"}, "Link": {"<a>", "<b>"}}, Body: []byte("{\"a\":\"é\"}\x00\xff")}
	if err := s.Finish(t.Context(), c, want); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), c, idempotency.StoredAnswer{Status: 409}); err != nil {
		t.Fatal(err)
	}
	r, _, err = s.Find(t.Context(), c.Caller, c.Key)
	if err != nil || r.Answer == nil {
		t.Fatalf("after Finish: %+v, %v", r, err)
	}
	if diff := cmp.Diff(want, *r.Answer); diff != "" {
		t.Errorf("the stored answer differs (-want +got):\n%s", diff)
	}
	if _, found, _ := s.Find(t.Context(), "203.0.113.8", c.Key); found {
		t.Error("another caller's key is found")
	}
}

func TestFinishStoresTheClaimOfARefusal(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	c := claim("a", "k", "body")
	if err := s.Finish(t.Context(), c, idempotency.StoredAnswer{Status: 409}); err != nil {
		t.Fatal(err)
	}
	r, found, err := s.Find(t.Context(), "a", "k")
	if err != nil || !found || r.Answer == nil || r.Answer.Status != 409 {
		t.Fatalf("Find = %+v, %t, %v", r, found, err)
	}
	if err := d.Write(pg.WithClaim(t.Context(), c), core.Nobody(), effect(t.Context())); !errors.Is(err, pg.ErrClaimed) {
		t.Errorf("a write under the key gives %v, want ErrClaimed", err)
	}
}

func TestFinishLeavesAnotherRequestAlone(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	if err := d.Write(pg.WithClaim(t.Context(), claim("a", "k", "one")), core.Nobody(), effect(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), claim("a", "k", "two"), idempotency.StoredAnswer{Status: 201}); err != nil {
		t.Fatal(err)
	}
	if r, _, err := s.Find(t.Context(), "a", "k"); err != nil || r.Answer != nil {
		t.Errorf("the answer to another request is stored under the key: %+v, %v", r, err)
	}
}

func TestClaimAndEffectAreOne(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	ways := map[string]func(ctx context.Context, cancel func(), tx *pg.Tx) error{
		"the function fails": func(context.Context, func(), *pg.Tx) error { return broken },
		"a statement fails": func(ctx context.Context, _ func(), tx *pg.Tx) error {
			_, err := tx.Exec(ctx, `select 1 / 0`)
			return err
		},
		"the request ends before commit": func(_ context.Context, cancel func(), _ *pg.Tx) error {
			cancel()
			return nil
		},
		"the function panics": func(context.Context, func(), *pg.Tx) error { panic(broken) },
		"the connection is lost": func(ctx context.Context, _ func(), tx *pg.Tx) error {
			return tx.Conn().Close(ctx)
		},
	}
	for who, v := range viewers {
		for way, fail := range ways {
			t.Run(who+"/"+way, func(t *testing.T) {
				t.Parallel()
				_, d := setup(t)
				ctx, cancel := context.WithCancel(pg.WithClaim(t.Context(), claim("a", "k", "body")))
				defer cancel()
				err := func() (err error) {
					defer func() {
						if p := recover(); p != nil {
							err = broken
						}
					}()
					return d.Write(ctx, v, func(tx *pg.Tx) error {
						if err := effect(ctx)(tx); err != nil {
							return err
						}
						return fail(ctx, cancel, tx)
					})
				}()
				if err == nil {
					t.Fatal("the write succeeds")
				}
				if keys, effects := count(t, d, "idempotency_keys"), count(t, d, "effects"); keys != 0 || effects != 0 {
					t.Errorf("%d keys and %d effects are left, want none", keys, effects)
				}
				again := pg.WithClaim(t.Context(), claim("a", "k", "body"))
				if err := d.Write(again, v, effect(again)); err != nil {
					t.Errorf("trying again under the same key: %v", err)
				}
				if keys, effects := count(t, d, "idempotency_keys"), count(t, d, "effects"); keys != 1 || effects != 1 {
					t.Errorf("then there are %d keys and %d effects, want one of each", keys, effects)
				}
			})
		}
	}
}

func TestOnlyTheFirstWriteOfARequestClaims(t *testing.T) {
	t.Parallel()
	_, d := setup(t)
	ctx := pg.WithClaim(t.Context(), claim("a", "k", "body"))
	for range 2 {
		if err := d.Write(ctx, core.Nobody(), effect(ctx)); err != nil {
			t.Fatalf("two writes of one request: %v", err)
		}
	}
	if keys, effects := count(t, d, "idempotency_keys"), count(t, d, "effects"); keys != 1 || effects != 2 {
		t.Errorf("%d keys and %d effects, want 1 and 2", keys, effects)
	}
}

func TestFiftyAtOnce(t *testing.T) {
	t.Parallel()
	for who, v := range viewers {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			_, d := setup(t)
			instances := []*pg.DB{d.DB, d.Instance(t)}
			var won, lost atomic.Int64
			var writers sync.WaitGroup
			for i := range 50 {
				writers.Go(func() {
					ctx := pg.WithClaim(context.Background(), claim("a", "k", "body"))
					err := instances[i%2].Write(ctx, v, effect(ctx))
					switch {
					case err == nil:
						won.Add(1)
					case errors.Is(err, pg.ErrClaimed):
						lost.Add(1)
					default:
						t.Errorf("write: %v", err)
					}
				})
			}
			writers.Wait()
			if won.Load() != 1 || lost.Load() != 49 {
				t.Errorf("%d writes won and %d lost, want 1 and 49", won.Load(), lost.Load())
			}
			if effects := count(t, d, "effects"); effects != 1 {
				t.Errorf("%d effects, want 1", effects)
			}
		})
	}
}

func TestNobodyReadsOrChangesKeys(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	c := claim("a", "k", "body")
	if err := s.Finish(t.Context(), c, idempotency.StoredAnswer{Status: 201, Body: []byte("secret")}); err != nil {
		t.Fatal(err)
	}
	for who, v := range viewers {
		if v.Role == core.System {
			continue
		}
		for _, sql := range []string{
			`select * from idempotency_keys`,
			`select caller, key from idempotency_keys`,
			`select count(*) from idempotency_keys`,
			`update idempotency_keys set answer = null`,
			`delete from idempotency_keys`,
			`insert into idempotency_keys (caller, key, request_hash, answer) values ('b', 'k', decode(repeat('00', 32), 'hex'), '{}')`,
			`insert into idempotency_keys (caller, key, request_hash) values ('a', 'k', decode(repeat('00', 32), 'hex')) on conflict (caller, key) do update set answer = null`,
		} {
			if _, err := d.Exec(t, v, sql); !pg.Denied(err) {
				t.Errorf("%s: %s gives %v, want a refusal", who, sql, err)
			}
		}
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	s, d := setup(t)
	for _, key := range []string{"old", "young"} {
		if err := s.Finish(t.Context(), claim("a", key, "body"), idempotency.StoredAnswer{Status: 201}); err != nil {
			t.Fatal(err)
		}
	}
	for key, age := range map[string]string{"old": "24 hours 1 minute", "young": "23 hours 59 minutes"} {
		if _, err := d.Exec(t, core.TheSystem(), `update idempotency_keys set created_at = now() - $2::interval where key = $1`, key, age); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("Sweep = %d, %v, want 1", n, err)
	}
	var left []bool
	for _, key := range []string{"old", "young"} {
		_, found, err := s.Find(t.Context(), "a", key)
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, found)
	}
	if !slices.Equal(left, []bool{false, true}) {
		t.Errorf("old and young are found: %v, want only the young", left)
	}
}
