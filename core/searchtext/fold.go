// Package searchtext turns text into what is searched: folded letters, words,
// stems and keys. Whoever writes the search index and whoever reads it use
// these functions, so that both sides always agree.
package searchtext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold makes letters comparable: lower case, without accents, compatibility
// forms resolved (full width, ligatures), typographic quotes and dashes as
// typed on a keyboard. Letters of other scripts stay what they are.
func Fold(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	s = strings.ToValidUTF8(s, "\ufffd") // what is invalid would keep its neighbours from being decomposed
	s = strings.ReplaceAll(s, "´", "'")  // decomposed it would be a blank and a mark
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cf, r):
			continue
		case r == '`':
			b.WriteByte('\'')
		case r < utf8.RuneSelf:
			b.WriteByte(byte(unicode.ToLower(r)))
		default:
			if plain, ok := unaccented[unicode.ToLower(r)]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == '`' || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// unaccented are letters that decomposition leaves whole, and signs that have
// a plain twin.
var unaccented = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ɓ': "b", 'ɗ': "d", 'ƙ': "k",
	'‘': "'", '’': "'", 'ʼ': "'", 'ʻ': "'", '‛': "'", '′': "'", '“': `"`, '”': `"`, '„': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '−': "-", '⁄': "/",
}

// maxWord is where a word ends at the latest, in bytes: far below the 2 kB that
// PostgreSQL takes. What follows is not part of any word.
const maxWord = 255

// Words splits folded text into runs of letters and digits. An apostrophe
// inside a word is dropped ("Joe's" is joes), and so are the points of an
// acronym ("B.B.Q." is bbq).
func Words(s string) []string {
	s = Fold(s)
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	add := func(r rune) {
		if word.Len()+utf8.RuneLen(r) <= maxWord {
			word.WriteRune(r)
		}
	}
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			add(r)
		case unicode.Is(unicode.M, r):
			// A mark that folding left, as Indic vowels are, belongs to its letter.
			if word.Len() > 0 {
				add(r)
			}
		case r == '\'' && word.Len() > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i+1]):
		case r == '.' && insideAcronym(runes, i):
		default:
			flush()
		}
	}
	flush()
	return words
}

// insideAcronym tells whether the point at i follows and precedes a single
// letter, or ends such a row.
func insideAcronym(s []rune, i int) bool {
	single := func(j int) bool {
		return j >= 0 && j < len(s) && unicode.IsLetter(s[j]) &&
			(j == 0 || !isWordRune(s[j-1])) && (j+1 == len(s) || !isWordRune(s[j+1]))
	}
	return single(i-1) && single(i+1)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// companySuffixes say what a company is in law, not what it is called.
var companySuffixes = map[string]bool{
	"llc": true, "inc": true, "co": true, "corp": true, "ltd": true, "llp": true, "lllp": true, "pllc": true, "plc": true, "pc": true,
	"pa": true, "lp": true, "incorporated": true, "corporation": true, "company": true, "limited": true,
}

// CompanySuffix tells whether a word says what a company is in law.
func CompanySuffix(word string) bool { return companySuffixes[word] }

// NameKey is what two spellings of one name have in common: no case, accents,
// punctuation, leading "the", "and", or company suffix.
func NameKey(name string) string {
	all := Words(name)
	words := make([]string, 0, len(all))
	for _, w := range all {
		if w != "and" {
			words = append(words, w)
		}
	}
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	for len(words) > 1 && companySuffixes[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		words = all
	}
	return strings.Join(words, " ")
}

// SortName is the folded name by which lists are ordered.
func SortName(name string) string { return strings.Join(strings.Fields(Fold(name)), " ") }

// Initial is the letter under which a sort name stands: a to z, else "#".
func Initial(sortName string) string {
	if sortName != "" && 'a' <= sortName[0] && sortName[0] <= 'z' {
		return sortName[:1]
	}
	return "#"
}
