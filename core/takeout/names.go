package takeout

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is how many bytes a name has at most: file systems take 255, and
// some put a word of their own before it.
const maxName = 120

// reserved are names that Windows keeps for devices, whatever follows a dot.
var reserved = func() map[string]bool {
	set := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}
	for n := '1'; n <= '9'; n++ {
		set["com"+string(n)], set["lpt"+string(n)] = true, true
	}
	return set
}()

// safePath makes of what an area calls a file a relative path that unpacks
// below where somebody stands, on every system.
func safePath(name string) string {
	var parts []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		parts = append(parts, safeName(part))
	}
	if len(parts) == 0 {
		return "_"
	}
	return strings.Join(parts, "/")
}

func safeName(s string) string {
	s = norm.NFC.String(strings.ToValidUTF8(s, "_"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, !unicode.IsPrint(r) && r != ' ', strings.ContainsRune(`<>:"|?*/\`, r):
			return '_'
		}
		return r
	}, s)
	s = trimmed(shorter(trimmed(s), maxName))
	if s == "" {
		return "_"
	}
	if stem, _, _ := strings.Cut(s, "."); reserved[strings.ToLower(strings.TrimSpace(stem))] {
		return "_" + s
	}
	return s
}

// trimmed leaves out dots and blanks at both ends: ".." would climb, a first
// dot hides a file, and Windows drops those at the end.
func trimmed(s string) string { return strings.Trim(s, ". ") }

// shorter cuts the stem to fit, and keeps a short ending such as ".json".
func shorter(s string, most int) string {
	if len(s) <= most {
		return s
	}
	ending := path.Ext(s)
	if len(ending) > 12 {
		ending = ""
	}
	end := most - len(ending)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ending
}

// names gives each file of a package a path of its own, also where capitals do
// not count.
type names struct{ files, folders map[string]bool }

func newNames(taken ...string) names {
	n := names{files: map[string]bool{}, folders: map[string]bool{}}
	for _, name := range taken {
		n.files[strings.ToLower(name)] = true
	}
	return n
}

func (n names) take(name string) string {
	parts := strings.Split(safePath(name), "/")
	folder := ""
	for _, part := range parts[:len(parts)-1] {
		for n.files[strings.ToLower(folder+part)] {
			part += "_"
		}
		folder += part
		n.folders[strings.ToLower(folder)] = true
		folder += "/"
	}
	last := parts[len(parts)-1]
	ending := path.Ext(last)
	stem := strings.TrimSuffix(last, ending)
	for i := 2; n.files[strings.ToLower(folder+last)] || n.folders[strings.ToLower(folder+last)]; i++ {
		last = stem + " (" + strconv.Itoa(i) + ")" + ending
	}
	n.files[strings.ToLower(folder+last)] = true
	return folder + last
}
