package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
)

// fallbackRoots are where the server of an unreachable directory lives, with a hash of that directory's path appended.
var fallbackRoots = []string{"/var/lib/homeplace/", "/var/tmp/homeplace-"}

// place is the directory that really holds the server, and who runs it.
type place struct {
	dir     string
	account *account
}

// openPlace makes the wanted directory and settles where its server lives: where a cluster already is, else in the first place that the server's
// user can reach. It never opens an empty second place while a cluster exists in another.
func openPlace(wanted string, fallbacks []string, logger *slog.Logger) (place, error) {
	if wanted == "" {
		return place{}, errors.New("start PostgreSQL: no directory named")
	}
	if err := makeDir(wanted); err != nil {
		return place{}, err
	}
	dirs, err := candidates(wanted, fallbacks)
	if err != nil {
		return place{}, err
	}
	for _, dir := range dirs {
		if !hasCluster(dir) {
			continue
		}
		as, err := accountFor(dir)
		if err != nil {
			return place{}, err
		}
		if barrier := as.blocked(dir); barrier != "" {
			return place{}, fmt.Errorf("the database in %s is out of reach for user %s, who runs it: allow entering %s (chmod o+x) or move the database",
				dir, as.name, barrier)
		}
		return settle(place{dir, as}, dirs[0], "the database is there", logger)
	}
	var barriers []error
	for _, dir := range dirs {
		as, err := accountFor(dir)
		if err != nil {
			return place{}, err
		}
		if dir != dirs[0] {
			err = makeTrustedDir(dir)
		}
		barrier := as.blocked(dir)
		if err == nil && barrier == "" {
			reason := ""
			if dir != dirs[0] {
				reason = barriers[0].Error()
			}
			return settle(place{dir, as}, dirs[0], reason, logger)
		}
		if err == nil {
			err = fmt.Errorf("user %s, who runs PostgreSQL, cannot enter %s", as.name, barrier)
		}
		barriers = append(barriers, err)
	}
	return place{}, fmt.Errorf("find a directory for PostgreSQL: %w", errors.Join(barriers...))
}

func settle(p place, wanted, reason string, logger *slog.Logger) (place, error) {
	if p.dir != wanted {
		logger.Warn("the database lives in another directory than the one named", "named", wanted, "used", p.dir, "reason", reason)
	}
	return p, nil
}

// candidates are the directories that may hold the server of an existing directory, the directory itself first, symbolic links resolved.
func candidates(wanted string, fallbacks []string) ([]string, error) {
	absolute, err := filepath.Abs(wanted)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return nil, fmt.Errorf("resolve the database directory: %w", err)
	}
	dirs := []string{absolute}
	if os.Geteuid() == 0 {
		for _, prefix := range fallbacks {
			dirs = append(dirs, prefix+key(absolute))
		}
	}
	return dirs, nil
}

// key is a short name for a path, the same at every start.
func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// hasCluster: data gets its name only when the cluster in it is complete.
func hasCluster(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION"))
	return err == nil
}

// makeDir makes a directory that is private to this process's user, but lets the account that root hands the server to pass through.
func makeDir(dir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("make the database directory: %w", err)
	}
	err := os.Mkdir(dir, mode)
	if err == nil {
		err = os.Chmod(dir, mode) // whatever the umask
	} else if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the database directory: %w", err)
	}
	return nil
}

// makeTrustedDir makes a directory below one that others may write to, and refuses one that somebody else has put there.
func makeTrustedDir(dir string) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("make the database directory: %w", err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; !info.IsDir() || int(owner) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s belongs to somebody else or is open to others: remove it", dir)
	}
	return nil
}
