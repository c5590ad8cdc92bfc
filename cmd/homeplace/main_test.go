package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeplace/core/pgtest"
)

// asProgram, set in the environment, makes the test binary the program itself:
// the tests run it as a process, as an operator does.
const asProgram = "HOMEPLACE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	pgtest.Main(m)
}

// program prepares a run of the program that knows no HOMEPLACE_ variable but
// those in env.
func program(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HOMEPLACE_") && !strings.HasPrefix(v, "DATABASE_URL=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, asProgram+"=1"), env...)
	return cmd
}

// outcome is how a command ended and what it said.
type outcome struct {
	code          int
	out, messages string
}

// homeplace runs a command to its end.
func homeplace(t *testing.T, args ...string) outcome {
	t.Helper()
	return homeplaceWith(t, "", args...)
}

// homeplaceWith runs a command with a text as its standard input.
func homeplaceWith(t *testing.T, input string, args ...string) outcome {
	t.Helper()
	cmd := program(nil, args...)
	var out, messages bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &messages
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), messages.String()}
}

// want fails the test unless the command ended with the code and said each of
// the texts, on either stream.
func (o outcome) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(o.out+o.messages, text) {
			t.Errorf("%q is not in what it said", text)
		}
	}
	if o.code != code {
		t.Errorf("it ended with %d, want %d", o.code, code)
	}
	if t.Failed() {
		t.Fatalf("out: %s\nmessages: %s", o.out, o.messages)
	}
}

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

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// dataDir is a directory that also the private server's own user may enter.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "homeplace-cmd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// file writes a text into a new file.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
