package takeout

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafePath(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"profile.json":                  "profile.json",
		"apps/block-map/prices.json":    "apps/block-map/prices.json",
		"../../etc/passwd":              "_/_/etc/passwd",
		`..\..\windows\win.ini`:         "_/_/windows/win.ini",
		"/etc/passwd":                   "etc/passwd",
		"//a///b":                       "a/b",
		"C:/x":                          "C_/x",
		"":                              "_",
		"/":                             "_",
		"...":                           "_",
		" . ":                           "_",
		".bashrc":                       "bashrc",
		"con":                           "_con",
		"Com1.json":                     "_Com1.json",
		"nul .txt":                      "_nul .txt",
		"console.txt":                   "console.txt",
		"a\x00b\nc\x1b[31m.json":        "a_b_c_[31m.json",
		"a\xffb":                        "a_b",
		"invoice\u202egnp.exe":          "invoice_gnp.exe",
		`a<b>c:d"e|f?g*h`:               "a_b_c_d_e_f_g_h",
		"cafe\u0301.json":               "caf\u00e9.json",
		"Ṣọ.json":                       "Ṣọ.json",
		"trailing. ":                    "trailing",
		strings.Repeat("é", 99) + ".js": strings.Repeat("é", 58) + ".js",
	} {
		if got := safePath(name); got != want {
			t.Errorf("safePath(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzSafePath(f *testing.F) {
	for _, name := range []string{"a/b.json", "../x", `..\x`, "con", "a\u202eb", "\xff", strings.Repeat("x/", 50), "a. . .b", "COM¹"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := safePath(name)
		if !fs.ValidPath(got) || !filepath.IsLocal(got) || !utf8.ValidString(got) || strings.ContainsAny(got, "\\:\x00") {
			t.Errorf("safePath(%q) = %q", name, got)
		}
		for part := range strings.SplitSeq(got, "/") {
			if len(part) > maxName+1 || strings.HasPrefix(part, ".") || strings.TrimRight(part, ". ") != part {
				t.Errorf("safePath(%q) has the part %q", name, part)
			}
		}
		if again := safePath(got); again != got {
			t.Errorf("safePath(%q) = %q, and of that %q", name, got, again)
		}
	})
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	n := newNames(readme)
	for _, c := range [][2]string{
		{"a.json", "a.json"}, {"A.JSON", "A (2).JSON"}, {"a.json", "a (3).json"}, {"a (2).json", "a (2) (2).json"},
		{"README.txt", "README (2).txt"}, {"readme.TXT", "readme (3).TXT"},
		{"a.json/b", "a.json_/b"}, {"apps/x", "apps/x"}, {"apps", "apps (2)"}, {"../x", "_/x"}, {"./x", "_/x (2)"},
	} {
		if got := n.take(c[0]); got != c[1] {
			t.Errorf("take(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}
