package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestStart_keepsDataFromStartToStart(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := filepath.Join(reachableDir(t), "new", "pg")
	first := start(t, dir)
	if got := query(t, first.URL(), "select current_user || '@' || current_database()"); got != "homeplace@homeplace" {
		t.Errorf("connected as %q", got)
	}
	query(t, first.URL(), "create table t (v text)", "insert into t values ('Ünïcode')")
	stop(t, first)

	second := start(t, dir)
	if got := query(t, second.URL(), "select lower(v) || upper('é') from t"); got != "ünïcodeÉ" {
		t.Errorf("after the second start: %q", got)
	}
}

func TestStart_settings(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	tests := []struct {
		name string
		o    Options
		want map[string]string
	}{
		{"durable", Options{Durable: true}, map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "100"}},
		{"fast", Options{MaxConnections: 17}, map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "17"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Dir = reachableDir(t)
			s, err := Start(t.Context(), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			defer stop(t, s)
			for name, value := range map[string]string{"listen_addresses": "", "TimeZone": "UTC", "shared_buffers": "128MB", "jit": "off", "wal_level": "minimal",
				"max_wal_size": "1GB", "checkpoint_timeout": "15min", "random_page_cost": "1.1", "max_parallel_workers_per_gather": "0"} {
				tt.want[name] = value
			}
			for name, want := range tt.want {
				if got := query(t, s.URL(), "show "+name); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestServer_URLFor(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	s := start(t, reachableDir(t))
	query(t, s.URL(), `create role "a b" login`, `create database "c/d?e"`)
	if got := query(t, s.URLFor("a b", "c/d?e"), "select current_user || ' in ' || current_database()"); got != "a b in c/d?e" {
		t.Errorf("connected as %q", got)
	}
}

func TestStart_secondOwner(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	s := start(t, dir)
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("second start: %v, want ErrInUse", err)
	}
	if got := query(t, s.URL(), "select 1"); got != "1" {
		t.Errorf("the first server answers %q", got)
	}
}

func TestAttach(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := filepath.Join(reachableDir(t), "pg")
	expectNone := func(when string) {
		t.Helper()
		if url, running, err := Attach(dir); url != "" || running || err != nil {
			t.Errorf("%s: %q, %v, %v", when, url, running, err)
		}
	}
	expectNone("before the first start")
	s := start(t, dir)
	url, running, err := Attach(dir)
	if url != s.URL() || !running || err != nil {
		t.Errorf("while running: %q, %v, %v, want %q", url, running, err, s.URL())
	}
	stop(t, s)
	expectNone("after the stop")
}

func TestAttach_ownerWithoutServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, running, err := Attach(dir); running || !errors.Is(err, ErrInUse) {
		t.Errorf("got %v, %v, want ErrInUse", running, err)
	}
}

func TestStart_awkwardPaths(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	for name, last := range map[string]string{"long": strings.Repeat("long/", 30), "odd characters": `a, b "c" [d]*%e`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(reachableDir(t), last)
			s := start(t, dir)
			if url, running, err := Attach(dir); url != s.URL() || !running || err != nil {
				t.Errorf("attach: %q, %v, %v, want %q", url, running, err, s.URL())
			}
			stop(t, s)
			if _, err := os.Stat(s.socket); !os.IsNotExist(err) {
				t.Errorf("the socket's directory %s is still there: %v", s.socket, err)
			}
			if got := query(t, start(t, dir).URL(), "select 1"); got != "1" {
				t.Errorf("second start answers %q", got)
			}
		})
	}
}

func TestStop_isIdempotent(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	s := start(t, reachableDir(t))
	done := make(chan error)
	for range 3 {
		go func() { done <- s.Stop(context.Background()) }()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	select {
	case <-s.Done():
		t.Error("Done is closed although the server was asked to stop")
	case <-time.After(50 * time.Millisecond):
	}
}

func TestStart_cancelled(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, Options{Dir: dir}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want the context's error", err)
	}
	if found := unfinishedClusters(t, dir); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
	start(t, dir)
}

func TestStart_otherMajorVersion(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(data, "PG_VERSION")
	if err := os.WriteFile(marker, []byte("9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	installed, err := findPrograms(os.Getenv("PG_BIN"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "PostgreSQL 9,") || !strings.Contains(err.Error(), installed[0].name()) {
		t.Errorf("error %v does not name both versions", err)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error(err)
	}
}

func TestStart_foreignFilesInPlaceOfData(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	precious := filepath.Join(dir, "data", "precious")
	if err := os.MkdirAll(precious, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}
