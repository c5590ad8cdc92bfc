// Package pgtest gives tests real PostgreSQL databases: one private server for
// each test binary, and for each test a database of its own, cloned from a
// migrated template in about a tenth of a second.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pg/local"
)

const template = "template_homeplace"

var (
	start     = sync.OnceValues(startServer)
	dir       string
	databases atomic.Int64
)

// Main runs a package's tests and stops its server afterwards. Packages whose
// tests call New hand their TestMain over to it.
func Main(m *testing.M) {
	code := m.Run()
	if dir != "" {
		if server, err := start(); err == nil {
			server.Stop(context.Background())
		}
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func startServer() (*local.Server, error) {
	var err error
	if dir, err = os.MkdirTemp("", "homeplace-test-"); err != nil {
		return nil, err
	}
	// The server's own user must be able to enter.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := local.Start(ctx, local.Options{Dir: dir, Durable: false})
	if err != nil {
		return nil, err
	}
	if err := createTemplate(ctx, server); err != nil {
		return nil, fmt.Errorf("make the template database: %w", err)
	}
	return server, nil
}

func createTemplate(ctx context.Context, server *local.Server) error {
	if err := administer(ctx, server, `create database `+template); err != nil {
		return err
	}
	if err := pg.Migrate(ctx, server.URLFor("homeplace", template)); err != nil {
		return err
	}
	// A template must have no sessions when it is cloned.
	return administer(ctx, server, `alter database `+template+` with is_template true allow_connections false`)
}

func administer(ctx context.Context, server *local.Server, sql string) error {
	conn, err := pgx.Connect(ctx, server.URLFor("homeplace", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// Database is an empty, migrated database of one test.
type Database struct {
	*pg.DB
	URL string // the owner's address: what --database-url takes
}

// New clones a database for t and drops it when t ends. It skips the test
// where PostgreSQL is not installed.
func New(t testing.TB) *Database {
	t.Helper()
	server, err := start()
	if err != nil {
		if errors.Is(err, local.ErrNotInstalled) {
			t.Skipf("needs PostgreSQL: %v", err)
		}
		t.Fatalf("start PostgreSQL: %v", err)
	}
	ctx := context.Background()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	if err := administer(ctx, server, fmt.Sprintf(`create database %s template %s`, name, template)); err != nil {
		t.Fatalf("clone the template: %v", err)
	}
	t.Cleanup(func() {
		if err := administer(ctx, server, fmt.Sprintf(`drop database %s with (force)`, name)); err != nil {
			t.Errorf("drop %s: %v", name, err)
		}
	})
	d := &Database{URL: server.URLFor("homeplace", name)}
	d.DB = d.Instance(t)
	return d
}

// Instance opens the same database once more, as a second instance of the
// program would.
func (d *Database) Instance(t testing.TB) *pg.DB {
	t.Helper()
	db, err := pg.Open(context.Background(), pg.Options{URL: d.URL, MaxConns: 8})
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	t.Cleanup(db.Close)
	return db
}

// Owner connects as the owner, past row-level security: to look at what is
// really stored.
func (d *Database) Owner(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), d.URL)
	if err != nil {
		t.Fatalf("connect as the owner: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Exec runs a statement as the viewer in a transaction of its own.
func (d *Database) Exec(t testing.TB, v core.Viewer, sql string, args ...any) (rows int64, err error) {
	t.Helper()
	err = d.Write(context.Background(), v, func(tx *pg.Tx) error {
		tag, err := tx.Exec(context.Background(), sql, args...)
		rows = tag.RowsAffected()
		return err
	})
	return rows, err
}

// Value reads one value as the viewer.
func Value[T any](t testing.TB, d *Database, v core.Viewer, sql string, args ...any) T {
	t.Helper()
	var value T
	err := d.Read(context.Background(), v, func(tx pg.Querier) error {
		return tx.QueryRow(context.Background(), sql, args...).Scan(&value)
	})
	if err != nil {
		t.Fatalf("read %q as %s: %v", sql, v.DatabaseRole(), err)
	}
	return value
}
