package search

import (
	"slices"
	"sort"
	"strings"

	"homeplace/core/geo"
	"homeplace/core/searchtext"
)

// plan is a query taken apart.
type plan struct {
	key         string   // of the whole query, as a name
	all         []string // every word as typed
	words       []string // without fillers and ZIP, those of the place last
	place       *place
	terms       []term   // the words outside the place
	cities      []string // keys of cities that the query may name
	explaining  []string // those of them beside which only categories are left
	corrections map[string][]string
}

// place is where to look, with the words that said so.
type place struct {
	Place
	words    []string
	stated   bool // the words name the state too
	lat, lng float64
	located  bool
}

// term is a word, or a phrase that means one thing.
type term struct {
	words        []string
	alternatives [][]string // synonyms, each a phrase
	typed        []string   // categories that the words themselves name
	meant        []string   // categories that only a synonym names
}

// maxTerms bounds the work that one query can cause; what stands after them
// does not narrow the result.
const maxTerms = 12

// read takes a query apart.
func (lex *lexicon) read(text string, places *geo.Gazetteer) *plan {
	all := searchtext.Words(text)
	p := &plan{key: searchtext.NameKey(text), all: all}
	rest := p.takeZIP(withoutEndings(all), places)
	if p.place == nil {
		rest = p.takePlace(rest, lex, places)
	}
	rest = lex.withoutFillers(rest)
	p.terms = lex.terms(rest)
	if len(p.terms) > maxTerms {
		p.terms = p.terms[:maxTerms]
	}
	p.words = append(p.words, rest...)
	if p.place != nil {
		p.words = append(p.words, p.place.words...)
	}
	p.nameCities(lex)
	return p
}

// maxCityWords is the longest name of a city that is looked for, in words.
const maxCityWords = 4

// nameCities lists the city keys at either end of the query. The directory may
// know places that no gazetteer lists, and a name that many cities share means
// whichever of them has entries.
func (p *plan) nameCities(lex *lexicon) {
	words := p.words
	for n := 1; n <= min(maxCityWords, len(words)); n++ {
		for _, at := range []int{0, len(words) - n} {
			key := strings.Join(words[at:at+n], " ")
			if contains(p.cities, key) {
				continue
			}
			p.cities = append(p.cities, key)
			rest := append(append([]string{}, words[:at]...), words[at+n:]...)
			if len(rest) > 0 && allCategories(lex.terms(rest)) {
				p.explaining = append(p.explaining, key)
			}
		}
	}
	if p.place == nil || p.place.City == "" {
		return
	}
	key := searchtext.SortName(p.place.City)
	if p.place.stated || p.place.ZIP != "" {
		p.cities = nil // the state says which of that name
	}
	p.cities = append(p.cities, key)
	if allCategories(p.terms) {
		p.explaining = append(p.explaining, key)
	}
}

func allCategories(terms []term) bool {
	for _, t := range terms {
		if len(t.typed)+len(t.meant) == 0 {
			return false
		}
	}
	return len(terms) > 0
}

// takeZIP finds a known ZIP among the words.
func (p *plan) takeZIP(words []string, places *geo.Gazetteer) []string {
	for i, w := range words {
		if len(w) != 5 || strings.Trim(w, "0123456789") != "" {
			continue
		}
		if z, ok := places.ZIP(w); ok {
			p.place = &place{Place: Place{City: z.City, Region: z.Region, ZIP: w}, words: []string{w}, lat: z.Lat, lng: z.Lng, located: z.Located()}
			return append(append([]string{}, words[:i]...), words[i+1:]...)
		}
	}
	return words
}

// takePlace finds a state or city at the end of the words, or a city at their
// beginning, as in "detroit soul food".
func (p *plan) takePlace(words []string, lex *lexicon, places *geo.Gazetteer) []string {
	if city, n, ok := places.MatchCityEnd(words); ok {
		p.place = cityPlace(city, words[len(words)-n:])
		return words[:len(words)-n]
	}
	for n := min(3, len(words)); n > 0; n-- {
		tail := words[len(words)-n:]
		// A code of two letters is a word too: "in", "or", "me". It counts
		// as a state only behind a preposition.
		if n == 1 && len(tail[0]) == 2 && (len(words) < 2 || !isPreposition(words[len(words)-2])) {
			continue
		}
		if code, ok := geo.Region(strings.Join(tail, " ")); ok {
			p.place = &place{Place: Place{Region: code}, words: append([]string{}, tail...)}
			return words[:len(words)-n]
		}
	}
	if city, n, ok := places.MatchCity(words); ok && n < len(words) && lex.phraseAt(words) <= n {
		p.place = cityPlace(city, words[:n])
		return words[n:]
	}
	return words
}

func isPreposition(w string) bool { return w == "in" || w == "near" || w == "around" || w == "from" }

func cityPlace(city geo.Locality, words []string) *place {
	return &place{Place: Place{City: city.City, Region: city.Region}, words: append([]string{}, words...),
		stated: len(words) > len(searchtext.Words(city.City)), lat: city.Lat, lng: city.Lng, located: true}
}

// terms groups the words: the longest phrase that the lexicon knows, else the
// single word.
func (lex *lexicon) terms(words []string) []term {
	var terms []term
	for i := 0; i < len(words); {
		n := max(lex.phraseAt(words[i:]), 1)
		phrase := words[i : i+n]
		key := lex.key(phrase)
		t := term{words: phrase, alternatives: slices.Clone(lex.synonyms[key]), typed: lex.categories[key]}
		for _, slug := range lex.aliases[key] {
			t.alternatives = append(t.alternatives, searchtext.Words(slug))
		}
		t.mean(lex.aliases[key])
		for _, alternative := range t.alternatives {
			t.mean(lex.categories[stems(alternative)])
		}
		terms = append(terms, t)
		i += n
	}
	return terms
}

func (t *term) mean(slugs []string) {
	for _, slug := range slugs {
		if !contains(t.typed, slug) && !contains(t.meant, slug) {
			t.meant = append(t.meant, slug)
		}
	}
}

// categories lists what the terms name, each once, typed ones first.
func (p *plan) categories() []string {
	typed, meant := p.namedCategories()
	list := []string{}
	for _, slug := range append(typed, meant...) {
		if !contains(list, slug) {
			list = append(list, slug)
		}
	}
	return list
}

func (p *plan) namedCategories() (typed, meant []string) {
	typed, meant = []string{}, []string{}
	for _, t := range p.terms {
		typed = append(typed, t.typed...)
		meant = append(meant, t.meant...)
	}
	return typed, meant
}

func (p *plan) placeOf() *Place {
	if p.place == nil {
		return nil
	}
	return &p.place.Place
}

// chosenCorrections shows one correction for each mended word.
func (p *plan) chosenCorrections() map[string]string {
	chosen := map[string]string{}
	for word, candidates := range p.corrections {
		if candidates[0] != word {
			chosen[word] = candidates[0]
		}
	}
	return chosen
}

// sortedWords are the distinct words of the query, for look-ups.
func (p *plan) sortedWords() []string {
	seen := map[string]bool{}
	var list []string
	for _, w := range p.words {
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	sort.Strings(list)
	return list
}
