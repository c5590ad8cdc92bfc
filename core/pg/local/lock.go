package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrInUse says that another process holds the directory.
var ErrInUse = errors.New("another process is using this database directory: stop it, or name another directory")

// lockPatience outlasts Attach, which holds the lock for a moment to see whether it is free.
const lockPatience = 250 * time.Millisecond

func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// acquire takes the directory's lock for as long as the returned file is open. The kernel frees it when the process dies, and no child inherits it.
func acquire(dir string) (*os.File, error) {
	file, err := os.OpenFile(lockPath(dir), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s belongs to another user: run as that user, or name another directory: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the database directory: %w", err)
	}
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(10 * time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if time.Now().Before(deadline) && errors.Is(err, syscall.EWOULDBLOCK) {
			continue
		}
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
		}
		return nil, fmt.Errorf("lock the database directory: %w", err)
	}
}

// held reports whether some process owns the directory.
func held(dir string) (bool, error) {
	file, err := os.Open(lockPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return false, fmt.Errorf("%s belongs to another user: run as that user: %w", dir, err)
	}
	if err != nil {
		return false, fmt.Errorf("look at the database directory's lock: %w", err)
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the database directory's lock: %w", err)
	}
	return false, nil
}
