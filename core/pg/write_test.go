package pg_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

func hit(t *testing.T, tx *pg.Tx, id int) error {
	t.Helper()
	_, err := tx.Exec(t.Context(), `update things set hits = hits + 1 where id = $1`, id)
	return err
}

func hits(t *testing.T, d *pgtest.Database) (sum int) {
	t.Helper()
	return pgtest.Value[int](t, d, core.TheSystem(), `select coalesce(sum(hits), 0)::int from things`)
}

func TestWriteRetriesDeadlocks(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owned(t, d, 2)
	var tries atomic.Int64
	var bothHold, writers sync.WaitGroup
	bothHold.Add(2)
	for first := range 2 {
		writers.Go(func() {
			mine := 0
			err := d.Write(t.Context(), someone(), func(tx *pg.Tx) error {
				tries.Add(1)
				mine++
				if err := hit(t, tx, 1+first); err != nil {
					return err
				}
				if mine == 1 {
					bothHold.Done()
					bothHold.Wait()
				}
				return hit(t, tx, 2-first)
			})
			if err != nil {
				t.Errorf("writer %d: %v", first+1, err)
			}
		})
	}
	writers.Wait()
	if tries.Load() < 3 {
		t.Errorf("%d tries, want 3: one of the two is the deadlock's victim and runs again", tries.Load())
	}
	if got := hits(t, d); got != 4 {
		t.Errorf("%d hits, want 4", got)
	}
}

func TestWriteTriesAtMostThreeTimes(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	tries := 0
	failure := &pgconn.PgError{Code: "40001"}
	err := d.Write(t.Context(), someone(), func(*pg.Tx) error {
		tries++
		return failure
	})
	if !errors.Is(err, failure) || tries != 3 {
		t.Errorf("%d tries, then %v; want 3 and the serialisation failure", tries, err)
	}
}

func TestWriteDoesNotRetryOtherErrors(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	for _, failure := range []error{errors.New("plain"), core.Conflictf("taken", "Taken."), &pgconn.PgError{Code: "23505"}} {
		tries := 0
		err := d.Write(t.Context(), someone(), func(*pg.Tx) error {
			tries++
			return failure
		})
		if !errors.Is(err, failure) || tries != 1 {
			t.Errorf("%d tries, then %v; want 1 and %v", tries, err, failure)
		}
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owned(t, d, 1)
	broken := errors.New("broken")
	err := d.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		if err := hit(t, tx, 1); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || hits(t, d) != 0 {
		t.Errorf("the write gives %v and leaves %d hits", err, hits(t, d))
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is swallowed")
			}
		}()
		d.Write(t.Context(), someone(), func(tx *pg.Tx) error { //nolint:errcheck // it panics
			if err := hit(t, tx, 1); err != nil {
				return err
			}
			panic(broken)
		})
	}()
	if hits(t, d) != 0 {
		t.Errorf("a write that panicked leaves %d hits", hits(t, d))
	}
}

func TestViolates(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owned(t, d, 1)
	execute(t, d.URL, `alter table things add constraint things_hits check (hits >= 0)`)
	_, twice := d.Exec(t, core.TheSystem(), `insert into things values (1)`)
	_, negative := d.Exec(t, core.TheSystem(), `update things set hits = -1`)
	for _, c := range []struct {
		err        error
		constraint string
		want       bool
	}{
		{twice, "things_pkey", true},
		{errors.Join(errors.New("wrapped"), twice), "things_pkey", true},
		{twice, "things_hits", false},
		{negative, "things_hits", false}, // not a unique constraint
		{nil, "things_pkey", false},
		{errors.New("things_pkey"), "things_pkey", false},
	} {
		if got := pg.Violates(c.err, c.constraint); got != c.want {
			t.Errorf("Violates(%v, %s) = %t, want %t", c.err, c.constraint, got, c.want)
		}
	}
}

func TestOneAndAll(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	type pair struct {
		SomeNumber int
		Word       *string
	}
	got, err := pg.All[pair](t.Context(), d.Public(), `select n as some_number, null::text as word from generate_series(1, 2) n`)
	if err != nil || len(got) != 2 || got[1].SomeNumber != 2 || got[1].Word != nil {
		t.Errorf("All = %+v, %v", got, err)
	}
	if none, err := pg.All[pair](t.Context(), d.Public(), `select 1 as some_number, '' as word where false`); err != nil || none == nil || len(none) != 0 {
		t.Errorf("All without rows = %#v, %v, want an empty list", none, err)
	}
	if _, err := pg.One[pair](t.Context(), d.Public(), `select 1 as some_number, '' as word where false`); !pg.NoRows(err) {
		t.Errorf("One without rows gives %v", err)
	}
	if _, err := pg.One[pair](t.Context(), d.Public(), `select 1 as some_number, '' as word from generate_series(1, 2)`); err == nil || pg.NoRows(err) {
		t.Errorf("One with two rows gives %v", err)
	}
}

func TestTimesArriveInUTC(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	want := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	type times struct {
		One    time.Time
		Null   *time.Time
		Listed []time.Time
	}
	const sql = `select t as one, null::timestamptz as null, array[t] as listed from (values ('2026-03-01 14:00:00+02'::timestamptz)) v (t)`
	check := func(tx pg.Querier) error {
		got, err := pg.One[times](t.Context(), tx, sql)
		if err == nil && (got.One != want || got.Null != nil || len(got.Listed) != 1 || got.Listed[0] != want) {
			t.Errorf("%+v, want %v in UTC", got, want)
		}
		return err
	}
	if err := errors.Join(check(d.Public()), d.Read(t.Context(), core.TheSystem(), check)); err != nil {
		t.Error(err)
	}
}
