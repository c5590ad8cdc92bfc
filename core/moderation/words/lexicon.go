package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"homeplace/core/moderation/text"
)

type wordID int32

// entry is a word that some rule or class names.
type entry struct {
	word    string
	classes classSet
	open    bool // a word with a meaning, not a function word: misspellings count, too
}

// lexicon knows every word that matters to a list, and finds it in disguise.
type lexicon struct {
	entries   []entry
	byWord    map[string]wordID
	squeezed  map[string][]wordID // by the word without repeated letters
	misspelt  map[string]wordID   // by the word with one slip
	byOutline map[outline][]wordID
	special   struct{ group, groupAdjective, person, pronoun, comment classSet }
}

// outline is what masking leaves of a word: its first letter and its length.
type outline struct {
	first  byte
	length int
}

func newLexicon() lexicon {
	return lexicon{byWord: make(map[string]wordID), squeezed: make(map[string][]wordID), misspelt: make(map[string]wordID),
		byOutline: make(map[outline][]wordID)}
}

// functional are the classes of function words, for which misspellings and
// masks are not tried: they are short, and near to too many other words.
var functional = []string{"be", "quantity", "adverb", "det", "media", "counter", "saying", "person", "pronoun", "negation", "article", "modal", "ordinary", "object"}

func (x *lexicon) addClasses(classes Classes) (map[string]int, error) {
	if len(classes) > maxClasses {
		return nil, fmt.Errorf("there are %d classes; %d are possible", len(classes), maxClasses)
	}
	numbers := make(map[string]int)
	for i, class := range slices.Sorted(maps.Keys(classes)) {
		numbers[class] = i
		for _, word := range classes[class] {
			id, err := x.addLiteral(word)
			if err != nil {
				return nil, fmt.Errorf("the class %s: %w", class, err)
			}
			x.entries[id].classes |= 1 << i
			x.entries[id].open = x.entries[id].open || !slices.Contains(functional, class)
		}
	}
	set := func(class string) classSet {
		if number, ok := numbers[class]; ok {
			return 1 << number
		}
		return 0
	}
	x.special.group, x.special.groupAdjective = set("group"), set("groupadj")
	x.special.person, x.special.pronoun = set("person"), set("pronoun")
	x.special.comment = set("counter") | set("saying")
	return numbers, nil
}

// addLiteral takes a word in, folded as texts are.
func (x *lexicon) addLiteral(word string) (wordID, error) {
	plain := text.Normalize(word).Plain
	if plain == "" || strings.ContainsFunc(plain, func(r rune) bool { return !isWordRune(r) }) {
		return 0, fmt.Errorf("%q is not one word of letters and digits", word)
	}
	if id, ok := x.byWord[plain]; ok {
		return id, nil
	}
	id := wordID(len(x.entries))
	x.entries = append(x.entries, entry{word: plain})
	x.byWord[plain] = id
	return id, nil
}

// oneLetter are words that people write as one letter. They stay letters while a
// text is read, for they may belong to a word that is spelled out.
var oneLetter = map[string]string{"u": "you", "r": "are", "n": "and"}

// index prepares the ways in which a word may be disguised.
func (x *lexicon) index() {
	for letter, word := range oneLetter {
		if id, ok := x.byWord[word]; ok {
			x.byWord[letter] = id
		}
	}
	for i, e := range x.entries {
		id := wordID(i)
		if !e.open {
			continue
		}
		letters, _ := runs(e.word)
		x.squeezed[letters] = append(x.squeezed[letters], id)
		o := outline{e.word[0], utf8.RuneCountInString(e.word)}
		x.byOutline[o] = append(x.byOutline[o], id)
		for _, slip := range slips(e.word) {
			if _, taken := x.byWord[slip]; !taken {
				x.misspelt[slip] = id
			}
		}
	}
}

// The shortest words of which a swap of two letters, and a letter left out, are
// still told apart from other words.
const (
	shortestSwap = 4
	shortestDrop = 6
)

// slips are a word with two neighbours swapped or a letter left out, its first
// letter being right.
func slips(word string) []string {
	if !isASCII(word) {
		return nil
	}
	var found []string
	for i := 1; i+1 < len(word); i++ {
		if len(word) >= shortestSwap && word[i] != word[i+1] {
			found = append(found, word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:])
		}
		if len(word) >= shortestDrop {
			found = append(found, word[:i]+word[i+1:])
		}
	}
	return found
}

// runs squeezes every run of one letter and says how long each was.
func runs(word string) (letters string, lengths []int) {
	var b strings.Builder
	var last rune = -1
	for _, r := range word {
		if r != last {
			b.WriteRune(r)
			lengths = append(lengths, 0)
			last = r
		}
		lengths[len(lengths)-1]++
	}
	return b.String(), lengths
}

// stretched finds words with letters repeated: three or more of one are one or
// two in the word that was meant.
func (x *lexicon) stretched(word string) []wordID {
	letters, lengths := runs(word)
	if slices.Max(lengths) < 3 {
		return nil
	}
	var found []wordID
	for _, id := range x.squeezed[letters] {
		_, meant := runs(x.entries[id].word)
		fits := true
		for i, n := range lengths {
			fits = fits && (n == meant[i] || n >= 3 && n >= meant[i])
		}
		if fits {
			found = append(found, id)
		}
	}
	return found
}

// masked finds words of which asterisks hide letters, at most half of them.
func (x *lexicon) masked(pattern string) []wordID {
	hidden := strings.Count(pattern, "*")
	if hidden == 0 || hidden*2 > len(pattern) && len(pattern) > 4 || pattern[0] == '*' || len(pattern)-hidden < 2 || !isASCII(pattern) {
		return nil
	}
	var found []wordID
	for _, id := range x.byOutline[outline{pattern[0], len(pattern)}] {
		if fits(x.entries[id].word, pattern) {
			found = append(found, id)
		}
	}
	return found
}

func fits(word, pattern string) bool {
	if len(word) != len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] != '*' && pattern[i] != word[i] {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
