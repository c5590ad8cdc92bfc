package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is a process that answers on a port of this machine.
type server struct {
	addr   string
	cmd    *exec.Cmd
	exited chan struct{}
	log    string
}

// startProcess runs a program with --addr and a free port among its arguments.
func startProcess(ctx context.Context, log string, program string, args ...string) (*server, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{addr: free.Addr().String(), exited: make(chan struct{}), log: log}
	free.Close()
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	s.cmd = exec.CommandContext(ctx, program, append(args, "--addr", s.addr)...)
	s.cmd.Stdout, s.cmd.Stderr = out, out
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = 10 * time.Second
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() {
		s.cmd.Wait()
		close(s.exited)
	}()
	return s, nil
}

const (
	pollEvery = 5 * time.Millisecond
	patience  = 2 * time.Minute // a rod records first
)

// awaitReady polls /readyz, each time over a new connection.
func (s *server) awaitReady(ctx context.Context) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	timeout := time.After(patience)
	for {
		if response, err := client.Get("http://" + s.addr + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-s.exited:
			said, _ := os.ReadFile(s.log)
			return fmt.Errorf("%s ended:\n%s", filepath.Base(s.cmd.Path), said)
		case <-timeout:
			return fmt.Errorf("%s is not ready after %v", filepath.Base(s.cmd.Path), patience)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stop ends the process as an operator would and waits for it.
func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		s.cmd.Process.Kill()
		<-s.exited
	}
}

func (s *server) cpu() (time.Duration, error) {
	stat, err := readStat(s.cmd.Process.Pid)
	return stat.cpu, err
}

// processStat is what /proc/PID/stat says.
type processStat struct {
	parent int
	cpu    time.Duration // user and system, of all threads
}

// userTick is the unit of /proc's times: 1/100 s on every Linux (USER_HZ).
const userTick = 10 * time.Millisecond

func readStat(pid int) (processStat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return processStat{}, err
	}
	// The name, in brackets, may hold anything; state is the field behind it.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return processStat{}, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return processStat{}, err
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return processStat{}, err
	}
	system, err := strconv.Atoi(fields[12])
	return processStat{parent, time.Duration(user+system) * userTick}, err
}

// postgres is the database server's processes.
type postgres struct{ postmaster int }

func findPostgres(ctx context.Context, databaseURL string) (postgres, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return postgres{}, err
	}
	defer conn.Close(ctx)
	backend, err := readStat(int(conn.PgConn().PID()))
	return postgres{backend.parent}, err
}

// cpu is the time of the server's processes that are alive.
func (p postgres) cpu() (total time.Duration, err error) {
	pids, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, dir := range pids {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			return 0, err
		}
		stat, err := readStat(pid)
		if err != nil { // it ended meanwhile
			continue
		}
		if pid == p.postmaster || stat.parent == p.postmaster {
			total += stat.cpu
		}
	}
	return total, nil
}

// memory is what a process holds, in bytes.
type memory struct{ resident, proportional int64 }

func (s *server) memory() (m memory, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", s.cmd.Process.Pid))
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			continue
		}
		switch fields[0] {
		case "Rss:":
			m.resident = kilobytes << 10
		case "Pss:":
			m.proportional = kilobytes << 10
		}
	}
	return m, nil
}
