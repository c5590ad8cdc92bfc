package local

import (
	"os"
	"strings"
	"testing"
)

func TestTrimLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, err := openLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strings.Repeat("0123456789abcde\n", logLimit/16) + "the end\n"); err != nil {
		t.Fatal(err)
	}
	if err := trimLog(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("after\n"); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(logPath(dir) + ".1")
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != logLimit || !strings.HasSuffix(string(kept), "abcde\nthe end\n") {
		t.Errorf("kept %d bytes ending in %q", len(kept), kept[max(0, len(kept)-20):])
	}
	if content, err := os.ReadFile(logPath(dir)); err != nil || string(content) != "after\n" {
		t.Errorf("the log holds %q, %v", content, err)
	}
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := logTail(dir); got != "" {
		t.Errorf("without a log: %q", got)
	}
	if err := os.WriteFile(logPath(dir), []byte(strings.Repeat("old\n", 100)+strings.Repeat("new\n", tailLines)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := logTail(dir), strings.TrimSpace(strings.Repeat("new\n", tailLines)); got != want {
		t.Errorf("got %q", got)
	}
}
