package search

import (
	"strings"

	"homeplace/core/searchtext"
)

// attempt is one step of a query, ready for the database.
type attempt struct {
	plan   *plan
	query  string // tsquery that a match fulfils
	around string // tsquery that a match near the place fulfils; "" = not looked for
	name   string // tsquery for all words but the place's in the name
	whole  string // tsquery for every word in the name, as typed
	wide   bool   // names that merely begin with the query count too
}

func (p *plan) attempt(step Step, groups []string) attempt {
	a := attempt{plan: p, query: strings.Join(groups, " & "), wide: step != Exact}
	if step == Nearby {
		a.around = strings.Join(groups[:len(p.terms)], " & ")
	}
	var inName, typed []string
	for _, w := range p.words {
		if p.place == nil || len(p.terms) == 0 || !contains(p.place.words, w) {
			inName = append(inName, p.wordGroup(w, "A", a.wide))
		}
	}
	for _, w := range p.all {
		typed = append(typed, lexeme(w, "A", false))
	}
	a.name, a.whole = strings.Join(inName, " & "), strings.Join(typed, " & ")
	return a
}

// groups are the conditions that all must hold: one for each term, and the
// place last. wide reads words as beginnings.
func (p *plan) groups(wide bool) []string {
	var groups []string
	for _, t := range p.terms {
		groups = append(groups, p.termGroup(t, wide))
	}
	if p.place != nil {
		groups = append(groups, p.placeGroup(wide))
	}
	return groups
}

// termGroup is the words as typed, or any synonym: a single word only in name,
// category or tags, since in running text it may mean anything.
func (p *plan) termGroup(t term, wide bool) string {
	var words []string
	for _, w := range t.words {
		words = append(words, p.wordGroup(w, "", wide))
	}
	options := []string{join(words, " & ")}
	for _, alternative := range t.alternatives {
		weights := "AB"
		if len(alternative) > 1 {
			weights = ""
		}
		options = append(options, phrase(alternative, weights))
	}
	for i := 0; i+1 < len(t.words); i++ { // "book store" as one word
		if len(t.words) == 2 {
			options = append(options, lexeme(t.words[i]+t.words[i+1], "", false))
		}
	}
	return join(options, " | ")
}

// placeGroup is the words of the place wherever they stand, in any of the ways
// to write them.
func (p *plan) placeGroup(wide bool) string {
	if p.place.ZIP != "" {
		place := lexeme(p.place.ZIP, "", false)
		if p.place.City == "" {
			return place
		}
		city := phrase(searchtext.Words(p.place.City), "C")
		return "(" + place + " | " + city + " & " + lexeme(strings.ToLower(p.place.Region), "C", false) + ")"
	}
	var words []string
	for _, w := range p.place.words {
		words = append(words, p.wordGroup(w, "", wide))
	}
	options := []string{join(words, " & ")}
	region := lexeme(strings.ToLower(p.place.Region), "C", false)
	if p.place.City == "" {
		options = append(options, region)
	} else {
		options = append(options, "("+phrase(searchtext.Words(p.place.City), "C")+" & "+region+")")
	}
	return join(options, " | ")
}

// wordGroup is a word, its stem, and what it may be a slip of.
func (p *plan) wordGroup(word, weights string, wide bool) string {
	options := []string{lexeme(word, weights, wide && len(word) > 1)}
	if stem := searchtext.Stem(word); stem != word {
		options = append(options, lexeme(stem, weights, false))
	}
	for _, other := range p.corrections[word] {
		if other != word {
			options = append(options, phrase(strings.Fields(other), weights))
		}
	}
	return join(options, " | ")
}

// phrase is words that stand side by side.
func phrase(words []string, weights string) string {
	var parts []string
	for _, w := range words {
		options := []string{lexeme(w, weights, false)}
		if stem := searchtext.Stem(w); stem != w {
			options = append(options, lexeme(stem, weights, false))
		}
		parts = append(parts, join(options, " | "))
	}
	return join(parts, " <-> ")
}

// lexeme quotes a word. Words hold letters, digits and marks only.
func lexeme(word, weights string, prefix bool) string {
	q := "'" + word + "'"
	if prefix {
		return q + ":*" + weights
	}
	if weights != "" {
		return q + ":" + weights
	}
	return q
}

func join(parts []string, operator string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, operator) + ")"
}

// maxPartialGroups keeps the number of combinations small.
const maxPartialGroups = 8

// moreThanHalf is fulfilled by the smallest majority of the groups, whichever.
func moreThanHalf(groups []string) string {
	size := len(groups)/2 + 1
	var combinations []string
	for set := range 1 << len(groups) {
		var chosen []string
		for i, g := range groups {
			if set&(1<<i) != 0 {
				chosen = append(chosen, g)
			}
		}
		if len(chosen) == size {
			combinations = append(combinations, join(chosen, " & "))
		}
	}
	return join(combinations, " | ")
}
