package local

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStart_unreachableDirAsRoot(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root hands the server to another user")
	}
	dir := filepath.Join(t.TempDir(), "pg") // below a directory that only root may enter
	var logged bytes.Buffer
	s, err := Start(t.Context(), Options{Dir: dir, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(t, s)
		if err := os.RemoveAll(s.dir); err != nil {
			t.Error(err)
		}
		os.Remove(filepath.Dir(s.dir)) // only if this test made it: others keep their directories in it
	})
	if s.dir == dir || !strings.Contains(logged.String(), s.dir) || !strings.Contains(logged.String(), "cannot enter") {
		t.Errorf("runs in %s and logged %q", s.dir, &logged)
	}
	if url, running, err := Attach(dir); url != s.URL() || !running || err != nil {
		t.Errorf("attach: %q, %v, %v, want %q", url, running, err, s.URL())
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("second start: %v, want ErrInUse", err)
	}
}

func TestOpenPlace_keepsToTheClusterThatIs(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root hands the server to another user")
	}
	parent := reachableDir(t)
	wanted := filepath.Join(parent, "wanted")
	fallbacks := []string{filepath.Join(parent, "one") + "/", filepath.Join(parent, "two-")}
	open := func() (place, error) { return openPlace(wanted, fallbacks, slog.New(slog.DiscardHandler)) }
	expect := func(when, want string) {
		t.Helper()
		if p, err := open(); err != nil || p.dir != want {
			t.Errorf("%s: %q, %v, want %q", when, p.dir, err, want)
		}
	}
	expect("reachable", wanted)
	if err := os.Chmod(wanted, 0o700); err != nil {
		t.Fatal(err)
	}
	fallback := fallbacks[0] + key(wanted)
	expect("closed", fallback)
	makeCluster(t, fallback)
	if err := os.Chmod(wanted, 0o711); err != nil {
		t.Fatal(err)
	}
	expect("open again", fallback)
	makeCluster(t, wanted)
	expect("with a cluster of its own", wanted)
	if err := os.Chmod(wanted, 0o700); err != nil {
		t.Fatal(err)
	}
	if p, err := open(); err == nil || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("a cluster out of reach: %q, %v", p.dir, err)
	}
}

func TestOpenPlace_refusesAStrangersDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root hands the server to another user")
	}
	parent := reachableDir(t)
	wanted, prefix := filepath.Join(parent, "wanted"), filepath.Join(parent, "shared-")
	planted := prefix + key(wanted)
	if err := errors.Join(os.Mkdir(wanted, 0o700), os.Mkdir(planted, 0o777), os.Chown(planted, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if p, err := openPlace(wanted, []string{prefix}, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("got %q, %v", p.dir, err)
	}
}

func makeCluster(t *testing.T, dir string) {
	t.Helper()
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("15\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, 12345, 12345); err != nil {
		t.Fatal(err)
	}
}
