package settings

import "strings"

// farthest is how many letters a name may differ in to be suggested.
const farthest = 3

// nearest lists the settings whose names hold the given one or are a slip away
// from it, closest first; empty where there is none.
func nearest(key string, table []*definition) string {
	key = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(key)))
	var byDistance [farthest + 1][]string
	for _, d := range table {
		distance := editDistance(key, d.key)
		switch {
		case distance <= farthest:
			byDistance[distance] = append(byDistance[distance], d.key)
		case len(key) > 2 && strings.Contains(d.key, key):
			byDistance[farthest] = append(byDistance[farthest], d.key)
		}
	}
	var names []string
	for _, group := range byDistance {
		names = append(names, group...)
	}
	return strings.Join(names[:min(len(names), 3)], ", ")
}

// editDistance counts the letters to insert, drop or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
