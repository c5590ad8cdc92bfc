package search

import (
	"strings"

	"homeplace/core/searchtext"
)

// fillers carry no meaning in a query: articles, prepositions, and what people
// say around the thing that they look for.
var fillers = wordSet(`a an the of in on at to for from by with near nearby around close is are was were be been do does did
	i me my we our you your it its this that these those there here where who what which when how can could would should will
	find get go see show look looking search want need like best good great top nice favorite favourite cheap any some all every
	please help know tell give place places spot spots thing things somewhere someone anyone something anything eat have
	and or local open now today tonight recommend recommendation recommendations list im whats wheres whos`)

// ownership says what every entry here may well be.
var ownership = [][]string{{"african", "american", "owned"}, {"black", "owned"}, {"minority", "owned"}, {"blackowned"}}

// endings are said after a place, and would hide it.
var endings = [][]string{{"near", "me"}, {"around", "me"}, {"around", "here"}, {"close", "by"}, {"right", "now"},
	{"nearby"}, {"tonight"}, {"today"}, {"now"}, {"please"}, {"usa"}}

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// withoutEndings cuts what follows the thing and the place.
func withoutEndings(words []string) []string {
	for changed := true; changed; {
		changed = false
		for _, e := range endings {
			if n := len(words) - len(e); n > 0 && sameWords(words[n:], e) {
				words, changed = words[:n], true
			}
		}
	}
	return words
}

// withoutFillers keeps the words that carry meaning, and those of a phrase that
// the lexicon knows ("place to eat"); when none would be left, all are kept. A
// company suffix at the end carries none: "Joe's LLC" is joes.
func (lex *lexicon) withoutFillers(words []string) []string {
	words = withoutOwnership(words)
	for len(words) > 1 && searchtext.CompanySuffix(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	var kept []string
	for i := 0; i < len(words); {
		n := lex.phraseAt(words[i:])
		switch {
		case n > 0:
			kept = append(kept, words[i:i+n]...)
			i += n
			continue
		case !fillers[words[i]]:
			kept = append(kept, words[i])
		}
		i++
	}
	if len(kept) == 0 {
		return words
	}
	return kept
}

func withoutOwnership(words []string) []string {
	for _, phrase := range ownership {
		for i := 0; i+len(phrase) <= len(words); i++ {
			if sameWords(words[i:i+len(phrase)], phrase) && len(words) > len(phrase) {
				return append(append([]string{}, words[:i]...), words[i+len(phrase):]...)
			}
		}
	}
	return words
}

func sameWords(a, b []string) bool { return strings.Join(a, " ") == strings.Join(b, " ") }
