package search

import (
	"context"
	"strings"

	"homeplace/core/searchtext"
)

// maxPhrase is the longest synonym or category name in words.
const maxPhrase = 4

// lexicon is what the words of a query can mean: synonyms and category names,
// by their stems.
type lexicon struct {
	synonyms   map[string][][]string // stems joined by blanks → alternatives, each a phrase
	categories map[string][]string   // label or slug, as stems → curated slugs
	aliases    map[string][]string   // alias, as stems → curated slugs
}

// vocabulary loads the lexicon, from memory where nothing changed.
func (s *Service) vocabulary(ctx context.Context) (*lexicon, error) {
	s.mu.Lock()
	lex, generation := s.lexicon, s.generation
	s.mu.Unlock()
	if lex != nil {
		return lex, nil
	}
	synonyms, err := allSynonyms(ctx, s.db.Public())
	if err != nil {
		return nil, err
	}
	names, err := categoryNames(ctx, s.db.Public())
	if err != nil {
		return nil, err
	}
	lex = newLexicon(synonyms, names)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == generation { // else it may be older than the last change
		s.lexicon = lex
	}
	return lex, nil
}

func newLexicon(synonyms []synonym, names []categoryName) *lexicon {
	lex := &lexicon{synonyms: map[string][][]string{}, categories: map[string][]string{}, aliases: map[string][]string{}}
	for _, syn := range synonyms {
		key, expansion := stems(searchtext.Words(syn.Term)), searchtext.Words(syn.Expansion)
		if key != "" && len(expansion) > 0 {
			lex.synonyms[key] = append(lex.synonyms[key], expansion)
		}
	}
	for _, n := range names {
		names := lex.categories
		if n.Alias {
			names = lex.aliases
		}
		key := stems(searchtext.Words(n.Name))
		if key != "" && !contains(names[key], n.Slug) {
			names[key] = append(names[key], n.Slug)
		}
	}
	return lex
}

func stems(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = searchtext.Stem(w)
	}
	return strings.Join(list, " ")
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// phraseAt is the number of words of the longest phrase, of two words or more,
// that the lexicon knows at the start of words; 0 where there is none.
func (lex *lexicon) phraseAt(words []string) int {
	for n := min(maxPhrase, len(words)); n > 1; n-- {
		if lex.knows(lex.key(words[:n])) {
			return n
		}
	}
	return 0
}

// key is under what the lexicon may know the words: as they stand, or two of
// them written as one, as in "book store".
func (lex *lexicon) key(words []string) string {
	key := stems(words)
	if len(words) == 2 && !lex.knows(key) {
		if joined := searchtext.Stem(words[0] + words[1]); lex.knows(joined) {
			return joined
		}
	}
	return key
}

func (lex *lexicon) knows(key string) bool {
	return lex.synonyms[key] != nil || lex.categories[key] != nil || lex.aliases[key] != nil
}
