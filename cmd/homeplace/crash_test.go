package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inOrder starts the service on what a crash left, and has it examined.
func inOrder(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := serve(t, append([]string{"--data-dir", dir}, args...)...)
	homeplace(t, "doctor", "--data-dir", dir).want(t, 0, "everything is in order")
	return p
}

// Each start goes on where the one before was killed, from the making of the
// cluster over the schema to the demonstration content.
func TestKill_duringTheFirstStart(t *testing.T) {
	t.Parallel()
	for begin, step := range map[time.Duration]time.Duration{20 * time.Millisecond: 110 * time.Millisecond, 75 * time.Millisecond: 110 * time.Millisecond} {
		t.Run(begin.String(), func(t *testing.T) {
			t.Parallel()
			dir := dataDir(t)
			for after := begin; after <= 900*time.Millisecond; after += step {
				killAfter(t, after, dir)
			}
			if total := inOrder(t, dir, "--demo").total(t, everything); total != 160 {
				t.Errorf("%d entries, want 160", total)
			}
		})
	}
}

func killAfter(t *testing.T, after time.Duration, dir string) {
	t.Helper()
	p := begin(t, program(nil, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir, "--demo"))
	time.Sleep(after)
	if _, code := p.signal(t, syscall.SIGKILL); code > 0 {
		t.Errorf("after %v it had ended by itself with %d: %s", after, code, p.messages.String())
	}
}

func TestKill_whileRunning(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	p := serve(t, "--data-dir", dir)
	for n := 1; n <= 3; n++ {
		row := fmt.Sprintf(`{"kind":"business","name":"Number %d"}`, n)
		homeplaceWith(t, row, "import", "directory", "-", "--data-dir", dir).want(t, 0, "1 new")
		p.signal(t, syscall.SIGKILL)
		p = serve(t, "--data-dir", dir)
		if total := p.total(t, businesses); total != n {
			t.Fatalf("%d rows after kill %d", total, n)
		}
	}
	homeplace(t, "doctor", "--data-dir", dir).want(t, 0, "everything is in order")
}

// shops is a file of new businesses, in three batches.
func shops(t *testing.T, name string, rows int) (path string) {
	t.Helper()
	var text strings.Builder
	for n := range rows {
		fmt.Fprintf(&text, `{"kind":"business","name":"%s %d","city":"Town %d","region":"GA","summary":"A shop of many things, number %d."}`+"\n", name, n, n%50, n)
	}
	return file(t, "shops.jsonl", text.String())
}

func TestKill_duringAnImport(t *testing.T) {
	t.Parallel()
	const rows, batch = 1500, 500
	dir := dataDir(t)
	p := serve(t, "--data-dir", dir)
	stored := 0
	for _, tt := range []struct {
		name                    string
		killImport, killService bool
	}{{"Import", true, false}, {"Service", false, true}, {"Both", true, true}} {
		source := shops(t, tt.name, rows)
		im := begin(t, program(nil, "import", "directory", source, "--data-dir", dir))
		seen := stored
		eventually(t, "a batch", func() bool {
			seen = max(seen, p.total(t, businesses))
			return seen >= stored+batch
		})
		if tt.killImport {
			im.signal(t, syscall.SIGKILL)
		}
		if tt.killService {
			p.signal(t, syscall.SIGKILL)
			<-im.ended
			if code := im.ProcessState.ExitCode(); code == 0 && !strings.Contains(im.out.String(), fmt.Sprintf("%d rows", rows)) {
				t.Errorf("%s killed: the import ends with 0 and says %q", tt.name, im.out.String())
			}
			p = serve(t, "--data-dir", dir)
		}
		homeplace(t, "doctor", "--data-dir", dir).want(t, 0, "everything is in order")
		if total := p.total(t, businesses); total < seen || (total-stored)%batch != 0 {
			t.Errorf("%s killed: %d rows, %d had been seen", tt.name, total, seen)
		}
		stored += rows
		for range 2 {
			homeplace(t, "import", "directory", source, "--data-dir", dir).want(t, 0, "1500 rows", "0 refused")
			eventually(t, "all rows", func() bool { return p.total(t, businesses) == stored })
		}
	}
	homeplace(t, "doctor", "--data-dir", dir).want(t, 0, "4500 public entries", "everything is in order")
}
