package settings

import (
	"strings"

	"homeplace/core/searchtext"
)

// farthest is how many letters a name may differ in to be suggested.
const farthest = 3

// nearest lists the settings whose names hold the given one or are a slip away
// from it, closest first; empty where there is none.
func nearest(key string, table []*definition) string {
	key = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(key)))
	var byDistance [farthest + 1][]string
	for _, d := range table {
		distance := searchtext.Distance(key, d.key, farthest)
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
