package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeplace/core/pgtest"
)

const everything = "/api/directory/search?kinds=business,landmark,service,event,person&limit=1"

func TestServe_demo(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	const demonstration = 160 // rows of demo/directory.jsonl
	var rows string
	for _, run := range []string{"first", "second"} {
		p := serve(t, "--data-dir", dir, "--demo")
		for path, want := range map[string]string{"/healthz": `"ok"`, "/readyz": `"ready"`} {
			if status, _, body := p.get(t, path); status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s run: %s answers %d %s", run, path, status, body)
			}
		}
		if total := p.total(t, everything); total != demonstration {
			t.Errorf("%s run: %d entries, want %d", run, total, demonstration)
		}
		export := homeplace(t, "export", "directory", "--data-dir", dir)
		if export.want(t, 0, "160 rows"); rows != "" && export.out != rows {
			t.Errorf("%s run: the entries have changed", run)
		}
		rows = export.out
		for kind, count := range map[string]string{"shoutout": "17 rows", "fake-report": "5 rows"} {
			homeplace(t, "export", kind, "--data-dir", dir).want(t, 0, count)
		}
		for path, want := range map[string]string{"/shout-outs": "Brother Wendell", "/report-fake": "greater-willowbend", "/directory/businesses/blue-heron-bakery": "Ms. Lorraine"} {
			if status, _, body := p.get(t, path); status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s run: %s answers %d without %q", run, path, status, want)
			}
		}
		p.signal(t, syscall.SIGTERM)
	}
	homeplace(t, "doctor", "--data-dir", dir).want(t, 0, "160 public entries", "everything is in order")
}

func TestServe_demoLeavesOwnEntriesAlone(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	homeplaceWith(t, `{"kind":"business","name":"Ours"}`, "import", "directory", "-", "--database-url", d.URL).want(t, 0, "1 new")
	if total := serve(t, "--database-url", d.URL, "--demo").total(t, everything); total != 1 {
		t.Errorf("%d entries beside ours", total-1)
	}
	homeplace(t, "export", "shoutout", "--database-url", d.URL).want(t, 0, "0 rows") // their businesses are not here
}

func TestServe_stops(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for _, stop := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := serve(t, "--data-dir", dir, "--demo")
		idle, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://")) // as browsers do ahead of time
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
		unfinished := askSlowly(t, p)
		defer unfinished.Close()
		var wg sync.WaitGroup
		stopping := make(chan struct{})
		for i := range 4 {
			wg.Go(func() {
				for n := 0; ; n++ {
					status, _, body := p.get(t, fmt.Sprintf("/api/directory/search?q=coffee%d&offset=%d", i, n))
					if status == 0 {
						select {
						case <-stopping:
						default:
							t.Errorf("no answer: %s", body)
						}
						return
					}
					if status != http.StatusOK {
						t.Errorf("a request under way got %d %s", status, body)
					}
				}
			})
		}
		time.Sleep(150 * time.Millisecond)
		close(stopping)
		took, code := p.signal(t, stop)
		wg.Wait()
		if took > slowdown*5*time.Second || code != 0 {
			t.Errorf("%v: ended after %v with %d: %s", stop, took, code, p.messages.String())
		}
		if left := processesIn(dir); len(left) > 0 {
			t.Errorf("%v: it leaves %v", stop, left)
		}
	}
}

// askSlowly begins a request and never ends it.
func askSlowly(t *testing.T, p *process) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: x\r\n")); err != nil {
		t.Fatal(err)
	}
	return conn
}

// processesIn lists the command lines that name the directory, where the
// system shows them.
func processesIn(dir string) (found []string) {
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range commands {
		if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), dir) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

func TestServe_stopsWhileStarting(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	p := begin(t, program(nil, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir))
	// The database's directory is the first thing that a start leaves.
	for range 500 {
		if _, err := os.Stat(filepath.Join(dir, databaseDir)); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if took, code := p.signal(t, syscall.SIGINT); took > slowdown*5*time.Second || code != 0 {
		t.Errorf("ended after %v with %d: %s", took, code, p.messages.String())
	}
	if left := processesIn(dir); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestServe_addressInUse(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	homeplace(t, "serve", "--addr", addr, "--database-url", d.URL).want(t, 1, "listen on "+addr, "address already in use")
	o := homeplace(t, "serve", "--addr", "127.0.0.1:0", "--metrics-addr", addr, "--database-url", d.URL)
	o.want(t, 1, "listen for metrics on "+addr, "address already in use")
	if strings.Contains(o.out, "ready") {
		t.Error("it was ready before it failed")
	}
}

func TestServe_configuration(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	p := begin(t, program([]string{"HOMEPLACE_ADDR=127.0.0.1:0", "DATABASE_URL=" + d.URL, "HOMEPLACE_DEMO=true",
		"HOMEPLACE_BASE_URL=https://homeplace.example/", "HOMEPLACE_LOG_FORMAT=json", "HOMEPLACE_TRUSTED_PROXIES=10.0.0.0/8,::1"}, "serve"))
	eventually(t, "the ready line", func() bool { return p.out.String() == "Homeplace is ready at https://homeplace.example\n" })
	for _, wrong := range [][]string{{"--base-url", "nowhere"}, {"--trusted-proxies", "ten"}, {"--log-format", "xml"}, {"--addr", "nowhere:x"}} {
		o := homeplace(t, append([]string{"serve", "--database-url", d.URL}, wrong...)...)
		if o.code == 0 || o.messages == "" || strings.Contains(o.messages, "panic") {
			t.Errorf("%v: it ends with %d and says %q", wrong, o.code, o.messages)
		}
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	const hint = `Run "homeplace --help"`
	homeplace(t, "serve", "--no-such-flag").want(t, 2, "--no-such-flag", hint)
	homeplace(t, "no-such-command").want(t, 2, "no-such-command", hint)
	homeplace(t).want(t, 2, hint)
	homeplace(t, "--help").want(t, 0, "serve", "doctor", "--data-dir")
	homeplace(t, "serve", "--help").want(t, 0, "127.0.0.1:8080", "HOMEPLACE_ADDR", "HOMEPLACE_METRICS_ADDR")
}
