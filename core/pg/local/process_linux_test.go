package local

import (
	"path/filepath"
	"testing"
)

func TestServer_endsWithItsKilledOwner(t *testing.T) {
	t.Parallel()
	requirePostgres(t)
	dir := reachableDir(t)
	running := owner(t, dir)
	awaitRunning(t, dir)
	pid, data := runningPID(t, dir), filepath.Join(dir, "data")
	if !servesData(pid, data) || servesData(pid, dir) || servesData(running.Process.Pid, data) {
		t.Error("servesData does not tell the server from other processes")
	}
	kill(running)
	eventually(t, "the server's end", func() bool { return !servesData(pid, data) })
	if noted, err := notedPID(data); noted != 0 || err != nil {
		t.Errorf("the server did not end in order: %d, %v", noted, err)
	}
}
