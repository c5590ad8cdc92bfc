package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ownerDir, set in the environment, makes the test binary an owner process: it starts the server of that directory and waits to be killed.
const ownerDir = "HOMEPLACE_TEST_OWNER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerDir); dir != "" {
		if _, err := Start(context.Background(), Options{Dir: dir, Durable: true}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {}
	}
	os.Exit(m.Run())
}

// owner starts another process that owns the server of dir.
func owner(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerDir+"="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill(cmd)
		if err := clearLeftovers(filepath.Join(dir, "data"), slog.New(slog.DiscardHandler)); err != nil {
			t.Error(err)
		}
	})
	return cmd
}

// kill ends the process as kill -9 does. Twice is harmless.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func requirePostgres(t testing.TB) {
	t.Helper()
	if _, err := findPrograms(os.Getenv("PG_BIN")); errors.Is(err, ErrNotInstalled) {
		t.Skip("needs PostgreSQL's server programs: ", err)
	}
}

// reachableDir is a directory that the server's user may enter, other than t.TempDir where root runs the tests.
func reachableDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "homeplace-local-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start runs a server in this process until the test ends.
func start(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// query runs statements and returns the last one's single value as text.
func query(t *testing.T, url string, statements ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var value string
	for _, statement := range statements {
		results, err := conn.PgConn().Exec(ctx, statement).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if rows := results[0].Rows; len(rows) > 0 {
			value = string(rows[0][0])
		}
	}
	return value
}

// awaitRunning waits until the owner of dir has its server running.
func awaitRunning(t *testing.T, dir string) string {
	t.Helper()
	var url string
	eventually(t, "a running server", func() bool {
		found, running, err := Attach(dir)
		url = found
		return running && err == nil
	})
	return url
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if !within(20*time.Second, holds) {
		t.Fatalf("waited in vain for %s", what)
	}
}

func unfinishedClusters(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, unfinished+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
