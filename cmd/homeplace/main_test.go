package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
// those in env, and a secret, so that it leaves none in the working directory.
func program(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HOMEPLACE_") && !strings.HasPrefix(v, "DATABASE_URL=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, asProgram+"=1", "HOMEPLACE_SECRET=a secret that tests of this program share"), env...)
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

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
