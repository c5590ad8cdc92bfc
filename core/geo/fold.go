package geo

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wholeWords are the short forms that gazetteers and people use for one another.
var wholeWords = map[string]string{
	"st": "saint", "ste": "sainte", "ft": "fort", "mt": "mount", "mtn": "mountain",
}

// letters have no canonical decomposition and are spelt in ASCII by custom.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ħ", "h", "ı", "i",
)

// fold reduces a name to the key under which spellings of it meet: lower case
// without accents or apostrophes, other punctuation as single spaces, and "st",
// "ft" and "mt" written out.
func fold(s string) string {
	if !ascii(s) {
		s = stripMarks(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 3)
	start := -1
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
			continue
		case start < 0:
			continue
		case isApostrophe(r):
			continue
		}
		appendWord(&b, s[start:i])
		start = -1
	}
	if start >= 0 {
		appendWord(&b, s[start:])
	}
	return b.String()
}

func appendWord(b *strings.Builder, word string) {
	word = strings.Map(func(r rune) rune {
		if isApostrophe(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, word)
	if long, ok := wholeWords[word]; ok {
		word = long
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(word)
}

// isApostrophe includes the letter forms used for the glottal stop (Hawaiʻi).
func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', '`', 'ʻ', 'ʼ', '´':
		return true
	}
	return false
}

func stripMarks(s string) string {
	s = norm.NFD.String(strings.ToLower(s))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	return letters.Replace(s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
