package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestStart_afterOwnerKilledWhileMakingTheCluster(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	begun := func(t *testing.T, dir string) bool { return len(unfinishedClusters(t, dir)) > 0 || hasCluster(dir) }
	named := func(_ *testing.T, dir string) bool { return hasCluster(dir) }
	tests := []struct {
		name  string
		state func(t *testing.T, dir string) bool
		delay time.Duration // initdb takes about 500 ms, making the database 100 ms
	}{
		{"initdb has begun", begun, 0},
		{"early in initdb", begun, 100 * time.Millisecond},
		{"amid initdb", begun, 250 * time.Millisecond},
		{"late in initdb", begun, 450 * time.Millisecond},
		{"before the server runs", named, 0},
		{"before the database is made", named, 30 * time.Millisecond},
		{"while the database is made", named, 80 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(reachableDir(t), "pg")
			first := owner(t, dir)
			eventually(t, tt.name, func() bool { return tt.state(t, dir) })
			time.Sleep(tt.delay)
			kill(first)
			s := start(t, dir)
			if got := query(t, s.URL(), "select count(*) from pg_class where relname = 'pg_class'"); got != "1" {
				t.Errorf("the new cluster answers %q", got)
			}
			stop(t, s)
			s = start(t, dir)
			if found := unfinishedClusters(t, dir); len(found) > 0 {
				t.Errorf("left behind: %v", found)
			}
			if got := query(t, s.URL(), "select current_database()"); got != database {
				t.Errorf("connected to %q", got)
			}
		})
	}
}

func TestStart_afterOwnerKilledWhileRunning(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := filepath.Join(reachableDir(t), "pg")
	running := owner(t, dir)
	query(t, awaitRunning(t, dir), "create table t (v int)")
	for i := range 3 {
		query(t, awaitRunning(t, dir), fmt.Sprintf("insert into t values (%d)", i))
		kill(running)
		running = owner(t, dir)
		if got := query(t, awaitRunning(t, dir), "select count(*) from t"); got != strconv.Itoa(i+1) {
			t.Fatalf("%s rows after kill %d", got, i+1)
		}
	}
}

func TestStart_afterOwnerAndServerKilled(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := filepath.Join(reachableDir(t), "pg")
	running := owner(t, dir)
	url := awaitRunning(t, dir)
	query(t, url, "create table t (v int)", "insert into t values (1)")
	pid := runningPID(t, dir)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan error, 1)
	go func() {
		// A session that never looks up from its work outlives the server's process.
		_, err := conn.Exec(context.Background(), "select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b")
		busy <- err
	}()
	time.Sleep(300 * time.Millisecond)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	kill(running)

	s := start(t, dir)
	if err := <-busy; err == nil {
		t.Error("the busy session ended in order")
	}
	if got := query(t, s.URL(), "select count(*) from t"); got != "1" {
		t.Errorf("%s rows", got)
	}
}

func TestDone_serverEndsByItself(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	s := start(t, dir)
	if err := syscall.Kill(runningPID(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("Done is still open")
	}
	stop(t, s)
	start(t, dir)
}

func TestStart_endsAnOrphanedServer(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	s := start(t, dir)
	query(t, s.URL(), "create table t (v int)")
	stop(t, s)
	as, err := accountFor(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := makeSocketDir(dir, as); err != nil {
		t.Fatal(err)
	}
	// An owner on a system without death signals leaves its server behind like this one.
	orphan := as.command(s.process.cmd.Path, s.process.cmd.Args[1:]...)
	orphan.Dir = dir
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { orphan.Process.Kill() })
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	eventually(t, "the orphan to be ready", func() bool {
		return acceptsQueries(&process{cmd: orphan}, filepath.Join(dir, "data"), s.socket)
	})

	s = start(t, dir)
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the orphan did not end in order: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the orphan still runs")
	}
	if got := query(t, s.URL(), "select count(*) from t"); got != "0" {
		t.Errorf("the table has %q rows", got)
	}
}

func TestStart_stalePIDOfAStranger(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	stop(t, start(t, dir))
	as, err := accountFor(dir)
	if err != nil {
		t.Fatal(err)
	}
	stranger := as.command("sleep", "60")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer kill(stranger)
	pid := strconv.Itoa(stranger.Process.Pid)
	socket := filepath.Join(dir, "s")
	if err := os.Mkdir(socket, 0o700); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	for path, content := range map[string]string{
		pidPath(data): strings.Join([]string{pid, data, "1", port, socket, "", "", ""}, "\n"),
		filepath.Join(socket, socketName+".lock"): strings.Join([]string{pid, data, "1", port, socket, ""}, "\n"),
		socketNote(dir): socket,
	} {
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), as.own(path)); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, start(t, dir).URL(), "select 1"); got != "1" {
		t.Errorf("answers %q", got)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the stranger was ended: %v", err)
	}
}

func TestStop_atOnceWhenTheContextHasEnded(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	s, err := Start(t.Context(), Options{Dir: dir, Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	query(t, s.URL(), "create table t as select 1 as v")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	err = s.Stop(ctx) // nil where the orderly shutdown was quicker
	if took := time.Since(began); took > immediateLimit {
		t.Errorf("took %v: %v", took, err)
	}
	if got := query(t, start(t, dir).URL(), "select v from t"); got != "1" {
		t.Errorf("the table holds %q", got)
	}
}

func runningPID(t *testing.T, dir string) int {
	t.Helper()
	pid, err := notedPID(filepath.Join(dir, "data"))
	if err != nil || pid == 0 {
		t.Fatalf("no running server in %s: %v", dir, err)
	}
	return pid
}
