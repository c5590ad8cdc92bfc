package ui

import (
	"strconv"
	"strings"
)

func (p ChangesProps) more() int { return p.Added + p.Removed + p.Changed - len(p.Rows) }

func (k ChangeKind) word() string {
	return map[ChangeKind]string{MemberAdded: "Added", MemberRemoved: "Removed", MemberChanged: "Changed"}[k]
}

// sides are the two texts of a row in parts: what both have is same, so that
// only the rest needs a mark. Texts that have little in common have no marks.
func (r ChangeRow) sides() (gone, fresh []part) {
	switch r.Kind {
	case MemberAdded:
		return nil, []part{{same, r.After}}
	case MemberRemoved:
		return []part{{same, r.Before}}, nil
	}
	common := 0
	for _, p := range compare(r.Before, r.After) {
		switch p.kind {
		case removed:
			gone = append(gone, p)
		case added:
			fresh = append(fresh, p)
		default:
			gone, fresh = append(gone, p), append(fresh, p)
			common += len(strings.TrimSpace(p.text))
		}
	}
	if 3*common < min(len(r.Before), len(r.After)) {
		return []part{{same, r.Before}}, []part{{same, r.After}}
	}
	return gone, fresh
}

// grouped is a number with its thousands apart.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Size is how much a file holds, as people say it: "812 bytes", "12 kB",
// "1.0 MB". A kB has 1,000 bytes.
func Size(bytes int) string {
	switch {
	case bytes < 1000:
		return count(bytes, "byte")
	case bytes < 9950:
		return strconv.FormatFloat(float64(bytes)/1e3, 'f', 1, 64) + " kB"
	case bytes < 999_500:
		return strconv.Itoa((bytes+500)/1000) + " kB"
	}
	return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) + " MB"
}
