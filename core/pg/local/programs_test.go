package local

import (
	"errors"
	"testing"
)

func TestFindPrograms_nothingThere(t *testing.T) {
	t.Parallel()
	if found, err := findPrograms(t.TempDir()); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("got %v, %v, want ErrNotInstalled", found, err)
	}
}

func TestParseMajor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int
		ok   bool
	}{
		{"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15, true},
		{"postgres (PostgreSQL) 18beta1\n", 18, true},
		{"postgres (PostgreSQL) 9.6.24\n", 9, true},
		{"17\n", 17, true},
		{"", 0, false},
		{"postgres (PostgreSQL) devel", 0, false},
	}
	for _, tt := range tests {
		if got, err := parseMajor(tt.text); got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseMajor(%q) = %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
}

func TestForMajor(t *testing.T) {
	t.Parallel()
	installed := []programs{{"/new", 17}, {"/old", 15}}
	for major, want := range map[int]string{0: "/new", 17: "/new", 15: "/old", 16: ""} {
		if got, found := forMajor(installed, major); got.bin != want || found != (want != "") {
			t.Errorf("forMajor(%d) = %q, %v, want %q", major, got.bin, found, want)
		}
	}
}
