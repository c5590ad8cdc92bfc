package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// unfinished starts the name of a cluster that initdb still works on.
const unfinished = "data.tmp-"

// ctypes are character types that know letters beyond ASCII, tried in turn. Plain "C" is none of them: with it lower('É') stays as it is and pg_trgm sees no
// letters outside Latin. Where C.UTF-8 is missing, the order of text stays bytewise all the same.
var ctypes = []string{"C.UTF-8", "C.utf8", "en_US.UTF-8", "en_GB.UTF-8", "UTF-8"}

// cluster is the data directory of one server and the programs that open it.
type cluster struct {
	dir      string
	account  *account
	logger   *slog.Logger
	data     string
	programs programs
}

// open brings data into a state in which a server can start on it, making the cluster where there is none. It deletes nothing but unfinished clusters.
func (c *cluster) open(ctx context.Context, installed []programs, durable bool) error {
	c.data = filepath.Join(c.dir, "data")
	c.sweep()
	major, err := c.major()
	if err != nil {
		return err
	}
	var found bool
	if c.programs, found = forMajor(installed, major); !found {
		return fmt.Errorf("the database in %s was made by PostgreSQL %d, but %s is installed: install version %d beside it, or dump the database "+
			"with version %d and load it into a new directory", c.data, major, installed[0].name(), major, major)
	}
	if barrier := c.account.blocked(c.programs.bin); barrier != "" {
		return fmt.Errorf("user %s, who runs PostgreSQL, cannot reach its programs in %s: allow entering %s (chmod o+x)",
			c.account.name, c.programs.bin, barrier)
	}
	if major == 0 {
		return c.create(ctx, durable)
	}
	if c.data, err = filepath.EvalSymlinks(c.data); err != nil {
		return fmt.Errorf("resolve the data directory: %w", err)
	}
	return clearLeftovers(c.data, c.logger)
}

// major is the version that made the cluster, 0 where there is none yet.
func (c *cluster) major() (int, error) {
	content, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION"))
	if err == nil {
		return parseMajor(string(content))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read the data directory's version: %w", err)
	}
	if _, err := os.Lstat(c.data); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return 0, fmt.Errorf("%s is there, but is no PostgreSQL data directory: move it away", c.data)
}

// sweep removes what killed first starts have left.
func (c *cluster) sweep() {
	leftovers, err := filepath.Glob(filepath.Join(escapeGlob(c.dir), unfinished+"*"))
	for _, path := range leftovers {
		err = errors.Join(err, os.RemoveAll(path))
	}
	if err != nil {
		c.logger.Warn("an unfinished database could not be removed", "error", err)
	}
}

// create makes the cluster under another name, so that a process killed on the way leaves nothing that looks complete.
func (c *cluster) create(ctx context.Context, durable bool) error {
	tmp, err := os.MkdirTemp(c.dir, unfinished)
	if err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if err := c.account.own(tmp); err != nil {
		return err
	}
	if err := c.initialise(ctx, tmp, durable); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, c.data); err != nil {
		return fmt.Errorf("name the data directory: %w", err)
	}
	if durable {
		return syncDir(c.dir)
	}
	return nil
}

func (c *cluster) initialise(ctx context.Context, tmp string, durable bool) error {
	for i, ctype := range ctypes {
		out, err := c.runInitdb(ctx, tmp, ctype, durable)
		if err == nil {
			return nil
		}
		if last := i == len(ctypes)-1; last || !strings.Contains(out, "invalid locale") {
			return fmt.Errorf("initdb: %w\n%s", err, out)
		}
	}
	return nil
}

func (c *cluster) runInitdb(ctx context.Context, tmp, ctype string, durable bool) (string, error) {
	collate := "C"
	if ctype == ctypes[0] {
		collate = ctype
	}
	args := []string{"-D", tmp, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-instructions",
		"--locale=C", "--lc-ctype=" + ctype, "--lc-collate=" + collate}
	if !durable {
		args = append(args, "--no-sync") // otherwise initdb ends by writing every file through to the disk
	}
	cmd := c.account.command(c.programs.initdb(), args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, &out, &out
	p, err := launch(cmd, syscall.SIGKILL)
	if err != nil {
		return "", err
	}
	err = p.finish(ctx)
	return out.String(), err
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
