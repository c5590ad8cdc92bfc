package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lines is a stream that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// process is a program that goes on beside the test.
type process struct {
	*exec.Cmd
	out, messages lines
	ended         chan struct{}
	url           string // of a service that is ready
}

// begin starts a program; the test's end kills it.
func begin(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.out, &p.messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { cmd.Wait(); close(p.ended) }()
	t.Cleanup(func() { p.signal(t, syscall.SIGKILL) })
	return p
}

// serve starts the service on a free port and waits until it is ready.
func serve(t *testing.T, args ...string) *process {
	t.Helper()
	p := begin(t, program(nil, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...))
	p.awaitReady(t)
	return p
}

func (p *process) awaitReady(t *testing.T) {
	t.Helper()
	eventually(t, "the service to be ready", func() bool {
		select {
		case <-p.ended:
			t.Fatalf("serve ended: %s", p.messages.String())
		default:
		}
		line, found := strings.CutSuffix(p.out.String(), "\n")
		p.url = strings.Replace(strings.TrimPrefix(line, "Homeplace is ready at "), "localhost", "127.0.0.1", 1)
		return found
	})
}

// signal sends the signal and waits for the end; the time that took, and the
// code.
func (p *process) signal(t *testing.T, s syscall.Signal) (took time.Duration, code int) {
	t.Helper()
	begun := time.Now()
	p.Process.Signal(s) // fails where it has ended before
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		t.Fatalf("it does not end after %v: %s", s, p.messages.String())
	}
	return time.Since(begun), p.ProcessState.ExitCode()
}

// get asks the service; status 0 means that nobody answers.
func (p *process) get(t *testing.T, path string) (status int, header http.Header, body string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err.Error()
	}
	return answer.StatusCode, answer.Header, string(text)
}

// total is the number of entries in a list; -1 while there is no answer.
func (p *process) total(t *testing.T, path string) int {
	status, _, body := p.get(t, path)
	var list struct{ Total int }
	if status != http.StatusOK || json.Unmarshal([]byte(body), &list) != nil {
		return -1
	}
	return list.Total
}
