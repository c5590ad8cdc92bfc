package geo_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// sharedFile opens a file of the real data sets, which are not in the repository.
func sharedFile(t *testing.T, name string) *os.File {
	t.Helper()
	root := os.Getenv("HOMEPLACE_SHARED_DATA")
	if root == "" {
		root = findShared()
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if root == "" || err != nil {
		t.Skipf("real data absent: no %s in shared/data above the working directory or in $HOMEPLACE_SHARED_DATA", name)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func findShared() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		shared := filepath.Join(dir, "shared", "data")
		if info, err := os.Stat(shared); err == nil && info.IsDir() {
			return shared
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// sharedRows reads a CSV file of the real data sets by its header.
func sharedRows(t *testing.T, name string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(sharedFile(t, name)).ReadAll()
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	rows := make([]map[string]string, 0, len(records))
	for _, record := range records[1:] {
		row := make(map[string]string, len(record))
		for i, column := range records[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// atLeast fails unless part of whole is the share or more.
func atLeast(t *testing.T, what string, part, whole int, share float64) {
	t.Helper()
	got := float64(part) / float64(whole)
	t.Logf("%s: %.2f %% of %d", what, 100*got, whole)
	if got < share {
		t.Errorf("%s: %.2f %%, want at least %.2f %%", what, 100*got, 100*share)
	}
}
