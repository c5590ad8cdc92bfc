package ui

import "strings"

type partKind int

const (
	same partKind = iota
	removed
	added
)

type part struct {
	kind partKind
	text string
}

// maxCompared bounds the table of compare; longer texts are shown whole.
const maxCompared = 600

// compare finds the longest common words of two texts and tells what was
// removed and added between them.
func compare(before, after string) []part {
	if before == after {
		return []part{{same, before}}
	}
	a, b := words(before), words(after)
	if len(a) > maxCompared || len(b) > maxCompared {
		return tidy([]part{{removed, before}, {added, after}})
	}
	longest := commonLengths(a, b)
	var parts []part
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			parts = append(parts, part{same, a[i]})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			parts = append(parts, part{removed, a[i]})
			i++
		default:
			parts = append(parts, part{added, b[j]})
			j++
		}
	}
	return tidy(append(parts, part{removed, strings.Join(a[i:], "")}, part{added, strings.Join(b[j:], "")}))
}

// commonLengths holds at [i][j] the length of the longest common subsequence
// of a[i:] and b[j:].
func commonLengths(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// words splits after each run of spaces, so that joining gives the text back.
func words(s string) []string {
	var list []string
	start, space := 0, false
	for i, r := range s {
		blank := r == ' ' || r == '\n' || r == '\t'
		if space && !blank {
			list, start = append(list, s[start:i]), i
		}
		space = blank
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

// tidy joins neighbours of one kind, and puts what was removed before what was
// added where both meet.
func tidy(parts []part) []part {
	var out []part
	var gone, fresh strings.Builder
	flush := func() {
		if gone.Len() > 0 {
			out = append(out, part{removed, gone.String()})
		}
		if fresh.Len() > 0 {
			out = append(out, part{added, fresh.String()})
		}
		gone.Reset()
		fresh.Reset()
	}
	for _, p := range parts {
		switch {
		case p.kind == removed:
			gone.WriteString(p.text)
		case p.kind == added:
			fresh.WriteString(p.text)
		default:
			flush()
			if n := len(out); n > 0 && out[n-1].kind == same {
				out[n-1].text += p.text
			} else {
				out = append(out, p)
			}
		}
	}
	flush()
	return out
}
