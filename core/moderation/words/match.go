package words

import (
	"slices"

	"homeplace/core/moderation/text"
)

// Match is where a rule holds in a text.
type Match struct {
	Rule Rule
	Span text.Span // of the original text
	// Quoted tells that all of it is between quotation marks.
	Quoted bool
}

// Match finds where rules hold, in the order of the text, without what an
// allowing rule covers, and without what is quoted by somebody who says what
// they think of it. Kind is the kind of text, for rules with a scope; empty
// is any.
func (l *List) Match(tokens []text.Token, kind string) []Match {
	terms := l.lexicon.resolve(tokens)
	var found, allowed []Match
	for i := range terms {
		for _, n := range l.candidates(terms[i]) {
			rule := &l.rules[n]
			if !rule.inScope(kind) {
				continue
			}
			if end := match(rule.elements, terms, i, i); end > i {
				m := Match{Rule: rule.Rule, Span: text.Span{Start: terms[i].span.Start, End: terms[end-1].span.End},
					Quoted: !slices.ContainsFunc(terms[i:end], func(t term) bool { return !t.quoted })}
				if rule.Action == Allow {
					allowed = append(allowed, m)
				} else {
					found = append(found, m)
				}
			}
		}
	}
	if l.lexicon.commented(terms) {
		found = slices.DeleteFunc(found, func(m Match) bool { return m.Quoted })
	}
	return uncovered(found, allowed)
}

// commented tells that somebody says something of their own about what they
// quote.
func (x *lexicon) commented(terms []term) bool {
	quoted, said := false, false
	for _, t := range terms {
		quoted = quoted || t.quoted
		said = said || !t.quoted && t.classes&x.special.comment != 0
	}
	return quoted && said
}

// uncovered keeps what no allowed match covers; both come in the order of the
// text.
func uncovered(found, allowed []Match) []Match {
	kept := found[:0]
	furthest, next := -1, 0
	for _, m := range found {
		for ; next < len(allowed) && allowed[next].Span.Start <= m.Span.Start; next++ {
			furthest = max(furthest, allowed[next].Span.End)
		}
		if m.Span.End > furthest {
			kept = append(kept, m)
		}
	}
	return kept
}

// candidates are the rules that may begin with a term, each once.
func (l *List) candidates(t term) []int {
	rules := slices.Clone(l.first.any)
	for _, w := range t.words {
		rules = append(rules, l.first.byWord[w]...)
	}
	for class := range maxClasses {
		if t.classes&(1<<class) != 0 {
			rules = append(rules, l.first.byClass[class]...)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// match returns where the longest match of the elements from terms[i] on ends,
// or -1.
func match(elements []element, terms []term, start, i int) int {
	if len(elements) == 0 {
		return i
	}
	e := elements[0]
	switch {
	case e.sentence:
		return terms[start].sentenceEnd
	case e.begins && i > 0 && terms[i-1].sentence == terms[i].sentence:
		return -1
	}
	count := 0
	for count < e.most && i+count < len(terms) && terms[i+count].sentence == terms[start].sentence && e.matches(terms[i+count]) {
		count++
	}
	for ; count >= e.least; count-- {
		if end := match(elements[1:], terms, start, i+count); end >= 0 {
			return end
		}
	}
	return -1
}
