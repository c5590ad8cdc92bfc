package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const businesses = "/api/directory/businesses?limit=1"

func TestTwoInstances(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	first := serve(t, "--data-dir", dir)
	second := serve(t, "--data-dir", dir)
	both := []*process{first, second}
	for n := 1; n <= 3; n++ {
		for _, p := range both { // so that both have the old list in memory
			if total := p.total(t, businesses); total != n-1 {
				t.Errorf("%s lists %d, want %d", p.url, total, n-1)
			}
		}
		row := fmt.Sprintf(`{"kind":"business","name":"Number %d"}`, n)
		homeplaceWith(t, row, "import", "directory", "-", "--data-dir", dir).want(t, 0, "1 new")
		for _, p := range both {
			begun := time.Now()
			eventually(t, "the new row", func() bool { return p.total(t, businesses) == n })
			if took := time.Since(begun); took > slowdown*time.Second {
				t.Errorf("%s shows the new row after %v", p.url, took)
			}
		}
	}

	// The private server is the first one's: the second takes it over.
	first.signal(t, syscall.SIGTERM)
	refused := second.recovers(t, 4)
	t.Logf("answers of the second while it took over: %v", refused)
	homeplaceWith(t, `{"kind":"business","name":"Number 4"}`, "import", "directory", "-", "--data-dir", dir).want(t, 0, "1 new")
	eventually(t, "the row after the take-over", func() bool { return second.total(t, businesses) == 4 })
	if _, code := second.signal(t, syscall.SIGTERM); code != 0 {
		t.Errorf("the second ended with %d: %s", code, second.messages.String())
	}
	if left := processesIn(dir); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// recovers asks past the cache until the service is ready, and counts the
// answers by status: every other one must be a 503 that says when to try again.
func (p *process) recovers(t *testing.T, offset int) map[int]int {
	t.Helper()
	answers := map[int]int{}
	eventually(t, "the service to recover", func() bool {
		offset++
		status, header, body := p.get(t, fmt.Sprintf("%s&offset=%d", businesses, offset))
		answers[status]++
		switch status {
		case http.StatusOK:
			ready, _, _ := p.get(t, "/readyz")
			return ready == http.StatusOK
		case http.StatusServiceUnavailable:
			if seconds, err := strconv.Atoi(header.Get("Retry-After")); err != nil || seconds < 1 || !strings.Contains(body, `"unavailable"`) {
				t.Errorf("a 503 with Retry-After %q: %s", header.Get("Retry-After"), body)
			}
		default:
			t.Fatalf("answers %d %s", status, body)
		}
		return false
	})
	return answers
}

func TestServe_beginsBesideAnImport(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	homeplace(t, "migrate", "up", "--data-dir", dir).want(t, 0)
	source, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	cmd := program(nil, "import", "directory", "-", "--format", "jsonl", "--data-dir", dir)
	cmd.Stdin = source
	importing := begin(t, cmd) // it runs the private server
	source.Close()
	eventually(t, "the import's server", func() bool {
		_, err := os.Stat(filepath.Join(dir, databaseDir, "s", ".s.PGSQL.5432"))
		return err == nil
	})
	p := serve(t, "--data-dir", dir)
	if _, err := feed.WriteString(`{"kind":"business","name":"Early bird"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	<-importing.ended
	if code := importing.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("the import ended with %d: %s", code, importing.messages.String())
	}
	p.recovers(t, 0)
	eventually(t, "the imported row", func() bool { return p.total(t, businesses) == 1 })
}

func TestServe_databaseKilled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	p := serve(t, "--data-dir", dir)
	homeplaceWith(t, `{"kind":"business","name":"Kept"}`, "import", "directory", "-", "--data-dir", dir).want(t, 0, "1 new")
	for range 2 {
		kill(t, databasePID(t, dir))
		refused := 0
		for n := range 50 { // while it is away
			status, header, _ := p.get(t, fmt.Sprintf("%s&offset=%d", businesses, 1000+n))
			if status == http.StatusServiceUnavailable && header.Get("Retry-After") != "" {
				refused++
			}
		}
		p.recovers(t, 2000)
		if refused == 0 {
			t.Log("the database came back before anybody could notice")
		}
		if total := p.total(t, businesses); total != 1 {
			t.Errorf("%d rows after the database was killed", total)
		}
	}
	if !strings.Contains(p.messages.String(), "starting it again") {
		t.Errorf("the log does not tell: %s", p.messages.String())
	}
	homeplace(t, "doctor", "--data-dir", dir).want(t, 0, "everything is in order")
}

func databasePID(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, databaseDir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
