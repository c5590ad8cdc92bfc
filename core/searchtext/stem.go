package searchtext

import "github.com/kljensen/snowball/english"

// Stem takes the ending off an English word (Snowball), so that singular and
// plural meet: barbers and barber, bakeries and bakery, brewing and brewery.
// Words with other than the letters a to z, and very short ones, stay whole.
func Stem(word string) string {
	if len(word) < 4 {
		return word
	}
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return word
		}
	}
	return english.Stem(word, false)
}

// Deletes are the word itself and every form of it with one letter left out.
// Two words that are one slip apart (a letter too many, missing, wrong, or two
// swapped) share at least one of these: they are what makes looking up a
// misspelt word exact and fast.
func Deletes(word string) []string {
	runes := []rune(word)
	seen := map[string]bool{word: true}
	forms := []string{word}
	for i := range runes {
		form := string(runes[:i]) + string(runes[i+1:])
		if !seen[form] {
			seen[form] = true
			forms = append(forms, form)
		}
	}
	return forms
}

// Distance counts the slips between two words: letters inserted, left out,
// replaced, or swapped with their neighbour (optimal string alignment).
// It stops counting past limit and then returns limit+1.
func Distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if abs(len(s)-len(t)) > limit {
		return limit + 1
	}
	before, previous, current := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(s); i++ {
		current[0] = i
		least := i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			d := min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, before[j-2]+1)
			}
			current[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, previous, current = previous, current, before
	}
	return min(previous[len(t)], limit+1)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
