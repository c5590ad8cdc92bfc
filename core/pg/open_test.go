package pg_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// works proves that a database is migrated and its login role usable.
func works(t *testing.T, db *pg.DB) {
	t.Helper()
	if err := db.Write(t.Context(), core.TheSystem(), func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into settings (key, value) values ('k', 'v') on conflict do nothing`)
		return err
	}); err != nil {
		t.Errorf("write as the system: %v", err)
	}
	if _, err := db.Public().Exec(t.Context(), `select from profiles`); err != nil {
		t.Errorf("public read: %v", err)
	}
}

func TestOpenAtTheSameTime(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	for round := range 3 {
		name := fmt.Sprintf("%s_together_%d", nameOf(t, d), round)
		execute(t, d.URL, `create database `+name)
		address := at(t, d.URL, "homeplace", name)
		var instances sync.WaitGroup
		for range 4 {
			instances.Go(func() {
				begin := time.Now()
				db, err := pg.Open(t.Context(), pg.Options{URL: address, MaxConns: 2})
				if err != nil {
					t.Errorf("open %s: %v", name, err)
					return
				}
				defer db.Close()
				works(t, db)
				t.Logf("open %s took %v", name, time.Since(begin).Round(time.Millisecond))
			})
		}
		instances.Wait()
		steps, err := pg.Migrations(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if step.Applied.IsZero() {
				t.Errorf("%s: step %d is not applied", name, step.Version)
			}
		}
	}
}

func TestMigrationsListsWhatWaits(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	name := nameOf(t, d) + "_waiting"
	execute(t, d.URL, `create database `+name)
	steps, err := pg.Migrations(t.Context(), at(t, d.URL, "homeplace", name))
	if err != nil || len(steps) < 4 {
		t.Fatalf("Migrations = %v, %v", steps, err)
	}
	for i, step := range steps {
		if step.Version != int64(i+1) || !step.Applied.IsZero() || !strings.HasSuffix(step.Name, ".sql") {
			t.Errorf("step %d of an empty database: %+v", i+1, step)
		}
	}
}

func TestOwnerWithoutSuperuser(t *testing.T) {
	t.Parallel()
	server, _ := virgin(t)
	admin := server.URLFor("homeplace", "postgres")
	t.Run("first on the server", func(t *testing.T) {
		execute(t, admin, `create role landlord login createrole`)
		execute(t, admin, `create database house owner landlord`)
		db, err := pg.Open(t.Context(), pg.Options{URL: server.URLFor("landlord", "house"), MaxConns: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		works(t, db)
	})
	t.Run("second on the server", func(t *testing.T) {
		execute(t, admin, `create role neighbour login createrole`)
		execute(t, admin, `create database flat owner neighbour`)
		// From PostgreSQL 16 on, CREATEROLE hands on only what it administers.
		execute(t, admin, `do $$ begin
			if current_setting('server_version_num')::int >= 160000 then
				grant anon, member, staff, system to neighbour with admin option;
			end if;
		end $$`)
		db, err := pg.Open(t.Context(), pg.Options{URL: server.URLFor("neighbour", "flat"), MaxConns: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		works(t, db)
	})
}

func TestOwnerWithoutCreateroleIsTold(t *testing.T) {
	t.Parallel()
	server, _ := virgin(t)
	admin := server.URLFor("homeplace", "postgres")
	execute(t, admin, `create role tenant login`)
	execute(t, admin, `create database room owner tenant`)
	refused := func(when string) {
		t.Helper()
		_, err := pg.Open(t.Context(), pg.Options{URL: server.URLFor("tenant", "room")})
		e := core.AsError(err)
		if err == nil || e.Kind != core.Forbidden {
			t.Fatalf("%s: Open gives %v, want Forbidden", when, err)
		}
		for _, part := range []string{`"tenant"`, `alter role "tenant" createrole`, "--database-url"} {
			if !strings.Contains(e.Msg, part) {
				t.Errorf("%s: the message does not name %s: %s", when, part, e.Msg)
			}
		}
	}
	refused("without the four roles")
	execute(t, admin, `create role anon; create role member; create role staff; create role system`)
	refused("with the four roles")
	execute(t, admin, `alter role tenant createrole`)
	db, err := pg.Open(t.Context(), pg.Options{URL: server.URLFor("tenant", "room"), MaxConns: 2})
	if err != nil {
		t.Fatalf("after the advice was followed: %v", err)
	}
	defer db.Close()
	works(t, db)
}

func TestUnreachableIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://homeplace@127.0.0.1:1/homeplace",
		"postgres://homeplace@/homeplace?host=/nonexistent&sslmode=disable",
	} {
		_, err := pg.Open(t.Context(), pg.Options{URL: address})
		if e := core.AsError(err); err == nil || e.Kind != core.Unavailable || e.RetryAfter <= 0 {
			t.Errorf("Open(%s) gives %v, want Unavailable", address, err)
		}
	}
	if _, err := pg.Open(t.Context(), pg.Options{URL: "postgres://a b:c"}); core.KindOf(err) != core.Invalid {
		t.Errorf("an address of no form gives %v, want Invalid", err)
	}
}

func TestServerGoneIsUnavailable(t *testing.T) {
	t.Parallel()
	server, stop := virgin(t)
	db, err := pg.Open(t.Context(), pg.Options{URL: server.URL(), MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	works(t, db)
	stopped := false
	during := db.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		if !stopped {
			stop()
			stopped = true
		}
		_, err := tx.Exec(t.Context(), `select 1`)
		return err
	})
	_, public := db.Public().Exec(t.Context(), `select 1`)
	for name, err := range map[string]error{
		"a write during which it goes": during,
		"a later write":                db.Write(t.Context(), someone(), func(*pg.Tx) error { return nil }),
		"a later read":                 db.Read(t.Context(), someone(), func(pg.Querier) error { return nil }),
		"a public read":                pg.Err(public),
		"Ping":                         db.Ping(t.Context()),
	} {
		if err == nil || core.KindOf(err) != core.Unavailable {
			t.Errorf("%s gives %v, want Unavailable", name, err)
		}
	}
}

func TestLostConnectionsAreUnavailableAndMend(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	db := single(t, d)
	kill := `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
	err := db.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		execute(t, d.URL, kill)
		_, err := tx.Exec(t.Context(), `select 1`)
		return err
	})
	if core.KindOf(err) != core.Unavailable || err == nil {
		t.Errorf("a write whose connection is ended gives %v, want Unavailable", err)
	}
	if _, err := db.Public().Exec(t.Context(), `select 1`); err == nil || core.KindOf(pg.Err(err)) != core.Unavailable {
		t.Errorf("a public read over an ended connection gives %v, want Unavailable", err)
	}
	works(t, db)
}

func TestCrashIsUnavailableAndMends(t *testing.T) {
	t.Parallel()
	server, _ := virgin(t)
	db, err := pg.Open(t.Context(), pg.Options{URL: server.URL(), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	before, err := processOf(t, db.Public())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), someone(), func(tx *pg.Tx) error {
		pid, err := processOf(t, tx)
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `select 1`)
		return err
	})
	if err == nil || core.KindOf(err) != core.Unavailable {
		t.Errorf("a write whose server process crashes gives %v, want Unavailable", err)
	}
	// The server ends all its processes before it recovers, this one too.
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		after, err := processOf(t, db.Public())
		if err == nil && after != before {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the database does not come back within 10 s: %v", err)
		}
	}
	works(t, db)
}

// processOf is the id of the server process behind a connection.
func processOf(t *testing.T, q pg.Querier) (pid int, err error) {
	t.Helper()
	err = q.QueryRow(t.Context(), `select pg_backend_pid()`).Scan(&pid)
	return pid, err
}

func TestRequestThatEndsIsNotUnavailable(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Read(ctx, someone(), func(pg.Querier) error { return nil }); err == nil || core.KindOf(err) == core.Unavailable {
		t.Errorf("a cancelled read gives %v, want the cancellation itself", err)
	}
}
