package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const oldestMajor = 15

// ErrNotInstalled says that no usable server programs were found, and what to do.
var ErrNotInstalled = errors.New("PostgreSQL 15 or later is not installed: run \"apt-get install postgresql\", \"dnf install postgresql-server\" " +
	"or \"brew install postgresql\", or name another server with --database-url")

// packaged are the directories of distributions that keep the server's programs off PATH. scripts/install-postgres.sh searches the same ones.
var packaged = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
	"/usr/libexec/postgresql*",           // Alpine
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew, arm64
	"/usr/local/opt/postgresql@*/bin",    // Homebrew, amd64
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
}

// programs is one installed PostgreSQL.
type programs struct {
	bin   string
	major int
}

func (p programs) postgres() string { return filepath.Join(p.bin, "postgres") }
func (p programs) name() string     { return "PostgreSQL " + strconv.Itoa(p.major) }
func (p programs) initdb() string   { return filepath.Join(p.bin, "initdb") }

// findPrograms lists the usable installations, the preferred one first: bin (of $PG_BIN) and nothing else unless it is empty, then PATH, then the distributions'
// directories from the highest version down.
func findPrograms(bin string) ([]programs, error) {
	if bin != "" {
		p, err := inspect(bin)
		if err != nil {
			return nil, fmt.Errorf("use PG_BIN=%s: %w", bin, err)
		}
		return []programs{p}, nil
	}
	var found []programs
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			found = appendUsable(found, filepath.Dir(real))
		}
	}
	var rest []programs
	for _, pattern := range packaged {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("find PostgreSQL: %w", err)
		}
		for _, bin := range matches {
			rest = appendUsable(rest, bin)
		}
	}
	slices.SortStableFunc(rest, func(a, b programs) int { return b.major - a.major })
	if found = append(found, rest...); len(found) == 0 {
		return nil, ErrNotInstalled
	}
	return found, nil
}

func appendUsable(list []programs, bin string) []programs {
	if slices.ContainsFunc(list, func(p programs) bool { return p.bin == bin }) {
		return list
	}
	if p, err := inspect(bin); err == nil {
		list = append(list, p)
	}
	return list
}

// inspect asks the programs in bin for their version.
func inspect(bin string) (programs, error) {
	p := programs{bin: bin}
	if _, err := os.Stat(p.initdb()); err != nil {
		return p, fmt.Errorf("%w (no initdb there)", ErrNotInstalled)
	}
	out, err := exec.Command(p.postgres(), "-V").Output()
	if err != nil {
		return p, fmt.Errorf("%w (postgres -V there: %w)", ErrNotInstalled, err)
	}
	if p.major, err = parseMajor(string(out)); err != nil {
		return p, err
	}
	if p.major < oldestMajor {
		return p, fmt.Errorf("%w (version %d there)", ErrNotInstalled, p.major)
	}
	return p, nil
}

// parseMajor reads the major version out of "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "18beta1" and the like.
func parseMajor(text string) (int, error) {
	if _, after, found := strings.Cut(text, "(PostgreSQL)"); found {
		text = after
	}
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	major, err := strconv.Atoi(text[:end])
	if err != nil {
		return 0, fmt.Errorf("read a PostgreSQL version from %q: %w", text, err)
	}
	return major, nil
}

// forMajor picks the installation that can open a cluster of this major version; 0 is a cluster still to be made.
func forMajor(list []programs, major int) (programs, bool) {
	if major == 0 {
		return list[0], true
	}
	i := slices.IndexFunc(list, func(p programs) bool { return p.major == major })
	if i < 0 {
		return programs{}, false
	}
	return list[i], true
}
