package pg_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pgtest"
)

// loginOf is the name of the role that db logs in as.
func loginOf(t *testing.T, db *pg.DB) (name string) {
	t.Helper()
	if err := db.Private().QueryRow(t.Context(), `select session_user`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	return name
}

// single opens d with one connection in each pool, so that what one
// transaction leaves behind the next one meets.
func single(t *testing.T, d *pgtest.Database) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), pg.Options{URL: d.URL, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestQueryWithoutRoleFails(t *testing.T) {
	t.Parallel()
	db := single(t, pgtest.New(t))
	for _, table := range []string{"accounts", "profiles", "personal_tokens", "settings", "idempotency_keys", "directory_entries", "goose_db_version"} {
		for _, sql := range []string{"select from ", "delete from "} {
			if _, err := db.Private().Exec(t.Context(), sql+table); !pg.Denied(err) {
				t.Errorf("%s%s without a role gives %v, want 42501", sql, table, err)
			}
		}
	}
	if _, err := db.Private().Exec(t.Context(), `create table mine (id int)`); !pg.Denied(err) {
		t.Errorf("creating a table gives %v, want 42501", err)
	}
	if _, err := db.Private().Exec(t.Context(), `select homeplace_ensure_login('mallory', 'x')`); !pg.Denied(err) {
		t.Errorf("making a login role gives %v, want 42501", err)
	}
}

func TestPublicIsAnonymousAndReadOnly(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owned(t, d, 1)
	var user, viewer string
	var readOnly bool
	if err := d.Public().QueryRow(t.Context(), `
		select current_user, coalesce(current_setting('app.viewer_id', true), ''), current_setting('transaction_read_only')::bool`,
	).Scan(&user, &viewer, &readOnly); err != nil {
		t.Fatal(err)
	}
	if user != "anon" || viewer != "" || !readOnly {
		t.Errorf("Public runs as %s for %q, read only %t", user, viewer, readOnly)
	}
	const readOnlyTransaction = "25006"
	var refused *pgconn.PgError
	if _, err := d.Public().Exec(t.Context(), `insert into things values (2)`); !errors.As(err, &refused) || refused.Code != readOnlyTransaction {
		t.Errorf("a write that anon may do gives %v on Public, want %s", err, readOnlyTransaction)
	}
	if _, err := d.Public().Exec(t.Context(), `select from accounts`); !pg.Denied(err) {
		t.Errorf("reading accounts on Public gives %v, want 42501", err)
	}
}

func TestReadCannotWrite(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owned(t, d, 1)
	for _, v := range viewers() {
		err := d.Read(t.Context(), v, func(tx pg.Querier) error {
			_, err := tx.Exec(t.Context(), `update things set hits = 1`)
			return err
		})
		if err == nil {
			t.Errorf("%s writes inside Read", v.DatabaseRole())
		}
	}
}

func TestTransactionsRunAsTheirViewer(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	for _, v := range append(viewers(), core.Viewer{}) {
		check := func(tx pg.Querier) error {
			var user, id string
			if err := tx.QueryRow(t.Context(), `select current_user, coalesce(viewer_id()::text, '')`).Scan(&user, &id); err != nil {
				return err
			}
			if user != string(v.DatabaseRole()) || id != v.ID {
				t.Errorf("%s with id %q runs as %s with id %q", v.DatabaseRole(), v.ID, user, id)
			}
			return nil
		}
		if err := d.Read(t.Context(), v, check); err != nil {
			t.Error(err)
		}
		if err := d.Write(t.Context(), v, func(tx *pg.Tx) error { return check(tx) }); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownRoleIsRefused(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	for _, role := range []core.Role{"homeplace", "postgres", "Anon", "anon; reset role"} {
		err := d.Read(t.Context(), core.Viewer{Role: role}, func(pg.Querier) error {
			t.Errorf("a transaction runs as %q", role)
			return nil
		})
		if err == nil {
			t.Errorf("the role %q is no error", role)
		}
	}
}

// Whatever ends a transaction, the next user of its connection starts without
// role and viewer.
func TestRoleDoesNotLeak(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	ends := map[string]func(ctx context.Context, tx *pg.Tx) error{
		"commit": func(context.Context, *pg.Tx) error { return nil },
		"error":  func(context.Context, *pg.Tx) error { return broken },
		"failed statement": func(ctx context.Context, tx *pg.Tx) error {
			_, err := tx.Exec(ctx, `select 1 / 0`)
			return err
		},
		"swallowed failure": func(ctx context.Context, tx *pg.Tx) error {
			tx.Exec(ctx, `select 1 / 0`) //nolint:errcheck // commit fails for it
			return nil
		},
		"panic": func(context.Context, *pg.Tx) error { panic(broken) },
		"half-read result": func(ctx context.Context, tx *pg.Tx) error {
			rows, err := tx.Query(ctx, `select generate_series(1, 1000)`)
			if err != nil {
				return err
			}
			rows.Next()
			return broken
		},
		"own rollback": func(ctx context.Context, tx *pg.Tx) error { return tx.Rollback(ctx) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := single(t, pgtest.New(t))
			for _, v := range viewers() {
				func() {
					defer func() { recover() }()                                                    //nolint:errcheck // the panic is the test's own
					db.Write(t.Context(), v, func(tx *pg.Tx) error { return end(t.Context(), tx) }) //nolint:errcheck // some ends fail
				}()
				var asItself bool
				var viewer string
				if err := db.Private().QueryRow(t.Context(), `
					select current_user = session_user, coalesce(current_setting('app.viewer_id', true), '')`).Scan(&asItself, &viewer); err != nil {
					t.Fatal(err)
				}
				if !asItself || viewer != "" {
					t.Errorf("after %s the connection is itself: %t, with viewer %q", v.DatabaseRole(), asItself, viewer)
				}
				if used := db.Private().Stat().AcquiredConns(); used != 0 {
					t.Errorf("after %s %d connections are still taken", v.DatabaseRole(), used)
				}
			}
		})
	}
}

func TestCancelledRequestGivesItsConnectionBack(t *testing.T) {
	t.Parallel()
	db := single(t, pgtest.New(t))
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, someone(), func(tx *pg.Tx) error {
		cancel()
		_, err := tx.Exec(ctx, `select 1`)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the write gives %v, want context.Canceled", err)
	}
	if err := db.Read(t.Context(), core.Nobody(), func(pg.Querier) error { return nil }); err != nil {
		t.Errorf("the next read: %v", err)
	}
}

func TestAsSystemEndsWithItsFunction(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	v := someone()
	roleNow := func(tx *pg.Tx) (role, id string) {
		t.Helper()
		if err := tx.QueryRow(t.Context(), `select current_user, coalesce(viewer_id()::text, '')`).Scan(&role, &id); err != nil {
			t.Fatal(err)
		}
		return role, id
	}
	err := d.Write(t.Context(), v, func(tx *pg.Tx) error {
		if err := tx.AsSystem(t.Context(), func(tx *pg.Tx) error {
			if role, id := roleNow(tx); role != "system" || id != "" {
				t.Errorf("inside: role %s for %q, want system for nobody", role, id)
			}
			return nil
		}); err != nil {
			return err
		}
		if role, id := roleNow(tx); role != "member" || id != v.ID {
			t.Errorf("afterwards: role %s for %q, want member for %s", role, id, v.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
