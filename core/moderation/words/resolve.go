package words

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"homeplace/core/moderation/text"
)

// term is a token as the lexicon knows it.
type term struct {
	words    []wordID
	classes  classSet
	span     text.Span
	sentence int
	quoted   bool

	sentenceEnd int // the index of the first term after its sentence
}

// resolve turns tokens into terms: words in disguise into what they stand for,
// words written together into several terms.
func (x *lexicon) resolve(tokens []text.Token) []term {
	terms := make([]term, 0, len(tokens))
	for _, token := range tokens {
		if found := x.look(token); len(found) > 0 {
			terms = append(terms, x.term(token, found))
			continue
		}
		pieces := x.pieces(token)
		for _, id := range pieces {
			terms = append(terms, x.term(token, []wordID{id}))
		}
		switch {
		case len(pieces) > 0:
		case token.Letters > 0:
			for _, r := range token.Word {
				terms = append(terms, x.term(token, x.exact(string(r))))
			}
		default:
			terms = append(terms, x.term(token, nil))
		}
	}
	terms = x.refer(x.mergeGroups(terms))
	for i, end := len(terms)-1, len(terms); i >= 0; i-- {
		if i+1 < len(terms) && terms[i].sentence != terms[i+1].sentence {
			end = i + 1
		}
		terms[i].sentenceEnd = end
	}
	return terms
}

func (x *lexicon) term(token text.Token, words []wordID) term {
	t := term{words: words, span: token.Span, sentence: token.Sentence, quoted: token.Quoted}
	for _, id := range words {
		t.classes |= x.entries[id].classes
	}
	return t
}

func (x *lexicon) exact(word string) []wordID {
	if id, ok := x.byWord[word]; ok {
		return []wordID{id}
	}
	return nil
}

// look finds one word for a token, trying the plainest reading first.
func (x *lexicon) look(token text.Token) []wordID {
	if token.Kind == text.Link {
		return nil
	}
	found := x.exact(token.Word)
	for _, reading := range token.Readings {
		found = append(found, x.exact(reading)...)
		found = append(found, x.masked(reading)...)
	}
	if len(found) > 0 {
		return found
	}
	for _, word := range append([]string{token.Word}, token.Readings...) {
		if word == "" {
			continue
		}
		if found := x.stretched(word); len(found) > 0 {
			return found
		}
		if id, ok := x.misspelt[word]; ok {
			return []wordID{id}
		}
	}
	return nil
}

// longestPiece is the longest word looked for inside another, in bytes.
const longestPiece = 16

// pieces takes a token apart into words of the lexicon, as few as possible: all
// of it must be such words. One that was spelled out may have any number; words
// written together are two or three, of two letters and more but for a leading
// "I", and one of them has a meaning and at least four letters.
func (x *lexicon) pieces(token text.Token) []wordID {
	word, shortest, most := token.Word, 2, 3
	if token.Letters > 0 {
		shortest, most = 1, token.Letters
	} else if token.Kind != text.Word || len(word) < 5 || len(word) > 2*longestPiece {
		return nil
	}
	type step struct {
		count int
		last  wordID
		from  int
	}
	best := make([]step, len(word)+1)
	for end := 1; end <= len(word); end++ {
		for start := max(0, end-longestPiece); start < end; start++ {
			short := end-start < shortest && (start > 0 || word[0] != 'i')
			if short || start > 0 && best[start].count == 0 {
				continue
			}
			id, known := x.byWord[word[start:end]]
			if known && (best[end].count == 0 || best[start].count+1 < best[end].count) {
				best[end] = step{best[start].count + 1, id, start}
			}
		}
	}
	if count := best[len(word)].count; count == 0 || count > most {
		return nil
	}
	var found []wordID
	telling := token.Letters > 0
	for end := len(word); end > 0; end = best[end].from {
		e := x.entries[best[end].last]
		telling = telling || e.open && len(e.word) >= 4
		found = append(found, best[end].last)
	}
	if !telling {
		return nil
	}
	slices.Reverse(found)
	return found
}

// mergeGroups makes one term of a group that two words name: "gay people".
func (x *lexicon) mergeGroups(terms []term) []term {
	merged := terms[:0]
	for i := 0; i < len(terms); i++ {
		t := terms[i]
		if t.classes&(x.special.groupAdjective|x.special.group) != 0 && i+1 < len(terms) &&
			terms[i+1].sentence == t.sentence && terms[i+1].classes&x.special.person != 0 {
			i++
			t.span.End = terms[i].span.End
			t.classes = t.classes&^x.special.groupAdjective | x.special.group
		}
		merged = append(merged, t)
	}
	return merged
}

// reach is how many words from a group "they" still means it.
const reach = 25

// refer lets "they" and "them" stand for a group that is named around them, but
// not for what an adjective alone may belong to, such as a Mexican restaurant.
func (x *lexicon) refer(terms []term) []term {
	named := -reach - 1
	for i := range terms {
		if terms[i].classes&x.special.group != 0 && terms[i].classes&(x.special.pronoun|x.special.groupAdjective) == 0 {
			for back := max(0, i-reach, named); back < i; back++ {
				x.means(&terms[back])
			}
			named = i
		} else if i-named <= reach {
			x.means(&terms[i])
		}
	}
	return terms
}

// means makes a pronoun one of a group.
func (x *lexicon) means(t *term) {
	if t.classes&x.special.pronoun != 0 {
		t.classes |= x.special.group
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == utf8.RuneError }
