package local

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func setDeathSignal(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

// servesData reports whether pid is a PostgreSQL server on this data directory, not merely a number that a stale file names.
func servesData(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	if err == nil {
		if filepath.Base(strings.TrimSuffix(exe, " (deleted)")) != "postgres" {
			return false
		}
		cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
		return err == nil && cwd == data
	}
	// Root in a container without CAP_SYS_PTRACE may not follow the links of another user's process, but reads its command line.
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return false
	}
	args := bytes.Split(line, []byte{0})
	return filepath.Base(string(args[0])) == "postgres" && len(args) > 2 && string(args[1]) == "-D" && string(args[2]) == data
}

// serving lists all processes of a server on this data directory: they work in it.
func serving(data string) []int {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	var pids []int
	for _, link := range links {
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && servesData(pid, data) {
			pids = append(pids, pid)
		}
	}
	return pids
}
