package search

import (
	"context"
	"sort"
	"strings"

	"homeplace/core/searchtext"
)

// maxCorrections is how many words one misspelt word may stand for.
const maxCorrections = 16

// slips is how many slips of the finger a word of this length may hold: short
// words are each other's slips too easily, and digits are never guessed.
func slips(word string) int {
	switch n := len([]rune(word)); {
	case strings.ContainsAny(word, "0123456789"), n < 3:
		return 0
	case n < 7:
		return 1
	default:
		return 2
	}
}

// corrections finds, for each word of the query, the known words that it may
// be a slip of, nearest first. A word of three letters is only guessed beside
// others. Two known words written as one are taken apart.
func (s *Service) corrections(ctx context.Context, p *plan) (map[string][]string, error) {
	words := p.sortedWords()
	var ask []string
	for _, w := range words {
		if slips(w) > 0 && (len(w) > 3 || len(words) > 1) {
			ask = append(ask, w)
		}
	}
	if len(ask) == 0 || len(ask) > maxTerms {
		return nil, nil
	}
	found := map[string][]string{}
	for _, w := range ask {
		candidates, err := similarWords(ctx, s.db.Public(), w, searchtext.Deletes(w), splits(w))
		if err != nil {
			return nil, err
		}
		if list := choose(w, candidates); len(list) > 1 || len(list) == 1 && list[0] != w {
			found[w] = list
		}
	}
	return found, nil
}

// choose keeps the candidates within reach, nearest first, so that a known word
// stands for itself, and among equals those that begin alike: the first letter
// is the one that people get right. A pair of known words that together spell w
// counts as one slip.
func choose(word string, candidates []string) []string {
	limit := slips(word)
	known := map[string]bool{}
	distance := map[string]int{}
	var list []string
	for _, c := range candidates {
		known[c] = true
		if d := searchtext.Distance(word, c, limit); d <= limit {
			distance[c] = d
			list = append(list, c)
		}
	}
	for i := 3; i+3 <= len(word); i++ {
		if known[word[:i]] && known[word[i:]] {
			pair := word[:i] + " " + word[i:]
			distance[pair] = 1
			list = append(list, pair)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if distance[list[i]] != distance[list[j]] {
			return distance[list[i]] < distance[list[j]]
		}
		if alike := list[i][0] == word[0]; alike != (list[j][0] == word[0]) {
			return alike
		}
		return list[i] < list[j]
	})
	return list[:min(len(list), maxCorrections)]
}

// splits are the halves of every way to take a long word apart.
func splits(word string) []string {
	var halves []string
	for i := 3; i+3 <= len(word); i++ {
		if word[i]&0xC0 == 0x80 { // inside a letter of several bytes
			continue
		}
		halves = append(halves, word[:i], word[i:])
	}
	return halves
}
