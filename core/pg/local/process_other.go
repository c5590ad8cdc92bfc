//go:build !linux

package local

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// setDeathSignal does nothing: only Linux tells a child that its parent has died. The next Start ends a server left behind.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}

// servesData reports whether pid is a PostgreSQL server on this data directory, not merely a number that a stale file names.
func servesData(pid int, data string) bool {
	out, err := exec.Command("ps", "-ww", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return false
	}
	program, rest, _ := strings.Cut(string(out), " -D ")
	return filepath.Base(program) == "postgres" && strings.HasPrefix(rest, data+" ")
}

// serving lists no process: the children of a server do not show their directory here, and end by themselves soon after it.
func serving(string) []int { return nil }
