package local

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

func pidPath(data string) string { return filepath.Join(data, "postmaster.pid") }

// clearLeftovers ends what an earlier owner's server left running on data, and removes a pid file that would keep a new server from starting.
// The caller holds the directory's lock: no living owner is disturbed.
func clearLeftovers(data string, logger *slog.Logger) error {
	pid, err := notedPID(data)
	if err != nil || pid == 0 {
		return err
	}
	if servesData(pid, data) {
		logger.Warn("ending a PostgreSQL server that an earlier process left behind", "pid", pid)
		if err := endServer(pid, data); err != nil {
			return err
		}
	}
	if err := endChildren(data); err != nil {
		return err
	}
	// A number that a stranger has now would make the server refuse to start, and one that nobody has it ignores.
	if pid, err = notedPID(data); err != nil || pid == 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return err
	}
	if err := os.Remove(pidPath(data)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the stale postmaster.pid: %w", err)
	}
	return nil
}

// notedPID is the server's number in postmaster.pid; 0 after an orderly end.
func notedPID(data string) (int, error) {
	content, err := os.ReadFile(pidPath(data))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for an earlier server: %w", err)
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil || pid <= 1 {
		return 0, nil // the server says better what is wrong with its file
	}
	return pid, nil
}

// endServer stops a server that is not our child: fast, then at once.
func endServer(pid int, data string) error {
	gone := func() bool { return !servesData(pid, data) }
	for _, step := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGINT, fastLimit}, {syscall.SIGQUIT, immediateLimit}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end the earlier PostgreSQL server, process %d: %w", pid, err)
		}
		if within(step.limit, gone) {
			return nil
		}
	}
	return fmt.Errorf("the earlier PostgreSQL server, process %d, does not end: end it by hand", pid)
}

// endChildren ends sessions that outlived their killed server: while one works, its memory keeps a new server from starting.
func endChildren(data string) error {
	gone := func() bool { return len(serving(data)) == 0 }
	for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		for _, pid := range serving(data) {
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("end a process of the earlier PostgreSQL server, %d: %w", pid, err)
			}
		}
		if within(immediateLimit/2, gone) {
			return nil
		}
	}
	return fmt.Errorf("processes of the earlier PostgreSQL server do not end: end them by hand: %v", serving(data))
}

func within(limit time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(limit); ; time.Sleep(readyPoll) {
		if done() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}
