package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a token is.
type Kind int

// The kinds of token.
const (
	Word    Kind = iota
	Link         // an address of the web
	Mention      // @somebody
)

// Token is a word of a text, or something in its place.
type Token struct {
	Kind Kind
	// Word is letters and digits only; a link is as written.
	Word string
	// Readings are what a disguised word may stand for, most likely first; an
	// asterisk is one letter that was masked.
	Readings []string
	// Letters is how many tokens of one letter were joined into this one.
	Letters  int
	Span     Span
	Sentence int // counted from 0
	Quoted   bool
}

// maxWord is where a word ends at the latest, in bytes; no word that anybody
// would list is longer.
const maxWord = 64

// Tokens splits a text into words. Contractions and their shorthand are spelled
// out, so that rules need one form: "I'm" and "im" are i, am.
func (t Text) Tokens() []Token {
	s := scanner{text: t}
	for start := 0; start < len(t.Plain); {
		end := start
		for end < len(t.Plain) && t.Plain[end] != ' ' && t.Plain[end] != '\n' {
			end++
		}
		if start < end {
			s.chunk(start, end)
		}
		if end < len(t.Plain) && t.Plain[end] == '\n' {
			s.sentence++
		}
		start = end + 1
	}
	return joinLetters(s.tokens)
}

type scanner struct {
	text     Text
	tokens   []Token
	sentence int
	quoted   bool
}

// chunk reads what stands between two blanks.
func (s *scanner) chunk(start, end int) {
	core, lead, trail := trimPunctuation(s.text.Plain[start:end])
	if strings.HasPrefix(core, `"`) || strings.ContainsRune(lead, '"') || opensSingle(lead, s.quoted) {
		s.quoted = !s.quoted
	}
	if core != "" {
		s.core(core, start+len(lead), start+len(lead)+len(core))
	}
	if strings.ContainsRune(trail, '"') || s.quoted && strings.HasSuffix(strings.TrimRight(trail, ".,!?;:"), "'") {
		s.quoted = false
	}
	if strings.ContainsAny(trail, ".!?;…") {
		s.sentence++
	}
}

func opensSingle(lead string, quoted bool) bool { return !quoted && strings.HasSuffix(lead, "'") }

// trimPunctuation cuts what frames a word. Signs that stand for letters stay;
// asterisks stay at the end, unless they also lead, as around an *emphasis*.
func trimPunctuation(chunk string) (core, lead, trail string) {
	kept := "@$"
	frames := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(kept, r)
	}
	core = strings.TrimLeftFunc(chunk, frames)
	lead = chunk[:len(chunk)-len(core)]
	if !strings.Contains(lead, "*") {
		kept = "@$*"
	}
	whole := core
	core = strings.TrimRightFunc(core, frames)
	return core, lead, whole[len(core):]
}

func (s *scanner) core(core string, start, end int) {
	switch {
	case isLink(core):
		s.add(Token{Kind: Link, Word: core}, start, end)
	case isMention(core):
		s.add(Token{Kind: Mention, Readings: readings(core)}, start, end)
	case isSpelled(core):
		letters := keepLetters(core)
		s.add(Token{Word: letters, Letters: utf8.RuneCountInString(letters)}, start, end)
	case isDisguised(core):
		s.add(Token{Word: cut(keepLetters(core)), Readings: readings(core)}, start, end)
	default:
		s.words(core, start)
	}
}

// words splits at every sign but the apostrophe. Where signs split a chunk, the
// whole without them is a reading of its first word.
func (s *scanner) words(core string, start int) {
	first := len(s.tokens)
	from := -1
	for i, r := range core + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\''
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			s.word(core[from:i], start+from, start+i)
			from = -1
		}
		if r == '"' {
			s.quoted = !s.quoted
		}
		if strings.ContainsRune(".!?;", r) && i+1 < len(core) {
			s.sentence++
		}
	}
	if len(s.tokens)-first > 1 && len(core) <= maxWord && strings.ContainsAny(core, "._-*/|~+") {
		s.tokens[first].Readings = append(s.tokens[first].Readings, keepLetters(core))
	}
}

// word adds one word, or what it is short for.
func (s *scanner) word(word string, start, end int) {
	if long, ok := shorthand[word]; ok {
		for _, w := range long {
			s.add(Token{Word: w}, start, end)
		}
		return
	}
	if stem, ok := strings.CutSuffix(word, "'s"); ok {
		word = stem
	} else if strings.ContainsRune(word, '\'') {
		for _, c := range contractions {
			if stem, ok := strings.CutSuffix(word, c.ending); ok && stem != "" {
				s.add(Token{Word: cut(keepLetters(stem))}, start, end)
				s.add(Token{Word: c.word}, start, end)
				return
			}
		}
	}
	if word = cut(keepLetters(word)); word != "" {
		s.add(Token{Word: word, Readings: respelled(word)}, start, end)
	}
}

func (s *scanner) add(t Token, start, end int) {
	t.Span, t.Sentence, t.Quoted = s.text.Span(start, end), s.sentence, s.quoted
	s.tokens = append(s.tokens, t)
}

// keepLetters drops everything but letters and digits.
func keepLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func cut(word string) string {
	if len(word) <= maxWord {
		return word
	}
	end := maxWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// joinLetters makes one token of three or more that are a letter each, as in
// "h a t e". What they mean as single words is not lost: who reads the joined
// token may take it apart again.
func joinLetters(tokens []Token) []Token {
	joined := tokens[:0:0]
	for i := 0; i < len(tokens); {
		end, letters := i, ""
		for end < len(tokens) && tokens[end].Kind == Word && tokens[end].Sentence == tokens[i].Sentence && len(letters) < maxWord {
			letter := singleLetter(tokens[end])
			if letter == "" {
				break
			}
			letters += letter
			end++
		}
		if end-i < 3 {
			joined = append(joined, tokens[i])
			i++
			continue
		}
		t := tokens[i]
		t.Word, t.Readings, t.Letters, t.Span.End = letters, nil, end-i, tokens[end-1].Span.End
		joined = append(joined, t)
		i = end
	}
	return joined
}

// singleLetter is the letter that a token is, or stands for.
func singleLetter(t Token) string {
	if utf8.RuneCountInString(t.Word) > 1 {
		return ""
	}
	if r, _ := utf8.DecodeRuneInString(t.Word); unicode.IsLetter(r) {
		return t.Word
	}
	if plain, ok := leet[t.Word]; ok {
		return plain
	}
	if len(t.Readings) > 0 && len(t.Readings[0]) == 1 && t.Readings[0] != "*" {
		return t.Readings[0]
	}
	return ""
}
