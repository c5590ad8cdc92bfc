package pg_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/pg"
	"homeplace/core/pg/local"
	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// someone is a member without an account, which is all that most policies see.
func someone() core.Viewer { return core.Viewer{ID: pg.NewID(), Role: core.Member} }

// viewers are one of each role.
func viewers() []core.Viewer {
	return []core.Viewer{core.Nobody(), someone(), {ID: pg.NewID(), Role: core.Staff, Moderator: true}, core.TheSystem()}
}

// owned creates a table in d that every role may read and write, with n rows
// numbered from 1.
func owned(t *testing.T, d *pgtest.Database, n int) {
	t.Helper()
	execute(t, d.URL, `create table things (id int primary key, hits int not null default 0)`)
	execute(t, d.URL, `insert into things select generate_series(1, $1::int)`, n)
	execute(t, d.URL, `grant select, insert, update on things to anon, member, staff, system`)
}

// execute runs a statement over a connection of its own.
func execute(t *testing.T, url, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("connect to %s: %v", url, err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// nameOf is the name of d's database.
func nameOf(t *testing.T, d *pgtest.Database) string {
	t.Helper()
	return pgtest.Value[string](t, d, core.TheSystem(), `select current_database()`)
}

// at is the address of another user or database on the same server.
func at(t *testing.T, address, user, database string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User, u.Path = url.User(user), "/"+database
	return u.String()
}

// virgin starts a server on which the program never ran, and returns how to
// stop it early.
func virgin(t *testing.T) (server *local.Server, stop func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "homeplace-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // the server's own user must be able to enter
		t.Fatal(err)
	}
	server, err = local.Start(t.Context(), local.Options{Dir: dir, Durable: true})
	if errors.Is(err, local.ErrNotInstalled) {
		t.Skipf("needs PostgreSQL: %v", err)
	}
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	}
	t.Cleanup(stop)
	return server, stop
}
